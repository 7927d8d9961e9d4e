/**
 * A bank's own table as statements, one for each account. What proves it is its balances: a running one that follows row by
 * row, in whichever order the bank lists, or an opening and a closing one that a person gives. Without either it is a hint,
 * like an intraday report: its lines are no money.
 */
import { type Day, formatDay } from '../../../calendar/index.ts';
import type { BankRow } from './bank-rows.ts';
import type { Balance, FeedEvent, LineEvent, Statement } from './feed-events.ts';
import { showCents } from './money.ts';
import { findReferences, oneLine } from './references.ts';
import { refuse } from './refusal.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';

/** What a person says of a table that tells it of one account. */
export interface TableGiven {
  /** Days that were asked for at the bank; those of its rows unless told. */
  readonly from?: Day;
  readonly to?: Day;
  readonly openingCents?: number;
  readonly closingCents?: number;
}

interface AccountRows {
  readonly account: string;
  readonly currency: string;
  readonly rows: BankRow[];
}

interface Ends {
  readonly opening: number;
  readonly closing: number;
}

export function* bankTableEvents(
  rows: readonly BankRow[],
  given: TableGiven,
): Generator<FeedEvent> {
  const accounts = byAccount(rows);
  const tally = new FeedTally();
  if (accounts.length > 1 && Object.values(given).some((one) => one !== undefined)) {
    refuse(AT_START, {
      reason: `the table has ${accounts.length} accounts, and days or balances can be given for one only`,
      remedy: 'Export each account by itself, or omit the days and balances',
    });
  }
  for (const of of accounts) {
    const ends = endsOf(of, given);
    const statement = statementOf(of, { ordinal: tally.nextOrdinal, given, ends });
    const lines = new StatementTally();
    yield tally.count({ ...statement, kind: 'statement' });
    for (const row of of.rows) {
      const line = lineOf(row, statement.ordinal);
      if (line !== undefined) yield tally.count(lines.add(line));
    }
    yield tally.count(lines.prove(statement, statement.place));
  }
  yield tally.end('csv');
}

const AT_START = { line: 1, column: 1 } as const;

function byAccount(rows: readonly BankRow[]): readonly AccountRows[] {
  const found = new Map<string, AccountRows>();
  for (const row of rows) {
    const known = found.get(row.account);
    if (known === undefined) {
      found.set(row.account, { account: row.account, currency: row.currency, rows: [row] });
      continue;
    }
    if (known.currency !== row.currency) {
      refuse(placeOf(row), {
        reason: `account ${row.account} has ${known.currency} in the rows before and ${row.currency} here`,
        remedy: 'Export one currency by itself',
      });
    }
    known.rows.push(row);
  }
  return [...found.values()];
}

function statementOf(
  { account, currency, rows }: AccountRows,
  by: { readonly ordinal: number; readonly given: TableGiven; readonly ends: Ends | undefined },
): Statement {
  const { ends, given, ordinal } = by;
  const days = rows.map(({ on }) => on);
  const first = days.reduce((one, other) => (other < one ? other : one));
  const last = days.reduce((one, other) => (other > one ? other : one));
  const from = given.from ?? first;
  const to = given.to ?? last;
  const outside = rows.find(({ on }) => on < from || on > to);
  if (outside !== undefined) {
    refuse(placeOf(outside), {
      reason: `the row is of ${formatDay(outside.on)}, outside the days ${formatDay(from)} to ${formatDay(to)}`,
      remedy: 'Correct --days, or export these days alone',
    });
  }
  const balance = (amountCents: number, on: Day): Balance => ({ amountCents, currency, on });
  return {
    ordinal,
    place: placeOf(rows[0]),
    account,
    bank: undefined,
    statementId: undefined,
    number: undefined,
    page: undefined,
    hasPageBefore: false,
    hasPageAfter: false,
    currency,
    from,
    to,
    // Nothing shows that a row is missing or made up: what it says may only be held beside what a statement says.
    isInterim: ends === undefined,
    notice: undefined,
    opening: ends === undefined ? undefined : balance(ends.opening, from),
    closing: ends === undefined ? undefined : balance(ends.closing, to),
  };
}

