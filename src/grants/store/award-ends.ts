/** Awards that no longer stand: amended, or cancelled, by two people. */
import { optional, sql, text, when } from '../../postgres/index.ts';
import { awardId, type AwardId, type Instant } from '../../core/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { StageRun } from './stage.ts';

export interface AwardEnd {
  readonly award: AwardId;
  /** What came in its place; undefined where it was cancelled. */
  readonly by: string | undefined;
  /** Under which two people agreed to it. */
  readonly exception: string;
  readonly at: Instant;
}

const LIST = sql('grants-award-ends')`
select award, by_award, exception, withdrawn_at from grant_award_end where tenant = $1`;

const ADD = sql('grants-award-end-add')`
insert into grant_award_end (tenant, award, exception, by_award) values ($1, $2, $3, $4)`;

/** By the award that they are about. All of them: each is the work of two people. */
export async function awardEnds(at: StageRun): Promise<ReadonlyMap<string, AwardEnd>> {
  const rows = await at.run(LIST, [at.tenant]);
  return new Map(
    rows.map((row) => [
      text(row['award']),
      {
        award: awardId(text(row['award'])),
        by: optional(row['by_award'], text),
        exception: text(row['exception']),
        at: when(row['withdrawn_at']),
      },
    ]),
  );
}

/** The database refuses it unless two people have agreed, and for an award that is withdrawn already. */
export async function addAwardEnd(
  at: StageRun,
  withdrawal: Pick<AwardEnd, 'award' | 'by' | 'exception'>,
): Promise<void> {
  const { award, by, exception } = withdrawal;
  await at.run(ADD, [at.tenant, award, exception, by ?? null]).catch(refusedByRule);
}

// Two people have agreed, and the process died before it was done.
const AGREED = sql('grants-cancellations-agreed')`
select p.subject as exception, p.terms::jsonb->>'amends' as amends from proposal p
where p.tenant = $1 and p.kind = 'exception' and p.state = 'approved' and p.terms::jsonb->>'resolution' = 'cancel'
  and not exists (select 1 from grant_award_end w where w.tenant = p.tenant and w.award = p.terms::jsonb->>'amends')
order by p.subject`;

/** Cancellations that are agreed to and not carried out yet. */
export async function agreedCancellations(
  at: StageRun,
): Promise<readonly { readonly exception: string; readonly award: AwardId }[]> {
  return (await at.run(AGREED, [at.tenant])).map((row) => ({
    exception: text(row['exception']),
    award: awardId(text(row['amends'])),
  }));
}

const WAITING = sql('grants-amendment-waiting')`
select p.subject as exception from proposal p
where p.tenant = $1 and p.kind = 'exception' and p.terms::jsonb->>'amends' = $2 and p.state in ('open', 'approved')`;

/** The exception under which an amendment or a cancellation of the award waits, or is agreed to. */
export async function waitingAmendment(at: StageRun, award: AwardId): Promise<string | undefined> {
  const [row] = await at.run(WAITING, [at.tenant, award]);
  return optional(row?.['exception'], text);
}
