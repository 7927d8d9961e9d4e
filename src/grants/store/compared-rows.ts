/** Rows of the grants pipeline as they are held against the ledger. */
import type { JsonValue } from '../../core/index.ts';
import type { FoundRow, RowKind } from '../../ledger/index.ts';
import { cursorRows, type Run, sql, type Statement, text } from '../../postgres/index.ts';

// Each row as one JSON object with the names that the entries use.
const KINDS: readonly (readonly [RowKind, Statement])[] = [
  [
    'period',
    sql('compared-periods')`
select id::text, jsonb_build_object('from', from_day::text, 'to', to_day::text, 'account', account,
  'closing_cents', closing_cents::text, 'totals_hash', encode(totals_sha256, 'hex'),
  'matched_cents', totals->'matchedCents', 'outcomes', totals->'outcomes') as fields
from grant_period where tenant = $1`,
  ],
  [
    'release',
    sql('compared-releases')`
select period::text as id, jsonb_build_object('received', received, 'cents', cents::text) as fields
from grant_release where tenant = $1`,
  ],
  [
    'balance',
    sql('compared-balances')`
select account || '/' || on_day::text || '/' || n as id,
  jsonb_build_object('cents', cents::text, 'stated_by', stated_by::text) as fields
from grant_balance where tenant = $1`,
  ],
  [
    'resolution',
    sql('compared-resolutions')`
select feed || '#' || ordinal || '/' || n as id, jsonb_build_object('awards', to_jsonb(awards), 'reason', reason,
  'cents', to_jsonb(cents), 'fee_cents', nullif(fee_cents, 0), 'rest_cents', nullif(rest_cents, 0),
  'rest', case when rest_cents = 0 then null when rest_open then 'open' else 'none' end,
  'undoes', undoes, 'resolved_by', resolved_by::text) as fields
from grant_resolution where tenant = $1`,
  ],
  [
    'grant_exception',
    sql('compared-grant-exceptions')`
select id::text, jsonb_build_object('boundary', boundary, 'escalation_code', escalation_code,
  'payload_hash', encode(payload_sha256, 'hex'), 'envelope_hash', encode(envelope_sha256, 'hex'),
  'violation_codes', to_jsonb(violation_codes), 'amends', amends, 'ct', encode(ct, 'hex')) as fields
from grant_exception where tenant = $1`,
  ],
  [
    'grant_document',
    sql('compared-grant-documents')`
select id, jsonb_build_object('records', records, 'accepted', accepted, 'repeated', repeated, 'refused', refused,
  'format', format) as fields
from grant_document where tenant = $1`,
  ],
  [
    'grant_feed',
    sql('compared-grant-feeds')`
select id, jsonb_build_object('format', format, 'statements', statements, 'lines', lines) as fields
from grant_feed where tenant = $1`,
  ],
  [
    'grant_check',
    sql('compared-grant-checks')`
select id::text, jsonb_build_object('jurisdiction', jurisdiction, 'checked_on', checked_on::text,
  'attached_by', attached_by::text) as fields
from grant_check where tenant = $1`,
  ],
  [
    'grant_report',
    sql('compared-grant-reports')`
select id::text, jsonb_build_object('kind', kind, 'from', from_day::text, 'to', to_day::text, 'figures', figures,
  'hash', encode(sha256, 'hex'), 'ct', encode(ct, 'hex')) as fields
from grant_report where tenant = $1`,
  ],
  [
    'grant_evaluation',
    sql('compared-grant-evaluations')`
select id::text, jsonb_build_object('crossings', crossings, 'obligations', obligations,
  'sha256', encode(sha256, 'hex'), 'ct', encode(ct, 'hex')) as fields
from grant_evaluation where tenant = $1`,
  ],
  [
    'grant_duty',
    sql('compared-grant-duties')`
select obligation || '/' || n as id, jsonb_build_object('filing_kind', filing_kind, 'period', period,
  'filed_on', filed_on::text, 'receipt_sha256', encode(receipt_sha256, 'hex'),
  'evidence_sha256', encode(evidence_sha256, 'hex'), 'reason', reason, 'filed_by', filed_by::text,
  'ct', encode(ct, 'hex')) as fields
from grant_duty where tenant = $1`,
  ],
  [
    'award_end',
    sql('compared-award-ends')`
select award as id, jsonb_build_object('exception', exception::text, 'by_award', by_award) as fields
from grant_award_end where tenant = $1`,
  ],
];

export async function* comparedGrants(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for (const [kind, statement] of KINDS) {
    for await (const row of cursorRows(run, statement, [tenant])) {
      // An object by jsonb_build_object.
      const fields = row['fields'] as Readonly<Record<string, JsonValue>>;
      yield { kind, id: text(row['id']), fields };
    }
  }
}
