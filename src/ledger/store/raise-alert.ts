/** Raising an alert, in the transaction of what it is about. The ledger itself raises one where a fact cannot be written. */
import type { Instant } from '../../core/index.ts';
import {
  optional,
  type Row,
  type Session,
  type Statement,
  text,
  when,
} from '../../postgres/index.ts';

type Run = Session['run'];

const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Alert {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly severity: Severity;
  readonly recipient: string | undefined;
  readonly text: string;
  /** The docket that it is about: only who may see that one is told. */
  readonly docket: string | undefined;
  readonly raised: number;
  readonly raisedAt: Instant;
  readonly lastRaisedAt: Instant;
  /** How often somebody has been told. */
  readonly told: number;
  readonly tellAt: Instant | undefined;
  readonly acknowledgedAt: Instant | undefined;
}

export const ALERT = `id, kind, subject, severity, recipient, text, docket, raised, raised_at, last_raised_at, told,
  tell_at, acknowledged_at`;

// Raised again while nobody has acknowledged it: counted, and told at once only when it has become more severe, or when
// it has news and nobody would be told again.
const RAISE: Statement = {
  name: 'alert-raise',
  text: `
insert into alert (tenant, id, kind, subject, severity, recipient, text, dedup, docket, tell_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $10, now())
on conflict (tenant, dedup) where acknowledged_at is null do update set
  raised = alert.raised + 1, last_raised_at = now(), text = excluded.text,
  severity = case when $9::int > array_position(array['info', 'warning', 'critical'], alert.severity)
    then excluded.severity else alert.severity end,
  tell_at = case when $9::int > array_position(array['info', 'warning', 'critical'], alert.severity)
    or ($11 and alert.tell_at is null) then now() else alert.tell_at end
returning ${ALERT}`,
};

export async function raiseAlertRow(
  run: Run,
  tenant: string,
  alert: Pick<Alert, 'id' | 'kind' | 'subject' | 'severity' | 'recipient' | 'text'> & {
    readonly dedup: string;
    readonly docket?: string;
    readonly hasNews?: true;
  },
): Promise<Alert> {
  const [row] = await run(RAISE, [
    tenant,
    alert.id,
    alert.kind,
    alert.subject,
    alert.severity,
    alert.recipient ?? null,
    alert.text,
    alert.dedup,
    SEVERITIES.indexOf(alert.severity) + 1,
    alert.docket ?? null,
    alert.hasNews === true,
  ]);
  if (row === undefined) throw new Error('an alert was neither raised nor found');
  return alertOf(row);
}

/** A row of `alert`, with the columns of ALERT. */
export function alertOf(row: Row): Alert {
  return {
    id: text(row['id']),
    kind: text(row['kind']),
    subject: text(row['subject']),
    // A check constraint holds the column to these words.
    severity: text(row['severity']) as Severity,
    recipient: optional(row['recipient'], text),
    text: text(row['text']),
    docket: optional(row['docket'], text),
    raised: Number(row['raised']),
    raisedAt: when(row['raised_at']),
    lastRaisedAt: when(row['last_raised_at']),
    told: Number(row['told']),
    tellAt: optional(row['tell_at'], when),
    acknowledgedAt: optional(row['acknowledged_at'], when),
  };
}
