/** The five checks of the way back, against the real target. Each answers with a verdict and what it was made of. */
import { decodeJson, instant, type RecoveryStep, sha256Of } from '../../core/index.ts';
import { type CheckVerdict, type QueueLevel, undrained } from '../../lanes/index.ts';
import { createHandoffs, greetMailServer } from '../../people/index.ts';
import { eventRow } from '../rules/docket/event-row.ts';
import { sayDrift } from '../rules/docket/drift.ts';
import {
  type Difference,
  differencesOf,
  graveReasons,
  type PassedRecord,
  type PrimaryRecord,
} from '../rules/reconcile.ts';
import type { Target } from '../rules/routing/matrix.ts';
import {
  lastSuccessBefore,
  type PassedDocket,
  passedDockets,
  passedEvent,
} from '../store/differences.ts';
import { ownQueue } from '../store/queues.ts';
import type { StoredRun } from '../store/recovery.ts';
import { bad, type CheckResult, good } from './check-result.ts';
import { getOnce, type GetOutcome } from './get-once.ts';
import type { HandoverOptions } from './handover-options.ts';
import { readingsOf } from './intake.ts';
import type { Baseline } from '../rules/recovery.ts';
import type { RoutingDeps } from './deps.ts';
import { OWN_QUEUE, type WatchedQueue } from './queue-watch.ts';
import type { ActiveRouting } from './setup.ts';
import { targetHealth } from './target-health.ts';

/** Paths on the target's own origin. */
export interface RecoveryPaths {
  readonly health: string;
  readonly sample: string;
  /** Asked as `?message_ids=a,b`; answers `{"dockets":[{"message_id","payload_sha256"}]}`. */
  readonly records: string;
}

const DEFAULT_PATHS: RecoveryPaths = {
  health: '/health',
  sample: '/sample',
  records: '/dockets',
};

export interface CheckOptions extends HandoverOptions {
  readonly paths?: Partial<RecoveryPaths>;
  /** More than these are not compared; a person then approves. */
  readonly comparedMax?: number;
  /** Brokers' queues as the matrix that holds has them. */
  readonly queues?: () => Promise<readonly WatchedQueue[]>;
}

/** Ids per question: the address stays well below the 8 kB that servers take. */
const RECORDS_PER_PAGE = 50;
/** Ten minutes at the pace that routing is built for; some hundred bytes each. Beyond it a person compares. */
const COMPARED_MAX = 100_000;
const PASSED_PER_PAGE = 1_000;
/** Further back than any docket is still on its way. */
const PAST_MS_MAX = 30 * 24 * 3_600_000;

export class RecoveryChecks {
  readonly #deps: RoutingDeps;
  readonly #options: CheckOptions;
  readonly #signal: AbortSignal;

  constructor(deps: RoutingDeps, options: CheckOptions, signal: AbortSignal) {
    this.#deps = deps;
    this.#options = options;
    this.#signal = signal;
  }

  run(
    step: RecoveryStep,
    run: StoredRun,
    routing: ActiveRouting,
    target: Target,
  ): Promise<CheckResult> {
    const baseline = run.baseline;
    switch (step) {
      case 'health':
        return targetHealth(target, routing, {
          clock: this.#deps.clock,
          transport: this.#options.transport,
          greet: this.#options.greet ?? greetMailServer,
          queues: async () => (await this.#options.queues?.()) ?? [],
          get: (path) => this.#get(target, routing, path),
          path: this.#paths().health,
        });
      case 'schema':
        return this.#schema(target, routing, baseline);
      case 'drain':
        return this.#drain(target, baseline);
      case 'reconciliation':
        return this.#reconciliation(target, routing, baseline);
      case 'synthetic':
        return this.#synthetic(run, target, routing);
    }
  }

  /**
   * A record of the target, or else the newest of those that went past it, as it was read: its bytes may be a row of a
   * table or an office's own document. One that could not be read when it came in says nothing about the target.
   */
  async #schema(target: Target, routing: ActiveRouting, baseline: Baseline): Promise<CheckResult> {
    if (target.kind === 'http') {
      const answer = await this.#get(target, routing, this.#paths().sample);
      if (answer.kind === 'failed') return bad(`no sample: ${answer.code}`, { ...answer });
      if (answer.status === 200) return schemaOf(answer.body, 'target');
      if (answer.status !== 404 && answer.status !== 405) {
        return bad(`sample: status ${answer.status}`, { status: answer.status });
      }
    }
    const { session, tenant } = this.#deps;
    const since = instant(baseline.openedAt - PAST_MS_MAX);
    const docket = await passedEvent(session, tenant, { target: target.id, since });
    return docket?.event === undefined
      ? good({ sample: 'none' })
      : schemaOf(eventRow(docket.event), 'fallback log');
  }

