/**
 * The rows of the crash table (design § 2), each hit on purpose. A kill counts only where the database and the portal's
 * truth afterwards show that it fell on its row.
 */
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import type { ReceivedRequest } from '../../src/testing/simulator/request-log.ts';
import type { CrewMember } from './crew.ts';
import type { Evidence } from './evidence.ts';
import { LATENCY_MS } from './portals.ts';
import type { Stage } from './stage.ts';
import type { SeenTick, Trap } from './tick-proxy.ts';

export const CRASH_ROWS = {
  '1': 'before the intent commits',
  '2a': 'after the intent, before the send',
  '2b': 'after the send, before the answer',
  '3': 'after the answer, before the outcome commits',
  P: 'PostgreSQL restarted at once, claims in flight',
} as const;

export type CrashRow = keyof typeof CRASH_ROWS;

/** In the order of the crash table, which an object would not keep: it puts numbers first. */
export const ROW_ORDER: readonly CrashRow[] = ['1', '2a', '2b', '3', 'P'];

export interface Hit {
  readonly verified: boolean;
  readonly detail: string;
  /** Who was killed; nobody in row P. */
  readonly dead: CrewMember | undefined;
}

export interface Scene {
  readonly stage: Stage;
  readonly crew: readonly CrewMember[];
  readonly victim: CrewMember;
  readonly evidence: Evidence;
}

/** A worker needs a second to start and some more to get slots that rest. */
const CATCH_MS_MAX = 20_000;
/**
 * Long enough that a survivor which does not let the slot rest sends into a portal that is still at work, and below
 * the profiles' timeout.
 */
const SLOW_MS = 1_200;
const FRESH_MS = 150;
const POLL_MS = 5;

export const HIT: Readonly<Record<CrashRow, (scene: Scene) => Promise<Hit>>> = {
  '1': beforeIntent,
  '2a': betweenIntentAndSend,
  '2b': betweenSendAndAnswer,
  '3': betweenAnswerAndOutcome,
  P: databaseRestart,
};

async function beforeIntent({ victim, evidence }: Scene): Promise<Hit> {
  const tick = await caughtTick(victim, {
    hold: 'request',
    wants: ({ outcomes, attemptIds }) => outcomes.length === 0 && attemptIds.length > 0,
  });
  if (tick === undefined) return missed('no tick came that only claims');
  const claimable = await evidence.claimable(tick.lanes);
  await victim.kill();
  const committed = await evidence.attempts(tick.attemptIds);
  return {
    verified: claimable > 0 && committed.length === 0,
    detail: `${claimable} could be claimed, ${committed.length} intents committed`,
    dead: victim,
  };
}

async function betweenIntentAndSend({ stage, victim, evidence }: Scene): Promise<Hit> {
  const tick = await caughtTick(victim, {
    hold: 'answer',
    wants: ({ attemptIds }) => attemptIds.length > 0,
  });
  if (tick === undefined) return missed('no tick came that claims');
  const claims = await evidence.attempts(tick.attemptIds);
  const sends = claims.filter(({ action }) => action === 'send' || action === 'resend');
  const received = (): number =>
    sends.reduce((sum, { lane, key }) => sum + receivedOf(stage, lane, key), 0);
  const before = received();
  await victim.kill();
  const after = await evidence.attempts(tick.attemptIds);
  const isHeld = after.every((row) => row.holder === tick.worker && !row.hasOutcome);
  return {
    verified: sends.length > 0 && isHeld && received() === before,
    detail: `${sends.length} intents committed and never heard of`,
    dead: victim,
  };
}

