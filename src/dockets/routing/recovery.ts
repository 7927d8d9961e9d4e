/** Brings targets back: one leased check at a time for each, its result committed with its evidence. */
import {
  addMs,
  breakerAfter,
  type BreakerState,
  CLOSED,
  type Instant,
  type JsonValue,
  nextProbeAt,
  nextTurnOf,
  type RecoveryState,
  snakeNames,
} from '../../core/index.ts';
import {
  DEFAULT_DOCKET_RECOVERY,
  DOCKET_RECOVERY,
  type DocketRecoveryPolicy,
} from '../rules/recovery.ts';
import { breakerData } from '../rules/routing/fact-data.ts';
import { probingPolicy } from '../rules/routing/breakers.ts';
import { addDifferences } from '../store/differences.ts';
import {
  changeTargetLanes,
  dueCheck,
  nextRecovery,
  readTargetLanes,
  type RecoveryHappening,
  targetLaneCode,
} from '../../lanes/index.ts';
import { type DocketFact, recordDocketFacts } from '../store/docket-facts.ts';
import {
  type LeasedRun,
  leaseDueRuns,
  lockRun,
  type RecoveryEvidence,
  type StoredRun,
  writeRun,
} from '../store/recovery.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import type { Session } from '../../postgres/index.ts';
import { bad } from './check-result.ts';
import { codeOf } from './error-code.ts';
import { breakerFact, factOf, plain } from './facts.ts';
import { type Actor, ROUTER, type RoutingDeps } from './deps.ts';
import { followBreakers, tellOverdue } from './recovery-watch.ts';
import { type CheckOptions, RecoveryChecks, type RecoveryPaths } from './recovery-checks.ts';
import { activeRouting, type ActiveRouting } from './setup.ts';
import { approvalAlert, differencesAlert } from './target-alerts.ts';

export interface RecoveryOptions {
  readonly policy?: Partial<Omit<DocketRecoveryPolicy, 'probeEveryMs'>>;
  readonly paths?: Partial<RecoveryPaths>;
  readonly comparedMax?: number;
  /** False: a person approves every closing. Default true. */
  readonly automatic?: boolean;
  readonly leaseMs?: number;
  /** How often a router looks for runs whose turn has come. Default 1 s. */
  readonly everyMs?: number;
}

/** Longer than any check, so that no second probe runs beside a slow one. */
const LEASE_MS = 60_000;
/** A target that hangs keeps its own place and nobody else's. */
const RUNS_AT_ONCE = 20;
const RACES_MAX = 20;

/** What a check, or a person, adds to a run. */
interface RecoveryAddition {
  readonly happening: RecoveryHappening;
  readonly evidence: RecoveryEvidence;
  readonly actor: Actor;
  readonly differences?: Parameters<typeof addDifferences>[3];
  /** A check counts only while its lease holds; a person needs none. */
  readonly lease?: number;
  /** What two people say, in the same transaction; answers who closes the breaker from now on. */
  readonly agree?: (query: Session['run'], run: StoredRun) => Promise<StoredRun['mode']>;
}

export class Recovery {
  readonly #deps: RoutingDeps;
  readonly #options: RecoveryOptions;
  readonly #checks: RecoveryChecks;
  readonly #pursued = new Set<Promise<void>>();
  #routing: ActiveRouting | undefined;

