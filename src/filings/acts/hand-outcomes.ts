/**
 * What has come of many filings by hand, from one table: a row is one `hand filed`. Each is recorded by itself, so that a slip
 * costs its row and no other; a row that is on record already says so. The dry run does the same and takes each back.
 */
import { dirname, resolve } from 'node:path';
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { FilewrightError, isDatabaseAway, type RowError } from '../../core/index.ts';
import {
  type GoodRow,
  type ImportRunReport,
  openRowFile,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  runImport,
} from '../../intake/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { readDollars } from '../rules/confirmation.ts';
import { readOfficeTime } from '../rules/office-time.ts';
import { type FilingView, findFiling } from '../store/filings.ts';
import { readConfirmation } from './hand-file.ts';
import { type HandSaying, sayInHand } from './hand-say.ts';

const COLUMNS = [
  { name: 'filing', needed: true, meaning: 'The filing, by its id or key.' },
  { name: 'receipt', needed: true, meaning: 'The confirmation number of the office.' },
  {
    name: 'filed_at',
    needed: true,
    meaning: 'When it was filed, at the office: 2027-03-01 14:05.',
  },
  { name: 'fee', needed: false, meaning: 'The fee that was really paid, in dollars.' },
  { name: 'fee_reason', needed: false, meaning: 'Why it is another fee than the approved one.' },
  { name: 'confirmation', needed: false, meaning: 'The file of the office, beside the table.' },
  { name: 'without_file', needed: false, meaning: 'Where there is no file: how you know.' },
] as const;
type Name = (typeof COLUMNS)[number]['name'];

/** What a row says, before its filing is looked up. */
type Row = { readonly [Column in Name]: string };

interface OutcomesImport {
  readonly path: string;
  readonly dryRun: boolean;
  readonly errorFile?: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

export async function importOutcomes(
  app: Installation,
  actor: Actor,
  input: OutcomesImport,
): Promise<ImportRunReport> {
  allow(actor, 'hand.say');
  const file = await openRowFile(input.path, { mapping: input.mapping ?? {}, columns: COLUMNS });
  const seen = new Map<string, number>();
  const read = (row: GoodRow): RowReading<Row> => readRow(row, seen);
  const admit = async (rows: readonly ReadRow<Row>[]): Promise<readonly RowOutcome[]> => {
    const outcomes: RowOutcome[] = [];
    for (const { item } of rows) outcomes.push(await recordRow(app, actor, item, input));
    return outcomes;
  };
  const { dryRun, errorFile } = input;
  return runImport(
    { ...file, read, admit },
    {
      errorFile:
        errorFile === undefined || dryRun ? undefined : { path: errorFile, unique: app.ids.next() },
      onProgress: undefined,
    },
  );
}

function readRow({ row, line }: GoodRow, seen: Map<string, number>): RowReading<Row> {
  const errors: RowError[] = [];
  const text = (name: Name): string => {
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
  };
  for (const { name, needed } of COLUMNS) {
    if (needed && item[name] === '') errors.push({ where: name, why: 'is empty, but required' });
  }
  // 4.81E+11 is what a spreadsheet makes of a long number: the digits behind it are gone.
  if (/^\d+([.,]\d+)?E\+\d+$/i.test(item.receipt)) {
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
  if (item.fee !== '' && readDollars(item.fee) === undefined) {
    errors.push({ where: 'fee', why: `expected dollars as 50 or 50.00, found "${item.fee}"` });
  }
  // The database sees one row at a time in a dry run, and two with one number must be found there too.
  const former = seen.get(item.receipt);
  if (former !== undefined && item.receipt !== '') {
    errors.push({
      where: 'receipt',
      why: `is that of line ${former} too; one receipt proves one filing`,
    });
  }
  if (errors.length > 0) return { ok: false, errors };
  seen.set(item.receipt, line);
  return { ok: true, item };
}

async function recordRow(
  app: Installation,
  actor: PersonActor,
  row: Row,
  { path, dryRun }: OutcomesImport,
): Promise<RowOutcome> {
  try {
    const filing = await findFiling(app.session, app.tenant, row.filing);
    if (filing.status === 'accepted' && filing.receipt === row.receipt)
      return { kind: 'unchanged' };
    const saying = await sayingOf(app, filing, row, path);
    await sayInHand(app, actor, filing.id, saying, { dryRun });
    return { kind: 'created' };
  } catch (error) {
    if (isDatabaseAway(error) || !(error instanceof FilewrightError)) throw error;
    const { message: why, code } = error;
    return { kind: 'refused', errors: [{ where: 'filing', why, code }] };
  }
}

async function sayingOf(
  app: Installation,
  filing: FilingView,
  row: Row,
  path: string,
): Promise<HandSaying> {
  const zone = (await profilesByLane(app)).get(filing.lane)?.hours?.zone ?? 'UTC';
  const filedAt = readOfficeTime(row.filed_at, zone);
  if (filedAt === undefined) {
    throw new FilewrightError(
      'CASE_INVALID',
      `filed_at: expected a time at the office (${zone}) as 2027-03-01 14:05, found "${row.filed_at}"`,
    );
  }
  return {
    kind: 'filed',
    receipt: row.receipt,
    filedAt,
    feeCents: row.fee === '' ? undefined : readDollars(row.fee),
    ...(row.fee_reason === '' ? {} : { feeReason: row.fee_reason }),
    evidence:
      row.confirmation === ''
        ? { kind: 'text', text: row.without_file }
        : await readConfirmation(resolve(dirname(path), row.confirmation)),
  };
}