async function betweenSendAndAnswer({ stage, crew, victim, evidence }: Scene): Promise<Hit> {
  const sinceMs = Date.now();
  behave(stage, { mean: SLOW_MS, spread: 0 });
  try {
    while (Date.now() - sinceMs < CATCH_MS_MAX) {
      await pause(POLL_MS);
      const request = freshRequest(stage, sinceMs);
      if (request === undefined) continue;
      const send = await evidence.latestSend(request.key);
      if (send === undefined || send.hasOutcome) continue;
      const pid = await evidence.pidOf(send.holder);
      // The chosen one if it sends at all; a lane with one slot may be in the other's hands.
      const isLate = Date.now() - sinceMs > CATCH_MS_MAX / 2;
      const dead = crew.find((member) => member.pid === pid);
      if (dead === undefined || (dead !== victim && !isLate)) continue;
      const goneMs = await dead.kill();
      const left = await evidence.attempt(send.filing, send.no);
      const isUnheard = left?.holder === send.holder && !left.hasOutcome;
      return {
        verified: isUnheard && goneMs - request.at < SLOW_MS,
        detail: `killed ${goneMs - request.at} ms after the request of ${SLOW_MS} ms came`,
        dead,
      };
    }
    return missed('no request came');
  } finally {
    behave(stage, LATENCY_MS);
  }
}

async function betweenAnswerAndOutcome({ stage, victim, evidence }: Scene): Promise<Hit> {
  const tick = await caughtTick(victim, {
    hold: 'request',
    wants: ({ outcomes }) => outcomes.some(({ verdict }) => verdict === 'accepted'),
  });
  if (tick === undefined) return missed('no tick came that records an acceptance');
  await victim.kill();
  let lost = 0;
  for (const { filing, attempt, verdict, receipt } of tick.outcomes) {
    if (verdict !== 'accepted') continue;
    const row = await evidence.attempt(filing, attempt);
    if (row === undefined || row.hasOutcome || row.holder !== tick.worker) continue;
    const submission = stage.simulator.truth(row.lane).find(row.key);
    if (submission?.acceptances[0]?.receipt === receipt) lost += 1;
  }
  return { verified: lost > 0, detail: `${lost} receipts in hand and not recorded`, dead: victim };
}

async function databaseRestart({ stage, evidence }: Scene): Promise<Hit> {
  const untilMs = Date.now() + CATCH_MS_MAX;
  let held: readonly string[] = [];
  while (held.length === 0 && Date.now() < untilMs) {
    await pause(POLL_MS);
    held = await evidence.held();
  }
  await stopEmbedded(stage.dataDirectory, { mode: 'immediate' });
  await ensureEmbedded({ dataDirectory: stage.dataDirectory });
  const { present, spanning } = await evidence.survivors(held);
  return {
    verified: spanning > 0 && present === held.length,
    detail: `${present} of ${held.length} claims kept, ${spanning} open across the restart`,
    dead: undefined,
  };
}

function caughtTick(
  victim: CrewMember,
  trap: Pick<Trap, 'hold' | 'wants'>,
): Promise<SeenTick | undefined> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => {
      victim.proxy.disarm();
      resolve(undefined);
    }, CATCH_MS_MAX);
    victim.proxy.set({
      ...trap,
      caught: (tick) => {
        clearTimeout(patience);
        resolve(tick);
      },
    });
  });
}

/** A submission that came a moment ago, so that its answer is still some time away. */
function freshRequest(stage: Stage, sinceMs: number): ReceivedRequest | undefined {
  for (const { code } of stage.profiles) {
    const latest = [...stage.simulator.truth(code).log.entries()].at(-1);
    if (latest === undefined || latest.endpoint !== 'submit' || latest.at < sinceMs) continue;
    if (Date.now() - latest.at < FRESH_MS) return latest;
  }
  return undefined;
}

function receivedOf(stage: Stage, lane: string, key: string): number {
  return stage.simulator.truth(lane).find(key)?.received ?? 0;
}

function behave(stage: Stage, latencyMs: { readonly mean: number; readonly spread: number }): void {
  for (const { code } of stage.profiles) stage.simulator.behave(code, { latencyMs });
}

function missed(detail: string): Hit {
  return { verified: false, detail, dead: undefined };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
