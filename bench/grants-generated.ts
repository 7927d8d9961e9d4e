/**
 * Awards and a bank feed for the grants bench: the real Schedule I rows again and again, and one bank entry for each, made
 * row by row from a seed so that row n needs no row before it.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Day, formatDay, parseDay } from '../src/calendar/day.ts';
import { StrictCsv } from '../src/core/csv/strict-csv.ts';
import type { BankLine, ExpectedPayment } from '../src/grants/rules/matching/bank-line.ts';
import { packageRoot } from '../src/postgres/package-root.ts';

const SEED = 20_261_115;
const CHUNK_CHARACTERS = 64 * 1024;

/** A number below 1 for each row and purpose; mulberry32 with the seed XOR the row's number. */
export function chance(row: number, purpose: number): number {
  let state = ((SEED ^ row) + Math.imul(purpose + 1, 0x6d2b79f5)) >>> 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

export interface RealGrant {
  readonly grantorEin: string;
  readonly grantorName: string;
  readonly taxYear: string;
  readonly recipientName: string;
  readonly recipientEin: string;
  readonly cash: string;
  readonly noncash: string;
  readonly purpose: string;
}

export async function realGrants(): Promise<readonly RealGrant[]> {
  const file = join(packageRoot(), 'test/fixtures/grants/schedule-i-grants.csv');
  const rows = new StrictCsv();
  const grants: RealGrant[] = [];
  const add = (cells: readonly string[]): void => {
    const cell = (place: number): string => cells[place] ?? '';
    grants.push({
      grantorEin: cell(1),
      grantorName: cell(2),
      taxYear: cell(3),
      recipientName: cell(4),
      recipientEin: cell(5),
      cash: cell(10),
      noncash: cell(11),
      purpose: cell(12),
    });
  };
  for await (const piece of createReadStream(file)) {
    // A stream without an encoding gives buffers.
    for (const { cells } of rows.push(piece as Buffer)) add(cells);
  }
  for (const { cells } of rows.finish()) add(cells);
  return grants.slice(1);
}

export function centsOf(dollars: string): number {
  return dollars === '' ? 0 : Number(dollars) * 100;
}

/** The day on which the money of a row is expected, in the year after the return's. */
export function expectedOn(row: number): Day {
  const first = parseDay('2026-01-02');
  if (first === undefined) throw new Error('a day');
  return (first + Math.floor(chance(row, 1) * 360)) as Day; // Whole days after a day are a day.
}

export function referenceOf(row: number): string {
  return `AW-${String(row).padStart(7, '0')}`;
}

const COLUMNS =
  'grantor_id,grantor_name,award_amount,noncash_amount,currency,fiscal_year,compliance_tags.source,recipient_name,recipient_ein,purpose,reference,payer,expected_on';

export async function* awardChunks(
  grants: readonly RealGrant[],
  count: number,
): AsyncGenerator<Uint8Array> {
  yield* chunked(function* () {
    yield `${COLUMNS}\n`;
    for (let row = 0; row < count; row += 1) {
      const grant = grants[row % grants.length];
      if (grant === undefined) throw new Error('there are no grants');
      yield `${[
        grant.grantorEin,
        grant.grantorName,
        grant.cash === '' ? '' : String(centsOf(grant.cash)),
        grant.noncash === '' ? '' : String(centsOf(grant.noncash)),
        'USD',
        grant.taxYear,
        'schedule-i',
        grant.recipientName,
        grant.recipientEin,
        grant.purpose,
        hasReference(row) ? referenceOf(row) : '',
        payerOf(grant, row),
        formatDay(expectedOn(row)),
      ]
        .map(quoted)
        .join(',')}\n`;
    }
  });
}

/** A tenth of the payments comes without any reference. */
function hasReference(row: number): boolean {
  return chance(row, 2) >= 0.1;
}

/** Without a reference, payer and amount must do: the repetitions of a row pay under names of their own. */
function payerOf({ grantorName, grantorEin }: RealGrant, row: number): string {
  const name = grantorName
    .replaceAll(/[^A-Za-z0-9 ]/g, ' ')
    .trim()
    .slice(0, 60);
  return `${name === '' ? grantorEin : name} ${Math.floor(row / 7_091)}`;
}

/** camt.053 with one entry for each row; one in a hundred is short by a fee. */
export async function* feedChunks(
  grants: readonly RealGrant[],
  count: number,
): AsyncGenerator<Uint8Array> {
  const paid = (row: number): number => {
    const cents = centsOf(grants[row % grants.length]?.cash ?? '');
    return cents > 100_00 && chance(row, 3) < 0.01 ? cents - 15_00 : cents;
  };
  let closing = 0;
  for (let row = 0; row < count; row += 1) closing += paid(row);
  yield* chunked(function* () {
    yield '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>G</MsgId><CreDtTm>2027-01-31T21:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S1</Id><CreDtTm>2027-01-31T21:00:00Z</CreDtTm><Acct><Id><Othr><Id>000123456789</Id></Othr></Id><Ccy>USD</Ccy></Acct>';
    yield balance('OPBD', 0, '2026-01-01');
    yield balance('CLBD', closing, '2027-01-31');
    for (let row = 0; row < count; row += 1) {
      const grant = grants[row % grants.length];
      if (grant === undefined) throw new Error('there are no grants');
      const on = formatDay((expectedOn(row) + Math.floor(chance(row, 4) * 3)) as Day);
      const reference = hasReference(row)
        ? `<RmtInf><Ustrd>${referenceOf(row)}</Ustrd></RmtInf>`
        : '';
      yield `<Ntry><NtryRef>N${row}</NtryRef><Amt Ccy="USD">${decimal(paid(row))}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${on}</Dt></BookgDt><ValDt><Dt>${on}</Dt></ValDt><AcctSvcrRef>N${row}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>${payerOf(grant, row)}</Nm></Pty></Dbtr></RltdPties>${reference}</TxDtls></NtryDtls></Ntry>\n`;
    }
    yield '</Stmt></BkToCstmrStmt></Document>';
  });
}

function balance(code: string, cents: number, on: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${decimal(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
}

function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function quoted(cell: string): string {
  return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

async function* chunked(lines: () => Generator<string>): AsyncGenerator<Uint8Array> {
  let pending = '';
  for (const line of lines()) {
    pending += line;
    if (pending.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(pending);
}

/** Quantiles of real grants in dollars, from the first to the last hundredth. */
const QUANTILES: readonly (readonly [number, number])[] = [
  [0, 1],
  [0.05, 2_000],
  [0.1, 5_200],
  [0.25, 8_024],
  [0.5, 15_075],
  [0.75, 50_000],
  [0.9, 150_332],
  [0.95, 360_000],
  [0.99, 2_094_518],
  [1, 71_245_530],
];

/** Log-linear between the quantiles; 42 of 100 are whole thousands, 11 whole hundreds. */
function generatedCents(row: number): number {
  const at = chance(row, 5);
  const above = QUANTILES.findIndex(([share]) => share > at);
  const [low, from] = QUANTILES[above - 1] ?? [0, 1];
  const [high, to] = QUANTILES[above] ?? [1, 1];
  const dollars = from * (to / from) ** ((at - low) / (high - low));
  const kind = chance(row, 6);
  const step = kind < 0.42 ? 100_000 : kind < 0.53 ? 10_000 : 1;
  return Math.max(step, Math.round((dollars * 100) / step) * step);
}

export interface MatchRow {
  readonly lines: readonly BankLine[];
  readonly expectedPayment: ExpectedPayment;
}

/** Row n of `count` for the matcher alone: references, none, payments in parts, several in one, equal amounts. */
export function matchRow(row: number, count: number): MatchRow {
  const amountCents = generatedCents(row);
  const expected = expectedOn(row);
  const reference = hasReference(row) ? referenceOf(row) : undefined;
  const payer = `PAYER ${Math.floor(chance(row, 7) * count * 0.1)}`;
  const line = (id: string, cents: number, late: number): BankLine => ({
    id,
    account: 'A1',
    nativeId: `N${id}`,
    bookingDate: (expected + late) as Day,
    valueDate: undefined,
    amountCents: cents,
    currency: 'USD',
    direction: 'credit',
    status: 'booked',
    isReversal: false,
    trace: undefined,
    references: reference === undefined ? [] : [reference],
    counterparty: payer,
    description: undefined,
    source: { feed: 'generated', line: row + 1 },
  });
  const late = Math.floor(chance(row, 4) * 3);
  const isInParts = chance(row, 8) < 0.05 && amountCents > 1;
  const half = Math.floor(amountCents / 2);
  return {
    lines: isInParts
      ? [line(`b${row}a`, half, late), line(`b${row}b`, amountCents - half, late + 1)]
      : [line(`b${row}`, amountCents, late)],
    expectedPayment: {
      id: `l${row}`,
      grant: `grant ${row}`,
      payer,
      reference,
      currency: 'USD',
      amountCents,
      direction: 'credit',
      expected,
      payloadHash: undefined,
    },
  };
}
