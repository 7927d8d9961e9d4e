import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf, signed } from './support.ts';

const HEADER =
  'OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n';
const BODY = `<OFX>
<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260320<LANGUAGE>ENG
<INTU.BID>3000
</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>0<STATUS><CODE>0<SEVERITY>INFO</STATUS>
<STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>123456780<ACCTID>42<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260301<DTEND>20260320
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260302120000[-5:EST]<TRNAMT>125000.00<FITID>F1<NAME>SMITH &amp; SONS<MEMO>PMS2603020017
</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260303<DTAVAIL>20260304<TRNAMT>-9,80<FITID>F2<CHECKNUM>1007<MEMO>
<NAME>EMPTY FIELD BEFORE ME
</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>-5.25<DTASOF>20260320</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`;

describe('OFX 1.x', () => {
  it('fields without end tags, with end tags, and empty', async () => {
    const events = await eventsOf(HEADER + BODY);
    const lines = events.filter((event) => event.kind === 'line');
    expect(lines.map((line) => [line.nativeId, signed(line), line.counterparty])).toEqual([
      ['F1', 12_500_000, 'SMITH & SONS'],
      ['F2', -980, 'EMPTY FIELD BEFORE ME'],
    ]);
    expect(lines[0]?.references).toEqual(['PMS2603020017']);
    expect(lines[1]?.references).toEqual(['1007']);
    expect(lines[0]?.place).toEqual({ line: 18, column: 1 });
    expect(dayText(lines[1]?.valueDate)).toBe('2026-03-04');
    expect(events.at(-2)).toMatchObject({
      account: '42',
      bank: '123456780',
      closing: { amountCents: -525 },
    });
  });

  it('takes the balance for the closing one only where it is of the reported days', async () => {
    const endOf = async (asOf: string): Promise<unknown> => {
      const text = HEADER + BODY.replace('<DTASOF>20260320', `<DTASOF>${asOf}`);
      const end = (await eventsOf(text)).at(-2);
      if (end?.kind !== 'statementEnd') throw new Error('a statement ends before the feed does');
      return [dayText(end.to), end.closing?.amountCents];
    };
    expect(await endOf('20260320')).toEqual(['2026-03-20', -525]);
    expect(await endOf('20260320235959[-5:EST]')).toEqual(['2026-03-20', -525]);
    // Downloaded weeks later: whatever was booked since is in the balance, and not in the list.
    expect(await endOf('20260415')).toEqual(['2026-03-20', undefined]);
    // Downloaded before the days were over: nothing is told of the rest.
    expect(await endOf('20260310')).toEqual(['2026-03-10', -525]);
    // Older than a transaction of the list.
    expect(await endOf('20260302')).toEqual(['2026-03-20', undefined]);
  });

  it('gives the same events in chunks of one byte', async () => {
    const whole = await eventsOf(HEADER + BODY);
    expect(await eventsOf(HEADER + BODY, { format: 'ofx', chunkBytes: 1 })).toEqual(whole);
  });

  it('is decoded as its header says', async () => {
    const latin = Buffer.from(HEADER + BODY.replace('SMITH', 'JOS\u00C9'), 'latin1');
    expect((await linesOf(latin))[0]?.counterparty).toBe('JOSÉ & SONS');
    const utf8 = (HEADER + BODY).replace('SMITH', 'JOSÉ').replace('USASCII', 'UTF-8');
    expect((await linesOf(utf8))[0]?.counterparty).toBe('JOSÉ & SONS');
    const ascii = Buffer.from(
      latin.toString('latin1').replace('CHARSET:1252', 'CHARSET:NONE'),
      'latin1',
    );
    expect((await refusalOf(ascii)).message).toContain('0xc9');
    expect((await refusalOf((HEADER + BODY).replace('1252', '932'))).code).toBe('FEED_UNSUPPORTED');
  });

  it('credit card statements are read, amounts in another currency say so', async () => {
    const card = (HEADER + BODY)
      .replaceAll('STMTRS>', 'CCSTMTRS>')
      .replaceAll('BANKACCTFROM', 'CCACCTFROM')
      .replace('<FITID>F1', '<FITID>F1<CURRENCY><CURRATE>1.1<CURSYM>EUR</CURRENCY>');
    const lines = await linesOf(card);
    expect(lines.map((line) => line.currency)).toEqual(['EUR', 'USD']);
  });

  const text = HEADER + BODY;
  const REFUSED: readonly [string, string, string][] = [
    ['three decimals', text.replace('-9,80', '-9,805'), 'at most 2 decimals'],
    ['a thousands mark', text.replace('125000.00', '125,000.00'), 'a decimal amount'],
    ['no FITID', text.replace('<FITID>F1', ''), 'expected FITID'],
    ['two amounts', text.replace('<FITID>F1', '<TRNAMT>1.00<FITID>F1'), 'found a second'],
    ['no account', text.replace('<ACCTID>42', ''), 'expected ACCTID'],
    ['no currency', text.replace('<CURDEF>USD', ''), 'expected CURDEF'],
    [
      'a transaction that is not closed',
      text.replace('</STMTTRN>\n<STMTTRN>', '<STMTTRN>'),
      'is not closed',
    ],
    [
      'a last transaction that is not closed',
      text.replace('</STMTTRN>\n</BANK', '</BANK'),
      'is not closed',
    ],
    [
      'an end without a beginning',
      text.replace('</LEDGERBAL>', '</LEDGERBAL></AVAILBAL>'),
      'which is not open',
    ],
    [
      'text outside a field',
      text.replace('</BANKTRANLIST>', '</BANKTRANLIST>hello'),
      'found the text',
    ],
    ['an entity of its own', text.replace('&amp;', '&bomb;'), 'an entity of OFX'],
    ['a comment', text.replace('<CURDEF>', '<!-- x --><CURDEF>'), 'expected an OFX tag'],
    [
      'an error of the bank',
      text.replaceAll('<SEVERITY>INFO', '<SEVERITY>ERROR'),
      'answered with error',
    ],
    [
      'a correction',
      text.replace('<FITID>F2', '<FITID>F2<CORRECTFITID>F1<CORRECTACTION>REPLACE'),
      'corrects its earlier',
    ],
    [
      'no statement',
      `${HEADER}<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>`,
      'at least one statement',
    ],
    ['another header', text.replace('OFXSGML', 'XYZ'), 'DATA:OFXSGML'],
    ['a second root', `${text}<OFX></OFX>`, 'one OFX element'],
  ];

  it.each(REFUSED)('refuses %s', async (_, feed, reason) => {
    expect((await refusalOf(feed, 'ofx')).message).toContain(reason);
  });
});

it('OFX 2.x in XML must be well-formed', async () => {
  const xml = fixture('reco-001.ofx').toString();
  expect((await refusalOf(xml.replace('</NAME>', ''))).message).toContain('well-formed');
  expect((await refusalOf(xml.replaceAll('OFX>', 'OFY>'), 'ofx')).message).toContain(
    'an OFX element',
  );
});