function lineOf(row: BankRow, statement: number): LineEvent | undefined {
  const { cents, payer } = row;
  if (cents === undefined) return undefined;
  const found = findReferences({ fields: [row.reference], pieces: [row.text] });
  return {
    kind: 'line',
    place: placeOf(row),
    statement,
    account: row.account,
    nativeId: row.bankNumber,
    bookingDate: row.on,
    valueDate: row.valueOn,
    amountCents: Math.abs(cents),
    currency: row.currency,
    direction: cents < 0 ? 'debit' : 'credit',
    status: row.isPending ? 'pending' : 'booked',
    isReversal: false,
    trace: found.trace,
    references: found.references,
    counterparty: payer === undefined ? undefined : oneLine(payer),
    description: found.text,
    code: undefined,
    details: [],
  };
}

/** The balances of an account's rows, by its running balance and by what a person gives; both must agree. */
function endsOf({ account, rows }: AccountRows, given: TableGiven): Ends | undefined {
  const running = rows.some(({ balanceCents }) => balanceCents !== undefined)
    ? runningEnds(account, rows.filter(isBooked))
    : undefined;
  const { openingCents, closingCents } = given;
  if (openingCents === undefined && closingCents === undefined) return running;
  const net = rows.filter(isBooked).reduce((sum, { cents = 0 }) => sum + cents, 0);
  const opening = openingCents ?? running?.opening;
  const closing = closingCents ?? running?.closing;
  if (opening === undefined || closing === undefined) {
    return refuse(AT_START, {
      reason: `of account ${account} only one balance is known; computed from the other one it would prove nothing`,
      remedy: 'Give both --opening and --closing',
    });
  }
  for (const [name, told, found] of [
    ['opening', openingCents, running?.opening],
    ['closing', closingCents, running?.closing],
  ] as const) {
    if (told === undefined || found === undefined || told === found) continue;
    refuse(AT_START, {
      code: 'FEED_INCONSISTENT',
      reason: `the ${name} balance of account ${account} is given as ${showCents(told)}, but its rows show ${showCents(found)}`,
      remedy: 'Look it up at the bank and correct it',
    });
  }
  if (opening + net !== closing) {
    refuse(AT_START, {
      code: 'FEED_INCONSISTENT',
      reason: `the opening balance of ${showCents(opening)} and the rows (${showCents(net)}) come to ${showCents(opening + net)}, but the closing balance is ${showCents(closing)}`,
      remedy:
        'A row is missing or was counted twice: export the days again, or correct the balances',
    });
  }
  return { opening, closing };
}

/** A pending row is not in the balance yet. */
function isBooked({ isPending }: BankRow): boolean {
  return !isPending;
}

/** Oldest first or newest first, as the bank lists them: each balance must follow from the one beside it. */
function runningEnds(account: string, rows: readonly BankRow[]): Ends {
  const upward = follow(rows);
  const downward = follow(rows.toReversed());
  const isDownward = (rows[0]?.on ?? 0) > (rows.at(-1)?.on ?? 0);
  const tried = isDownward ? [downward, upward] : [upward, downward];
  const found = tried.find((one) => 'opening' in one);
  if (found !== undefined && 'opening' in found) return found;
  const [{ row, expected } = { row: rows[0], expected: undefined }] = tried.flatMap((one) =>
    'row' in one ? [one] : [],
  );
  return refuse(placeOf(row), {
    code: 'FEED_INCONSISTENT',
    reason:
      expected === undefined
        ? `the newest row of account ${account} has no balance: the end of the export may be missing`
        : `the balance of account ${account} should be ${showCents(expected)} after this row, but it is ${showCents(row?.balanceCents ?? 0)}`,
    remedy:
      'A row is missing, changed or counted twice: export the days again, and import the file unchanged',
  });
}

type Followed = Ends | { readonly row: BankRow | undefined; readonly expected: number | undefined };

function follow(rows: readonly BankRow[]): Followed {
  let opening: number | undefined;
  let balance: number | undefined;
  let since = 0;
  for (const row of rows) {
    since += row.cents ?? 0;
    if (row.balanceCents === undefined) continue;
    if (balance !== undefined && balance + since !== row.balanceCents) {
      return { row, expected: balance + since };
    }
    opening ??= row.balanceCents - since;
    balance = row.balanceCents;
    since = 0;
  }
  const last = rows.at(-1);
  if (opening === undefined || balance === undefined || last?.balanceCents === undefined) {
    return { row: last, expected: undefined };
  }
  return { opening, closing: balance };
}

function placeOf(row: BankRow | undefined): { readonly line: number; readonly column: number } {
  return { line: row?.line ?? 1, column: 1 };
}