  async #drain(target: Target, baseline: Baseline): Promise<CheckResult> {
    const { session, tenant, clock } = this.#deps;
    // Of its own alone: what somebody else's queue holds says nothing about this target.
    const own = await ownQueue(session, tenant, target.id);
    const lagMs = own.oldestDueAt === undefined ? 0 : Math.max(0, clock.now() - own.oldestDueAt);
    const levels: QueueLevel[] = [{ queue: OWN_QUEUE, backlog: own.backlog, lagMs }];
    const watched = (await this.#options.queues?.()) ?? [];
    for (const { queue, gauge } of watched.filter((one) => one.target === target.id)) {
      const seen = await gauge.measure();
      const isSeen = seen.kind === 'measured';
      levels.push({
        queue,
        backlog: isSeen ? seen.backlog : undefined,
        lagMs: isSeen ? Math.round(seen.lagMs) : undefined,
      });
    }
    const twice = (await this.#passed(target, baseline)).filter(({ receipts }) => receipts > 1);
    const names = new Set(levels.map(({ queue }) => queue));
    const before = baseline.queues.filter(({ queue }) => names.has(queue));
    const evidence = { before, now: levels, duplicates: twice.length };
    // What came twice stays twice, however often it is looked at: the reconciliation asks a person about it.
    const left = undrained(baseline.queues, levels);
    return left.length === 0
      ? good(evidence)
      : { verdict: { kind: 'wait', why: left.join('; ') }, evidence };
  }

  async #reconciliation(
    target: Target,
    routing: ActiveRouting,
    baseline: Baseline,
  ): Promise<CheckResult> {
    const passed = (await this.#passed(target, baseline)).map(recordOf);
    const primary = await this.#records(target, routing, passed);
    if (primary.kind === 'failed') {
      const evidence = { passed: passed.length, code: primary.code };
      // No docket database to ask: a person knows how to compare the two. One that fails is not recovered.
      return primary.code === 'HTTP_404' || primary.code === 'HTTP_405'
        ? {
            verdict: { kind: 'ask', reasons: ['the primary docket database cannot be queried'] },
            evidence,
            differences: differencesOf(passed, []),
          }
        : bad(`the primary docket database: ${primary.code}`, evidence);
    }
    const differences = differencesOf(passed, primary.records);
    const reasons = [
      ...graveReasons(differences),
      ...(passed.length < this.#comparedMax()
        ? []
        : [`${passed.length} compared, which is the limit`]),
    ];
    const evidence = {
      passed: passed.length,
      held: primary.records.length,
      differences: countsOf(differences),
    };
    const verdict: CheckVerdict =
      reasons.length === 0 ? { kind: 'good' } : { kind: 'ask', reasons };
    return { verdict, evidence, differences };
  }

  async #records(
    target: Target,
    routing: ActiveRouting,
    passed: readonly PassedRecord[],
  ): Promise<
    | { readonly kind: 'read'; readonly records: readonly PrimaryRecord[] }
    | { readonly kind: 'failed'; readonly code: string }
  > {
    // A mailbox or a queue keeps no records: what we know of it is all there is.
    if (target.kind !== 'http') return { kind: 'read', records: passed };
    const records: PrimaryRecord[] = [];
    for (let from = 0; from < passed.length; from += RECORDS_PER_PAGE) {
      const ids = passed.slice(from, from + RECORDS_PER_PAGE).map(({ messageId }) => messageId);
      const path = `${this.#paths().records}?message_ids=${ids.map(encodeURIComponent).join(',')}`;
      const answer = await this.#get(target, routing, path);
      if (answer.kind === 'failed') return { kind: 'failed', code: answer.code };
      if (answer.status !== 200) return { kind: 'failed', code: `HTTP_${answer.status}` };
      const page = recordsIn(answer.body);
      if (page === undefined) return { kind: 'failed', code: 'ANSWER_UNREADABLE' };
      records.push(...page);
    }
    return { kind: 'read', records };
  }

