/** A bank for tests: the same entries as a statement, a report or an announcement, in whatever format it sends. */
import type { FeedSource } from '../../src/grants/pipeline/contracts.ts';
import { ACCOUNT, textSource } from './world.ts';

export interface Entry {
  readonly on: string;
  /** Below zero: money out. */
  readonly cents: number;
  readonly text?: string;
  readonly payer?: string;
  /** The bank's own number; none where it is not given. */
  readonly number?: string;
  readonly status?: 'BOOK' | 'PDNG';
  /** camt: the payments of a batch; none of them where the bank gives the sum alone. */
  readonly batch?: readonly { readonly cents: number; readonly text: string }[];
}

export interface BankStatement {
  readonly account?: string;
  readonly from: string;
  readonly to: string;
  /** None: the bank gives no balance. */
  readonly opening?: number;
  readonly entries: readonly Entry[];
  readonly number?: number;
  readonly page?: { readonly n: number; readonly isLast: boolean };
  /** Of the whole statement, where this is a page of it. */
  readonly closing?: number;
  /** OFX: the day of its balance. */
  readonly asOf?: string;
  /** Makes other bytes of the same statement. */
  readonly copy?: string;
}

export type BankFormat = 'camt053' | 'camt052' | 'camt054' | 'mt940' | 'ofx' | 'bai2';
export const STATEMENT_FORMATS = ['camt053', 'mt940', 'ofx', 'bai2'] as const;

export function sentAs(format: BankFormat, statement: BankStatement): FeedSource {
  switch (format) {
    case 'camt053':
      return { ...textSource('s.xml', camt(statement, 'camt.053')), format: 'camt.053' };
    case 'camt052':
      return { ...textSource('r.xml', camt(statement, 'camt.052')), format: 'camt.052' };
    case 'camt054':
      return { ...textSource('n.xml', camt(statement, 'camt.054')), format: 'detect' };
    case 'mt940':
      return { ...textSource('s.sta', mt940(statement)), format: 'mt940' };
    case 'ofx':
      return { ...textSource('s.ofx', ofx(statement)), format: 'ofx' };
    case 'bai2':
      return { ...textSource('s.bai', bai2(statement)), format: 'bai2' };
  }
}

export function closingOf({ opening, closing, entries }: BankStatement): number | undefined {
  if (closing !== undefined || opening === undefined) return closing;
  return entries.reduce(
    (sum, { cents, status }) => (status === 'PDNG' ? sum : sum + cents),
    opening,
  );
}

const decimal = (cents: number, mark = '.'): string => {
  const [whole, part] = [Math.floor(Math.abs(cents) / 100), Math.abs(cents) % 100];
  return `${whole}${mark}${String(part).padStart(2, '0')}`;
};
const mark = (cents: number): string => (cents < 0 ? 'DBIT' : 'CRDT');

const CAMT_SHAPES = {
  'camt.053': ['BkToCstmrStmt', 'Stmt'],
  'camt.052': ['BkToCstmrAcctRpt', 'Rpt'],
  'camt.054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

export function camt(one: BankStatement, kind: 'camt.053' | 'camt.052' | 'camt.054'): string {
  const [message, tag] = CAMT_SHAPES[kind];
  const balance = (code: string, cents: number | undefined, on: string): string =>
    cents === undefined || kind !== 'camt.053'
      ? ''
      : `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${decimal(cents)}</Amt><CdtDbtInd>${mark(cents)}</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
  const entries = one.entries.map(
    ({ on, cents, text, payer, number, status, batch }) =>
      `<Ntry><Amt Ccy="USD">${decimal(cents)}</Amt><CdtDbtInd>${mark(cents)}</CdtDbtInd><Sts><Cd>${status ?? 'BOOK'}</Cd></Sts><BookgDt><Dt>${on}</Dt></BookgDt>${
        number === undefined ? '' : `<AcctSvcrRef>${number}</AcctSvcrRef>`
      }<BkTxCd/>${
        batch === undefined
          ? `<NtryDtls><TxDtls>${payer === undefined ? '' : `<RltdPties><Dbtr><Pty><Nm>${payer}</Nm></Pty></Dbtr></RltdPties>`}<RmtInf><Ustrd>${text ?? 'GIFT'}</Ustrd></RmtInf></TxDtls></NtryDtls>`
          : batchXml(batch)
      }</Ntry>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08"><${message}><GrpHdr><MsgId>M${one.copy ?? ''}</MsgId><CreDtTm>${one.to}T20:00:00</CreDtTm></GrpHdr>`,
    `<${tag}><Id>S${one.number ?? 1}</Id>`,
    one.page === undefined
      ? ''
      : `<${tag}Pgntn><PgNb>${one.page.n}</PgNb><LastPgInd>${one.page.isLast}</LastPgInd></${tag}Pgntn>`,
    one.number === undefined ? '' : `<ElctrncSeqNb>${one.number}</ElctrncSeqNb>`,
    `<CreDtTm>${one.to}T20:00:00</CreDtTm><FrToDt><FrDtTm>${one.from}T00:00:00</FrDtTm><ToDtTm>${one.to}T23:59:59</ToDtTm></FrToDt>`,
    `<Acct><Id><Othr><Id>${one.account ?? ACCOUNT}</Id></Othr></Id><Ccy>USD</Ccy></Acct>`,
    balance('OPBD', one.opening, one.from),
    balance('CLBD', closingOf(one), one.to),
    ...entries,
    `</${tag}></${message}></Document>`,
  ].join('\n');
}

