/** The tables that routing uses, with the columns of `sql/`, as far as a statement of routing reads or writes them. */
import {
  guardDocket,
  guardHandoff,
  guardLink,
  guardRun,
  guardWork,
  neverChanged,
  noGuard,
} from './guards.ts';
import { Table } from './table.ts';

export interface DocketRow {
  readonly id: string;
  readonly message_id: string;
  readonly identity: string;
  readonly source: string;
  readonly content_type: string;
  readonly payload_sha256: Uint8Array;
  readonly payload_ct: string;
  readonly docket: Readonly<Record<string, unknown>>;
  readonly dating: null;
  readonly received_by: string | null;
  readonly received_at: number;
  readonly state: Readonly<Record<string, unknown>>;
  readonly phase: string;
  readonly tier: string;
  readonly target: string | null;
  readonly assignment: Readonly<Record<string, unknown>> | null;
  readonly activation: unknown;
  readonly next_at: number | null;
  readonly due_on: string | null;
  readonly closed_at: number | null;
  readonly closed_by: string | null;
  readonly closing: unknown;
  readonly ver: number;
  readonly access_ver: number;
  readonly handoffs: number;
}

export interface MessageRow {
  readonly source: string;
  readonly message: string;
  readonly sha256: string;
  readonly docket: string | null;
}

export interface HandoffRow {
  readonly docket: string;
  readonly n: number;
  readonly handoff: string;
  readonly tier: string;
  readonly target: string;
  readonly party: string;
  readonly attempt: number;
  readonly reason: string | null;
  readonly passed: readonly string[];
  readonly hop: unknown;
  readonly dates: unknown;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly outcome: string | null;
  readonly receipt: string | null;
  readonly evidence: unknown;
}

export interface LinkRow {
  readonly reference: string;
  readonly docket: string;
  readonly handoff: string;
  readonly party: string;
  readonly expires_at: number;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
}

export interface ReadingRow {
  readonly queue: string;
  readonly target: string | null;
  readonly at: number;
  readonly backlog: string | null;
  readonly lag_ms: string | null;
  readonly evidence: unknown;
  readonly triggers: unknown;
}

export interface RunRow {
  readonly id: string;
  readonly target: string;
  readonly started_at: number;
  readonly mode: string;
  readonly baseline: unknown;
  readonly state: unknown;
  readonly phase: string;
  readonly ver: number;
}

export interface EvidenceRow {
  readonly run: string;
  readonly n: number;
  readonly step: string;
  readonly verdict: string;
  readonly at: number;
  readonly by: string;
  readonly evidence: unknown;
}

export interface DifferenceRow {
  readonly run: string;
  readonly docket: string;
  readonly kind: string;
  readonly found_at: number;
  readonly review_by: number;
  readonly evidence: unknown;
  readonly overdue: number;
  readonly reviewed_at: number | null;
  readonly reviewed_by: string | null;
}

export interface WorkRow {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly event: string | null;
  readonly docket: string | null;
  readonly state: string;
  readonly tries: number;
  readonly next_at: number | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

export interface LaneRow {
  readonly code: string;
  readonly state: unknown;
  readonly version: number;
  readonly ver: number;
  readonly changed_at: number;
}

export interface AlertRow {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly severity: string;
  readonly recipient: string | null;
  readonly text: string;
  readonly dedup: string;
  readonly docket: string | null;
  readonly raised: number;
  readonly raised_at: number;
  readonly last_raised_at: number;
  readonly acknowledged_at: number | null;
}

export interface IntakeRow {
  readonly n: number;
  readonly boundary: string;
  readonly id: string;
  readonly at: number;
  readonly type: string;
  readonly subj_kind: string;
  readonly subj_id: string;
  readonly subj_ver: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface BlobRow {
  readonly ct: string;
  readonly entry: string;
  readonly key: string;
  readonly bytes: Uint8Array;
}

export interface KeyRow {
  readonly id: string;
  readonly subject: string;
  readonly month: string;
  readonly wrapped: Uint8Array;
}

export interface DocumentRow {
  readonly kind: string;
  readonly version: string;
  readonly title: string;
  readonly body: string;
}

export interface SetupRow {
  readonly n: number;
  readonly matrix: string;
  readonly people: string;
  readonly activated_by: string;
  readonly activated_at: number;
}

export interface LawRow {
  readonly version: string;
}

/** One tenant's rows. Tables are made anew for each database. */
export function makeTables() {
  let facts = 0;
  return {
    /** The sequence of `ledger_intake`; a rollback leaves a gap. */
    nextFact: (): number => ++facts,
    docket: new Table<DocketRow>('docket', ({ id }) => id, guardDocket, {
      docket_one_message: ({ message_id }) => message_id,
      docket_one_event: ({ identity }) => identity,
    }),
    message: new Table<MessageRow>(
      'docket_message',
      ({ source, message, sha256 }) => JSON.stringify([source, message, sha256]),
      neverChanged,
    ),
    handoff: new Table<HandoffRow>(
      'docket_handoff',
      ({ docket, n }) => handoffKey(docket, n),
      guardHandoff,
    ),
    link: new Table<LinkRow>('docket_link', ({ reference }) => reference, guardLink, {
      docket_link_once: ({ handoff }) => handoff,
    }),
    reading: new Table<ReadingRow>('queue_reading', ({ queue }) => queue, noGuard),
    run: new Table<RunRow>('recovery_run', ({ id }) => id, guardRun, {
      recovery_one: ({ phase, target }) =>
        phase === 'closed' || phase === 'abandoned' ? undefined : target,
    }),
    evidence: new Table<EvidenceRow>(
      'recovery_evidence',
      ({ run, n }) => `${run} ${n}`,
      neverChanged,
    ),
    difference: new Table<DifferenceRow>(
      'recovery_difference',
      ({ run, docket, kind }) => `${run} ${docket} ${kind}`,
      noGuard,
    ),
    work: new Table<WorkRow>('work', ({ id }) => id, guardWork),
    lane: new Table<LaneRow>('lane', ({ code }) => code, noGuard),
    alert: new Table<AlertRow>('alert', ({ id }) => id, noGuard, {
      alert_open: ({ dedup, acknowledged_at }) => (acknowledged_at === null ? dedup : undefined),
    }),
    intake: new Table<IntakeRow>('ledger_intake', ({ n }) => String(n), noGuard),
    blob: new Table<BlobRow>('ledger_blob', ({ ct }) => ct, noGuard),
    key: new Table<KeyRow>('ledger_dek', ({ id }) => id, noGuard, {
      ledger_dek_subject: ({ subject, month }) => `${subject} ${month}`,
    }),
    document: new Table<DocumentRow>(
      'routing_document',
      ({ kind, version }) => `${kind} ${version}`,
      neverChanged,
    ),
    setup: new Table<SetupRow>('routing_setup', ({ n }) => String(n), neverChanged),
    law: new Table<LawRow>('routing_law', () => '', noGuard),
  };
}

export type Tables = ReturnType<typeof makeTables>;

export function handoffKey(docket: string, n: number): string {
  return `${docket} ${n}`;
}
