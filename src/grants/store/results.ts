/** What rules and reporting keep of their own, and the counts of the whole. */
import { assumeRole, type Session, sql } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

const ADD_EVALUATION = sql('grants-evaluation-add')`
insert into grant_evaluation (tenant, id, crossings, obligations, sha256, ct)
values ($1, $2, $3, $4, decode($5, 'hex'), decode($6, 'hex'))`;

const ADD_REPORT = sql('grants-report-add')`
insert into grant_report (tenant, id, kind, from_day, to_day, figures, sha256, ct)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'))`;

export async function addEvaluation(
  at: StageRun,
  evaluation: {
    readonly id: string;
    readonly crossings: number;
    readonly obligations: number;
    readonly sha256: string;
    readonly ct: string;
  },
): Promise<void> {
  const { id, crossings, obligations, sha256, ct } = evaluation;
  await at.run(ADD_EVALUATION, [at.tenant, id, crossings, obligations, sha256, ct]);
}

export async function addReport(
  at: StageRun,
  report: {
    readonly id: string;
    readonly kind: string;
    readonly from: string;
    readonly to: string;
    readonly figures: number;
    readonly sha256: string;
    readonly ct: string;
  },
): Promise<void> {
  const { id, kind, from, to, figures, sha256, ct } = report;
  await at.run(ADD_REPORT, [at.tenant, id, kind, from, to, figures, sha256, ct]);
}

const COUNTS = sql('grants-counts')`
select (select count(*) from grant_document where tenant = $1)::int as documents,
  (select count(*) from grant_award where tenant = $1)::int as awards,
  (select count(*) from grant_feed where tenant = $1)::int as feeds,
  (select count(*) from grant_line where tenant = $1)::int as lines,
  ((select count(*) from grant_match where tenant = $1 and status = 'matched')
    + coalesce((select d.matched from grant_draft d where d.tenant = $1), 0))::int as matched,
  (select count(*) from grant_escalation e where tenant = $1
    and not exists (select 1 from grant_document d where d.tenant = e.tenant and d.replaces = e.id)
    and not exists (select 1 from proposal p where p.tenant = e.tenant and p.kind = 'exception' and p.subject = e.id::text
      and p.state = 'approved' and p.terms::jsonb->>'resolution' in ('dismiss', 'cancel')))::int as exceptions,
  (select count(*) from question where tenant = $1 and state = 'waiting')::int as retries,
  (select count(*) from grant_period where tenant = $1)::int as periods,
  (select count(*) from grant_period p where tenant = $1
    and not exists (select 1 from grant_release h where h.tenant = p.tenant and h.period = p.id))::int as blocked`;

export interface GrantCounts {
  readonly documents: number;
  readonly awards: number;
  readonly feeds: number;
  readonly lines: number;
  readonly matched: number;
  readonly openExceptions: number;
  readonly waitingRetries: number;
  readonly closedPeriods: number;
  readonly blockedReleases: number;
}

/** Read by the role that may read everything and write nothing. */
export function grantCounts(session: Session, tenant: string): Promise<GrantCounts> {
  return session.transaction(async (run) => {
    await assumeRole(run, 'read');
    const [row] = await run(COUNTS, [tenant]);
    const count = (name: string): number => Number(row?.[name]);
    return {
      documents: count('documents'),
      awards: count('awards'),
      feeds: count('feeds'),
      lines: count('lines'),
      matched: count('matched'),
      openExceptions: count('exceptions'),
      waitingRetries: count('retries'),
      closedPeriods: count('periods'),
      blockedReleases: count('blocked'),
    };
  });
}