function batchXml(batch: NonNullable<Entry['batch']>): string {
  const payments = batch.map(
    ({ cents, text }) =>
      `<TxDtls><Amt Ccy="USD">${decimal(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`,
  );
  return payments.length === 0
    ? ''
    : `<NtryDtls><Btch><NbOfTxs>${batch.length}</NbOfTxs></Btch>${payments.join('')}</NtryDtls>`;
}

const short = (day: string): string => day.slice(2).replaceAll('-', '');

export function mt940(
  one: BankStatement & { readonly isOpen?: boolean; readonly isNext?: boolean },
): string {
  const swift = (cents: number): string => (cents < 0 ? 'D' : 'C');
  const opening = one.opening ?? 0;
  const closing = closingOf({ ...one, opening }) ?? 0;
  return [
    `:20:STMT${one.copy ?? ''}`,
    `:25:021000021/${one.account ?? ACCOUNT}`,
    `:28C:${one.number ?? 1}/${one.page?.n ?? 1}`,
    `:60${(one.page?.n ?? 1) > 1 ? 'M' : 'F'}:${swift(opening)}${short(one.from)}USD${decimal(opening, ',')}`,
    ...one.entries.flatMap(({ on, cents, text, payer, number }) => [
      `:61:${short(on)}${short(on).slice(2)}${swift(cents)}${decimal(cents, ',')}NTRFNONREF${number === undefined ? '' : `//${number}`}`,
      `:86:${text ?? 'GIFT'} ${payer ?? ''}`.trimEnd(),
    ]),
    `:62${one.page?.isLast === false ? 'M' : 'F'}:${swift(closing)}${short(one.to)}USD${decimal(closing, ',')}`,
    '-',
    '',
  ].join('\r\n');
}

export function ofx(one: BankStatement): string {
  const closing = closingOf(one);
  const compact = (day: string): string => day.replaceAll('-', '');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>',
    `<OFX><BANKMSGSRSV1><STMTTRNRS><TRNUID>0${one.copy ?? ''}</TRNUID><STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM><BANKID>021000021</BANKID><ACCTID>${one.account ?? ACCOUNT}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>`,
    `<BANKTRANLIST><DTSTART>${compact(one.from)}</DTSTART><DTEND>${compact(one.to)}</DTEND>`,
    ...one.entries.map(
      ({ on, cents, text, payer, number }, at) =>
        `<STMTTRN><TRNTYPE>${cents < 0 ? 'DEBIT' : 'CREDIT'}</TRNTYPE><DTPOSTED>${compact(on)}120000[0:GMT]</DTPOSTED><TRNAMT>${cents < 0 ? '-' : ''}${decimal(cents)}</TRNAMT><FITID>${number ?? at + 1}</FITID>${payer === undefined ? '' : `<NAME>${payer}</NAME>`}<MEMO>${text ?? 'GIFT'}</MEMO></STMTTRN>`,
    ),
    '</BANKTRANLIST>',
    closing === undefined
      ? ''
      : `<LEDGERBAL><BALAMT>${closing < 0 ? '-' : ''}${decimal(closing)}</BALAMT><DTASOF>${compact(one.asOf ?? one.to)}</DTASOF></LEDGERBAL>`,
    '</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
  ].join('\n');
}

/** One group for each day of the entries, and one for the last day. */
export function bai2(
  one: BankStatement & { readonly isInterim?: boolean; readonly totals?: string },
): string {
  const days = [...new Set([...one.entries.map(({ on }) => on), one.from, one.to])].sort();
  const rows: string[] = [`01,021000021,CHARITY,${short(one.to)},2000,1${one.copy ?? ''},,,2/`];
  let [balance, file, groups] = [one.opening, 0, 0];
  for (const day of days) {
    const entries = one.entries.filter(({ on }) => on === day);
    const after =
      balance === undefined ? undefined : entries.reduce((sum, { cents }) => sum + cents, balance);
    const signed = (cents: number): string => (cents < 0 ? String(cents) : `+${cents}`);
    const summary =
      balance === undefined || after === undefined
        ? ''
        : `010,${signed(balance)},,,015,${signed(after)},,`;
    const details = entries.map(({ cents, text, payer, number }) =>
      `16,${cents < 0 ? '475' : '142'},${Math.abs(cents)},Z,${number ?? ''},,${text ?? 'GIFT'} ${payer ?? ''}`.trimEnd(),
    );
    const sum =
      (balance ?? 0) +
      (after ?? 0) +
      entries.reduce((total, { cents }) => total + Math.abs(cents), 0);
    rows.push(`02,CHARITY,021000021,1,${short(day)},,USD,${one.isInterim === true ? '1' : '2'}/`);
    rows.push(`03,${one.account ?? ACCOUNT},USD,${summary}/`.replace(',/', '/'), ...details);
    rows.push(`49,${sum},${details.length + 2}/`, `98,${sum},1,${details.length + 4}/`);
    balance = after;
    file += sum;
    groups += 1;
  }
  rows.push(`99,${file},${groups},${rows.length + 1}/`, '');
  return rows.join('\n');
}
