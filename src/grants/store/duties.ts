/** Duties that people have filed, each with its last word. */
import type { PersonId } from '../../core/index.ts';
import { hex, optional, type Row, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { StageRun } from './stage.ts';

const COLUMNS = `obligation, n, filing_kind, period, filed_on::text as filed_on, receipt_sha256, receipt_spelling, evidence_sha256,
  encode(ct, 'hex') as ct, filed_by`;

const LAST = sql('grants-duties-last')`
select distinct on (obligation) ${COLUMNS} from grant_duty where tenant = $1 order by obligation, n desc`;

const ADD = sql('grants-duty-add')`
insert into grant_duty (tenant, obligation, n, filing_kind, period, filed_on, receipt_sha256, receipt_spelling, evidence_sha256, ct, reason,
  filed_by)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), decode($9, 'hex'), decode($10, 'hex'), $11, $12)`;

const LOCK = sql('grants-duties-lock')`select lock_name($1, 'grants.duty')`;

export interface FiledDuty {
  readonly obligation: string;
  readonly n: number;
  readonly filingKind: string;
  readonly period: string;
  readonly filedOn: string;
  readonly receiptSha256: string;
  readonly receiptSpelling: string;
  readonly evidenceSha256: string | undefined;
  readonly ct: string;
  readonly filedBy: string;
}

/** One at a time: whether a receipt was used before is known only when nobody else records one. */
export async function lockDuties(at: StageRun): Promise<void> {
  await at.run(LOCK, [at.tenant]);
}

/** All of them: an organization has some tens in a year. */
export async function lastDuties(at: StageRun): Promise<ReadonlyMap<string, FiledDuty>> {
  const rows = await at.run(LAST, [at.tenant]);
  return new Map(rows.map((row) => [text(row['obligation']), dutyOf(row)]));
}

export async function addDuty(
  at: StageRun,
  duty: Omit<FiledDuty, 'filedBy'> & {
    readonly reason: string | undefined;
    readonly by: PersonId;
  },
): Promise<void> {
  const { obligation, n, filingKind, period, filedOn, receiptSha256, ct, reason, by } = duty;
  const proof = [receiptSha256, duty.receiptSpelling, duty.evidenceSha256 ?? null, ct];
  const values = [obligation, n, filingKind, period, filedOn, ...proof, reason ?? null, by];
  await at.run(ADD, [at.tenant, ...values]).catch(refusedByRule);
}

function dutyOf(row: Row): FiledDuty {
  return {
    obligation: text(row['obligation']),
    n: Number(row['n']),
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    filedOn: text(row['filed_on']),
    receiptSha256: hex(row['receipt_sha256']),
    receiptSpelling: hex(row['receipt_spelling']),
    evidenceSha256: optional(row['evidence_sha256'], hex),
    ct: text(row['ct']),
    filedBy: text(row['filed_by']),
  };
}
