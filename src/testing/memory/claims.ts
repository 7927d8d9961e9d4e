/** Claims: src/filings/store/tick.ts and the take statements of src/filings/store/delivery-store.ts in memory. */
import {
  attemptId,
  type Claim,
  entryId,
  type Filing,
  type FilingId,
  type Instant,
  invariant,
  type LaneCode,
  type TickAnswer,
  type TickInput,
  type WorkerId,
  workerId,
} from '../../core/index.ts';
import { NEVER } from '../../lanes/index.ts';
import { recordOutcomes } from './outcomes.ts';
import type { FilingRow } from './rows.ts';
import { byLastSafe, type Tables } from './tables.ts';

export function tick(tables: Tables, input: TickInput): TickAnswer {
  const now = tables.now();
  // Chosen before the outcomes are applied, as one SQL statement sees one snapshot: what an outcome queues again is
  // claimed by a later tick.
  const candidates = tables.isAlive(input.worker) ? candidatesFor(tables, input.wants, now) : [];
  const disputed = recordOutcomes(tables, input.outcomes, now);
  const claimed: FilingRow[] = [];
  for (const [index, row] of candidates.entries()) {
    const id = input.attemptIds[index];
    if (id === undefined) break;
    claimed.push(claimTurn(tables, row, { worker: input.worker, attempt: id, now }));
  }
  return { claims: claimed.sort(byLastSafe).map((row) => claimOf(tables, row)), disputed };
}

function candidatesFor(tables: Tables, wants: TickInput['wants'], now: Instant): FilingRow[] {
  const chosen = new Set<FilingRow>();
  for (const want of wants) {
    const lane = tables.lanes.get(want.lane);
    if (lane === undefined || lane.openFrom > now) continue;
    let left = want.count;
    for (const row of tables.queued(want.lane)) {
      if (left === 0) break;
      if (row.nextAt === undefined || row.nextAt > now || row.envelope.lastSafe <= now) continue;
      if (lane.asksOnly && !isQuestion(row)) continue;
      if (want.after !== undefined && !isBehind(row.envelope, want.after)) continue;
      chosen.add(row);
      left -= 1;
    }
  }
  return [...chosen];
}

/** Filings of a lane about which the portal has to be asked since that moment, or is being asked. */
export function openQuestions(tables: Tables, lane: LaneCode, since: Instant): number {
  const isDue = ({ nextAt }: FilingRow): boolean => nextAt !== undefined && nextAt <= since;
  const waiting = [...tables.queued(lane)].filter((row) => isQuestion(row) && isDue(row));
  const held = tables.held().filter((row) => row.envelope.lane === lane && isQuestion(row));
  return waiting.length + held.length;
}

function isQuestion({ step }: FilingRow): boolean {
  return step?.action === 'ask' || step?.action === 'poll';
}

type Place = Pick<FilingRow['envelope'], 'lastSafe' | 'id'>;

function isBehind(row: Place, after: Place): boolean {
  return row.lastSafe > after.lastSafe || (row.lastSafe === after.lastSafe && row.id > after.id);
}

function claimTurn(
  tables: Tables,
  row: FilingRow,
  by: { readonly worker: WorkerId; readonly attempt: Claim['attempt']; readonly now: Instant },
): FilingRow {
  const { step, envelope } = row;
  invariant(step !== undefined, 'A queued filing has a step', { filing: envelope.id });
  const sends = step.action === 'send' || step.action === 'resend';
  // A question asked of the portal changes nothing and needs no intent, unless the filing was pending before.
  const speaks = sends || row.status === 'pending';
  const next: FilingRow = {
    ...row,
    status: 'submitted',
    holder: by.worker,
    claim: 'turn',
    attempt: row.attempt + 1,
    attemptId: by.attempt,
    nextAt: undefined,
    ver: row.ver + (speaks ? 1 : 0),
  };
  tables.putFiling(next);
  const attempts = tables.attempts.get(envelope.id) ?? [];
  attempts.push({
    filing: envelope.id,
    no: next.attempt,
    id: by.attempt,
    action: step.action,
    holder: by.worker,
    intentAt: by.now,
  });
  tables.attempts.set(envelope.id, attempts);
  if (!speaks) return next;
  tables.ledger.record(
    'filing',
    { kind: 'filing', id: envelope.id, ver: next.ver },
    {
      id: entryId(by.attempt),
      type: sends ? 'filing.intent' : 'filing.state',
      actor: { kind: 'service', id: `worker/${by.worker}` },
      trace: by.attempt,
      data: {
        from: row.status,
        to: 'submitted',
        action: step.action,
        attempt: next.attempt,
        lane: envelope.lane,
        key: envelope.key,
        payload_sha256: envelope.payloadSha256,
      },
    },
    by.now,
  );
  return next;
}

export function adopt(tables: Tables, worker: WorkerId, known: readonly FilingId[]): Claim[] {
  const knownIds = new Set(known);
  return tables
    .held()
    .filter((row) => row.holder === worker && !knownIds.has(row.envelope.id))
    .map((row) => claimOf(tables, row));
}

export function takeOrphans(tables: Tables, worker: WorkerId, limit: number): Claim[] {
  if (!tables.isAlive(worker)) return [];
  return tables
    .held()
    .filter((row) => row.holder !== undefined && !tables.isAlive(row.holder))
    .sort(byHolder)
    .slice(0, limit)
    .sort(byLastSafe)
    .map((row) => take(tables, { ...row, holder: worker, claim: 'orphan' }));
}

export function takeLate(tables: Tables, worker: WorkerId, limit: number): Claim[] {
  const now = tables.now();
  if (!tables.isAlive(worker)) return [];
  const late: FilingRow[] = [];
  for (const [code, lane] of tables.lanes) {
    // A lane that is held has no known end, so there only the moment itself counts.
    const safeAfter = lane.openFrom === NEVER ? now : Math.max(now, lane.openFrom);
    for (const row of tables.queued(code)) {
      if (row.envelope.lastSafe > safeAfter) break;
      late.push(row);
    }
  }
  return late
    .sort(byLastSafe)
    .slice(0, limit)
    .map((row) =>
      take(tables, {
        ...row,
        holder: worker,
        claim: 'late',
        nextAt: undefined,
        attempt: row.attempt + 1,
      }),
    );
}

function take(tables: Tables, row: FilingRow): Claim {
  tables.putFiling(row);
  return claimOf(tables, row);
}

/** Worker ids are decimal numbers; the oldest incarnation first. */
function byHolder(a: FilingRow, b: FilingRow): number {
  return Number(a.holder) - Number(b.holder) || (a.envelope.id < b.envelope.id ? -1 : 1);
}

function claimOf(tables: Tables, row: FilingRow): Claim {
  return {
    filing: filingOf(row),
    worker: row.holder ?? workerId(''),
    attempt: row.attemptId ?? attemptId(''),
    reason: row.claim ?? 'turn',
    payload: tables.payload(row),
  };
}

export function filingOf(row: FilingRow): Filing {
  const { status, attempt, step, failures, failingSince, captchaMarks, holder } = row;
  return { ...row.envelope, status, attempt, step, failures, failingSince, captchaMarks, holder };
}