  /** A message of its own kind, told apart by its content type and its id, through the very wires that dockets take. */
  async #synthetic(run: StoredRun, target: Target, routing: ActiveRouting): Promise<CheckResult> {
    const { clock } = this.#deps;
    const { policy } = routing.matrix;
    const payload = Buffer.from(JSON.stringify({ synthetic: true, run: run.id }));
    const startedMs = clock.monotonicMs();
    const { transport, handoffs, watch = (made) => made } = this.#options;
    const wires =
      handoffs ??
      watch(
        createHandoffs({
          ...transport,
          clock,
          timeoutMs: policy.timeoutMs,
          handshakeMs: policy.thresholds.tlsHandshakeMsMax,
          totalMs: policy.outcomeMsMax,
        }),
      );
    const outcome = await wires.deliver(
      target,
      {
        id: `synthetic-${run.id}`,
        handoff: `synthetic-${run.id}`,
        payload,
        payloadSha256: sha256Of(payload),
        contentType: 'application/vnd.filewright.synthetic+json',
        notice: {
          subject: 'Docket routing test',
          text: 'This target failed and is being tested before it is used again. You do not need to do anything.',
        },
      },
      {
        mayWrite: () => clock.monotonicMs() - startedMs < policy.outcomeMsMax,
        signal: this.#signal,
      },
    );
    const evidence = { outcome: outcome.kind, ...outcome.evidence };
    return outcome.kind === 'confirmed' || outcome.kind === 'sent'
      ? good(evidence)
      : bad(`synthetic transaction ${outcome.kind}: ${outcome.evidence.code}`, evidence);
  }

  async #passed(target: Target, { openedAt }: Baseline): Promise<PassedDocket[]> {
    const { session, tenant } = this.#deps;
    const found: PassedDocket[] = [];
    // The failures that opened the breaker lie before the moment at which it opened, however far apart they came.
    const last = await lastSuccessBefore(session, tenant, target.id, openedAt);
    const since = last ?? instant(openedAt - PAST_MS_MAX);
    const max = this.#comparedMax();
    for (let after = ''; found.length < max; ) {
      const page = await passedDockets(session, tenant, {
        target: target.id,
        since,
        after,
        count: Math.min(PASSED_PER_PAGE, max - found.length),
      });
      found.push(...page);
      if (page.length < PASSED_PER_PAGE) break;
      after = page.at(-1)?.docket ?? '';
    }
    return found;
  }

  async #get(target: Target, { matrix }: ActiveRouting, path: string): Promise<GetOutcome> {
    const { transport, get = getOnce } = this.#options;
    const headers = await transport.credentials?.(target);
    const { timeoutMs, thresholds } = matrix.policy;
    const handshakeMs = thresholds.tlsHandshakeMsMax;
    const deps = { clock: this.#deps.clock, timeoutMs, handshakeMs, transport };
    const request = {
      url: new URL(path, target.address),
      allowPrivateAddresses: transport.allowPrivateAddresses(target),
      ...(headers === undefined ? {} : { headers }),
    };
    return get(request, deps, this.#signal);
  }

  #comparedMax(): number {
    return this.#options.comparedMax ?? COMPARED_MAX;
  }

  #paths(): RecoveryPaths {
    return { ...DEFAULT_PATHS, ...this.#options.paths };
  }
}

function recordOf({
  docket,
  messageId,
  payloadSha256,
  phase,
  receipts,
}: PassedDocket): PassedRecord {
  const isConfirmed = phase === 'confirmed';
  return { docket, messageId, payloadSha256, receipts, isConfirmed, isManual: phase === 'manual' };
}

function recordsIn(body: Uint8Array): PrimaryRecord[] | undefined {
  const value = decodeJson(body);
  const list: unknown =
    typeof value === 'object' && value !== null && 'dockets' in value ? value.dockets : undefined;
  if (!Array.isArray(list)) return undefined;
  const records = list.flatMap((one: unknown): PrimaryRecord[] => {
    if (typeof one !== 'object' || one === null) return [];
    const { message_id: messageId, payload_sha256: payloadSha256 } = one as Record<string, unknown>;
    return typeof messageId === 'string' && typeof payloadSha256 === 'string'
      ? [{ messageId, payloadSha256 }]
      : [];
  });
  // A record without an id is none that we could compare.
  return records.length === list.length ? records : undefined;
}

function schemaOf(bytes: Uint8Array, source: string): CheckResult {
  const [reading] = readingsOf(bytes).readings;
  if (reading?.kind === 'event') return good({ sample: source });
  const faults =
    reading?.kind === 'drift'
      ? reading.changes.map((change) => `${change.field}: ${sayDrift(change)}`)
      : (reading?.errors ?? []).map(({ where, why }) => `${where}: ${why}`);
  return bad(`the sample does not match: ${faults.slice(0, 5).join('; ')}`, {
    sample: source,
    faults,
  });
}

function countsOf(differences: readonly Difference[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of differences) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
