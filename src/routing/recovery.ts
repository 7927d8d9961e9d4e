/** Brings targets back: one leased check at a time for each, its result committed with its evidence. */
import {
  addMs,
  type BreakerState,
  breakerAfter,
  CLOSED,
  type Instant,
  nextProbeAt,
} from '../core/index.ts';
import {
  DEFAULT_RECOVERY,
  dueCheck,
  nextRecovery,
  nextTurnOf,
  RECOVERY_STEPS,
  type RecoveryHappening,
  type RecoveryPolicy,
  type RecoveryState,
} from '../packs/patent/recovery/index.ts';
import {
  addDifferences,
  changeBreakers,
  type DocketFact,
  leaseDueRuns,
  lockRun,
  overdueDifferences,
  raiseAlertRow,
  readBreakers,
  recordDocketFacts,
  type RecoveryEvidence,
  type Session,
  type StoredRun,
  writeRun,
} from '../store/index.ts';
import { bad } from './check-result.ts';
import { codeOf } from './error-code.ts';
import { factOf, plain } from './facts.ts';
import { openRecovery } from './open-recovery.ts';
import { type Actor, ROUTER, type RoutingParts } from './parts.ts';
import { type CheckOptions, RecoveryChecks, type RecoveryPaths } from './recovery-checks.ts';
import { activeRouting, type ActiveRouting } from './setup.ts';

export interface RecoveryOptions {
  readonly policy?: Partial<Omit<RecoveryPolicy, 'probeEveryMs'>>;
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
const RUNS_AT_ONCE = 10;
const RACES_MAX = 20;
const OVERDUE_AT_ONCE = 100;

/** What a check, or a person, adds to a run. */
export interface RecoveryAddition {
  readonly happening: RecoveryHappening;
  readonly evidence: RecoveryEvidence;
  readonly actor: Actor;
  readonly differences?: Parameters<typeof addDifferences>[3];
  /** A check counts only while its lease holds; a person needs none. */
  readonly holder?: string;
  readonly mode?: StoredRun['mode'];
}

export class Recovery {
  readonly #parts: RoutingParts;
  readonly #options: RecoveryOptions;
  readonly #checks: RecoveryChecks;
  readonly #holder: string;
  #routing: ActiveRouting | undefined;

  constructor(
    parts: RoutingParts,
    options: CheckOptions & { readonly recovery?: RecoveryOptions },
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#options = options.recovery ?? {};
    const { paths, comparedMax } = this.#options;
    this.#checks = new RecoveryChecks(
      parts,
      {
        ...options,
        ...(paths === undefined ? {} : { paths }),
        ...(comparedMax === undefined ? {} : { comparedMax }),
      },
      signal,
    );
    this.#holder = parts.ids.next();
  }

  /** Every run whose turn has come; returns how many checks were made. */
  async turn(): Promise<number> {
    const { session, tenant } = this.#parts;
    this.#routing = await activeRouting(this.#parts, session, this.#routing);
    if (this.#routing === undefined) return 0;
    await startMissingRuns(this.#parts, this.#routing);
    const leaseMs = this.#options.leaseMs ?? LEASE_MS;
    const lease = { holder: this.#holder, leaseMs, count: RUNS_AT_ONCE };
    const routing = this.#routing;
    let checks = 0;
    try {
      // A check that is good is followed by the next one at once.
      for (let round = 0; round < RECOVERY_STEPS.length; round += 1) {
        const due = await leaseDueRuns(session, tenant, lease);
        if (due.length === 0) break;
        await Promise.all(due.map((run) => this.#check(run, routing)));
        checks += due.length;
      }
    } finally {
      // Whatever becomes of the checks, nobody's two hours end in silence.
      await tellOverdue(this.#parts, this.#policy(routing).reviewMs);
    }
    return checks;
  }

  async #check(run: StoredRun, routing: ActiveRouting): Promise<void> {
    const state = run.state as unknown as RecoveryState;
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
        holder: this.#holder,
      });
      return;
    }
    const { verdict, evidence, differences } = await this.#checks
      .run(step, run, routing, target)
      // As where its token cannot be read: it stays out, and whoever looks at the run sees why.
      .catch((error: unknown) => bad(`the check could not be made: ${codeOf(error)}`, {}));
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
      holder: this.#holder,
      ...(differences === undefined ? {} : { differences }),
    });
  }

