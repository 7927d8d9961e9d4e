/**
 * Recovery runs with their evidence. The work that has a run's id says when its turn is; a claim on it is the one probe that
 * a breaker which is not closed may have.
 */
import { type Instant, type RecoveryState, targetId, type TargetId } from '../../core/index.ts';
import type { Baseline } from '../rules/recovery.ts';
import { type Row, type Session, sql, text, when } from '../../postgres/index.ts';
import { claimWork } from '../../work/index.ts';
import { DATABASE_NOW, jsonText, type Run } from './docket-rows.ts';

type RecoveryPhase = 'probing' | 'checking' | 'awaiting_approval' | 'closed' | 'abandoned';

export interface StoredRun {
  readonly id: string;
  readonly target: TargetId;
  readonly startedAt: Instant;
  readonly mode: 'automatic' | 'by_hand';
  readonly baseline: Baseline;
  readonly state: RecoveryState;
  readonly phase: RecoveryPhase;
  /** Its last entry in the log; counts the pieces of evidence too. */
  readonly ver: number;
}

/** A run whose check is ours; what was found counts only while that is so. */
export interface LeasedRun extends StoredRun {
  readonly lease: number;
}

const COLUMNS = `r.id, r.target, r.started_at, r.mode, r.baseline, r.state, r.phase, r.ver`;

const START = sql('recovery-start')`
with started as (
  insert into recovery_run (tenant, id, target, mode, baseline, state, phase) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict do nothing returning tenant, id)
insert into work (tenant, id, kind, target, next_at)
select tenant, id, 'recovery', 'all', to_timestamp($8::float8 / 1000) from started returning id`;

/** False when a run for the target is open already: there is one at a time. */
export async function startRun(
  run: Run,
  tenant: string,
  start: Pick<StoredRun, 'id' | 'target' | 'mode' | 'phase'> & {
    readonly baseline: object;
    readonly state: object;
    readonly nextAt: Instant;
  },
): Promise<boolean> {
  const { id, target, mode, baseline, state, phase, nextAt } = start;
  const values = [tenant, id, target, mode, jsonText(baseline), jsonText(state), phase, nextAt];
  return (await run(START, values)).length > 0;
}

const FIND = sql('recovery-find')`
select ${COLUMNS} from recovery_run r where r.tenant = $1 and r.id = any ($2::uuid[])`;

/** Takes runs whose turn has come. Nobody else probes their targets before the lease ends. */
export async function leaseDueRuns(
  session: Pick<Session, 'run'>,
  tenant: string,
  { leaseMs, count }: { readonly leaseMs: number; readonly count: number },
): Promise<LeasedRun[]> {
  const wish = { tenant, kind: 'recovery', target: 'all', limit: count, claimMs: leaseMs } as const;
  const works = await claimWork(session.run.bind(session), wish);
  const leases = new Map(works.map(({ id, attempt }) => [id, attempt]));
  const rows = works.length === 0 ? [] : await session.run(FIND, [tenant, [...leases.keys()]]);
  return rows.map(runOf).map((run) => ({ ...run, lease: leases.get(run.id) ?? 0 }));
}

const LOCK = sql('recovery-lock')`select ${COLUMNS}, w.tries as lease, ${DATABASE_NOW} as now
    from recovery_run r join work w on w.tenant = r.tenant and w.id = r.id where r.tenant = $1 and r.id = $2 for update`;

/** With the lease as it is now, so that a result that comes after it was lost is thrown away. */
export async function lockRun(
  run: Run,
  tenant: string,
  id: string,
): Promise<{ readonly run: LeasedRun; readonly now: Instant }> {
  const [row] = await run(LOCK, [tenant, id]);
  if (row === undefined) throw new Error(`there is no recovery run ${id}`);
  return { run: { ...runOf(row), lease: Number(row['lease']) }, now: when(row['now']) };
}

// Counts one try more than were made: whoever checks at this moment has lost his lease.
const WRITE = sql('recovery-write')`
with written as (
  update recovery_run set state = $3, phase = $4, mode = $6, ver = $7 where tenant = $1 and id = $2)
update work set tries = tries + 1, state = case when $5::float8 is null then 'done' else 'pending' end,
  next_at = to_timestamp($5::float8 / 1000), ended_at = case when $5::float8 is null then now() end
where tenant = $1 and id = $2`;

const EVIDENCE = sql('recovery-evidence-add')`
insert into recovery_evidence (tenant, run, n, step, verdict, by, evidence) values ($1, $2, $3, $4, $5, $6, $7)`;

export interface RecoveryEvidence {
  readonly step: string;
  readonly verdict: 'good' | 'wait' | 'bad';
  readonly by: string;
  readonly evidence: object;
}

/** The next state of a locked run, with what led to it; the lease ends with it. */
export async function writeRun(
  run: Run,
  tenant: string,
  next: Pick<StoredRun, 'id' | 'phase' | 'mode' | 'ver'> & {
    readonly state: object;
    readonly nextAt: Instant | undefined;
  },
  evidence: RecoveryEvidence,
): Promise<void> {
  const { id, state, phase, nextAt, mode, ver } = next;
  await run(WRITE, [tenant, id, jsonText(state), phase, nextAt ?? null, mode, ver]);
  const { step, verdict, by } = evidence;
  await run(EVIDENCE, [tenant, id, ver, step, verdict, by, jsonText(evidence.evidence)]);
}

const OPEN = sql('recovery-open')`
select ${COLUMNS} from recovery_run r where r.tenant = $1 and r.target = $2
  and r.phase not in ('closed', 'abandoned')`;

export async function openRun(
  session: Pick<Session, 'run'>,
  tenant: string,
  target: TargetId,
): Promise<StoredRun | undefined> {
  const [row] = await session.run(OPEN, [tenant, target]);
  return row === undefined ? undefined : runOf(row);
}

const LIST = sql('recovery-list')`select ${COLUMNS} from recovery_run r where r.tenant = $1
    order by (r.phase in ('closed', 'abandoned')), r.started_at desc limit $2`;

/** Open ones first. */
export async function listRuns(
  session: Pick<Session, 'run'>,
  tenant: string,
  limit = 100,
): Promise<StoredRun[]> {
  return (await session.run(LIST, [tenant, limit])).map(runOf);
}

const EVIDENCE_OF = sql('recovery-evidence-of')`
select n, step, verdict, at, by, evidence from recovery_evidence where tenant = $1 and run = $2 order by n`;

export async function evidenceOf(
  session: Pick<Session, 'run'>,
  tenant: string,
  run: string,
): Promise<(RecoveryEvidence & { readonly n: number; readonly at: Instant })[]> {
  return (await session.run(EVIDENCE_OF, [tenant, run])).map((row) => ({
    n: Number(row['n']),
    step: text(row['step']),
    // A check constraint holds the column to these words.
    verdict: text(row['verdict']) as RecoveryEvidence['verdict'],
    at: when(row['at']),
    by: text(row['by']),
    evidence: row['evidence'] as object,
  }));
}

function runOf(row: Row): StoredRun {
  return {
    id: text(row['id']),
    target: targetId(text(row['target'])),
    startedAt: when(row['started_at']),
    mode: row['mode'] === 'by_hand' ? 'by_hand' : 'automatic',
    // Written here alone, from values of the rules.
    baseline: row['baseline'] as Baseline,
    state: row['state'] as RecoveryState,
    // A check constraint holds the column to these words.
    phase: text(row['phase']) as RecoveryPhase,
    ver: Number(row['ver']),
  };
}
