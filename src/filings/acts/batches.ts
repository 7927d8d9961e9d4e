/** Batches: import, approval by a second person, and running one to its end. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { createReadStream } from 'node:fs';
import {
  APPROVAL_DAYS,
  type BatchId,
  batchId,
  checkReason,
  checkValidDays,
  FilewrightError,
  invariant,
  isDatabaseAway,
  isUuid,
  misuse,
  type RowReader,
  ruledOut,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import type { FilingEngine } from '../delivery/engine.ts';
import type { WorkerSettings } from '../delivery/settings.ts';
import {
  type ImportCounts,
  type ImportReport,
  importRows,
  openSheet,
  readableFileBytes,
  rowFormatOf,
  type RowSource,
  type SheetChoices,
  type SheetReport,
} from '../../intake/index.ts';
import { watchApprovals } from '../watch/approval-watch.ts';
import { warnOnApproval } from '../watch/arrival-warning.ts';
import { confirmedColumns, entityRowReader, rememberColumns } from '../../entities/index.ts';
import {
  type ApprovalTerms,
  approveBatch,
  assertResumable,
  type Batch,
  findBatch,
  countBatches as countStored,
  listBatches as storedBatches,
  releaseBatch,
} from '../store/batches.ts';
import { type LaneCounts, laneCounts, lanes, profilesByLane } from '../../lanes/index.ts';
import { approveRelease, type ProposedSend, proposeSend } from '../store/release-proposals.ts';
import { SEND_REASON } from '../store/intake-store.ts';
import { openedOnce } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { approvalTerms, assertExpected, type Expectation, requireSeen } from './approvals.ts';
import {
  checkWithout,
  leaveOut,
  NOTHING_LEFT_OUT,
  onlyWhole,
  type Without,
} from './approve-part.ts';
import { correctionsOf } from './batch-correct.ts';
import { requireAnswered } from './batch-questions.ts';
import { shippedLawGates } from './reviews-correction.ts';
import { type Wait, waitsOf } from './waits.ts';

const POLL_MS = 500;
/** How often a running batch looks for approvals that have ended; the look reads the whole queue. */
const APPROVALS_MS = 10_000;

interface BatchImport {
  readonly dryRun: boolean;
  readonly errorFile?: string;
  readonly resume?: string;
  /** Rows that differ from filings of this person which nobody has approved take their place; why, for the record. */
  readonly correct?: string;
  readonly onProgress?: (counts: ImportCounts) => void;
}

interface FileReport extends ImportReport {
  /** How the table was read; undefined for NDJSON. */
  readonly sheet: SheetReport | undefined;
}

export async function importFile(
  app: Installation & FilingEngine,
  actor: Actor,
  input: BatchImport & { readonly path: string; readonly choices?: SheetChoices },
): Promise<FileReport> {
  allow(actor, 'batch.import');
  await readableFileBytes(input.path);
  const name = input.path.split(/[\\/]/).at(-1) ?? input.path;
  const { choices = {}, path } = input;
  if (rowFormatOf(path).kind === 'ndjson') {
    const { mapping = {} } = choices;
    const rows = { source: createReadStream(path), format: { kind: 'ndjson' }, mapping } as const;
    const report = await importSource(app, { ...input, rows, person: actor, name });
    return { ...report, sheet: undefined };
  }
  const reader = await filingReader(app);
  const { sheet } = reader;
  invariant(sheet !== undefined, 'Expected the pack to know its columns in tables.');
  const year = Number(toRfc3339(app.clock.now()).slice(0, 4));
  const confirmed = confirmedColumns(app, 'filings');
  const opened = await openSheet(path, { sheet, choices, confirmed, year });
  try {
    const report = await importSource(app, { ...input, rows: { opened }, person: actor, name });
    if (!input.dryRun) await rememberColumns(app, 'filings', actor, opened.report);
    return { ...report, sheet: opened.report };
  } finally {
    opened.close();
  }
}

