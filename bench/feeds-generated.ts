/** Bank feeds of any length, as streams, consistent with themselves: the same entries in every format. */
import type { FeedFormat } from '../src/grants/rules/feeds/feed-events.ts';

export interface GeneratedFeed {
  readonly format: FeedFormat;
  readonly name: string;
  readonly chunks: (entries: number) => AsyncGenerator<Uint8Array>;
}

const OPENING_CENTS = 10_000_000;
const CHUNK_ENTRIES = 100;
const DEBIT_EVERY = 5;
const ORIGINATOR = '10103667';
const RECEIVER = '12345678';
const ACCOUNT = '000123456789';

export function entryCents(at: number): number {
  return ((at * 7_919) % 1_000_000) + 1;
}

export function isDebit(at: number): boolean {
  return at % DEBIT_EVERY === 0;
}

export const GENERATED_FEEDS: readonly GeneratedFeed[] = [
  { format: 'camt.053', name: 'camt.053', chunks: camt },
  { format: 'ofx', name: 'OFX 2 (XML)', chunks: (entries) => ofx(entries, true) },
  { format: 'ofx', name: 'OFX 1 (SGML)', chunks: (entries) => ofx(entries, false) },
  { format: 'bai2', name: 'BAI2', chunks: bai2 },
  { format: 'mt940', name: 'MT940', chunks: mt940 },
  { format: 'nacha', name: 'NACHA CCD+', chunks: nacha },
];

async function* camt(entries: number): AsyncGenerator<Uint8Array> {
  const balance = (code: string, cents: number): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${decimal(Math.abs(cents))}</Amt><CdtDbtInd>${cents < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd><Dt><Dt>2026-03-01</Dt></Dt></Bal>\n`;
  yield Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>G</MsgId><CreDtTm>2026-03-20T21:00:00Z</CreDtTm></GrpHdr><Stmt><Id>G-1</Id><CreDtTm>2026-03-20T21:00:00Z</CreDtTm><Acct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>USD</Ccy></Acct>\n${balance('OPBD', OPENING_CENTS)}${balance('CLBD', closingCents(entries))}`,
  );
  yield* inChunks(
    entries,
    (at) =>
      `      <Ntry>\n        <NtryRef>G${at}</NtryRef>\n        <Amt Ccy="USD">${decimal(entryCents(at))}</Amt>\n        <CdtDbtInd>${isDebit(at) ? 'DBIT' : 'CRDT'}</CdtDbtInd>\n        <Sts><Cd>BOOK</Cd></Sts>\n        <BookgDt><Dt>2026-03-02</Dt></BookgDt>\n        <ValDt><Dt>2026-03-02</Dt></ValDt>\n        <AcctSvcrRef>G${at}</AcctSvcrRef>\n        <BkTxCd><Prtry><Cd>142</Cd><Issr>BAI</Issr></Prtry></BkTxCd>\n        <NtryDtls><TxDtls><Refs><TxId>${trace(at)}</TxId></Refs><RltdPties><Dbtr><Pty><Nm>Größe &amp; Söhne</Nm></Pty></Dbtr></RltdPties><RmtInf><Ustrd>AWARD-${at}</Ustrd></RmtInf></TxDtls></NtryDtls>\n      </Ntry>\n`,
  );
  yield Buffer.from('</Stmt></BkToCstmrStmt></Document>\n');
}

async function* ofx(entries: number, isXml: boolean): AsyncGenerator<Uint8Array> {
  const field = (name: string, value: string): string =>
    isXml ? `<${name}>${value}</${name}>` : `<${name}>${value}\n`;
  const header = isXml
    ? '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n'
    : 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n';
  yield Buffer.from(
    `${header}<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS>${field('CURDEF', 'USD')}<BANKACCTFROM>${field('BANKID', `${RECEIVER}0`)}${field('ACCTID', ACCOUNT)}</BANKACCTFROM><BANKTRANLIST>\n`,
  );
  yield* inChunks(
    entries,
    (at) =>
      `<STMTTRN>${field('TRNTYPE', isDebit(at) ? 'DEBIT' : 'CREDIT')}${field('DTPOSTED', '20260302120000[0:GMT]')}${field('TRNAMT', `${isDebit(at) ? '-' : ''}${decimal(entryCents(at))}`)}${field('FITID', `G${at}`)}${field('NAME', 'HHS PMS')}${field('MEMO', `AWARD-${at} TRN ${trace(at)}`)}</STMTTRN>\n`,
  );
  yield Buffer.from(
    `</BANKTRANLIST><LEDGERBAL>${field('BALAMT', decimal(closingCents(entries)))}${field('DTASOF', '20260320')}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`,
  );
}

