/** One docket's turn, from its row to what must be written and sent: the rules applied to what is stored. Nothing is sent here. */
import { formatDay } from '../../calendar/index.ts';
import {
  addMs,
  type BreakerState,
  instant,
  type Instant,
  type PartyId,
  type Random,
  type TargetId,
  toRfc3339,
} from '../../core/index.ts';
import type { Docket } from '../rules/docket/docket.ts';
import { datesOf, type DocketDates } from '../rules/docket/dates.ts';
import { isHard } from '../rules/docket/closing.ts';
import type { PatentLaw } from '../rules/matter.ts';
import { activationOf } from '../rules/routing/activation.ts';
import { assignedMatrix } from '../rules/routing/assignment.ts';
import { type BreakerChange, withChange } from '../rules/routing/breakers.ts';
import type { HandoffMessage } from '../rules/routing/message.ts';
import type { Happening, RoutingStep } from '../rules/routing/happening.ts';
import {
  type Hop,
  type KnownDates,
  type RoutingState,
  tierOf,
  wakeAt,
} from '../rules/routing/state.ts';
import { lastSafeOf } from '../rules/routing/tier-timer.ts';
import { nextStep } from '../rules/routing/next-step.ts';
import type { RoutingFact } from '../rules/routing/facts.ts';
import type { Target } from '../rules/routing/matrix.ts';
import type { Trigger } from '../rules/routing/triggers.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import type { ActiveRouting } from './setup.ts';

export interface DecisionInput {
  readonly routing: ActiveRouting;
  readonly law: PatentLaw;
  readonly random: Random;
  readonly now: Instant;
  readonly breakers: ReadonlyMap<string, BreakerState>;
  /** What is wrong with a target for everybody, by target id: a queue before it that is full. */
  readonly troubles: ReadonlyMap<string, Trigger>;
  /** Set when the matrix may not be read: without it nobody knows the team, so the primary tier is left. */
  readonly denied: Trigger | undefined;
}

export interface Handover {
  readonly hop: Hop;
  readonly attempt: number;
  readonly target: Target;
  readonly message: HandoffMessage;
  /** Why the tier above was left, and whom that passed over. */
  readonly reason: string | undefined;
  readonly passed: readonly string[];
}

/** For people who run the place; ids only, because whoever reads it may have no right to the matter. */
interface Warning {
  readonly kind: 'docket_manual' | 'docket_manual_overdue' | 'docket_late' | 'docket_unfiled';
  readonly severity: 'warning' | 'critical';
  readonly text: string;
}

export interface Decision {
  readonly state: RoutingState;
  readonly nextAt: Instant | undefined;
  readonly facts: readonly RoutingFact[];
  readonly changes: readonly BreakerChange[];
  readonly handover: Handover | undefined;
  readonly warnings: readonly Warning[];
  /** What the last happening came to. */
  readonly outcome: RoutingStep['kind'];
}

/** Whom the assignment table named, if it was asked and knew. */
export function assignedTo({ assignment }: StoredDocket): PartyId | undefined {
  // Written only by `AssignmentLookup`.
  return (assignment as { readonly party?: PartyId } | undefined)?.party;
}

/** More than one trouble after the other than there are tiers cannot be. */
const TROUBLES_MAX = 4;

export function decideDocket(
  row: StoredDocket,
  happening: Happening,
  input: DecisionInput,
): Decision {
  const docket = row.docket;
  const matrix = assignedMatrix(input.routing.matrix, assignedTo(row));
  const course = new Course(docket, row.state, {
    ...input,
    routing: { ...input.routing, matrix },
  });
  // Noted by somebody else while the docket waited; its row is locked now, so it is not lost.
  const noted = row.activation;
  if (row.phase === 'confirmed' && happening.kind === 'clock') {
    if (noted === undefined) return watchConfirmed(row, input);
    course.hear({ kind: 'not_taken', activation: noted });
    if (course.isConfirmed()) return watchConfirmed(row, input);
    course.avoidTroubles();
    return course.decision();
  }
  course.hear(happening);
  if (noted !== undefined) course.hear({ kind: 'activation', activation: noted });
  course.avoidTroubles();
  const decision = course.decision();
  // It keeps its moment: a second acknowledgement must not pass over a warning that is due just now.
  const isAsBefore = row.phase === 'confirmed' && course.isConfirmed();
  return isAsBefore ? { ...decision, nextAt: row.nextAt } : decision;
}

