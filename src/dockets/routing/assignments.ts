/**
 * Asks the assignment table who has a matter, before its first handoff. A docket never waits for the table longer than the
 * time of one question: whatever comes of it, the docket goes on, by the table's answer or by the matrix.
 */
import {
  addMs,
  decodeJson,
  FilewrightError,
  type Instant,
  type JsonValue,
  type PartyId,
} from '../../core/index.ts';
import type { AssignmentTable } from '../rules/routing/assignment-table.ts';
import type { Happening } from '../rules/routing/happening.ts';
import {
  observationOf,
  questionUrl,
  readAssignment,
  tableFor,
} from '../rules/routing/assignment.ts';
import type { RoutingPolicy } from '../rules/routing/policy.ts';
import type { PhaseTimes } from '../../wire/index.ts';
import { noteAnswer } from '../store/assignments.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { factOf } from './facts.ts';
import { getOnce } from './get-once.ts';
import type { HandoverOptions } from './handover-options.ts';
import { observe } from './observe.ts';
import { ROUTER, type RoutingDeps } from './deps.ts';
import type { ActiveRouting } from './setup.ts';

/** As it is stored with the docket. */
export type Assignment =
  | { readonly state: 'asked'; readonly at: Instant }
  | { readonly state: 'assigned'; readonly party: PartyId }
  | { readonly state: 'nobody' }
  /** Nothing that is a trigger: no connection, no entry. */
  | { readonly state: 'failed'; readonly code: string };

export interface Question {
  readonly row: StoredDocket;
  readonly table: AssignmentTable;
  readonly policy: RoutingPolicy;
}

export interface AssignmentOptions extends Pick<HandoverOptions, 'get'> {
  readonly transport: Pick<
    HandoverOptions['transport'],
    'allowPrivateAddresses' | 'lookup' | 'certificateAuthorities'
  >;
  /** What a reference to a credential leads to; without it every reference is unreadable. */
  readonly secretOf?: (reference: string, host: string) => Promise<string>;
}

/** The phases have the time-out of a handoff each; this more for all of them, so that a slow handshake is measured whole. */
const MORE_MS = 500;
/** Left for the commit of the answer. */
const COMMIT_MS = 1_000;
/** An answer is good for the next events of the same matter; a fault for those that come in the same burst. */
const ANSWER_KEPT_MS = 60_000;
const FAULT_KEPT_MS = 5_000;
/** Some hundred bytes each. */
const KEPT_MAX = 1_000;

/** Until when a docket waits for its answer; after that it goes by the matrix, whoever had asked. */
export function answerBy(now: Instant, policy: RoutingPolicy): Instant {
  return addMs(now, askedMsMax(policy) + COMMIT_MS);
}

function askedMsMax({ timeoutMs, thresholds }: RoutingPolicy): number {
  return Math.max(timeoutMs, thresholds.tlsHandshakeMsMax) + MORE_MS;
}

/** The question that a docket has before its first step; undefined where there is none, or it was asked already. */
export function questionOf(
  row: StoredDocket,
  happening: Happening,
  { matrix }: ActiveRouting,
): Question | undefined {
  if (happening.kind !== 'clock') return undefined;
  const isNew = row.phase === 'queued' && row.tier === 'PRIMARY' && row.handoffs === 0;
  if (!isNew || row.assignment !== undefined || row.activation !== undefined) return undefined;
  const docket = row.docket;
  // Of a record that could not be read nobody knows what to ask.
  const table = docket.event === undefined ? undefined : tableFor(matrix, docket);
  return table === undefined ? undefined : { row, table, policy: matrix.policy };
}

interface Seen {
  readonly result: Parameters<typeof observationOf>[0];
  readonly assignment: Assignment;
  readonly evidence: PhaseTimes & { readonly status?: number; readonly elapsedMs?: number };
}

export class AssignmentLookup {
  readonly #deps: RoutingDeps;
  readonly #options: AssignmentOptions;
  readonly #signal: AbortSignal;
  readonly #kept = new Map<string, { readonly untilMs: number; readonly seen: Seen }>();

  constructor(deps: RoutingDeps, options: AssignmentOptions, signal: AbortSignal) {
    this.#deps = deps;
    this.#options = options;
    this.#signal = signal;
  }