async function* bai2(entries: number): AsyncGenerator<Uint8Array> {
  const closing = closingCents(entries);
  let total = OPENING_CENTS + closing;
  for (let at = 0; at < entries; at += 1) total += entryCents(at);
  yield Buffer.from(
    `01,123456780,G,260320,2100,1,,,2/\n02,G,123456780,1,260302,2359,USD,2/\n03,${ACCOUNT},USD,010,${OPENING_CENTS},,,015,${closing},,/\n`,
  );
  yield* inChunks(
    entries,
    (at) =>
      `16,${isDebit(at) ? '455' : '142'},${entryCents(at)},Z,G${at},AWARD-${at},HHS PMS\n88,TRN ${trace(at)}\n`,
  );
  const records = 2 * entries;
  yield Buffer.from(
    `49,${total},${records + 2}/\n98,${total},1,${records + 4}/\n99,${total},1,${records + 6}/\n`,
  );
}

async function* mt940(entries: number): AsyncGenerator<Uint8Array> {
  const comma = (cents: number): string => decimal(cents).replace('.', ',');
  yield Buffer.from(
    `:20:G\r\n:25:123456780/${ACCOUNT}\r\n:28C:1/1\r\n:60F:C260301USD${comma(OPENING_CENTS)}\r\n`,
  );
  yield* inChunks(
    entries,
    (at) =>
      `:61:2603020302${isDebit(at) ? 'D' : 'C'}${comma(entryCents(at))}NTRFAWARD-${at}//G${at}\r\n:86:HHS PMS TRN ${trace(at)}\r\n`,
  );
  yield Buffer.from(`:62F:C260320USD${comma(closingCents(entries))}\r\n-\r\n`);
}

/** One batch; the debits are debits of the same account. */
async function* nacha(entries: number): AsyncGenerator<Uint8Array> {
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  let debits = 0;
  let credits = 0;
  for (let at = 0; at < entries; at += 1) {
    if (isDebit(at)) debits += entryCents(at);
    else credits += entryCents(at);
  }
  yield Buffer.from(
    `101 123456780 1010366692603020830A094101GRANT BANK             US TREASURY 310                \n5200HHS PMS                             9101036669CCDGRANT PAY 260302260302   1${ORIGINATOR}0000001\n`,
  );
  yield* inChunks(entries, (at) => {
    const number = trace(at);
    return `6${isDebit(at) ? '27' : '22'}${RECEIVER}0${ACCOUNT.padEnd(17)}${digits(entryCents(at), 10)}GRANTEE0001    GRANTEE ORG INC         1${number}\n705${`RMT*IV*AWARD-${at}\\`.padEnd(80)}0001${number.slice(8)}\n`;
  });
  const hash = digits((Number(RECEIVER) * entries) % 10_000_000_000, 10);
  const records = 2 * entries + 4;
  const blocks = Math.ceil(records / 10);
  const sums = `${hash}${digits(debits, 12)}${digits(credits, 12)}`;
  yield Buffer.from(
    `8200${digits(2 * entries, 6)}${sums}9101036669${' '.repeat(25)}${ORIGINATOR}0000001\n9000001${digits(blocks, 6)}${digits(2 * entries, 8)}${sums}${' '.repeat(39)}\n${`${'9'.repeat(94)}\n`.repeat(blocks * 10 - records)}`,
  );
}

function* inChunks(entries: number, entry: (at: number) => string): Generator<Uint8Array> {
  for (let from = 0; from < entries; from += CHUNK_ENTRIES) {
    const count = Math.min(CHUNK_ENTRIES, entries - from);
    yield Buffer.from(Array.from({ length: count }, (_, at) => entry(from + at)).join(''));
  }
}

export function closingCents(entries: number): number {
  let cents = OPENING_CENTS;
  for (let at = 0; at < entries; at += 1) cents += isDebit(at) ? -entryCents(at) : entryCents(at);
  return cents;
}

function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function trace(at: number): string {
  return `${ORIGINATOR}${String(at % 10_000_000).padStart(7, '0')}`;
}
