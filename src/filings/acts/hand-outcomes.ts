/**
 * What has come of many filings by hand, from one table: a row is one `hand filed`. Each is recorded by itself, so that a slip
 * costs its row and no other; a row that is on record already says so. The dry run does the same and takes each back.
 */
import { dirname, resolve } from 'node:path';
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  FilewrightError,
  isDatabaseAway,
  receiptSpelling,
  type RowError,
  toRfc3339,
} from '../../core/index.ts';
import { confirmedColumns, rememberColumns } from '../../entities/index.ts';
import {
  type GoodRow,
  type ImportRunReport,
  type Input,
  openRowFile,
  openSheet,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  rowFormatOf,
  runImport,
  type SheetChoices,
  type SheetReport,
} from '../../intake/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { readDollars } from '../rules/confirmation.ts';
import { readSheetTime } from '../rules/office-time.ts';
import { OUTCOME_COLUMNS, OUTCOME_SHEET, type OutcomeColumn } from '../rules/outcome-sheet.ts';
import { type FilingView, findFiling } from '../store/filings.ts';
import { readConfirmation } from './hand-file.ts';
import { recordedByHand } from './hand-record.ts';
import { contentOf, type HandSaying, sayInHand } from './hand-say.ts';

/** What a row says, before its filing is looked up. */
type Row = { readonly [Column in OutcomeColumn]: string };

interface OutcomesImport {
  readonly path: string;
  readonly dryRun: boolean;
  readonly errorFile?: string;
  readonly choices?: SheetChoices;
}

interface OutcomesReport extends ImportRunReport {
  /** How the table was read; undefined for NDJSON. */
  readonly sheet: SheetReport | undefined;
}

export async function importOutcomes(
  app: Installation,
  actor: Actor,
  input: OutcomesImport,
): Promise<OutcomesReport> {
  allow(actor, 'hand.say');
  const { path, choices = {}, dryRun } = input;
  if (rowFormatOf(path).kind === 'ndjson') {
    const columns = OUTCOME_COLUMNS.map(({ name, needed }) => ({ name, needed, meaning: name }));
    const rows = await openRowFile(path, { mapping: choices.mapping ?? {}, columns });
    return { ...(await recordAll(app, actor, rows, input)), sheet: undefined };
  }
  const year = Number(toRfc3339(app.clock.now()).slice(0, 4));
  const confirmed = confirmedColumns(app, 'outcomes');
  const opened = await openSheet(path, { sheet: OUTCOME_SHEET, choices, confirmed, year });
  try {
    const report = await recordAll(app, actor, opened.input, input);
    if (!dryRun) await rememberColumns(app, 'outcomes', actor, opened.report);
    return { ...report, sheet: opened.report };
  } finally {
    opened.close();
  }
}

function recordAll(
  app: Installation,
  actor: PersonActor,
  rows: Input,
  input: OutcomesImport,
): Promise<ImportRunReport> {
  const { dryRun, errorFile } = input;
  const seen = new SeenRows();
  const admit = async (all: readonly ReadRow<Row>[]): Promise<readonly RowOutcome[]> => {
    const outcomes: RowOutcome[] = [];
    for (const { item, row } of all) {
      outcomes.push(await recordRow({ app, actor, input, seen }, item, row.line));
    }
    return outcomes;
  };
  return runImport(
    { ...rows, placeOf: (ours) => rows.placeOf(ours), read: readRow, admit },
    {
      errorFile:
        errorFile === undefined || dryRun ? undefined : { path: errorFile, unique: app.ids.next() },
      onProgress: undefined,
    },
  );
}

function readRow({ row, faults = [] }: GoodRow): RowReading<Row> {
  const errors: RowError[] = [...faults];
  const text = (name: OutcomeColumn): string => {
    const value = row[name];
    if (value === undefined || value === null) return '';
    if (typeof value === 'string') return value.trim();
    errors.push({ where: name, why: 'must be text in quotes, so that no digit is lost' });
    return '';
  };
  const item: Row = {
    filing: text('filing'),
    receipt: text('receipt'),
    filed_at: text('filed_at'),
    fee: text('fee'),
    fee_reason: text('fee_reason'),
    confirmation: text('confirmation'),
    without_file: text('without_file'),
    shared: text('shared'),
  };
  const isFaulty = new Set(errors.map(({ where }) => where));
  for (const { name, needed } of OUTCOME_COLUMNS) {
    if (needed && item[name] === '' && !isFaulty.has(name))
      errors.push({ where: name, why: 'is empty, but required' });
  }
  // 4.81E+11 is what a spreadsheet makes of a long number: the digits behind it are gone.
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(item.receipt) && !isFaulty.has('receipt')) {
    errors.push({
      where: 'receipt',
      why: `a spreadsheet has shortened the number to ${item.receipt}; format the column as text and enter it again`,
    });
  }
  if ((item.confirmation === '') === (item.without_file === '')) {
    errors.push({
      where: 'confirmation',
      why: 'expected a file, or a text in without_file, one of the two',
    });
  }
  if (item.fee !== '' && readDollars(item.fee) === undefined && !isFaulty.has('fee')) {
    errors.push({ where: 'fee', why: `expected dollars as 50 or 50.00, found "${item.fee}"` });
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, item };
}

/**
 * Rows that were recorded, by what they may share with no other. The database sees one row at a time in a dry run, and must refuse
 * there what it refuses afterwards.
 */