  /** A crash in here leaves a question without an answer: the clock takes the docket on by the matrix. */
  async ask(question: Question): Promise<void> {
    const { row, table } = question;
    const seen = this.#remembered(question) ?? (await this.#look(question));
    const observation = observationOf(seen.result);
    if (observation !== undefined) {
      const { triggers } = await observe(this.#deps, observation, {
        thresholds: question.policy.thresholds,
        docket: row,
      });
      // Its step has the evidence: it leaves the primary tier, since nobody knows the team.
      if (triggers.length > 0) return;
    }
    const { session, tenant, ids } = this.#deps;
    const { assignment, evidence } = seen;
    const fact = factOf(ids, 'docket.assignment', ROUTER, {
      state: assignment.state,
      party: assignment.state === 'assigned' ? assignment.party : undefined,
      code: assignment.state === 'failed' ? assignment.code : undefined,
      status: evidence.status,
      elapsed_ms: evidence.elapsedMs,
      connect_ms: evidence.connectMs,
      tls_handshake_ms: evidence.tlsHandshakeMs,
      table: new URL(table.url).host,
    });
    await session.transaction((run) => noteAnswer(run, tenant, row.id, { assignment, fact }));
  }

  #remembered({ row, table }: Question): Seen | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    const keys = [questionUrl(table, row.docket).href, table.url];
    return keys
      .map((key) => this.#kept.get(key))
      .find((kept) => kept !== undefined && kept.untilMs > nowMs)?.seen;
  }

  async #look(question: Question): Promise<Seen> {
    const url = questionUrl(question.table, question.row.docket);
    const seen = await this.#get(url, question);
    const isAnswer = seen.result.kind === 'answer' && seen.result.status === 200;
    const isSound = isAnswer && seen.assignment.state !== 'failed';
    const key = isSound ? url.href : question.table.url;
    const keptMs = isSound ? ANSWER_KEPT_MS : FAULT_KEPT_MS;
    this.#kept.delete(key);
    this.#kept.set(key, { untilMs: this.#deps.clock.monotonicMs() + keptMs, seen });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return seen;
  }

  async #get(url: URL, { table, policy }: Question): Promise<Seen> {
    const { clock } = this.#deps;
    const { transport, get = getOnce } = this.#options;
    const { timeoutMs, thresholds } = policy;
    const headers = await this.#headers(table);
    if (headers === undefined) return failed('CREDENTIAL_UNREADABLE', {});
    const answer = await get(
      { url, allowPrivateAddresses: transport.allowPrivateAddresses(asTarget(table)), headers },
      {
        clock,
        timeoutMs,
        handshakeMs: thresholds.tlsHandshakeMsMax,
        wholeMs: askedMsMax(policy),
        transport,
      },
      this.#signal,
    );
    const { elapsedMs, times } = answer;
    if (answer.kind === 'failed') {
      const { code } = answer;
      const result = { kind: 'failed', tlsHandshakeMs: times.tlsHandshakeMs } as const;
      return { ...failed(code, { elapsedMs, ...times }), result };
    }
    const { status, body } = answer;
    // Parsed from JSON just now.
    const read =
      status === 200
        ? readAssignment(decodeJson(body) as JsonValue | undefined)
        : ({ kind: 'nobody' } as const);
    const assignment: Assignment =
      status !== 200
        ? { state: 'failed', code: `HTTP_${status}` }
        : read.kind === 'assigned'
          ? { state: 'assigned', party: read.party }
          : read.kind === 'nobody'
            ? { state: 'nobody' }
            : { state: 'failed', code: 'SCHEMA_DRIFT' };
    const result = { kind: 'answer', status, answer: read } as const;
    return { result, assignment, evidence: { status, elapsedMs, ...times } };
  }

  async #headers(table: AssignmentTable): Promise<Readonly<Record<string, string>> | undefined> {
    if (table.credential === undefined) return {};
    try {
      const secret = await this.#options.secretOf?.(table.credential, new URL(table.url).host);
      return secret === undefined ? undefined : { authorization: `Bearer ${secret}` };
    } catch (error) {
      // A variable that is not set is a fault of the table, and no reason to keep a docket.
      if (error instanceof FilewrightError && error.code === 'CREDENTIAL_UNREADABLE')
        return undefined;
      throw error;
    }
  }
}

/** The guard of addresses asks about targets; a table is one that nothing is handed to. */
function asTarget({ url }: AssignmentTable) {
  return { id: 'assignment-table', kind: 'http', address: url } as const;
}

function failed(code: string, evidence: Seen['evidence']): Seen {
  return {
    result: { kind: 'failed', tlsHandshakeMs: undefined },
    assignment: { state: 'failed', code },
    evidence,
  };
}
