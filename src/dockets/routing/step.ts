/**
 * The transaction around a decision: rows locked, decided by the database's clock, next states, breakers, facts, warnings
 * and intents committed together. A crash before the commit leaves everything as it was; a crash after it leaves an
 * intent without an outcome, which the next clock takes for unknown.
 */
import {
  addMs,
  type BreakerState,
  type DocketId,
  type Instant,
  notFound,
  sameJson,
  targetId,
} from '../../core/index.ts';
import type { Happening } from '../rules/routing/happening.ts';
import { type Trigger, triggersOf } from '../rules/routing/triggers.ts';
import {
  changeTargetLanes,
  readTargetLanes,
  type TargetLane,
  targetLaneCode,
} from '../../lanes/index.ts';
import { type DocketFact, recordDocketFacts } from '../store/docket-facts.ts';
import {
  type EndedHandoff,
  lockDockets,
  lockDueDockets,
  type LockedDockets,
  type StartedHandoff,
  writeSteps,
  type WrittenStep,
} from '../store/steps.ts';
import { noteQuestions } from '../store/assignments.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import type { Run, Session } from '../../postgres/index.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { answerBy, type Assignment, type Question, questionOf } from './assignments.ts';
import { columnsOf, decideDocket, type Decision, type DecisionInput } from './decide.ts';
import { boundaryOf, breakerFact, handoffFact, routingFact } from './facts.ts';
import { type Actor, ROUTER, type RoutingDeps } from './deps.ts';
import { openRecovery } from './open-recovery.ts';
import { LETTER_WAIT_MS, NOTICE_LEASE_MS } from './notice-times.ts';
import { breakerAlert } from './target-alerts.ts';
import { activeRouting, type ActiveRouting } from './setup.ts';
import { type Stuck, tellStuck } from './stuck.ts';
import { troublesOf } from './troubles.ts';
import type { PendingHandover } from './pending-handover.ts';

/** What one docket is told, with the end of the handoff that it came from. */
export interface Telling {
  readonly docket: DocketId;
  readonly happening: Happening;
  readonly ended?: Omit<EndedHandoff, 'docket'>;
  readonly actor?: Actor;
}

interface StepResult {
  readonly docket: DocketId;
  readonly decision: Decision;
}

interface Stepped {
  readonly results: readonly StepResult[];
  readonly handovers: readonly PendingHandover[];
  /** What the assignment table is to be asked first; each has its docket waiting. */
  readonly questions: readonly Question[];
  readonly routing: ActiveRouting | undefined;
}

/** Somebody else changed a breaker first: everything is decided anew. So often in a row it is no race any more. */
const RACES_MAX = 20;
class BreakerMoved extends Error {}

/** Steps over dockets whose moment has come, at most `limit`. */
export function stepDue(
  deps: RoutingDeps,
  session: Session,
  limit: number,
  known?: ActiveRouting,
): Promise<Stepped> {
  return stepping(deps, session, known, async (run) => ({
    locked: await lockDueDockets(run, deps.tenant, limit),
    tellingOf: () => ({ happening: { kind: 'clock' } }),
  }));
}

/** Steps over dockets that something happened to; each at most once in a call. */
export function stepTold(
  deps: RoutingDeps,
  session: Session,
  tellings: readonly Telling[],
  known?: ActiveRouting,
): Promise<Stepped> {
  const byDocket = new Map(tellings.map((telling) => [telling.docket, telling]));
  return stepping(deps, session, known, async (run) => ({
    locked: await lockDockets(run, deps.tenant, [...byDocket.keys()]),
    tellingOf: (row) => byDocket.get(row.id) ?? { happening: { kind: 'clock' } },
  }));
}

interface Work {
  readonly locked: LockedDockets;
  readonly tellingOf: (row: StoredDocket) => Omit<Telling, 'docket'>;
}

