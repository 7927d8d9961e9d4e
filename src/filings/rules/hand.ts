/**
 * Filing by hand: who has a filing, what they may do with it, and what comes of it. Pure; the guards of taking, look and filing
 * in sql/0005_filings.sql hold to the same. A taking is an intent: whatever ends it without a word is an unknown outcome, and
 * while an outcome is unknown nobody files again.
 */
import {
  addMs,
  type ErrorCode,
  type FilingStatus,
  instant,
  type Instant,
  type StepAction,
} from '../../core/index.ts';

export type TakingEnd = 'filed' | 'refused' | 'not_filed' | 'unsure' | 'lost';

/** The last taking of a filing. */
export interface Taking {
  /** Which attempt of the filing it is. */
  readonly no: number;
  /** The human being, under whatever name or key. */
  readonly party: string;
  readonly name: string;
  readonly takenAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | undefined;
  readonly ended: TakingEnd | undefined;
}

/** What is known of a filing at one moment of the database's clock. */
export interface HandFacts {
  readonly now: Instant;
  readonly status: FilingStatus;
  readonly step: StepAction | undefined;
  readonly attempt: number;
  /** Its lane is one of people. */
  readonly isByHand: boolean;
  /** Undefined: not in the queue. */
  readonly nextAt: Instant | undefined;
  /** Two people agreed that it is sent by this profile of its lane, and their word still counts. */
  readonly isApproved: boolean;
  readonly isHeldByWorker: boolean;
  readonly taking: Taking | undefined;
  readonly visibleAfterMs: number;
}

export type HandState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'early'; readonly from: Instant }
  | { readonly kind: 'free' }
  | {
      readonly kind: 'taken';
      readonly party: string;
      readonly name: string;
      readonly until: Instant;
    }
  /** Nobody knows whether it was filed. `provesFrom`: looked for before then, "not there" proves nothing. */
  | {
      readonly kind: 'look';
      readonly why: 'lost' | 'unsure' | 'other';
      readonly name: string | undefined;
      readonly since: Instant | undefined;
      readonly provesFrom: Instant;
    }
  | { readonly kind: 'ended'; readonly status: FilingStatus }
  | { readonly kind: 'worker' };

export function handState(facts: HandFacts): HandState {
  const { status, taking, now, nextAt } = facts;
  if (status !== 'pending' && status !== 'submitted') return { kind: 'ended', status };
  if (taking !== undefined && taking.endedAt === undefined) {
    return taking.expiresAt > now
      ? { kind: 'taken', party: taking.party, name: taking.name, until: taking.expiresAt }
      : lookAfter(facts, 'lost');
  }
  if (!facts.isByHand || facts.isHeldByWorker) return { kind: 'worker' };
  if (nextAt === undefined) return { kind: 'waiting' };
  if (facts.step !== 'send') {
    const { ended } = taking ?? {};
    return lookAfter(facts, ended === 'lost' || ended === 'unsure' ? ended : 'other');
  }
  if (!facts.isApproved) return { kind: 'waiting' };
  return nextAt > now ? { kind: 'early', from: nextAt } : { kind: 'free' };
}

function lookAfter(
  { taking, now, visibleAfterMs }: HandFacts,
  why: 'lost' | 'unsure' | 'other',
): HandState {
  // What a program has sent and nobody settled has no taking: it is looked for at once, and the office is asked.
  const end = taking === undefined ? undefined : endOf(taking);
  const provesFrom = end === undefined ? now : addMs(end, visibleAfterMs);
  return { kind: 'look', why, name: taking?.name, since: end, provesFrom };
}

/** Until when the person may have pressed the button: the end of the taking, or the word with which they ended it before. */
function endOf({ expiresAt, endedAt }: Taking): Instant {
  return endedAt !== undefined && endedAt < expiresAt ? endedAt : expiresAt;
}

/** What a person says has come of it. */
export type HandWord =
  | { readonly kind: 'filed'; readonly receipt: string }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'not_filed' }
  | { readonly kind: 'unsure' }
  /** Somebody looked, and it is not there. */
  | { readonly kind: 'absent'; readonly lookedAt: Instant };

export type HandAct =
  | { readonly kind: 'take'; readonly takeMs: number }
  | { readonly kind: 'renew'; readonly takeMs: number }
  | { readonly kind: 'say'; readonly word: HandWord };

/** Of a taking whose time is over and that nobody has put on record yet; undefined of every other. */
export function lossOf(facts: HandFacts): HandOutcome | undefined {
  const state = handState(facts);
  return state.kind === 'look' && facts.taking?.endedAt === undefined && facts.taking !== undefined
    ? {
        attempt: facts.attempt,
        action: 'file',
        to: 'submitted',
        verdict: 'unknown',
        code: 'TAKING_LOST',
      }
    : undefined;
}

export interface HandOutcome {
  /** Of which attempt, and what that attempt was. */
  readonly attempt: number;
  readonly action: 'file' | 'look';
  readonly to: FilingStatus;
  readonly verdict: 'accepted' | 'rejected' | 'transient' | 'unknown';
  readonly code: string;
}