class Course {
  readonly #docket: Docket;
  readonly #input: DecisionInput;
  #state: RoutingState;
  #breakers: ReadonlyMap<string, BreakerState>;
  #handover: Handover | undefined;
  #outcome: RoutingStep['kind'] = 'nothing';
  readonly #facts: RoutingFact[] = [];
  readonly #changes: BreakerChange[] = [];

  constructor(docket: Docket, state: RoutingState, input: DecisionInput) {
    this.#docket = docket;
    this.#state = state;
    this.#input = input;
    this.#breakers = input.breakers;
  }

  hear(happening: Happening): void {
    const { routing, law, random, now } = this.#input;
    const { matrix, people } = routing;
    const step = nextStep(this.#state, happening, now, {
      docket: this.#docket,
      law,
      matrix,
      people,
      breakers: this.#breakers,
      random,
    });
    this.#state = step.next;
    this.#outcome = step.kind;
    this.#facts.push(...step.facts);
    for (const change of step.breakers) {
      this.#changes.push(change);
      this.#breakers = withChange(this.#breakers, change);
    }
    // A step that changes nothing leaves what the one before it wants to send.
    if (step.kind === 'send' || step.kind === 'manual') this.#handover = handoverOf(step);
    else if (step.kind === 'done') this.#handover = undefined;
  }

  /** A tier whose queue is full is left before anything is put into it. */
  avoidTroubles(): void {
    for (let count = 0; count < TROUBLES_MAX; count += 1) {
      const hop = this.#handover?.hop;
      const trigger = hop === undefined ? undefined : this.#troubleAt(hop);
      if (hop === undefined || trigger === undefined) return;
      const { messageId } = this.#docket;
      const activation = activationOf(trigger, { messageId, tier: hop.tier });
      this.#handover = undefined;
      this.hear({ kind: 'activation', activation });
    }
  }

  #troubleAt({ tier, target }: Hop): Trigger | undefined {
    const { troubles, denied } = this.#input;
    // There is nobody below the manual tier.
    if (tier === 'MANUAL') return undefined;
    return troubles.get(target) ?? (tier === 'PRIMARY' ? denied : undefined);
  }

  isConfirmed(): boolean {
    return this.#state.state === 'confirmed';
  }

  decision(): Decision {
    const { law, now, routing } = this.#input;
    const passed = this.#facts.flatMap((fact) =>
      fact.kind === 'transition' && fact.from.target !== undefined ? [fact.from.target] : [],
    );
    const reason = this.#facts.findLast((fact) => fact.kind === 'transition')?.reason;
    const state = this.#state;
    return {
      state,
      nextAt:
        state.state === 'confirmed'
          ? watchFrom(datesOf(this.#docket, law, now), { ...this.#input, docket: this.#docket })
          : wakeAt(state),
      facts: this.#facts,
      changes: this.#changes,
      handover:
        this.#handover === undefined
          ? undefined
          : { ...this.#handover, passed: [...new Set(passed)], reason },
      warnings: this.#facts.flatMap((fact) => warningOf(fact, routing)),
      outcome: this.#outcome,
    };
  }
}

function handoverOf(step: RoutingStep & { kind: 'send' | 'manual' }): Handover | undefined {
  const { target, message, next } = step;
  // Nobody may see it: the warning is all that can be done.
  if (target === undefined || message === undefined || next.hop === undefined) return undefined;
  const attempt = next.state === 'sending' ? next.attempt : next.round + 1;
  return { hop: next.hop, attempt, target, message, reason: undefined, passed: [] };
}

function warningOf(fact: RoutingFact, { matrix }: ActiveRouting): Warning[] {
  const clock = `${matrix.policy.manualClockMs / 60_000} minutes`;
  switch (fact.kind) {
    case 'manual_required':
      return fact.target === undefined
        ? [
            {
              kind: 'docket_manual',
              severity: 'critical',
              text: `MANUAL_ESCALATION_REQUIRED: no one who may see this docket can be reached. Name a privileged person in the matrix, then acknowledge the docket within ${clock}.`,
            },
          ]
        : [
            {
              kind: 'docket_manual',
              severity: 'warning',
              text: `MANUAL_ESCALATION_REQUIRED (${fact.reason}): ${fact.target} is being notified and has ${clock}.`,
            },
          ];
    case 'manual_told':
      return [
        {
          kind: 'docket_manual',
          severity: 'warning',
          text: `MANUAL_ESCALATION_REQUIRED: ${fact.target} was notified at ${toRfc3339(fact.at)} and has ${clock}.`,
        },
      ];
    case 'manual_unreached':
      return [
        {
          kind: 'docket_manual',
          severity: 'critical',
          text: `MANUAL_ESCALATION_REQUIRED: ${fact.target} could not be notified (${fact.code ?? 'no answer'}). ${
            fact.next === undefined
              ? 'No one else in the manual tier is left. Take over the docket yourself, and fix the mailbox or the mail server.'
              : `${fact.next} is being notified instead. Fix the mailbox.`
          }`,
        },
      ];
    case 'manual_overdue':
      return [
        {
          kind: 'docket_manual_overdue',
          severity: 'critical',
          text: `No one has taken this docket within ${clock}. This is reminder ${fact.round}.`,
        },
      ];
    case 'late':
      return [
        {
          kind: 'docket_late',
          severity: 'critical',
          text: `The due date ${fact.due} has passed, and no one has confirmed the docket.`,
        },
      ];
    case 'transition':
    case 'skipped':
    case 'redated':
    case 'manual_found':
    case 'returned':
    case 'given':
    case 'confirmed':
      return [];
  }
}

/** Having a docket is not having filed it: it is looked at again before its date, and on it. */
function watchFrom(
  dates: DocketDates,
  at: Pick<DecisionInput, 'law' | 'now' | 'routing'> & { readonly docket: Docket },
): Instant | undefined {
  if (dates.kind === 'undated' || !isHard(at.docket, dates, at.law)) return undefined;
  const lastSafe = lastSafeOf(dates, at.routing.matrix.policy) ?? dates.dueMoment;
  // Confirmed after that moment: it is looked at at once, since to have it is not to have filed it.
  return at.now < lastSafe ? lastSafe : at.now;
}

/** After the date, a docket that is still open is told of again so often: a person forgets an alert that comes once. */
const AGAIN_MS = 24 * 3_600_000;

function watchConfirmed(row: StoredDocket, input: DecisionInput): Decision {
  const { law, now, routing } = input;
  const docket = row.docket;
  const dates = datesOf(docket, law, now);
  const was = row.state;
  const known = knownOf(dates);
  const isMoved = was.known !== undefined && !sameDates(was.known, known);
  const facts: RoutingFact[] =
    isMoved && was.known !== undefined
      ? [{ kind: 'redated', at: now, from: was.known, to: known }]
      : [];
  const state = { ...was, known };
  const quiet = { state, facts, changes: [], handover: undefined, outcome: 'nothing' } as const;
  const next = watchFrom(dates, { law, now, routing, docket });
  if (dates.kind === 'undated' || next === undefined) {
    return { ...quiet, nextAt: undefined, warnings: [] };
  }
  const isLate = now >= dates.dueMoment;
  // The date was moved away: nothing to tell yet.
  const lastSafe = lastSafeOf(dates, routing.matrix.policy) ?? dates.dueMoment;
  if (now < lastSafe) return { ...quiet, nextAt: next, warnings: [] };
  const warning: Warning = isLate
    ? {
        kind: 'docket_late',
        severity: 'critical',
        text: 'The due date has passed without proof of filing. Close the docket with its proof, or with a named override.',
      }
    : {
        kind: 'docket_unfiled',
        severity: 'warning',
        text: 'The slack is almost used up, and there is no proof of filing yet.',
      };
  const nextAt = isLate ? addMs(now, AGAIN_MS) : dates.dueMoment;
  return { ...quiet, nextAt: instant(nextAt), warnings: [warning] };
}

function knownOf(dates: DocketDates): KnownDates {
  if (dates.kind === 'undated') return { due: undefined, final: undefined };
  const final = dates.final === undefined ? undefined : formatDay(dates.final);
  return { due: formatDay(dates.due), final };
}

function sameDates(a: KnownDates, b: KnownDates): boolean {
  return a.due === b.due && a.final === b.final;
}

/** Copies of parts of the state, for indexes and lists. */
export function columnsOf(state: RoutingState): {
  readonly phase: RoutingState['state'];
  readonly tier: string;
  readonly target: TargetId | undefined;
} {
  const target =
    state.state === 'queued' ? undefined : state.hop === undefined ? undefined : state.hop.target;
  return { phase: state.state, tier: tierOf(state), target };
}
