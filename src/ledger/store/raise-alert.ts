/** Raising an alert, in the transaction of what it is about. The ledger itself raises one where a fact cannot be written. */
import {
  docketId,
  type DocketId,
  type Instant,
  type PersonId,
  personId,
  plain,
  plainLines,
} from '../../core/index.ts';
import { optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';

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
  readonly docket: DocketId | undefined;
  /** Whose act it is about; somebody else acknowledges it. */
  readonly causedBy: PersonId | undefined;
  readonly raised: number;
  readonly raisedAt: Instant;
  readonly lastRaisedAt: Instant;
  readonly acknowledgedAt: Instant | undefined;
  /** How often somebody has been told, the telling under way included. */
  readonly told: number;
  readonly tellAt: Instant | undefined;
}

/** An alert, with the work of telling of it, which has its id. */
export const ALERT = `a.id, a.kind, a.subject, a.severity, a.recipient, a.text, a.docket, a.caused_by, a.raised, a.raised_at, a.last_raised_at,
  coalesce(w.tries, 0) as told, w.next_at as tell_at, a.acknowledged_at
  from alert a left join work w on w.tenant = a.tenant and w.id = a.id`;

// Raised again while nobody has acknowledged it: counted, and told at once only when it has become more severe, or when
// it has news and nobody would be told again. Locked before it is counted, so that "more severe" is seen by one of two.
const RAISE = sql('alert-raise')`
with before as materialized (
  select $9::int > array_position(array['info', 'warning', 'critical'], severity) as is_worse
  from alert where tenant = $1 and dedup = $8 and acknowledged_at is null for update),
raised as (
  insert into alert (tenant, id, kind, subject, severity, recipient, text, dedup, docket, caused_by)
  select $1, $2, $3, $4, $5, $6, $7, $8, $10, $12 from (select 1) one left join before on true
  on conflict (tenant, dedup) where acknowledged_at is null do update set
    raised = alert.raised + 1, last_raised_at = now(), text = excluded.text,
    severity = case when $9::int > array_position(array['info', 'warning', 'critical'], alert.severity)
      then excluded.severity else alert.severity end
  returning *),
telling as (
  insert into work (tenant, id, kind, target)
  select r.tenant, r.id, 'alert', 'all' from raised r left join before b on true where r.raised = 1 or b.is_worse or $11
  on conflict (tenant, id) do update set state = 'pending', next_at = now(), ended_at = null
    where work.state <> 'pending' or (select is_worse from before))
select id from raised`;

export async function raiseAlertRow(
  run: Run,
  tenant: string,
  alert: Pick<Alert, 'id' | 'kind' | 'subject' | 'severity' | 'recipient' | 'text'> & {
    readonly dedup: string;
    readonly docket?: DocketId;
    readonly causedBy?: PersonId;
    readonly hasNews?: true;
  },
): Promise<Pick<Alert, 'id'>> {
  const [row] = await run(RAISE, [
    tenant,
    alert.id,
    alert.kind,
    plain(alert.subject),
    alert.severity,
    alert.recipient ?? null,
    plainLines(alert.text),
    alert.dedup,
    SEVERITIES.indexOf(alert.severity) + 1,
    alert.docket ?? null,
    alert.hasNews === true,
    alert.causedBy ?? null,
  ]);
  if (row === undefined) throw new Error('an alert was neither raised nor found');
  return { id: text(row['id']) };
}

/** A row with the columns of ALERT. */
export function alertOf(row: Row): Alert {
  return {
    id: text(row['id']),
    kind: text(row['kind']),
    subject: text(row['subject']),
    // A check constraint holds the column to these words.
    severity: text(row['severity']) as Severity,
    recipient: optional(row['recipient'], text),
    text: text(row['text']),
    docket: optional(row['docket'], (id) => docketId(text(id))),
    causedBy: optional(row['caused_by'], (id) => personId(text(id))),
    raised: Number(row['raised']),
    raisedAt: when(row['raised_at']),
    lastRaisedAt: when(row['last_raised_at']),
    acknowledgedAt: optional(row['acknowledged_at'], when),
    told: Number(row['told']),
    tellAt: optional(row['tell_at'], when),
  };
}