  constructor(
    deps: RoutingDeps,
    options: CheckOptions & { readonly recovery?: RecoveryOptions },
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#options = options.recovery ?? {};
    const { paths, comparedMax } = this.#options;
    this.#checks = new RecoveryChecks(
      deps,
      {
        ...options,
        ...(paths === undefined ? {} : { paths }),
        ...(comparedMax === undefined ? {} : { comparedMax }),
      },
      signal,
    );
  }

  /** Begins a check for every run whose turn has come, and waits for none: one that hangs must not hold up the others. */
  async turn(): Promise<number> {
    const { session } = this.#deps;
    this.#routing = await activeRouting(this.#deps, session, this.#routing);
    if (this.#routing === undefined) return 0;
    await followBreakers(this.#deps, this.#routing);
    const routing = this.#routing;
    const due = await this.#lease(RUNS_AT_ONCE - this.#pursued.size);
    for (const run of due) {
      const pursued = this.#pursue(run, routing).finally(() => this.#pursued.delete(pursued));
      this.#pursued.add(pursued);
    }
    await tellOverdue(this.#deps, this.#policy(routing).reviewMs);
    return due.length;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pursued);
  }

  /** A check that is good is followed by the next one at once. Never rejects: a run that is left has its lease run out. */
  async #pursue(first: LeasedRun, routing: ActiveRouting): Promise<void> {
    let due: readonly LeasedRun[] = [first];
    try {
      for (let round = 0; round <= DOCKET_RECOVERY.proofs.length; round += 1) {
        for (const run of due) await this.#check(run, routing);
        due = await this.#lease(1);
        if (due.length === 0) return;
      }
      // Leased beyond the last round: the next turn must not wait for its lease.
      for (const run of due) await this.#check(run, routing);
    } catch (error) {
      this.#deps.log.write({
        level: 'warn',
        event: 'router.check_failed',
        error: codeOf(error),
      });
    }
  }

  #lease(count: number): Promise<LeasedRun[]> {
    if (count <= 0) return Promise.resolve([]);
    const { session, tenant } = this.#deps;
    const leaseMs = this.#options.leaseMs ?? LEASE_MS;
    return leaseDueRuns(session, tenant, { leaseMs, count });
  }

  async #check(run: LeasedRun, routing: ActiveRouting): Promise<void> {
    const { state } = run;
    const target = routing.matrix.targets.get(run.target);
    // Leased because its turn has come by the database's clock; which check it is, the state says.
    const turn = nextTurnOf(state);
    const step = turn === undefined ? undefined : dueCheck(state, turn);
    if (target === undefined || step === undefined) {
      await this.#add(run, routing, {
        happening: { kind: 'target_gone' },
        evidence: {
          step: 'closed',
          verdict: 'bad',
          by: ROUTER.id,
          evidence: { why: 'target_gone' },
        },
        actor: ROUTER,
        lease: run.lease,
      });
      return;
    }
    const { verdict, evidence, differences } = await this.#checks
      .run(step, run, routing, target)
      // As where its token cannot be read: it stays out, and whoever looks at the run sees why.
      .catch((error: unknown) => bad(`the check could not run: ${codeOf(error)}`, {}));
    const shown = verdict.kind === 'ask' ? { ...evidence, reasons: verdict.reasons } : evidence;
    await this.#add(run, routing, {
      happening: { kind: 'checked', step, verdict },
      evidence: {
        step,
        verdict: verdict.kind === 'ask' ? 'wait' : verdict.kind,
        by: ROUTER.id,
        evidence: plain(shown) as object,
      },
      actor: ROUTER,
      lease: run.lease,
      ...(differences === undefined ? {} : { differences }),
    });
  }

  #add(run: StoredRun, routing: ActiveRouting, addition: RecoveryAddition): Promise<unknown> {
    const isAutomatic = (this.#options.automatic ?? true) && run.mode === 'automatic';
    const at = { policy: this.#policy(routing), isAutomatic };
    return addToRun(this.#deps, routing, run, addition, at);
  }

  #policy(routing: ActiveRouting): DocketRecoveryPolicy {
    return recoveryPolicy(routing, this.#options);
  }
}

export function recoveryPolicy(
  { matrix }: ActiveRouting,
  options: RecoveryOptions = {},
): DocketRecoveryPolicy {
  // The breaker takes its second good answer no sooner than this, so neither is it asked sooner.
  const probeEveryMs = matrix.policy.breaker.probeSpacingMs;
  const reviewMs = matrix.policy.manualClockMs;
  return { ...DEFAULT_DOCKET_RECOVERY, reviewMs, ...options.policy, probeEveryMs };
}

/** One transaction: the run, its evidence, the breaker, the differences and the facts. Undefined when the lease is lost. */
export async function addToRun(
  deps: RoutingDeps,
  routing: ActiveRouting,
  run: Pick<StoredRun, 'id' | 'target'>,
  addition: RecoveryAddition,
  at: { readonly policy: DocketRecoveryPolicy; readonly isAutomatic: boolean },
): Promise<RecoveryState | undefined> {
  for (let race = 0; ; race += 1) {
    const done = await deps.session
      .transaction((query) => addOnce(deps, query, { routing, run, addition, ...at }))
      .catch((error: unknown) => {
        if (error instanceof BreakerMoved && race < RACES_MAX) return 'again' as const;
        throw error;
      });
    if (done !== 'again') return done;
  }
}

class BreakerMoved extends Error {}

async function addOnce(
  { tenant, ids }: RoutingDeps,
  query: Session['run'],
  request: {
    readonly routing: ActiveRouting;
    readonly run: Pick<StoredRun, 'id' | 'target'>;
    readonly addition: RecoveryAddition;
    readonly policy: DocketRecoveryPolicy;
    readonly isAutomatic: boolean;
  },
): Promise<RecoveryState | undefined> {
  const { addition, policy, isAutomatic } = request;
  const { run, now } = await lockRun(query, tenant, request.run.id);
  // Somebody else has the probe by now, or the run is over: what was found is of no use.
  if (addition.lease !== undefined && addition.lease !== run.lease) return undefined;
  const mode = (await addition.agree?.(query, run)) ?? run.mode;
  const row = (await readTargetLanes(query, tenant)).find(({ target }) => target === run.target);
  const before = row?.breaker ?? CLOSED;
  // The cool-down lies before the first probe; a target that is down is asked at the pace of probes.
  const breakerPolicy = probingPolicy(request.routing.matrix.policy.breaker);
  const turn = nextRecovery(run.state, addition.happening, {
    now,
    plan: DOCKET_RECOVERY,
    policy,
    asks: isAutomatic ? [] : ['a person started it'],
    notBefore: nextProbeAt(before) ?? now,
    afterFailure: addMs(now, breakerPolicy.coolDownMs),
  });
  const after =
    turn.breaker === undefined ? before : breakerAfter(before, turn.breaker, breakerPolicy, now);
  const next = consistent(turn.next, after, now);
  const facts: DocketFact[] = [];
  if (after !== before) {
    const isLogged = before.state !== after.state;
    const ver = (row?.ver ?? 0) + (isLogged ? 1 : 0);
    const change = { target: run.target, breaker: after, version: row?.version ?? 0, ver };
    if (!(await changeTargetLanes(query, tenant, [change]))) throw new BreakerMoved();
    if (isLogged) {
      const moved = { target: run.target, at: now, from: before.state, to: after };
      const fact = breakerFact(ids, addition.actor, { ...moved, recovery: run.id });
      const id = targetLaneCode(run.target);
      facts.push({ boundary: 'filing', kind: 'lane', id, ver, fact });
    }
  }
  facts.push(
    await writeTurn({ tenant, ids }, query, {
      run: { ...run, mode },
      addition,
      next,
      breakers: { before, after },
      reviewBy: addMs(now, policy.reviewMs),
    }),
  );
  await recordDocketFacts(query, tenant, facts);
  return next;
}

/** The run as it is now, what it found, whom that concerns, and the fact that says so. */
async function writeTurn(
  { tenant, ids }: Pick<RoutingDeps, 'tenant' | 'ids'>,
  query: Session['run'],
  turn: {
    readonly run: StoredRun;
    readonly addition: RecoveryAddition;
    readonly next: RecoveryState;
    readonly breakers: { readonly before: BreakerState; readonly after: BreakerState };
    readonly reviewBy: Instant;
  },
): Promise<DocketFact> {
  const { run, addition, next, breakers, reviewBy } = turn;
  const ver = run.ver + 1;
  const written = {
    id: run.id,
    state: next,
    phase: next.state,
    mode: run.mode,
    nextAt: nextTurnOf(next),
    ver,
  };
  await writeRun(query, tenant, written, addition.evidence);
  const differences = addition.differences ?? [];
  await addDifferences(query, tenant, { run: run.id, reviewBy }, differences);
  const isAsking = next.state === 'awaiting_approval' && run.phase !== 'awaiting_approval';
  const alerts = [
    ...(differences.length === 0 ? [] : [differencesAlert(run.target, run.id)]),
    ...(isAsking ? [approvalAlert(run.target, run.id)] : []),
  ];
  for (const alert of alerts) await raiseAlertRow(query, tenant, { id: ids.next(), ...alert });
  const { step, verdict, evidence } = addition.evidence;
  const type = next.state === 'closed' ? 'recovery.closed' : 'recovery.step';
  const data = {
    target: run.target,
    step,
    verdict,
    // Each check has its own measures; the stored evidence of a run has them too, under the names of the code.
    evidence: snakeNames(plain(evidence)) as Readonly<Record<string, JsonValue>>,
    next: next.state,
    differences: addition.differences?.length,
    breakers: { before: breakerData(breakers.before), after: breakerData(breakers.after) },
  };
  const fact = factOf(ids, type, addition.actor, data);
  return { boundary: 'filing', kind: 'recovery', id: run.id, ver, fact };
}

/** A run is over only when its breaker is really closed; otherwise it goes on from the beginning. */
function consistent(next: RecoveryState, breaker: BreakerState, now: Instant): RecoveryState {
  if (next.state !== 'closed' || breaker.state === 'closed') return next;
  return { state: 'probing', good: 0, nextAt: nextProbeAt(breaker) ?? now };
}