async function filingReader(app: Installation): Promise<RowReader> {
  const all = (await lanes(app)).filter(({ profile }) => profile.effect !== 'question');
  if (all.length === 0) {
    throw ruledOut(
      'There is no lane that takes filings yet; first add a portal with lane add PROFILE',
    );
  }
  return entityRowReader({
    tenant: app.tenant,
    lanes: new Map(all.map(({ profile }) => [profile.jurisdiction, profile])),
    now: () => app.clock.now(),
    law: await shippedLawGates(),
  });
}

/** The one way into a batch, for the rows of a file as for those that the register makes of obligations. */
export async function importSource(
  app: Installation & FilingEngine,
  input: BatchImport & {
    readonly rows: RowSource;
    readonly name: string;
    readonly person: PersonActor;
  },
): Promise<ImportReport> {
  const resume = input.resume === undefined ? undefined : readBatchId(input.resume);
  if (resume !== undefined) await assertResumable(app.session, app.tenant, resume, input.person.id);
  const reason = input.correct === undefined ? undefined : checkReason('--reason', input.correct);
  const report = await importRows({
    ...input.rows,
    reader: await filingReader(app),
    store: app.intake,
    vault: app.vault,
    onConflict: openedOnce(app, input.person, 'batch.import', 'conflict'),
    clock: app.clock,
    ids: app.ids,
    person: input.person.id,
    batchName: input.name,
    dryRun: input.dryRun,
    ...(input.errorFile === undefined ? {} : { errorFile: input.errorFile }),
    ...(resume === undefined ? {} : { resume }),
    ...(reason === undefined ? {} : { correct: correctionsOf(app, input.person, reason) }),
    ...(input.onProgress === undefined ? {} : { onProgress: input.onProgress }),
  });
  if (!input.dryRun) await sequenceAll(app);
  return report;
}

/** Approves as the second person, queues, and says what was approved. */
export async function approve(
  app: Installation & FilingEngine,
  actor: Actor,
  id: BatchId,
  expected: Expectation = {},
  validDays: number = APPROVAL_DAYS,
  without: Without = NOTHING_LEFT_OUT,
): Promise<ApprovalTerms> {
  allow(actor, 'batch.approve');
  checkValidDays(validDays);
  const left = await checkWithout(app, id, without);
  const terms = await approvalTerms(app, actor, id, new Set(left.filings));
  assertExpected(id, terms, expected);
  const run: Run = (statement, values) => app.session.run(statement, values);
  await requireSeen(run, app.tenant, id, { terms, expected });
  await requireAnswered(run, app.tenant, id, actor.id);
  const fees = terms.fees.map(({ rail, filings, cents }) => ({ rail, filings, cents }));
  const heldBack = left.filings.length === 0 ? {} : { held_back: left.filings.length };
  const fact = userFact(app, 'approval.granted', actor, { batch: id, fees, ...heldBack });
  const onApproved = (tx: Run): Promise<void> => warnOnApproval(tx, app, id);
  const isRelease = terms.proposal?.kind === 'release';
  if (isRelease && left.filings.length > 0) throw onlyWhole(id);
  const approving = isRelease ? approveRelease : approveBatch;
  const beforeApproval = (tx: Run): Promise<void> => leaveOut(tx, app, actor, id, left);
  const options = { terms, validDays, onApproved, beforeApproval };
  await approving(app.session, app.tenant, id, actor.id, fact, options);
  await releaseBatch(app.session, app.tenant, id);
  await sequenceAll(app);
  return terms;
}

/**
 * Proposes again what waits for an approval: a batch whose lanes have got another profile since it was frozen, or filings whose
 * approval has ended. What was proposed before and waits still is ended by it.
 */
export async function proposeAgain(
  app: Installation,
  actor: Actor,
  id: BatchId,
  reason: string = SEND_REASON,
): Promise<ProposedSend> {
  allow(actor, 'batch.propose');
  const batch = await findBatch(app.session, app.tenant, id);
  if (batch.state === 'cancelled')
    throw ruledOut(`Batch ${id} is cancelled; nothing of it is left`);
  if (batch.state === 'open') {
    throw ruledOut(
      `The import of batch ${id} did not finish; run the same batch import or batch create with --resume ${id}`,
    );
  }
  const kind = batch.state === 'frozen' ? 'batch' : 'release';
  const proposed = await proposeSend(app, { kind, batch: id, by: actor, reason });
  await sequenceAll(app);
  return proposed;
}

