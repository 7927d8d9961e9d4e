/** Statements in ISO 8859-1, where the format says so or has no word for it. */
import { describe, expect, it } from 'vitest';
import { eventsOf, fixture, linesOf, refusalOf } from './support.ts';

const NAME = 'Müller Façade Stiftung';

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const CAMT = fixture('reco-001.camt053.xml').toString().replaceAll('HHS PMS', NAME);

describe('XML that declares a Latin encoding', () => {
  it.each(['ISO-8859-1', 'iso-8859-1', 'latin1', 'windows-1252', 'ISO-8859-15'])(
    'camt in %s is read, in chunks of any size, detected or told',
    async (encoding) => {
      const bytes = latin(CAMT.replace('encoding="UTF-8"', `encoding="${encoding}"`));
      for (const chunkBytes of [1, 7, bytes.length]) {
        for (const format of ['detect', 'camt.053'] as const) {
          const events = await eventsOf(bytes, { format, chunkBytes });
          expect(events[1]).toMatchObject({ counterparty: NAME });
        }
      }
    },
  );

  it('single quotes around the encoding are as good', async () => {
    const bytes = latin(CAMT.replace('encoding="UTF-8"', "encoding='ISO-8859-1'"));
    expect((await linesOf(bytes))[0]).toMatchObject({ counterparty: NAME });
  });

  it('OFX 2 is read by its declaration too', async () => {
    const body = `<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM><BANKID>1</BANKID><ACCTID>99</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM><BANKTRANLIST><DTSTART>20260301</DTSTART><DTEND>20260331</DTEND><STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>5.00</TRNAMT><FITID>1</FITID><NAME>${NAME}</NAME></STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
    const head =
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n';
    const [line] = await linesOf(latin(head + body));
    expect(line).toMatchObject({ counterparty: NAME });
  });

  it('an encoding that is not supported is still refused, with its name', async () => {
    const declared = CAMT.replace('encoding="UTF-8"', 'encoding="EBCDIC-CP-US"');
    expect(await refusalOf(declared)).toMatchObject({ code: 'FEED_UNSUPPORTED' });
  });

  it('bytes that have no character in it are refused', async () => {
    const bytes = latin(CAMT.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"'));
    const at = bytes.indexOf('Stiftung');
    const broken = Buffer.concat([bytes.subarray(0, at), Buffer.from([0x81]), bytes.subarray(at)]);
    expect((await refusalOf(broken)).message).toContain('control character');
  });
});

describe('OFX 1', () => {
  it.each([
    ['ENCODING:USASCII', 'CHARSET:ISO-8859-1'],
    ['ENCODING:USASCII', 'CHARSET:8859-1'],
    ['ENCODING:ISO-8859-1', 'CHARSET:NONE'],
    ['ENCODING:ISO-8859-1', 'CHARSET:ISO-8859-1'],
    ['ENCODING:USASCII', 'CHARSET:WINDOWS-1252'],
  ])('%s with %s is read', async (encoding, charset) => {
    const text = `OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\n${encoding}\r\n${charset}\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>99<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>20260301<DTEND>20260331<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260302<TRNAMT>5.00<FITID>1<NAME>${NAME}</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
    expect((await linesOf(latin(text)))[0]).toMatchObject({ counterparty: NAME });
  });
});

describe('MT940, whose standard has no word for its encoding', () => {
  const text = (name: string): string =>
    `:20:R\r\n:25:021000021/99\r\n:28C:1/1\r\n:60F:C260301USD0,\r\n:61:2603020302C5,00NTRFREF1//B1\r\n:86:${name}\r\n:62F:C260331USD5,00\r\n-\r\n`;

  it('is read as Latin-1 where it is not UTF-8, in chunks of any size', async () => {
    const bytes = latin(text(NAME));
    for (const chunkBytes of [1, 2, 3, bytes.length]) {
      const events = await eventsOf(bytes, { format: 'mt940', chunkBytes });
      expect(events[1]).toMatchObject({ counterparty: NAME });
    }
  });

  it('is read as UTF-8 where it is that', async () => {
    const events = await eventsOf(Buffer.from(text(NAME)), { format: 'mt940', chunkBytes: 1 });
    expect(events[1]).toMatchObject({ counterparty: NAME });
  });

  it('is refused where it could be both', async () => {
    const both = Buffer.concat([Buffer.from(`:20:Rü\r\n`), latin(text(NAME).slice(7))]);
    expect((await refusalOf(both, 'mt940')).message).toContain('not UTF-8');
  });
});
