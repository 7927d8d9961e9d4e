/** What the tests do over and over: import filings, claim them, and say what became of them. */
import { createHash } from 'node:crypto';
import { addMs, type Instant } from '../../src/core/time.ts';
import {
  attemptId,
  type BatchId,
  batchId,
  entryId,
  type FilingId,
  filingId,
  idempotencyKey,
  type LaneCode,
  laneCode,
  sha256Hex,
  type WorkerId,
} from '../../src/core/ids.ts';
import type {
  Claim,
  LedgerFact,
  NewFiling,
  OutcomeRecord,
  PayloadOwner,
} from '../../src/core/ports.ts';
import type { FactType } from '../../src/core/facts/catalogue.ts';
import type { FilingStatus, Step } from '../../src/core/filing.ts';
import type { World } from './world.ts';

export const LANE: LaneCode = laneCode('US-DE');
export const HOUR_MS = 3_600_000;
const MONTH = '2026-03';

export const WORKER = { host: 'host-1', pid: 100, pidStartedAt: '1' };

export function fact(world: World, type: FactType, data: LedgerFact['data'] = {}): LedgerFact {
  return {
    id: entryId(world.ids.next()),
    type,
    actor: { kind: 'system', id: 'test' },
    trace: 'test',
    data,
  };
}

export async function sealedFact(
  world: World,
  type: FactType,
  data: LedgerFact['data'],
  body: string,
  owner?: PayloadOwner,
): Promise<LedgerFact> {
  const bare = fact(world, type, data);
  const { delivery } = world.here;
  const key = await delivery.dataKey('E-1', MONTH, () => world.vault.newKey(MONTH));
  const sealed = world.vault.seal({
    key,
    entry: bare.id,
    body: Buffer.from(body),
    ...(owner === undefined ? {} : { owner }),
  });
  return { ...bare, body: sealed };
}

export interface FilingWish {
  readonly lane?: LaneCode;
  /** From now. */
  readonly lastSafeInMs?: number;
  readonly notBeforeInMs?: number;
  readonly obligation?: string;
  readonly payload?: string;
}

export async function newFiling(
  world: World,
  batch: BatchId,
  wish: FilingWish = {},
): Promise<NewFiling> {
  const now = await world.now();
  const id = filingId(world.ids.next());
  const obligation = wish.obligation ?? `obligation-${id}`;
  const payload = wish.payload ?? '{"a":1}';
  const lastSafe = addMs(now, wish.lastSafeInMs ?? HOUR_MS);
  const key = idempotencyKey(`key-${obligation}`);
  const data = { from: null, to: 'pending' };
  return {
    obligation,
    envelope: {
      id,
      batch,
      lane: wish.lane ?? LANE,
      jurisdiction: 'US-DE',
      effect: 'filing',
      entityId: 'E-1',
      filingKind: 'annual_report',
      period: '2025',
      revision: 1,
      key,
      payloadSha256: sha256Hex(createHash('sha256').update(payload).digest('hex')),
      notBefore: addMs(now, wish.notBeforeInMs ?? -HOUR_MS),
      due: addMs(lastSafe, HOUR_MS),
      lastSafe,
    },
    fact: await sealedFact(world, 'filing.state', data, payload, { filing: id, key }),
  };
}

export async function openBatch(world: World): Promise<BatchId> {
  const id = batchId(world.ids.next());
  await world.here.intake.openBatch({
    id,
    source: 'test.csv',
    preparedBy: world.person,
    fact: fact(world, 'batch.opened'),
  });
  return id;
}

/** Lane, batch and filings, approved and queued; returns the filings in the order of the wishes. */
export async function queueFilings(
  world: World,
  wishes: readonly FilingWish[],
  lane: { readonly code?: LaneCode; readonly ceiling?: number } = {},
): Promise<FilingId[]> {
  await world.addLane({
    code: lane.code ?? LANE,
    ceiling: lane.ceiling ?? 4,
    longestServiceMs: 1_000,
  });
  return queueMore(world, wishes);
}

export async function queueMore(world: World, wishes: readonly FilingWish[]): Promise<FilingId[]> {
  const batch = await openBatch(world);
  const filings: NewFiling[] = [];
  for (const wish of wishes) filings.push(await newFiling(world, batch, wish));
  await world.here.intake.admit(filings);
  await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'));
  await world.release(batch);
  return filings.map((filing) => filing.envelope.id);
}

export async function register(world: World): Promise<WorkerId> {
  return (await world.here.delivery.registerWorker(WORKER)).id;
}

export async function claim(
  world: World,
  worker: WorkerId,
  count: number,
  outcomes: readonly OutcomeRecord[] = [],
): Promise<readonly Claim[]> {
  const answer = await world.here.delivery.tick({
    worker,
    outcomes,
    wants: [{ lane: LANE, count }],
    attemptIds: Array.from({ length: count }, () => attemptId(world.ids.next())),
  });
  return answer.claims;
}

export async function claimOne(world: World, worker: WorkerId): Promise<Claim> {
  const [only, ...rest] = await claim(world, worker, 1);
  if (only === undefined || rest.length > 0) throw new Error('expected one claim');
  return only;
}

export interface End {
  readonly to: FilingStatus;
  readonly verdict?: string;
  readonly receipt?: string;
  readonly step?: Step;
  readonly delayMs?: number;
}

export const ACCEPTED: End = { to: 'accepted' };
export const RETRY: End = { to: 'pending', step: { action: 'send' } };

export function askStep(now: Instant): Step {
  return { action: 'ask', cause: 'unknown', firstSentAt: now, lastSentAt: now, unclear: 0 };
}

export async function outcome(world: World, held: Claim, end: End): Promise<OutcomeRecord> {
  const { filing } = held;
  const leaves = end.to === 'rejected' || end.to === 'fallout';
  return {
    filing: filing.id,
    worker: held.worker,
    attempt: filing.attempt,
    verdict: end.verdict ?? end.to,
    code: 'CODE',
    from: filing.status,
    to: end.to,
    next: end.step === undefined ? undefined : { step: end.step, delayMs: end.delayMs ?? 0 },
    failures: 0,
    failingSince: undefined,
    captchaMarks: 0,
    // One for each filing, unless the test says which: a receipt is one filing's.
    receipt: end.to === 'accepted' ? (end.receipt ?? `R-${filing.id}`) : end.receipt,
    lane: filing.lane,
    fact: await sealedFact(
      world,
      'filing.outcome',
      { from: filing.status, to: end.to },
      '{"status":200}',
    ),
    exception: leaves
      ? {
          reason: 'CODE',
          unsettled: undefined,
          fact: await sealedFact(world, 'dlq.enveloped', { filing: filing.id }, '{"envelope":1}'),
        }
      : undefined,
  };
}

/** A tick that only records. */
export async function record(world: World, ...outcomes: readonly OutcomeRecord[]): Promise<void> {
  const [first] = outcomes;
  if (first === undefined) return;
  await world.here.delivery.tick({ worker: first.worker, outcomes, wants: [], attemptIds: [] });
}

/** Every fact into the log. */
export async function sequenceAll(world: World): Promise<void> {
  while ((await world.here.sequencer.sequence(256)) > 0);
}

/** What an admission says of the dates of a filing that exists. */
export function datesOf(filing: NewFiling): Pick<NewFiling['envelope'], 'notBefore' | 'due'> {
  return { notBefore: filing.envelope.notBefore, due: filing.envelope.due };
}
