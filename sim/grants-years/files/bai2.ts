/** BAI2: a group for each day, with its ledger balances, its totals of credits and debits, and the control records. */
import { shortDay } from '../days.ts';
import { closingOf, type Statement, type Told } from './told.ts';

const TEXT_CHARS = 60;

export function bai2File(statements: readonly Statement[], id: number): string {
  const groups = statements.map(groupRecords);
  const records = groups.flatMap(({ lines }) => lines);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const [first] = statements;
  const day = shortDay(first?.to ?? '2026-01-01');
  return [
    `01,091000019,RIVERBEND,${day},2350,${id},,,2/`,
    ...records,
    `99,${total},${groups.length},${records.length + 2}/`,
    '',
  ].join('\n');
}

function groupRecords(statement: Statement): {
  readonly lines: readonly string[];
  readonly total: number;
} {
  const { account, to, openingCents, lines } = statement;
  const closingCents = closingOf(statement);
  const sumOf = (isOut: boolean): number =>
    lines.reduce((sum, { entry }) => sum + (entry.isOut === isOut ? entry.cents : 0), 0);
  const [credits, debits] = [sumOf(false), sumOf(true)];
  const countOf = (isOut: boolean): number =>
    lines.filter(({ entry }) => entry.isOut === isOut).length;
  const details = lines.flatMap(detailRecords);
  const total =
    openingCents +
    closingCents +
    credits +
    debits +
    lines.reduce((sum, { entry }) => sum + entry.cents, 0);
  const account03 = [
    `03,${account},USD,010,${openingCents},,,015,${closingCents},,,100,${credits},${countOf(false)},/`,
    `88,400,${debits},${countOf(true)},/`,
  ];
  const inAccount = [
    ...account03,
    ...details,
    `49,${total},${account03.length + details.length + 1}/`,
  ];
  return {
    lines: [
      `02,RIVERBEND,091000019,1,${shortDay(to)},2350,USD,2/`,
      ...inAccount,
      `98,${total},1,${inAccount.length + 2}/`,
    ],
    total,
  };
}

/** 142: ACH credit, 174: other deposit, 495: money out, 555: a deposited item that came back. */
function typeOf({ isOut, text, trace }: Told['entry']): string {
  if (isOut) return text.includes('RETURNED ITEM') ? '555' : '495';
  return trace === undefined ? '174' : '142';
}

function detailRecords({ entry, number }: Told): string[] {
  const { account, cents, reference, payer, text, trace } = entry;
  const told = [text, trace === undefined ? '' : `TRACE NO:${trace}`].filter((part) => part !== '');
  // Some banks label the name on a line of its own, some put it among the words.
  const isLabelled = Number(account.at(-1)) % 2 === 0;
  const label = isLabelled ? (entry.isOut ? 'CRNM:' : 'DBNM:') : 'ORIG CO NAME:';
  const name = payer === undefined ? [] : [`88,${label}${payer}`];
  // A customer reference is a field: a comma or a slash would end it.
  const field = (reference ?? '').replaceAll(/[,/]/g, '-');
  return [
    `16,${typeOf(entry)},${cents},Z,${number},${field === reference ? field : ''},${told.join(' ').slice(0, TEXT_CHARS)}`,
    ...(reference !== undefined && field !== reference ? [`88,REF ${reference}`] : []),
    ...cuts(told.join(' ').slice(TEXT_CHARS)).map((piece) => `88,${piece}`),
    ...name,
  ];
}

function cuts(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += TEXT_CHARS) found.push(text.slice(at, at + TEXT_CHARS));
  return found;
}
