/** OFX 1.0.2 (SGML), as a bank's download button gives it: a ledger balance, and none to begin with. */
import { closingOf, decimal, type Statement, type Told } from './told.ts';

const NAME_CHARS = 32;

export function ofxDownload(statement: Statement): string {
  const { account, from, to, lines } = statement;
  return [
    'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252',
    'COMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n',
    '<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS>',
    `<DTSERVER>${stamp(to)}<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>`,
    `<BANKMSGSRSV1><STMTTRNRS><TRNUID>${statement.id}<STATUS><CODE>0<SEVERITY>INFO</STATUS>`,
    `<STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>091000019<ACCTID>${account}<ACCTTYPE>CHECKING</BANKACCTFROM>`,
    `<BANKTRANLIST><DTSTART>${stamp(from)}<DTEND>${stamp(to)}`,
    ...lines.map(transaction),
    '</BANKTRANLIST>',
    `<LEDGERBAL><BALAMT>${signed(closingOf(statement))}<DTASOF>${stamp(to)}</LEDGERBAL>`,
    '</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
    '',
  ].join('\n');
}

function transaction({ entry, number }: Told): string {
  const { on, cents, isOut, payer, reference, text, trace } = entry;
  const memo = [reference ?? '', text, trace === undefined ? '' : `TRACE ${trace}`]
    .filter((part) => part !== '')
    .join(' ');
  return [
    `<STMTTRN><TRNTYPE>${isOut ? 'DEBIT' : 'CREDIT'}`,
    `<DTPOSTED>${stamp(on)}<TRNAMT>${signed(isOut ? -cents : cents)}`,
    `<FITID>${number}`,
    `<NAME>${escaped((payer ?? text).slice(0, NAME_CHARS))}`,
    `<MEMO>${escaped(memo)}</STMTTRN>`,
  ].join('\n');
}

function stamp(day: string): string {
  return `${day.replaceAll('-', '')}120000[-5:EST]`;
}

function signed(cents: number): string {
  return `${cents < 0 ? '-' : ''}${decimal(cents, '.')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
