/**
 * One world: the real decisions of routing on a virtual clock, around them a shell that commits, sends, crashes and
 * sleeps, targets that fail, and people who answer late, never, or without being asked.
 */
import { partyId } from '../../src/core/index.ts';
import { addMs, type Instant } from '../../src/core/time.ts';
import { type BreakerState, nextProbeAt } from '../../src/core/breaker.ts';
import type { People } from '../../src/dockets/rules/access/people.ts';
import type { Docket } from '../../src/dockets/rules/docket/docket.ts';
import { datesOf } from '../../src/dockets/rules/docket/dates.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { activationOf } from '../../src/dockets/rules/routing/activation.ts';
import {
  breakerOf,
  isClean,
  isProbeDue,
  probedBreaker,
} from '../../src/dockets/rules/routing/breakers.ts';
import type { HandoffMessage } from '../../src/dockets/rules/routing/message.ts';
import type {
  HandoffResult,
  Happening,
  RoutingStep,
} from '../../src/dockets/rules/routing/happening.ts';
import {
  type Hop,
  type RoutingState,
  startRouting,
  wakeAt,
} from '../../src/dockets/rules/routing/state.ts';
import { nextStep } from '../../src/dockets/rules/routing/next-step.ts';
import type { Target } from '../../src/dockets/rules/routing/matrix.ts';
import { type Tier, TIERS } from '../../src/dockets/rules/routing/tiers.ts';
import type { TriggerCode } from '../../src/dockets/rules/routing/triggers.ts';
import { Draw } from '../world/draw.ts';
import { Trace } from '../world/trace.ts';
import { baseLaw, docketsOfSeed, lawClosedOn } from './dockets-of-seed.ts';
import type { Arrival, BreakerNote, Decided, Evidence } from './evidence.ts';
import { faultOfCheck, type Firm, firmOfSeed } from './firm-of-seed.ts';
import { Timeline } from './timeline.ts';
import { type Fate, Weather } from './weather.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As in the shell: so long a dead process has a notice in hand. */
const NOTICE_LEASE_MS = 15_000;
/** Clocks of one docket that wait at once; a mailbox that refuses for days would bring thousands. */
const WAKES_MAX = 50;
const QUEUE = 'queue-t2';

export class RoutingWorld {
  readonly trace: Trace;
  readonly #start: Instant;
  readonly #draw: Draw;
  readonly #time = new Timeline();
  readonly #firm: Firm;
  readonly #weather: Weather;
  readonly #dockets: readonly Docket[];
  readonly #states = new Map<string, RoutingState>();
  readonly #breakers = new Map<string, BreakerState>();
  readonly #leases = new Map<string, Instant>();
  readonly #seen = new Set<string>();
  /** How many notices went to a reader of a docket; only the last is tried again. */
  readonly #notices = new Map<string, number>();
  readonly #wakes = new Map<string, number>();
  readonly #arrivedAt = new Map<string, Instant>();
  readonly #decided: Decided[] = [];
  readonly #arrivals: Arrival[] = [];
  readonly #notes: BreakerNote[] = [];
  readonly #acknowledged: { at: Instant; docket: string; by: string }[] = [];
  readonly #laws: { from: Instant; law: PatentLaw }[];
  #law: PatentLaw = baseLaw();
  #people: People;

  constructor(seed: number, start: Instant, readable: boolean) {
    this.#start = start;
    this.#laws = [{ from: start, law: this.#law }];
    this.#draw = new Draw(seed, 'world');
    this.#firm = firmOfSeed(seed, start);
    this.#people = this.#firm.people;
    this.#weather = new Weather(seed, start, [...this.#firm.matrix.targets.keys()]);
    this.#dockets = docketsOfSeed(seed, start);
    this.trace = new Trace({ startMs: start, readable });
  }