export type HandDecision =
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly why: string }
  | { readonly kind: 'take'; readonly attempt: number; readonly until: Instant }
  | { readonly kind: 'renew'; readonly attempt: number; readonly until: Instant }
  | {
      readonly kind: 'say';
      /** The taking ended without a word: that is put on record first. */
      readonly lost: HandOutcome | undefined;
      readonly outcome: HandOutcome;
      /** How the taking ends; undefined where it has ended. */
      readonly ends: TakingEnd | undefined;
    };

/** `party`: who acts. */
export function decideHand(facts: HandFacts, act: HandAct, party: string): HandDecision {
  const state = handState(facts);
  switch (act.kind) {
    case 'take':
      return take(facts, state, act.takeMs, party);
    case 'renew':
      if (state.kind !== 'taken') return no(`${wordsOf(state)} There is nothing to renew`);
      if (state.party !== party) return no(wordsOf(state));
      return {
        kind: 'renew',
        attempt: facts.attempt,
        until: later(state.until, facts, act.takeMs),
      };
    case 'say':
      return say(facts, state, act.word, party);
  }
}

function take(
  { now, attempt }: HandFacts,
  state: HandState,
  takeMs: number,
  party: string,
): HandDecision {
  if (state.kind === 'free') {
    return { kind: 'take', attempt: attempt + 1, until: addMs(now, takeMs) };
  }
  if (state.kind === 'taken' && state.party === party) {
    return no('You have this filing already; use hand renew for more time');
  }
  if (state.kind === 'look') {
    return {
      kind: 'refused',
      code: 'MAY_BE_FILED',
      why: `${wordsOf(state)} Look first, in the registry and with that person; then use hand filed, or hand absent`,
    };
  }
  return no(wordsOf(state));
}

function say(facts: HandFacts, state: HandState, word: HandWord, party: string): HandDecision {
  const { attempt } = facts;
  if (state.kind === 'taken') {
    if (state.party !== party) return no(wordsOf(state));
    if (word.kind === 'absent')
      return no('You have this filing; use hand release if you did not file it');
    const outcome = { attempt, action: 'file', ...cameOf(word) } as const;
    return { kind: 'say', lost: undefined, outcome, ends: word.kind };
  }
  if (state.kind !== 'look') {
    return no(state.kind === 'free' ? 'No one has this filing; take it first' : wordsOf(state));
  }
  // Nobody's memory is enough once the time is over: who had it may have filed it and gone, so what counts is what is there.
  if (word.kind === 'not_filed' || word.kind === 'unsure') {
    return no(`${wordsOf(state)} Look whether it is there; then use hand filed, or hand absent`);
  }
  if (word.kind === 'absent' && word.lookedAt < state.provesFrom) {
    return { kind: 'refused', code: 'MAY_BE_FILED', why: TOO_EARLY };
  }
  if (word.kind === 'absent' && word.lookedAt > facts.now) {
    return no('The time at which you looked is still to come');
  }
  const lost = lossOf(facts);
  return {
    kind: 'say',
    lost,
    outcome: { attempt: attempt + 1, action: 'look', ...cameOf(word) },
    ends: lost === undefined ? undefined : 'lost',
  };
}

const TOO_EARLY =
  'The search of the office may not have shown it yet when you looked, so that proves nothing';

function cameOf(word: HandWord): Pick<HandOutcome, 'to' | 'verdict' | 'code'> {
  switch (word.kind) {
    case 'filed':
      return { to: 'accepted', verdict: 'accepted', code: 'FILED_BY_HAND' };
    case 'refused':
      return { to: 'rejected', verdict: 'rejected', code: word.code };
    case 'not_filed':
      return { to: 'pending', verdict: 'transient', code: 'NOT_FILED' };
    case 'absent':
      return { to: 'pending', verdict: 'transient', code: 'NOT_THERE' };
    case 'unsure':
      return { to: 'submitted', verdict: 'unknown', code: 'UNSURE' };
  }
}

/** Time that was given is not taken back. */
function later(until: Instant, { now }: HandFacts, takeMs: number): Instant {
  return instant(Math.max(until, now + takeMs));
}

function no(why: string): HandDecision {
  return { kind: 'refused', code: 'REFUSED_BY_RULE', why };
}

/** For whoever may not do what they want. */
function wordsOf(state: HandState): string {
  switch (state.kind) {
    case 'waiting':
      return 'Two people have not agreed to send this filing yet; see batch list, and batch approve.';
    case 'early':
      return 'The first day on which this may be filed is still to come.';
    case 'free':
      return 'This filing is free.';
    case 'taken':
      return `${state.name} has this filing.`;
    case 'look':
      if (state.why === 'unsure')
        return `${state.name ?? 'Someone'} is not sure whether this was filed.`;
      if (state.why === 'lost')
        return `${state.name ?? 'Someone'} had this filing and did not say what came of it: it may be filed.`;
      return 'This filing may have been filed before; its outcome is unknown.';
    case 'ended':
      return `This filing is ${state.status}.`;
    case 'worker':
      return 'This filing is sent by a worker; only filings on lanes of people are filed by hand.';
  }
}