async function stepping(
  deps: RoutingDeps,
  session: Session,
  known: ActiveRouting | undefined,
  lock: (run: Run) => Promise<Work>,
): Promise<Stepped> {
  let denied: Trigger | undefined;
  for (let race = 0; ; race += 1) {
    try {
      return await session.transaction(async (run) => {
        const { locked, tellingOf } = await lock(run);
        if (locked.dockets.length === 0) {
          return { results: [], handovers: [], questions: [], routing: known };
        }
        const routing = denied === undefined ? await activeRouting(deps, { run }, known) : known;
        if (routing === undefined) {
          throw notFound('No routing matrix is active yet; import one with route import');
        }
        const at = { routing, now: locked.now, denied };
        return new Transaction(deps, run, at).step(locked, tellingOf);
      });
    } catch (error) {
      if (denied === undefined && known !== undefined && isDenied(error)) {
        // Escalated by the last matrix that could be read: the window of the law does not wait for a right.
        [denied] = triggersOf({ kind: 'lookup', resource: 'routing_matrix', status: 403 });
      } else if (!(error instanceof BreakerMoved) || race >= RACES_MAX) throw error;
    }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
}

/** Everything that one transaction writes, gathered while it decides one docket after the other. */
class Transaction {
  readonly #deps: RoutingDeps;
  readonly #run: Run;
  readonly #routing: ActiveRouting;
  readonly #now: Instant;
  readonly #denied: Trigger | undefined;
  readonly #steps: WrittenStep[] = [];
  readonly #started: StartedHandoff[] = [];
  readonly #ended: EndedHandoff[] = [];
  readonly #facts: DocketFact[] = [];
  readonly #results: StepResult[] = [];
  readonly #handovers: PendingHandover[] = [];
  readonly #questions: Question[] = [];
  readonly #stuck: Stuck[] = [];

  constructor(
    deps: RoutingDeps,
    run: Run,
    at: {
      readonly routing: ActiveRouting;
      readonly now: Instant;
      readonly denied: Trigger | undefined;
    },
  ) {
    this.#deps = deps;
    this.#run = run;
    this.#routing = at.routing;
    this.#now = at.now;
    this.#denied = at.denied;
  }

  async step(
    { dockets }: LockedDockets,
    tellingOf: (row: StoredDocket) => Omit<Telling, 'docket'>,
  ): Promise<Stepped> {
    const { tenant } = this.#deps;
    const rows = await readTargetLanes(this.#run, tenant);
    const before = new Map(rows.map((row) => [row.target, row]));
    const troubles = await troublesOf(this.#run, tenant, this.#now);
    let breakers: ReadonlyMap<string, BreakerState> = new Map(
      rows.map(({ target, breaker }) => [target, breaker]),
    );
    for (const row of dockets) {
      const telling = tellingOf(row);
      if (telling.ended !== undefined) this.#ended.push({ docket: row.id, ...telling.ended });
      // What happens to a docket that is closed changes nothing any more.
      if (row.closed !== undefined) continue;
      const question = questionOf(row, telling.happening, this.#routing);
      if (question !== undefined) this.#questions.push(question);
      if (question !== undefined) continue;
      const input: DecisionInput = {
        routing: this.#routing,
        law: this.#deps.law(),
        random: this.#deps.random,
        now: this.#now,
        breakers,
        troubles,
        denied: this.#denied,
      };
      const decision = this.#decide(row, telling.happening, input);
      if (decision === undefined) continue;
      const changed = new Map(breakers);
      for (const { target, after } of decision.changes) changed.set(target, after);
      breakers = changed;
      this.#write(row, decision, telling.actor ?? ROUTER);
      await this.#warn(row.id, decision);
      this.#results.push({ docket: row.id, decision });
    }
    await this.#writeBreakers(before, breakers);
    await writeSteps(this.#run, tenant, this.#steps, {
      started: this.#started,
      ended: this.#ended,
    });
    await recordDocketFacts(this.#run, tenant, this.#facts);
    await this.#writeQuestions();
    await tellStuck(this.#deps, this.#run, this.#stuck, this.#now);
    const made = { results: this.#results, handovers: this.#handovers };
    return { ...made, questions: this.#questions, routing: this.#routing };
  }

  /** One docket that cannot be decided must not keep all others that are due. Who tells of one hears the error. */
  #decide(row: StoredDocket, happening: Happening, input: DecisionInput): Decision | undefined {
    try {
      return decideDocket(row, happening, input);
    } catch (error) {
      if (happening.kind !== 'clock') throw error;
      this.#stuck.push({ docket: row.id, error });
      return undefined;
    }
  }

  /** A crash after it leaves a question that nobody answers; the docket's clock goes on without. */
  async #writeQuestions(): Promise<void> {
    const dockets = this.#questions.map(({ row }) => row.id);
    const assignment: Assignment = { state: 'asked', at: this.#now };
    const until = answerBy(this.#now, this.#routing.matrix.policy);
    await noteQuestions(this.#run, this.#deps.tenant, dockets, { assignment, until });
  }

  #write(row: StoredDocket, decision: Decision, actor: Actor): void {
    const { ids } = this.#deps;
    const { state, handover } = decision;
    const ver = { filing: row.ver, access: row.accessVer };
    const record = (boundary: 'filing' | 'access', fact: DocketFact['fact']): void => {
      ver[boundary] += 1;
      this.#facts.push({ boundary, kind: 'docket', id: row.id, ver: ver[boundary], fact });
    };
    for (const fact of decision.facts) record(boundaryOf(fact), routingFact(ids, actor, fact));
    const n = row.handoffs + (handover === undefined ? 0 : 1);
    if (handover !== undefined) {
      const { hop, message, attempt, reason, passed } = handover;
      record('filing', handoffFact(ids, actor, message, attempt));
      const isNotice = hop.tier === 'MANUAL';
      const isLetter = isNotice && handover.target.kind === 'mail';
      this.#started.push({
        docket: row.id,
        n,
        handoff: message.handoff,
        tier: hop.tier,
        target: hop.target,
        party: hop.party,
        // A letter is collected with others before it is tried; see manual-notices.ts.
        attempt: isNotice ? (isLetter ? 0 : 1) : attempt,
        reason,
        passed,
        hop,
        dates: message.dates,
        retryAt: isNotice
          ? addMs(this.#now, isLetter ? LETTER_WAIT_MS : NOTICE_LEASE_MS)
          : undefined,
      });
      this.#handovers.push({ ...handover, row, n, routing: this.#routing });
    }
    this.#steps.push({
      docket: row.id,
      // Fields that are absent stay absent in JSON.
      state,
      ...columnsOf(state),
      nextAt: decision.nextAt,
      ver: ver.filing,
      accessVer: ver.access,
      handoffs: n,
    });
  }

  async #warn(docket: DocketId, { warnings, state }: Decision): Promise<void> {
    // What waits for people again after it had gone on is told of again.
    const hold = state.state === 'manual' ? state : state.held;
    const again = hold === undefined ? '' : `/${hold.since}`;
    for (const { kind, severity, text } of warnings) {
      await raiseAlertRow(this.#run, this.#deps.tenant, {
        id: this.#deps.ids.next(),
        kind,
        subject: docket,
        docket,
        severity,
        recipient: undefined,
        text: `Docket ${docket}. ${text}`,
        dedup: `${kind}/${docket}${kind.startsWith('docket_manual') ? again : ''}`.slice(0, 200),
      });
    }
  }

  async #writeBreakers(
    before: ReadonlyMap<string, TargetLane>,
    after: ReadonlyMap<string, BreakerState>,
  ): Promise<void> {
    const changes = [...after].flatMap(([name, breaker]) => {
      const target = targetId(name);
      const was = before.get(target);
      if (was !== undefined && sameJson(was.breaker, breaker)) return [];
      const from = was?.breaker.state ?? 'closed';
      const isLogged = from !== breaker.state;
      const ver = (was?.ver ?? 0) + (isLogged ? 1 : 0);
      return [{ target, breaker, from, isLogged, version: was?.version ?? 0, ver }];
    });
    const { tenant, ids } = this.#deps;
    if (!(await changeTargetLanes(this.#run, tenant, changes))) throw new BreakerMoved();
    for (const { target, breaker, from, isLogged, ver } of changes) {
      if (!isLogged) continue;
      const fact = breakerFact(ids, ROUTER, { target, at: this.#now, from, to: breaker });
      const id = targetLaneCode(target);
      this.#facts.push({ boundary: 'filing', kind: 'lane', id, ver, fact });
      if (breaker.state !== 'open') continue;
      await raiseAlertRow(this.#run, tenant, {
        id: ids.next(),
        ...breakerAlert(target, breaker.since),
      });
      const started = await openRecovery(this.#deps, this.#run, { target, opened: breaker });
      if (started !== undefined) this.#facts.push(started);
    }
  }
}