/** The newest first. */
export async function listBatches(
  app: Installation & FilingEngine,
  actor: Actor,
  limit: number,
  after?: string,
): Promise<readonly Batch[]> {
  allow(actor, 'batch.list');
  return storedBatches(app.session, app.tenant, limit, after);
}

export async function countBatches(
  app: Installation & FilingEngine,
  actor: Actor,
): Promise<number> {
  allow(actor, 'batch.list');
  return countStored(app.session, app.tenant);
}

/** Counts per lane, of one batch or of everything. */
export async function batchStatus(
  app: Installation & FilingEngine,
  actor: Actor,
  id: BatchId | undefined,
): Promise<{ readonly batch: Batch | undefined; readonly lanes: readonly LaneCounts[] }> {
  allow(actor, 'batch.status');
  const batch = id === undefined ? undefined : await findBatch(app.session, app.tenant, id);
  return { batch, lanes: await laneCounts(app.session, app.tenant, id) };
}

/**
 * Runs a worker in this process until no filing of the batch is open, until none of the open ones can move for now, or
 * until `signal` aborts.
 */
export async function runBatch(
  app: Installation & FilingEngine,
  actor: Actor,
  id: BatchId,
  options: {
    readonly signal: AbortSignal;
    readonly settings?: Partial<WorkerSettings>;
    readonly onProgress?: (counts: readonly LaneCounts[]) => void;
  },
): Promise<{ readonly counts: readonly LaneCounts[]; readonly waits: readonly Wait[] }> {
  allow(actor, 'batch.run');
  const batch = await findBatch(app.session, app.tenant, id);
  if (batch.state !== 'approved') {
    throw new FilewrightError(
      'NOT_APPROVED',
      `Batch ${id} is ${batch.state}; nothing in it is sent until a second person approves it`,
    );
  }
  // A crash between the approval and the release leaves filings unqueued; doing it again is harmless.
  await releaseBatch(app.session, app.tenant, id);
  const parts = await app.worker(await profilesByLane(app), options.settings);
  const running = parts.worker.run();
  let failure: unknown;
  const ended = running.catch((error: unknown) => {
    failure = error;
  });
  let waits: readonly Wait[] | undefined;
  let endedMs = -Infinity;
  try {
    for (;;) {
      const askedMs = app.clock.monotonicMs();
      // What can no longer be claimed must not be waited for, also where no background work looks for it.
      if (askedMs - endedMs >= APPROVALS_MS) {
        await watchApprovals(app);
        endedMs = askedMs;
      }
      waits = await lookAt(app, id, options.onProgress);
      if (waits !== undefined || options.signal.aborted || failure !== undefined) break;
      // Counting a large batch takes a while; the workers need the database more.
      const tookMs = app.clock.monotonicMs() - askedMs;
      await app.clock.sleep(Math.max(POLL_MS, tookMs * 10), options.signal);
    }
  } finally {
    // Also when counting went wrong: a worker that nobody stops would go on without its connections, for ever.
    try {
      await parts.worker.stop();
      await ended;
    } finally {
      await parts.close();
    }
  }
  if (failure !== undefined) throw failure;
  await sequenceAll(app);
  return { counts: await laneCounts(app.session, app.tenant, id), waits: waits ?? [] };
}

/** What the batch waits for; undefined while it goes on. A database that is away is waited out, as the worker does. */
async function lookAt(
  app: Installation & FilingEngine,
  id: BatchId,
  onProgress: ((counts: readonly LaneCounts[]) => void) | undefined,
): Promise<readonly Wait[] | undefined> {
  try {
    const counts = await laneCounts(app.session, app.tenant, id);
    onProgress?.(counts);
    return waitsOf(counts, await lanes(app), app.clock.now());
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return undefined;
  }
}

export function readBatchId(text: string): BatchId {
  if (!isUuid(text)) throw misuse(`Expected a batch id (a UUID), found "${text}"; see batch list`);
  return batchId(text);
}
