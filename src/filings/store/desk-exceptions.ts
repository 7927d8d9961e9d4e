/** Open exceptions that are on the desk of one person. */
import { type FilingId, filingId, type Instant } from '../../core/index.ts';
import { type Run, sql, text, when } from '../../postgres/index.ts';

interface DeskException {
  readonly filing: FilingId;
  readonly lane: string;
  readonly jurisdiction: string;
  readonly entityId: string;
  readonly filingKind: string;
  readonly period: string;
  readonly reason: string;
  readonly due: Instant;
  /** Otherwise this person prepared it. */
  readonly isAssigned: boolean;
}

const EXCEPTIONS_MAX = 500;

const ON_DESK = sql('exceptions-on-desk')`
select f.id, f.lane, e.jurisdiction, e.entity_id, e.filing_kind, e.period, e.due, x.reason,
  x.assigned_to is not null as is_assigned
from filing f join envelope e on e.tenant = f.tenant and e.id = f.id
join batch b on b.tenant = e.tenant and b.id = e.batch
join exception x on x.tenant = f.tenant and x.filing = f.id and x.n = f.exceptions and x.closed_at is null
where f.tenant = $1 and f.status in ('rejected', 'fallout') and coalesce(x.assigned_to, b.prepared_by) = $2
order by f.last_safe, f.id limit ${EXCEPTIONS_MAX}`;

export async function exceptionsOnDesk(
  run: Run,
  tenant: string,
  person: string,
): Promise<readonly DeskException[]> {
  return (await run(ON_DESK, [tenant, person])).map((row) => ({
    filing: filingId(text(row['id'])),
    lane: text(row['lane']),
    jurisdiction: text(row['jurisdiction']),
    entityId: text(row['entity_id']),
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    reason: text(row['reason']),
    due: when(row['due']),
    isAssigned: row['is_assigned'] === true,
  }));
}