  #add(run: StoredRun, routing: ActiveRouting, addition: RecoveryAddition): Promise<unknown> {
    const isAutomatic = (this.#options.automatic ?? true) && run.mode === 'automatic';
    const at = { policy: this.#policy(routing), isAutomatic };
    return addToRun(this.#parts, routing, run, addition, at);
  }

  #policy(routing: ActiveRouting): RecoveryPolicy {
    return recoveryPolicy(routing, this.#options);
  }
}

export function recoveryPolicy(
  { matrix }: ActiveRouting,
  options: RecoveryOptions = {},
): RecoveryPolicy {
  // The breaker takes its second good answer no sooner than this, so neither is it asked sooner.
  const probeEveryMs = matrix.policy.breaker.probeSpacingMs;
  const reviewMs = matrix.policy.manualClockMs;
  return { ...DEFAULT_RECOVERY, reviewMs, ...options.policy, probeEveryMs };
}

/** One transaction: the run, its evidence, the breaker, the differences and the facts. Undefined when the lease is lost. */
export async function addToRun(
  parts: RoutingParts,
  routing: ActiveRouting,
  run: Pick<StoredRun, 'id' | 'target'>,
  addition: RecoveryAddition,
  at: { readonly policy: RecoveryPolicy; readonly isAutomatic: boolean },
): Promise<RecoveryState | undefined> {
  for (let race = 0; ; race += 1) {
    const done = await parts.session
      .transaction((query) => addOnce(parts, query, { routing, run, addition, ...at }))
      .catch((error: unknown) => {
        if (error instanceof BreakerMoved && race < RACES_MAX) return 'again' as const;
        throw error;
      });
    if (done !== 'again') return done;
  }
}

class BreakerMoved extends Error {}

async function addOnce(
  { tenant, ids }: RoutingParts,
  query: Session['run'],
  request: {
    readonly routing: ActiveRouting;
    readonly run: Pick<StoredRun, 'id' | 'target'>;
    readonly addition: RecoveryAddition;
    readonly policy: RecoveryPolicy;
    readonly isAutomatic: boolean;
  },
): Promise<RecoveryState | undefined> {
  const { addition, policy, isAutomatic } = request;
  const { run, holder, now } = await lockRun(query, tenant, request.run.id);
  // Somebody else has the probe by now, or the run is over: what was found is of no use.
  if (addition.holder !== undefined && addition.holder !== holder) return undefined;
  const row = (await readBreakers(query, tenant)).find(({ target }) => target === run.target);
  const before = (row?.state as BreakerState | undefined) ?? CLOSED;
  const breakerPolicy = request.routing.matrix.policy.breaker;
  const turn = nextRecovery(run.state as unknown as RecoveryState, addition.happening, {
    now,
    policy,
    isAutomatic,
    notBefore: nextProbeAt(before) ?? now,
    afterFailure: addMs(now, breakerPolicy.coolDownMs),
  });
  const after =
    turn.breaker === undefined ? before : breakerAfter(before, turn.breaker, breakerPolicy, now);
  const next = consistent(turn.next, after, now);
  const facts: DocketFact[] = [];
  if (after !== before) {
    const isLogged = before.state !== after.state;
    const logVer = (row?.logVer ?? 0) + (isLogged ? 1 : 0);
    const change = { target: run.target, state: after, ver: row?.ver ?? 0, logVer };
    if (!(await changeBreakers(query, tenant, [change]))) throw new BreakerMoved();
    if (isLogged) {
      const data = { from: before, to: after, recovery: run.id };
      const fact = factOf(ids, `breaker.${after.state}`, addition.actor, data);
      facts.push({ boundary: 'filing', kind: 'breaker', id: run.target, ver: logVer, fact });
    }
  }
  const ver = run.ver + 1;
  const mode = addition.mode ?? run.mode;
  const written = {
    id: run.id,
    state: next,
    phase: next.state,
    mode,
    nextAt: nextTurnOf(next),
    ver,
  };
  await writeRun(query, tenant, written, addition.evidence);
  const reviewBy = addMs(now, policy.reviewMs);
  await addDifferences(query, tenant, { run: run.id, reviewBy }, addition.differences ?? []);
  const { step, verdict, evidence } = addition.evidence;
  const type = next.state === 'closed' ? 'recovery.closed' : 'recovery.step';
  const data = {
    target: run.target,
    step,
    verdict,
    evidence,
    next: next.state,
    differences: addition.differences?.length,
    breakers: { before, after },
  };
  const fact = factOf(ids, type, addition.actor, data);
  facts.push({ boundary: 'filing', kind: 'recovery', id: run.id, ver, fact });
  await recordDocketFacts(query, tenant, facts);
  return next;
}

/** A run is over only when its breaker is really closed; otherwise it goes on from the beginning. */
function consistent(next: RecoveryState, breaker: BreakerState, now: Instant): RecoveryState {
  if (next.state !== 'closed' || breaker.state === 'closed') return next;
  return { state: 'probing', good: 0, nextAt: nextProbeAt(breaker) ?? now };
}

/** A breaker that is not closed always has a run: one that was abandoned begins anew when its target is back. */
async function startMissingRuns(parts: RoutingParts, { matrix }: ActiveRouting): Promise<void> {
  const { session, tenant } = parts;
  const rows = await readBreakers((statement, values) => session.run(statement, values), tenant);
  const broken = rows.flatMap(({ target, state }) => {
    const breaker = state as unknown as BreakerState;
    return breaker.state === 'closed' || !matrix.targets.has(target) ? [] : [{ target, breaker }];
  });
  for (const { target, breaker } of broken) {
    await session.transaction(async (run) => {
      const at =
        breaker.state === 'open'
          ? breaker.since
          : breaker.state === 'half_open'
            ? breaker.nextProbeAt
            : undefined;
      const until = nextProbeAt(breaker);
      if (at === undefined || until === undefined) return;
      const opened = { state: 'open', since: at, until } as const;
      const fact = await openRecovery(parts, run, { target, opened });
      if (fact !== undefined) await recordDocketFacts(run, tenant, [fact]);
    });
  }
}

/** MANUAL_ESCALATION_REQUIRED is told again each time its clock runs out. */
async function tellOverdue(parts: RoutingParts, clockMs: number): Promise<void> {
  const { session, tenant, ids } = parts;
  await session.transaction(async (run) => {
    const overdue = await overdueDifferences(run, tenant, { clockMs, count: OVERDUE_AT_ONCE });
    for (const { docket, kind, flag } of overdue) {
      await raiseAlertRow(run, tenant, {
        id: ids.next(),
        kind: 'recovery_difference_overdue',
        subject: docket,
        docket,
        severity: 'critical',
        recipient: undefined,
        text: `${flag}: nobody has reviewed within its time that docket ${docket} is "${kind}" after a recovery.`,
        dedup: `recovery_difference/${docket}`.slice(0, 200),
      });
    }
  });
}
