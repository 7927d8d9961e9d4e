/**
 * The way back of a portal's lane: pure. Two good answers about its health, a transaction without effect, then only
 * questions until none of what was open is left to ask, and at last filings, slowly. Until then no filing leaves.
 */
import {
  addMs,
  breakerAfter,
  type Instant,
  instant,
  type LaneRecovery,
  type LaneState,
  nextProbeAt,
  nextTurnOf,
  type Profile,
  type RecoveryState,
  sameJson,
} from '../../../core/index.ts';
import {
  type CheckVerdict,
  DEFAULT_RECOVERY,
  nextRecovery,
  type RecoveryHappening,
  type RecoveryPlan,
  startRecovery,
} from './next-recovery.ts';

type FailedFor = Pick<LaneRecovery, 'reason' | 'code'>;

/** What a person, or a check, adds to what the machine knows. */
export type RecoveryEvent =
  /** `of`: the recovery as it was when the check began. */
  | (RecoveryHappening & { readonly kind: 'checked'; readonly of: RecoveryState })
  | { readonly kind: 'approved'; readonly why: string }
  | { readonly kind: 'hurried'; readonly by: string };

/** A password that was refused is not tried again before a person has looked: accounts are locked that way. */
export const LOGIN_REFUSED = 'LOGIN_REFUSED';

/**
 * What proves, without effect, that the portal works: a filing that the profile defines as synthetic; or, after plain
 * failures, a question about a key that nobody has used, which goes through the same login and application. What has
 * drifted or collided is not shown to be right by a question.
 */
export function transactionOf(
  profile: Pick<Profile, 'synthetic' | 'status'>,
  { reason }: Pick<FailedFor, 'reason'>,
): 'filing' | 'question' | undefined {
  if (profile.synthetic !== undefined) return 'filing';
  return profile.status !== undefined && reason === 'breaker' ? 'question' : undefined;
}

/** Begins the way, or begins it anew for a graver reason. */
export function failing(lane: LaneState, failed: FailedFor, at: Instant): LaneRecovery {
  const from = instant(Math.max(at, nextProbeAt(lane.breaker) ?? at));
  const { reason, code } = failed;
  return { reason, code, since: at, hurriedBy: [], run: startRecovery(from) };
}

/** Only questions go out: what was under way when it failed is settled before anything new is sent. */
export function isDraining(lane: Pick<LaneState, 'recovery' | 'pause'>): boolean {
  return drainingSince(lane) !== undefined;
}

/** From when on questions may go out; after a throttle that is later than now. */
export function drainingSince({
  recovery,
  pause,
}: Pick<LaneState, 'recovery' | 'pause'>): Instant | undefined {
  if (pause.kind === 'held' && pause.reason === 'person') return undefined;
  const run = recovery?.run;
  return run?.state === 'checking' && run.step === 'drain' ? run.since : undefined;
}

/** When the next check may run. A person's pause stops checks too. */
export function checkDueAt({
  recovery,
  pause,
}: Pick<LaneState, 'recovery' | 'pause'>): Instant | undefined {
  if (pause.kind === 'held' && pause.reason === 'person') return undefined;
  return recovery === undefined ? undefined : nextTurnOf(recovery.run);
}

/** When filings go out again if every check from now on is good; undefined where a person has to say so. */
export function recoversAt(lane: LaneState, profile: Profile, now: Instant): Instant | undefined {
  const first = checkDueAt(lane);
  const run = lane.recovery?.run;
  if (first === undefined || run === undefined) return undefined;
  const probes = run.state === 'probing' ? DEFAULT_RECOVERY.goodProbes - 1 - run.good : 0;
  return addMs(instant(Math.max(first, now)), probes * profile.breaker.probeSpacingMs);
}

/** Returns the same object where the event says nothing about the recovery as it is. */
export function afterRecoveryEvent(
  lane: LaneState,
  event: RecoveryEvent,
  profile: Profile,
  now: Instant,
): LaneState {
  const { recovery } = lane;
  if (recovery === undefined || lane.pause.kind !== 'held' || lane.pause.reason === 'person') {
    return lane;
  }
  // It ran beside everything else: what it found out is about the recovery that it was made for, and no other.
  if (event.kind === 'checked' && !sameJson(recovery.run, event.of)) return lane;
  // By a clock that is behind it came too early, and two answers of one moment would count as two.
  if (event.kind === 'checked' && now < (nextTurnOf(recovery.run) ?? now)) return lane;
  return turned(lane, recovery, event, profile, now);
}

function turned(
  lane: LaneState,
  recovery: LaneRecovery,
  event: RecoveryEvent,
  profile: Profile,
  now: Instant,
): LaneState {
  const known = agreedBy(recovery, event);
  const turn = nextRecovery(known.run, event, {
    now,
    plan: planOf(profile, known),
    policy: { ...DEFAULT_RECOVERY, probeEveryMs: profile.breaker.probeSpacingMs },
    asks: approvalReasons(profile, known),
    notBefore: nextProbeAt(lane.breaker) ?? now,
    afterFailure: addMs(now, profile.breaker.coolDownMs),
  });
  if (turn.next === known.run && known === recovery) return lane;
  const breaker =
    turn.breaker === undefined
      ? lane.breaker
      : breakerAfter(lane.breaker, turn.breaker, profile.breaker, now);
  if (turn.next.state === 'closed' && breaker.state === 'closed')
    return recovered(lane, profile, now);
  const run = turn.next.state === 'closed' ? startRecovery(nextProbeAt(breaker) ?? now) : turn.next;
  const last = lastOf(event, now);
  const isRefused = event.kind === 'checked' && whyOf(event.verdict) === LOGIN_REFUSED;
  return {
    ...lane,
    breaker,
    recovery: { ...known, run, ...(last && { last }), ...(isRefused && { code: LOGIN_REFUSED }) },
  };
}

