/** ISO 20022 camt.052, .053 and .054, as banks write them. */
import type { Entry, Payment } from '../hidden-year.ts';
import { closingOf, decimal, type Statement, type Told } from './told.ts';

const KINDS = {
  '052': { outer: 'BkToCstmrAcctRpt', element: 'Rpt' },
  '053': { outer: 'BkToCstmrStmt', element: 'Stmt' },
  '054': { outer: 'BkToCstmrDbtCdtNtfctn', element: 'Ntfctn' },
} as const;

export function camtStatement(statement: Statement): string {
  const { from, to, number, page, lines, notice } = statement;
  const balanced = page?.whole ?? statement;
  // A page has intermediate balances where it does not begin or end the statement; some banks repeat those of the whole.
  const isPart = page !== undefined && page.whole === undefined;
  const opening = isPart && page.number > 1 ? 'ITBD' : 'OPBD';
  const closing = isPart && !page.isLast ? 'ITBD' : 'CLBD';
  const body = [
    page === undefined
      ? ''
      : `<StmtPgntn><PgNb>${page.number}</PgNb><LastPgInd>${page.isLast}</LastPgInd></StmtPgntn>`,
    `<ElctrncSeqNb>${number}</ElctrncSeqNb>`,
    `<CreDtTm>${to}T23:50:00Z</CreDtTm>`,
    `<FrToDt><FrDtTm>${from}T00:00:00Z</FrDtTm><ToDtTm>${to}T23:59:59Z</ToDtTm></FrToDt>`,
    notice === undefined ? '' : `<CpyDplctInd>${notice}</CpyDplctInd>`,
    accountXml(statement.account),
    balance(opening, balanced.openingCents, from),
    balance(closing, closingOf(balanced), to),
    ...lines.map(entryXml),
  ];
  return message('053', statement.id, body);
}

/** The report of a day or a notification: entries that the statement tells again. */
export function camtNotice(
  kind: '052' | '054',
  notice: Pick<Statement, 'account' | 'id' | 'to' | 'lines'>,
): string {
  const { account, id, to, lines } = notice;
  const body = [`<CreDtTm>${to}T14:00:00Z</CreDtTm>`, accountXml(account), ...lines.map(entryXml)];
  return message(kind, id, body);
}

function message(kind: keyof typeof KINDS, id: string, body: readonly string[]): string {
  const { outer, element } = KINDS[kind];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.08"><${outer}>`,
    `<GrpHdr><MsgId>M-${id}</MsgId><CreDtTm>2026-01-01T12:00:00Z</CreDtTm></GrpHdr>`,
    `<${element}><Id>${id}</Id>`,
    ...body.filter((text) => text !== ''),
    `</${element}></${outer}></Document>`,
  ].join('\n');
}

function accountXml(number: string): string {
  return `<Acct><Id><Othr><Id>${number}</Id></Othr></Id><Ccy>USD</Ccy></Acct>`;
}

function amount(cents: number): string {
  return `<Amt Ccy="USD">${decimal(cents, '.')}</Amt>`;
}

function balance(code: string, cents: number, on: string): string {
  const sign = cents < 0 ? 'DBIT' : 'CRDT';
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(cents)}<CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
}

function entryXml({ entry, number, isPending = false }: Told): string {
  const { on, cents, isOut, isMarkedReturn, details } = entry;
  return [
    `<Ntry>${amount(cents)}<CdtDbtInd>${isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
    isMarkedReturn ? '<RvslInd>true</RvslInd>' : '',
    `<Sts><Cd>${isPending ? 'PDNG' : 'BOOK'}</Cd></Sts>`,
    `<BookgDt><Dt>${on}</Dt></BookgDt><ValDt><Dt>${on}</Dt></ValDt>`,
    `<AcctSvcrRef>${number}</AcctSvcrRef>`,
    '<BkTxCd><Prtry><Cd>PMNT</Cd></Prtry></BkTxCd><NtryDtls>',
    ...(details.length === 0
      ? [detailXml(entry, entry)]
      : [
          `<Btch><NbOfTxs>${details.length}</NbOfTxs><TtlAmt Ccy="USD">${decimal(cents, '.')}</TtlAmt></Btch>`,
          ...details.map((detail) => detailXml(detail, { trace: undefined, isOut })),
        ]),
    `</NtryDtls><AddtlNtryInf>${escaped(entry.text)}</AddtlNtryInf></Ntry>`,
  ].join('');
}

function detailXml(payment: Payment, { trace, isOut }: Pick<Entry, 'trace' | 'isOut'>): string {
  const { cents, payer, reference, text } = payment;
  const party = isOut ? 'Cdtr' : 'Dbtr';
  return [
    `<TxDtls><Refs><EndToEndId>${escaped(reference ?? 'NOTPROVIDED')}</EndToEndId>`,
    trace === undefined ? '' : `<TxId>${trace}</TxId>`,
    `</Refs>${amount(cents)}<CdtDbtInd>${isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
    payer === undefined
      ? ''
      : `<RltdPties><${party}><Pty><Nm>${escaped(payer)}</Nm></Pty></${party}></RltdPties>`,
    `<RmtInf><Ustrd>${escaped(text)}</Ustrd></RmtInf></TxDtls>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