class SeenRows {
  readonly #filings = new Map<string, { readonly line: number; readonly receipt: string }>();
  readonly #receipts = new Map<string, number>();
  readonly #files = new Map<string, number>();

  /** Of a row for the same filing: whether it says the same. */
  before(filing: FilingView): { readonly line: number; readonly receipt: string } | undefined {
    return this.#filings.get(filing.id);
  }

  fault(filing: FilingView, row: Row, sha256: string | undefined): RowError | undefined {
    const receipt = this.#receipts.get(receiptOf(filing, row));
    if (receipt !== undefined) {
      return {
        where: 'receipt',
        why: `is that of line ${receipt} too; one receipt proves one filing`,
      };
    }
    const file = sha256 === undefined ? undefined : this.#files.get(sha256);
    if (file === undefined || isShared(row)) return undefined;
    return {
      where: 'confirmation',
      why: `is the file of line ${file} too; if the office gave one file for both, write yes in the column shared`,
    };
  }

  add(filing: FilingView, row: Row, at: { readonly line: number; readonly sha256?: string }): void {
    const { line, sha256 } = at;
    this.#filings.set(filing.id, { line, receipt: row.receipt });
    this.#receipts.set(receiptOf(filing, row), line);
    if (sha256 !== undefined) this.#files.set(sha256, line);
  }
}

/** Two offices may give the same number. */
function receiptOf(filing: FilingView, { receipt }: Row): string {
  return `${filing.lane} ${receiptSpelling(receipt)}`;
}

function isShared({ shared }: Row): boolean {
  return /^(?:true|yes|y|1|x)$/i.test(shared);
}

interface Recording {
  readonly app: Installation;
  readonly actor: PersonActor;
  readonly input: OutcomesImport;
  readonly seen: SeenRows;
}

async function recordRow(
  { app, actor, input, seen }: Recording,
  row: Row,
  line: number,
): Promise<RowOutcome> {
  try {
    const filing = await findFiling(app.session, app.tenant, row.filing);
    const saying = await sayingOf(app, filing, row, input);
    const before = seen.before(filing);
    if (before !== undefined) {
      if (before.receipt === row.receipt) return { kind: 'unchanged' };
      return refused('filing', `is in line ${before.line} too, with receipt ${before.receipt}`);
    }
    if (filing.status === 'accepted' && filing.receipt === row.receipt) {
      const other = await differs(app, filing, saying);
      return other === undefined ? { kind: 'unchanged' } : refused(other.where, other.why);
    }
    const { evidence } = saying;
    const sha256 = evidence.kind === 'text' ? undefined : contentOf(evidence).sha256;
    const fault = seen.fault(filing, row, sha256);
    if (fault !== undefined) return { kind: 'refused', errors: [fault] };
    await sayInHand(app, actor, filing.id, saying, { dryRun: input.dryRun });
    seen.add(filing, row, { line, ...(sha256 === undefined ? {} : { sha256 }) });
    return { kind: 'created' };
  } catch (error) {
    if (isDatabaseAway(error) || !(error instanceof FilewrightError)) throw error;
    const { message: why, code } = error;
    return { kind: 'refused', errors: [{ where: 'filing', why, code }] };
  }
}

function refused(where: OutcomeColumn, why: string): RowOutcome {
  return { kind: 'refused', errors: [{ where, why }] };
}

type Filed = Extract<HandSaying, { kind: 'filed' }>;

/** The same receipt with another time or fee is a slip in one of the two, and not the same word again. */
async function differs(
  app: Installation,
  filing: FilingView,
  { filedAt, feeCents }: Filed,
): Promise<{ readonly where: OutcomeColumn; readonly why: string } | undefined> {
  const known = await recordedByHand(app, filing.id);
  const remedy = 'if the table is right, use hand correct';
  if (known.filedAt !== undefined && known.filedAt !== toRfc3339(filedAt)) {
    return { where: 'filed_at', why: `is on record as ${known.filedAt}; ${remedy}` };
  }
  if (known.feeCents !== undefined && known.feeCents !== feeCents) {
    const dollars = (known.feeCents / 100).toFixed(2);
    return { where: 'fee', why: `is on record as ${dollars}; ${remedy}` };
  }
  return undefined;
}

async function sayingOf(
  app: Installation,
  filing: FilingView,
  row: Row,
  { path, choices }: OutcomesImport,
): Promise<Filed> {
  const zone = (await profilesByLane(app)).get(filing.lane)?.hours?.zone ?? 'UTC';
  const filedAt = readSheetTime(row.filed_at, zone, choices?.dates);
  if (filedAt === 'either order') {
    throw new FilewrightError(
      'CASE_INVALID',
      `filed_at: "${row.filed_at}" can be month/day or day/month; add --dates month-first or --dates day-first`,
    );
  }
  if (filedAt === undefined) {
    throw new FilewrightError(
      'CASE_INVALID',
      `filed_at: expected a time at the office (${zone}) as 2027-03-01 14:05 or 3/1/2027 2:05 PM, found "${row.filed_at}"`,
    );
  }
  return {
    kind: 'filed',
    receipt: row.receipt,
    filedAt,
    feeCents: row.fee === '' ? undefined : readDollars(row.fee),
    ...(row.fee_reason === '' ? {} : { feeReason: row.fee_reason }),
    ...(isShared(row) ? { isShared: true } : {}),
    evidence:
      row.confirmation === ''
        ? { kind: 'text', text: row.without_file }
        : await readConfirmation(resolve(dirname(path), row.confirmation)),
  };
}
