import { describe, expect, it } from 'vitest';
import { detectFormat, ofxForm } from './detect-format.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const NACHA =
  '101 123456780 1010366692603020830A094101GRANT BANK             US TREASURY 310                ';

describe('a format is known by its first bytes', () => {
  it.each([
    [
      '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">',
      'camt.053',
    ],
    [
      "<!-- bank --><d:Document xmlns:d='urn:iso:std:iso:20022:tech:xsd:camt.052.001.08'>",
      'camt.052',
    ],
    ['<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.02">', 'camt.054'],
    ['<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX>', 'ofx'],
    ['\uFEFF\r\n<OFX>', 'ofx'],
    ['OFXHEADER:100\nDATA:OFXSGML\n', 'ofx'],
    ['01,123456780,G,260320,2100,1,80,,2/', 'bai2'],
    [':20:RECO001\r\n', 'mt940'],
    ['{1:F01BANKUS33AXXX0000000000}{2:I940', 'mt940'],
    [NACHA, 'nacha'],
  ])('%j', (text, format) => {
    expect(detectFormat(bytes(text))).toBe(format);
  });

  it.each([
    ['', 'the feed is empty'],
    ['   \n', 'the feed is empty'],
    ['Date,Amount\n2026-03-02,1.00\n', 'but the feed begins with'],
    ['<html><body>Please log in</body></html>', 'but it begins with'],
    ['<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.060.001.05">', 'but it begins with'],
    ['<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">', 'but it begins with'],
  ])('%j is none of them', (text, reason) => {
    expect(() => detectFormat(bytes(text))).toThrow(
      expect.objectContaining({
        code: 'FEED_UNSUPPORTED',
        message: expect.stringContaining(reason),
      }),
    );
  });

  it('OFX says how it is encoded; a mark of UTF-8 wins over the header', () => {
    const header = 'OFXHEADER:100\nDATA:OFXSGML\nENCODING:USASCII\nCHARSET:1252\n';
    expect(ofxForm(bytes(header))).toEqual({ variant: 'sgml', encoding: 'windows-1252' });
    expect(ofxForm(bytes(`\uFEFF${header}`))).toEqual({ variant: 'sgml', encoding: 'utf-8' });
    expect(ofxForm(bytes('<?xml version="1.0"?><OFX>'))).toEqual({
      variant: 'xml',
      encoding: 'utf-8',
    });
  });
});