  play(): Evidence {
    for (const docket of this.#dockets) this.#await(docket);
    this.#scheduleLaw();
    for (const { to } of this.#weather.down) this.#time.at(to, () => this.#wakeAll('started'));
    this.#time.at(this.#weather.healAt, () => {
      this.#people = this.#firm.healedPeople;
      this.#wakeAll('healed');
    });
    const endAt = addMs(this.#weather.healAt, 45 * DAY_MS);
    this.#time.run(endAt, () => this.#isOver());
    return {
      matrix: this.#firm.matrix,
      dockets: this.#dockets,
      arrivedAt: this.#arrivedAt,
      decided: this.#decided,
      arrivals: this.#arrivals,
      breakers: this.#notes,
      acknowledged: this.#acknowledged,
      isWell: (target, from, to) => this.#weather.isWell(target, from, to),
      down: this.#weather.down,
      laws: this.#laws,
      states: this.#states,
      endAt: this.#time.now,
      checkFault: faultOfCheck(this.#firm),
    };
  }

  #isOver(): boolean {
    return (
      this.#time.now > this.#weather.healAt &&
      this.#states.size === this.#dockets.length &&
      [...this.#states.values()].every(({ state }) => state === 'confirmed')
    );
  }

  /** A docket comes in, and with it whatever else will be said about it. */
  #await(docket: Docket): void {
    const draw = this.#draw;
    const { stormAt } = this.#weather;
    const planned = draw.chance(0.6)
      ? addMs(stormAt, draw.int(0, 2 * MINUTE_MS))
      : addMs(this.#start, draw.int(0, 30 * HOUR_MS));
    const comesAt = this.#weather.upAgain(planned);
    this.#time.at(comesAt, () => {
      this.#arrivedAt.set(docket.id, this.#time.now);
      this.#states.set(docket.id, startRouting(this.#time.now));
      this.#tell(docket, { kind: 'clock' });
    });
    if (draw.chance(0.6)) {
      const tier = draw.pick(TIERS.slice(0, 3));
      const code = draw.pick<TriggerCode>(['HTTP_5XX', 'TLS_SLOW', 'QUEUE_LAG', 'SCHEMA_DRIFT']);
      const evidence = {
        measure: 'lag_ms',
        measured: 61_000,
        threshold: 'more than 60000',
      } as const;
      const trigger = { code, mode: 'queue_saturation', subject: 'sim', evidence } as const;
      const activation = activationOf(trigger, { messageId: docket.messageId, tier });
      const at = addMs(comesAt, draw.int(0, draw.pick([5_000, HOUR_MS, 20 * HOUR_MS])));
      for (let time = 0; time < draw.int(1, 3); time += 1) {
        this.#time.at(addMs(at, time * 700), () =>
          this.#tell(docket, { kind: 'activation', activation }),
        );
      }
    }
    if (draw.chance(0.2)) {
      const by = `p${draw.int(1, 8)}`;
      const at = addMs(comesAt, draw.int(0, 40 * HOUR_MS));
      this.#time.at(at, () => this.#acknowledge(docket, by));
    }
  }

  #tell(docket: Docket, happening: Happening): void {
    const now = this.#time.now;
    const before = this.#states.get(docket.id);
    if (before === undefined) return;
    if (this.#weather.isDown(now)) {
      // What our process would have heard is lost with it; people try again, and the clock is asked at the start.
      if (happening.kind === 'acknowledged') {
        this.#time.at(addMs(this.#weather.upAgain(now), 1_000), () =>
          this.#tell(docket, happening),
        );
      }
      return;
    }
    const [law, people] = [this.#law, this.#people];
    const { matrix } = this.#firm;
    const desk = {
      docket,
      law,
      matrix,
      people,
      breakers: this.#breakers,
      random: this.#draw.random,
    };
    const step = nextStep(before, happening, now, desk);
    // As a database would give it back.
    this.#states.set(docket.id, JSON.parse(JSON.stringify(step.next)) as RoutingState);
    this.#commitBreakers(happening, step, before);
    const breakers = new Map(this.#breakers);
    this.#decided.push({ at: now, docket, happening, before, step, law, people, breakers });
    this.trace.add(
      now,
      `${docket.id.slice(-6)} ${happening.kind} → ${step.kind} ${step.next.state}`,
    );
    const wake = wakeAt(step.next);
    if (wake !== undefined && step.kind !== 'nothing') {
      this.#wake(docket, addMs(wake > now ? wake : now, this.#draw.int(1, 50)));
    }
    if (step.kind === 'send')
      this.#send(docket, step.message, step.next.hop, step.next.attempt, step.target);
    if (
      step.kind === 'manual' &&
      step.message !== undefined &&
      step.target !== undefined &&
      step.next.hop !== undefined
    ) {
      const key = `${docket.id} ${step.target.id}`;
      this.#notices.set(key, (this.#notices.get(key) ?? 0) + 1);
      this.#notify(docket, step.message, step.next.hop, step.target, 1);
    }
    // What is said of a queue may come to a docket that a person has: it stays there.
    if (step.kind === 'done' && this.#draw.chance(step.next.by === QUEUE ? 0.3 : 0.05)) {
      this.#forget(docket, step.next.hop?.tier ?? 'PRIMARY');
    }
  }

  /** Some clocks come twice; but each that comes asks for the next, and so many would soon be all that happens. */
  #wake(docket: Docket, at: Instant): void {
    const pending = this.#wakes.get(docket.id) ?? 0;
    if (pending >= WAKES_MAX) return;
    this.#wakes.set(docket.id, pending + 1);
    this.#time.at(at, () => {
      this.#wakes.set(docket.id, (this.#wakes.get(docket.id) ?? 1) - 1);
      this.#tell(docket, { kind: 'clock' });
    });
  }

  /** The queue that confirmed it has a consumer that takes nothing, which is seen a little later. */
  #forget(docket: Docket, tier: Tier): void {
    const evidence = { measure: 'lag_ms', measured: 61_000, threshold: 'more than 60000' } as const;
    const trigger = {
      code: 'QUEUE_LAG',
      mode: 'queue_saturation',
      subject: QUEUE,
      evidence,
    } as const;
    const activation = activationOf(trigger, { messageId: docket.messageId, tier });
    this.#time.at(addMs(this.#time.now, this.#draw.int(60_000, 120_000)), () =>
      this.#tell(docket, { kind: 'not_taken', activation }),
    );
  }

  /** A notice of the manual tier is tried until it is through or cannot ever be; a dead process's one is taken over. */
  #notify(
    docket: Docket,
    message: HandoffMessage,
    hop: Hop,
    target: Target,
    attempt: number,
  ): void {
    const key = `${docket.id} ${target.id}`;
    const turn = this.#notices.get(key);
    const again = (afterMs: number): void =>
      this.#time.at(this.#weather.upAgain(addMs(this.#time.now, afterMs)), () => {
        const isOver = this.#states.get(docket.id)?.state === 'confirmed';
        // A reminder takes its place.
        if (isOver || this.#notices.get(key) !== turn) return;
        this.#notify(docket, message, hop, target, attempt + 1);
      });
    const isCalm = this.#time.now >= this.#weather.healAt;
    if (this.#weather.isDown(this.#time.now) || (!isCalm && this.#draw.chance(0.04))) {
      again(NOTICE_LEASE_MS);
      return;
    }
    const fate = this.#weather.fateOf(target.id, this.#time.now);
    if (fate === 'fine' || fate === 'answer_lost') this.#arrive(docket, message, hop);
    const result = this.#resultOf(fate, target);
    this.#time.at(addMs(this.#time.now, LATENCY_MS[fate]), () => {
      this.#tell(docket, { kind: 'outcome', hop, attempt, result });
      const isAgain = ['failed', 'unknown', 'not_made'].includes(result.kind);
      if (isAgain) again(Math.min(60_000, 1_000 * 2 ** Math.min(attempt, 10)));
    });
  }

  /** The truth about breakers is what was committed, in order; the notes let a checker count for itself. */
  #commitBreakers(happening: Happening, step: RoutingStep, before: RoutingState): void {
    for (const { target, after } of step.breakers) this.#setBreaker(target, after);
    if (happening.kind === 'outcome' && happening.hop.tier !== 'MANUAL') {
      const { hop, attempt, result } = happening;
      const isGood = ['confirmed', 'sent', 'refused'].includes(result.kind);
      if (result.kind === 'unsendable' || result.kind === 'not_made') return;
      const isCurrent =
        before.state === 'sending' &&
        before.attempt === attempt &&
        before.hop.target === hop.target &&
        before.hop.tier === hop.tier;
      const retryAfterMs = 'retryAfterMs' in result ? result.retryAfterMs : undefined;
      if (isGood || isCurrent) this.#note(hop.target, isGood ? 'success' : 'failure', retryAfterMs);
    }
    if (step.kind === 'send') this.#note(step.target.id, 'send');
  }

  #note(target: string, what: BreakerNote['what'], retryAfterMs?: number): void {
    const stored = breakerOf(this.#breakers, target);
    this.#notes.push({ at: this.#time.now, target, what, stored, retryAfterMs });
  }

  #send(docket: Docket, message: HandoffMessage, hop: Hop, attempt: number, target: Target): void {
    const draw = this.#draw;
    const isCalm = this.#time.now >= this.#weather.healAt;
    // Dead between the commit and the write.
    if (!isCalm && draw.chance(0.04)) return;
    const writtenAt = addMs(this.#time.now, draw.int(1, 20));
    const fate = this.#weather.fateOf(target.id, writtenAt);
    const isDelivered =
      fate === 'fine' ||
      fate === 'answer_lost' ||
      (fate === 'stall' && draw.chance(0.5)) ||
      (fate === 'server_error' && draw.chance(0.2));
    if (isDelivered && !this.#isUnsendable(docket, target))
      this.#time.at(writtenAt, () => this.#arrive(docket, message, hop));
    // Dead between the write and the commit of its outcome.
    if (!isCalm && draw.chance(0.03)) return;
    const result = this.#isUnsendable(docket, target)
      ? ({ kind: 'unsendable', code: 'CONTENT_TYPE_UNSENDABLE' } as const)
      : this.#resultOf(fate, target);
    const answeredAt = addMs(writtenAt, LATENCY_MS[fate] + draw.int(0, 200));
    const happening: Happening = { kind: 'outcome', hop, attempt, result };
    this.#time.at(answeredAt, () => this.#tell(docket, happening));
    if (draw.chance(0.05)) this.#time.at(addMs(answeredAt, 5), () => this.#tell(docket, happening));
  }

  /** One docket in five cannot be written to anything but a mailbox. */
  #isUnsendable(docket: Docket, target: Target): boolean {
    return target.kind !== 'mail' && this.#dockets.indexOf(docket) % 5 === 4;
  }

  #resultOf(fate: Fate, target: Target): HandoffResult {
    switch (fate) {
      case 'fine':
        // A shell that takes "250 OK" for a receipt is a mistake that must do no harm.
        return target.confirmedBy === 'delivery' || this.#draw.chance(0.1)
          ? { kind: 'confirmed', receipt: 'R' }
          : { kind: 'sent' };
      case 'answer_lost':
      case 'stall':
        return { kind: 'unknown' };
      case 'connection_refused':
      case 'server_error':
        return { kind: 'failed' };
      case 'denied':
        return { kind: 'denied' };
      case 'refused':
        return { kind: 'refused' };
      case 'throttled': {
        const retryAfterMs = this.#draw.pick([5_000, 45_000, 600_000, 2 * DAY_MS]);
        return { kind: 'failed', code: 'HTTP_429', retryAfterMs };
      }
      case 'not_made':
        return { kind: 'not_made', code: 'LEASE_LOST' };
    }
  }

  #arrive(docket: Docket, message: HandoffMessage, hop: Hop): void {
    const key = `${message.target} ${message.id}`;
    const isFirst = !this.#seen.has(key);
    this.#seen.add(key);
    const { target, party, id: messageId } = message;
    this.#arrivals.push({
      at: this.#time.now,
      target,
      party,
      messageId,
      docket: docket.id,
      isFirst,
      tier: hop.tier,
    });
    const draw = this.#draw;
    const isCalm = this.#time.now >= this.#weather.healAt;
    const isManual = hop.tier === 'MANUAL';
    if (!draw.chance(isCalm && isManual ? 1 : 0.5)) return;
    const asked = this.#people.parties.get(party);
    const by = asked?.kind === 'team' ? draw.pick([...asked.members]) : party;
    const delayMs = draw.int(MINUTE_MS, (isManual ? 5 : 30) * HOUR_MS);
    this.#time.at(addMs(this.#time.now, delayMs), () => this.#acknowledge(docket, by));
  }

  #acknowledge(docket: Docket, by: string): void {
    this.#acknowledged.push({ at: this.#time.now, docket: docket.id, by });
    this.#tell(docket, { kind: 'acknowledged', by: partyId(by) });
  }

  #setBreaker(target: string, state: BreakerState): void {
    this.#breakers.set(target, state);
    this.trace.add(this.#time.now, `${target} ${state.state}`);
    if (isClean(this.#breakers, target)) this.#wakeWaiting(target);
    const at = nextProbeAt(state);
    if (at === undefined) return;
    // Two processes want to probe; the lease lets one.
    for (let rival = 0; rival < 2; rival += 1)
      this.#probeAt(target, addMs(at, this.#draw.int(0, 2_000)));
  }

  /** Dockets that wait for people, and for this target: a router looks every second. */
  #wakeWaiting(target: string): void {
    for (const docket of this.#dockets) {
      const state = this.#states.get(docket.id);
      if (state?.state !== 'manual' || state.waitsFor?.includes(target) !== true) continue;
      const at = this.#weather.upAgain(addMs(this.#time.now, this.#draw.int(1, 1_000)));
      this.#time.at(at, () => this.#tell(docket, { kind: 'clock' }));
    }
  }

  #probeAt(target: string, at: Instant): void {
    this.#time.at(this.#weather.upAgain(at), () => {
      const now = this.#time.now;
      const isLeased = (this.#leases.get(target) ?? now) > now;
      if (isLeased || !isProbeDue(breakerOf(this.#breakers, target), now)) return;
      this.#leases.set(target, addMs(now, 5_000));
      const fate = this.#weather.fateOf(target, now);
      const what = fate === 'fine' || fate === 'refused' ? 'probe_good' : 'probe_bad';
      this.#time.at(addMs(now, 200), () => this.#probed(target, what));
    });
  }

  #probed(target: string, what: 'probe_good' | 'probe_bad'): void {
    this.#leases.delete(target);
    const before = breakerOf(this.#breakers, target);
    const { breaker } = this.#firm.matrix.policy;
    const after = probedBreaker(before, what, breaker, this.#time.now);
    if (after !== before) this.#setBreaker(target, after);
    this.#note(target, what);
  }

  /** A calendar of the United States office changes, perhaps twice; every open docket hears the clock then. */
  #scheduleLaw(): void {
    const draw = this.#draw;
    if (!draw.chance(0.5)) return;
    const [day] = this.#dockets.flatMap((docket) => {
      const dates = datesOf(docket, baseLaw(), this.#start);
      return dates.kind === 'dated' && dates.office === 'US' ? [dates.due] : [];
    });
    if (day === undefined) return;
    const from = addMs(this.#start, draw.int(0, 40 * HOUR_MS));
    this.#time.at(from, () => {
      this.#changeLaw(lawClosedOn(day));
      this.#wakeAll('law changed');
    });
    this.#time.at(addMs(from, draw.int(HOUR_MS, 40 * HOUR_MS)), () => {
      this.#changeLaw(baseLaw());
      this.#wakeAll('law changed back');
    });
  }

  #changeLaw(law: PatentLaw): void {
    this.#law = law;
    this.#laws.push({ from: this.#time.now, law });
  }

  #wakeAll(why: string): void {
    this.trace.add(this.#time.now, why);
    for (const docket of this.#dockets) this.#tell(docket, { kind: 'clock' });
  }
}

const LATENCY_MS: Readonly<Record<Fate, number>> = {
  fine: 50,
  answer_lost: 3_000,
  connection_refused: 1,
  server_error: 50,
  stall: 3_000,
  denied: 50,
  refused: 50,
  throttled: 50,
  not_made: 1,
};