/**
 * A question while it drains: so many without a usable answer as open a breaker, and it is not well yet. Not a single one:
 * a portal that stumbles over one filing would never come back.
 */
export function afterDrainQuestion(
  lane: LaneState,
  unclear: string | undefined,
  profile: Profile,
  now: Instant,
): LaneState {
  const { recovery } = lane;
  if (recovery === undefined) return lane;
  const count = unclear === undefined ? 0 : (recovery.unclear ?? 0) + 1;
  if (unclear === undefined || (unclear !== LOGIN_REFUSED && count < profile.breaker.failures)) {
    if (count === (recovery.unclear ?? 0)) return lane;
    return { ...lane, recovery: { ...recovery, unclear: count } };
  }
  const { unclear: _over, ...rest } = recovery;
  const verdict: CheckVerdict = { kind: 'bad', why: unclear };
  return turned(
    lane,
    rest,
    { kind: 'checked', step: 'drain', verdict, of: rest.run },
    profile,
    now,
  );
}

/** No check, and no question while it drains, before the portal's own stamp: a block is waited out. */
export function checkedNotBefore(lane: LaneState, until: Instant): LaneState {
  const { recovery } = lane;
  if (recovery === undefined) return lane;
  const { run } = recovery;
  if (run.state !== 'probing' && run.state !== 'checking') return lane;
  const nextAt = instant(Math.max(run.nextAt, until));
  // While it drains, questions wait for `since`, which is earlier than the next look at the drain.
  const isDrain = run.state === 'checking' && run.step === 'drain';
  const later = isDrain
    ? { ...run, since: instant(Math.max(run.since, until)), nextAt }
    : { ...run, nextAt };
  return sameJson(run, later) ? lane : { ...lane, recovery: { ...recovery, run: later } };
}

/** Slowly, and on probation: one failure before the first good answer opens the breaker again. */
function recovered(lane: LaneState, { breaker }: Profile, now: Instant): LaneState {
  const { recovery: _over, ...rest } = lane;
  return {
    ...rest,
    pause: { kind: 'none' },
    breaker: { state: 'closed', failures: Math.max(breaker.failures - 1, 0) },
    throttles: 0,
    missing: 0,
    resumedAt: now,
  };
}

function planOf(profile: Profile, failed: FailedFor): RecoveryPlan {
  const hasTransaction = transactionOf(profile, failed) !== undefined;
  return { proofs: hasTransaction ? ['synthetic', 'drain'] : ['drain'], asksAfter: 'health' };
}

/** Why a person approves before the lane goes on; empty where what the portal shows is enough. */
function approvalReasons(profile: Profile, recovery: LaneRecovery): readonly string[] {
  return [
    ...(recovery.hurriedBy.length > 0 ? ['a person started it'] : []),
    ...(recovery.reason === 'collision' ? ['a session was seen in two places'] : []),
    ...(recovery.code === LOGIN_REFUSED ? ['the login was refused'] : []),
    ...(transactionOf(profile, recovery) === undefined
      ? ['the profile has no test transaction that could show it']
      : []),
  ];
}

/** While a person may still be asked: whoever starts the next check then needs a second person at the end. */
export function isBeforeApproval({ run }: Pick<LaneRecovery, 'run'>): boolean {
  return run.state === 'probing' || run.state === 'awaiting_approval';
}

/** An approval answers whoever started it so far; the next start needs another one. */
function agreedBy(recovery: LaneRecovery, event: RecoveryEvent): LaneRecovery {
  const { hurriedBy, run } = recovery;
  if (event.kind === 'approved') {
    return run.state === 'awaiting_approval' ? { ...recovery, hurriedBy: [] } : recovery;
  }
  if (event.kind !== 'hurried' || !isBeforeApproval(recovery)) return recovery;
  return hurriedBy.includes(event.by)
    ? recovery
    : { ...recovery, hurriedBy: [...hurriedBy, event.by] };
}

function lastOf(event: RecoveryEvent, at: Instant): LaneRecovery['last'] {
  switch (event.kind) {
    case 'hurried':
      return { step: 'approval', verdict: 'wait', why: 'hurried', at };
    case 'approved':
      return { step: 'approval', verdict: 'good', why: event.why, at };
    case 'checked': {
      const { step, verdict } = event;
      const why = whyOf(verdict);
      const kind = verdict.kind === 'ask' ? 'wait' : verdict.kind;
      return { step, verdict: kind, at, ...(why === undefined ? {} : { why }) };
    }
  }
}

function whyOf(verdict: CheckVerdict): string | undefined {
  return verdict.kind === 'bad' || verdict.kind === 'wait' ? verdict.why : undefined;
}
