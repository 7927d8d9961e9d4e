/** Award documents and bank feeds as a world writes them: NDJSON and camt, by hand and not by the product's own code. */
import type { AwardSource, FeedSource } from '../../src/grants/pipeline/contracts.ts';

export const ACCOUNT = '7700442211';
export const PAYER = 'Harbor Foundation';

export interface AwardText {
  readonly number: string;
  readonly grantor: string;
  readonly cents: number;
  readonly reference: string;
  readonly expectedOn: string;
  readonly currency?: string;
}

export function awardLine(award: AwardText): string {
  return JSON.stringify({
    grantor_id: award.grantor,
    award_id: award.number,
    award_amount: award.cents,
    currency: award.currency ?? 'USD',
    fiscal_year: 2026,
    compliance_tags: {},
    payer: PAYER,
    reference: award.reference,
    expected_on: award.expectedOn,
    federal_alignment: true,
    funder_type: 'foundation',
  });
}

/** One reader would take the first amount, another the last. */
export function twofoldLine(award: AwardText): string {
  return awardLine(award).replace('{', `{"award_amount":${award.cents + 1},`);
}

export function awardSource(name: string, lines: readonly string[]): AwardSource {
  return { ...bytesOf(name, lines.join('\n')), format: 'ndjson' };
}

export interface BankEntry {
  /** The bank's own number. */
  readonly id: string;
  readonly on: string;
  readonly cents: number;
  readonly isOut?: boolean;
  readonly isReversal?: boolean;
  readonly isPending?: boolean;
  readonly reference?: string;
  readonly text: string;
  readonly payer: string;
}

export interface Statement {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly openingCents: number;
  readonly entries: readonly BankEntry[];
}

export function statementSource(statement: Statement): FeedSource {
  const { name, from, to, openingCents, entries } = statement;
  const body = [
    `<FrToDt><FrDtTm>${from}T00:00:00Z</FrDtTm><ToDtTm>${to}T23:59:59Z</ToDtTm></FrToDt>`,
    account(),
    balance('OPBD', openingCents, from),
    balance('CLBD', closingCents(statement), to),
    ...entries.map(entryXml),
  ];
  return { ...bytesOf(`${name}.xml`, camt('053', 'Stmt', name, body)), format: 'detect' };
}

/** The bank's report during the day; its entries come again in the statement. */
export function intradaySource(name: string, entries: readonly BankEntry[]): FeedSource {
  const body = [account(), ...entries.map(entryXml)];
  return { ...bytesOf(`${name}.xml`, camt('052', 'Rpt', name, body)), format: 'detect' };
}

export function closingCents({ openingCents, entries }: Statement): number {
  return entries.reduce((sum, { cents, isOut }) => sum + (isOut ? -cents : cents), openingCents);
}

function camt(kind: '052' | '053', element: string, id: string, body: readonly string[]): string {
  const outer = kind === '053' ? 'BkToCstmrStmt' : 'BkToCstmrAcctRpt';
  const made = '<CreDtTm>2026-01-01T12:00:00Z</CreDtTm>';
  return [
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.08"><${outer}>`,
    `<GrpHdr><MsgId>${id}</MsgId>${made}</GrpHdr><${element}><Id>${id}</Id>${made}`,
    ...body,
    `</${element}></${outer}></Document>`,
  ].join('\n');
}

function account(): string {
  return `<Acct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>USD</Ccy></Acct>`;
}

function balance(kind: string, cents: number, on: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp>${amount(cents)}<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
}

function amount(cents: number): string {
  return `<Amt Ccy="USD">${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}</Amt>`;
}

function entryXml(entry: BankEntry): string {
  const { id, on, cents, reference, text, payer } = entry;
  return [
    `<Ntry><NtryRef>${id}</NtryRef>${amount(cents)}`,
    `<CdtDbtInd>${entry.isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
    entry.isReversal ? '<RvslInd>true</RvslInd>' : '',
    `<Sts><Cd>${entry.isPending ? 'PDNG' : 'BOOK'}</Cd></Sts>`,
    `<BookgDt><Dt>${on}</Dt></BookgDt><ValDt><Dt>${on}</Dt></ValDt><AcctSvcrRef>${id}</AcctSvcrRef>`,
    `<NtryDtls><TxDtls><Refs><EndToEndId>${reference ?? 'NOTPROVIDED'}</EndToEndId></Refs>`,
    `<RltdPties><Dbtr><Pty><Nm>${payer}</Nm></Pty></Dbtr></RltdPties>`,
    `<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
  ].join('');
}

function bytesOf(name: string, text: string): { name: string; open(): AsyncIterable<Uint8Array> } {
  return {
    name,
    async *open() {
      yield Buffer.from(text);
    },
  };
}
