/** Rows of filings as they are held against the ledger; which entry says what of them is in src/ledger/rows. */
import { toRfc3339 } from '../../core/index.ts';
import { actName, type FoundRow } from '../../ledger/index.ts';
import { comparedByHand } from './compared-by-hand.ts';
import {
  cursorRows,
  hex,
  orNull,
  type Row,
  type Run,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

// In the order of the batch hash, which is made anew from what was frozen: the first revision of each.
const FILINGS = sql('compared-filings')`
select f.id, f.status, f.receipt, f.verdict, f.code, f.ver, f.exceptions, f.lane as filing_lane, e.lane, e.batch,
  e.jurisdiction, e.effect, e.entity_id, e.filing_kind, e.period, e.obligation, e.revision, e.key, e.payload_sha256,
  e.payload_ct, e.withdrawn, coalesce(w.covered, true) as in_batch_hash, e.not_before, e.due, e.last_safe, f.last_safe as filing_last_safe,
  coalesce(r.key, e.key) as first_key, coalesce(r.payload_sha256, e.payload_sha256) as first_payload_sha256,
  coalesce(e.id, f.id) as any_id
from envelope e full join filing f on f.tenant = e.tenant and f.id = e.id
left join envelope_revision r on r.tenant = e.tenant and r.filing = e.id and r.revision = 1
left join withdrawal w on w.tenant = e.tenant and w.filing = e.id
where coalesce(e.tenant, f.tenant) = $1 order by e.batch, coalesce(r.key, e.key) collate "C"`;

const ATTEMPTS = sql('compared-attempts')`
select filing, no, action from attempt where tenant = $1`;

const OUTCOMES = sql('compared-outcomes')`
select filing, no, verdict, code, ct, counted from outcome where tenant = $1`;

const RECEIPTS = sql(
  'compared-receipts',
)`select lane, number, filing from receipt where tenant = $1`;

const REVISIONS = sql('compared-revisions')`
select filing, revision, key, payload_sha256 from envelope_revision where tenant = $1`;

const BATCHES = sql('compared-batches')`
select id, source, state, prepared_by, count, sha256, ver from batch where tenant = $1`;

const APPROVALS = sql('compared-batch-approvals')`
select batch, fees from batch_approval where tenant = $1`;

const VOIDS = sql('compared-approval-voids')`
select batch, lane, n, cause, filings from approval_void where tenant = $1`;

const QUESTIONS = sql('compared-batch-questions')`
select batch, n, filing, asked_by, question, answered_by, answer from batch_question where tenant = $1`;

const HELD_BACK = sql('compared-held-back')`
select filing, batch, by_person, reason from held_back where tenant = $1`;

const WITHDRAWALS = sql('compared-withdrawals')`
select filing, by_person, reason, proposal, replaced_by, covered from withdrawal where tenant = $1`;

const EXCEPTIONS = sql('compared-exceptions')`
select filing, n, status, reason, ct, assigned_to, closed_by, resolution from exception where tenant = $1`;

const ACTS = sql('compared-review-acts')`
select filing, n, act, by_person, reason, receipt, evidence_sha256, to_person from review_act where tenant = $1`;

const ITEMS = sql('compared-review-items')`
select i.proposal, i.filing, i.n, i.action, i.revision, i.key, i.payload_sha256, i.payload_ct, i.not_filed,
  p.state from review_item i left join proposal p on p.tenant = i.tenant and p.id = i.proposal
where i.tenant = $1 and i.proposal = $2 order by i.filing`;

/** Filings first, in the order of their batches: the hash of each batch is made from them. */
export async function* comparedFilings(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, FILINGS, [tenant])) yield filingRow(row);
  for await (const row of cursorRows(run, ATTEMPTS, [tenant])) {
    const { filing, no, action } = row;
    // A program's question changes nothing at the portal, and mostly leaves no entry.
    const isQuiet = !['send', 'resend', 'file', 'look'].includes(text(action));
    yield {
      kind: 'attempt',
      id: `${text(filing)}/${text(no)}`,
      fields: { action: text(action) },
      isQuiet,
    };
  }
  for await (const row of cursorRows(run, OUTCOMES, [tenant])) {
    const { filing, no, verdict, code, ct } = row;
    const fields = { verdict: text(verdict), code: text(code), ct: orNull(ct, hex) };
    // A late answer of a former holder is kept as evidence beside the one that counted.
    if (row['counted'] === true)
      yield { kind: 'outcome', id: `${text(filing)}/${text(no)}`, fields };
  }
  for await (const row of cursorRows(run, RECEIPTS, [tenant])) {
    const fields = { filing: text(row['filing']) };
    yield { kind: 'receipt', id: `${text(row['lane'])} ${text(row['number'])}`, fields };
  }
  for await (const row of cursorRows(run, REVISIONS, [tenant])) {
    const fields = { key: text(row['key']), payload_sha256: hex(row['payload_sha256']) };
    yield { kind: 'revision', id: `${text(row['filing'])}/${text(row['revision'])}`, fields };
  }
  yield* comparedByHand(run, tenant);
  yield* comparedBatches(run, tenant);
  yield* comparedReviews(run, tenant);
}

function filingRow(row: Row): FoundRow {
  const time = (value: unknown): string => toRfc3339(when(value));
  const isOne = row['filing_lane'] === row['lane'] && row['filing_last_safe'] === row['last_safe'];
  return {
    kind: 'filing',
    id: text(row['any_id']),
    fields: {
      status: orNull(row['status'], text),
      receipt: orNull(row['receipt'], text),
      verdict: orNull(row['verdict'], text),
      code: orNull(row['code'], text),
      ver: orNull(row['ver'], Number),
      exceptions: orNull(row['exceptions'], Number),
      batch: orNull(row['batch'], text),
      // The queue goes by copies of these two; where a copy differs, neither is what was said.
      lane: isOne ? text(row['lane']) : `${text(row['lane'])} ${text(row['filing_lane'])}`,
      last_safe: isOne ? time(row['last_safe']) : null,
      jurisdiction: orNull(row['jurisdiction'], text),
      effect: orNull(row['effect'], text),
      entity: orNull(row['entity_id'], text),
      filing_kind: orNull(row['filing_kind'], text),
      period: orNull(row['period'], text),
      obligation: orNull(row['obligation'], text),
      revision: orNull(row['revision'], Number),
      key: orNull(row['key'], text),
      payload_sha256: orNull(row['payload_sha256'], hex),
      payload_ct: orNull(row['payload_ct'], hex),
      withdrawn: row['withdrawn'] === true,
      // Whether the hash of its batch is over it: not where it was withdrawn before an approval.
      in_batch_hash: row['in_batch_hash'] === true,
      not_before: orNull(row['not_before'], time),
      due: orNull(row['due'], time),
      first_key: orNull(row['first_key'], text),
      first_payload_sha256: orNull(row['first_payload_sha256'], hex),
    },
  };
}

async function* comparedBatches(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, BATCHES, [tenant])) {
    yield {
      kind: 'batch',
      id: text(row['id']),
      fields: {
        source: text(row['source']),
        state: text(row['state']),
        prepared_by: text(row['prepared_by']),
        count: orNull(row['count'], Number),
        sha256: orNull(row['sha256'], hex),
        ver: Number(row['ver']),
      },
    };
  }
  for await (const row of cursorRows(run, APPROVALS, [tenant])) {
    // JSON by the type of its column.
    const fees = row['fees'] as FoundRow['fields'][string];
    yield { kind: 'batch_approval', id: text(row['batch']), fields: { fees } };
  }
  for await (const row of cursorRows(run, VOIDS, [tenant])) {
    const id = `${text(row['batch'])}/${text(row['lane'])}/${text(row['n'])}`;
    const fields = { cause: text(row['cause']), filings: Number(row['filings']) };
    yield { kind: 'approval_void', id, fields };
  }
  yield* comparedChanges(run, tenant);
}

/** What people did to a batch before it was sent: questions, what was left out, what was withdrawn. */
async function* comparedChanges(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, QUESTIONS, [tenant])) {
    const fields = {
      filing: orNull(row['filing'], text),
      asked_by: text(row['asked_by']),
      question: text(row['question']),
      answered_by: orNull(row['answered_by'], text),
      answer: orNull(row['answer'], text),
    };
    yield { kind: 'batch_question', id: `${text(row['batch'])}/${text(row['n'])}`, fields };
  }
  for await (const row of cursorRows(run, HELD_BACK, [tenant])) {
    const fields = {
      batch: text(row['batch']),
      by: text(row['by_person']),
      reason: text(row['reason']),
    };
    yield { kind: 'held_back', id: text(row['filing']), fields };
  }
  for await (const row of cursorRows(run, WITHDRAWALS, [tenant])) {
    const fields = {
      by: text(row['by_person']),
      reason: text(row['reason']),
      proposal: orNull(row['proposal'], text),
      replaced_by: orNull(row['replaced_by'], text),
      covered: row['covered'] === true,
    };
    yield { kind: 'withdrawal', id: text(row['filing']), fields };
  }
}

async function* comparedReviews(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, EXCEPTIONS, [tenant])) {
    yield {
      kind: 'exception',
      id: `${text(row['filing'])}/${text(row['n'])}`,
      fields: {
        status: text(row['status']),
        reason: text(row['reason']),
        ct: hex(row['ct']),
        assigned_to: orNull(row['assigned_to'], text),
        closed_by: orNull(row['closed_by'], text),
        resolution: orNull(row['resolution'], text),
      },
    };
  }
  for await (const row of cursorRows(run, ACTS, [tenant])) {
    const fields = {
      filing: text(row['filing']),
      n: Number(row['n']),
      act: text(row['act']),
      by: text(row['by_person']),
      reason: text(row['reason']),
      receipt: orNull(row['receipt'], text),
      evidence: orNull(row['evidence_sha256'], hex),
      to_person: orNull(row['to_person'], text),
    };
    yield { kind: 'review_act', id: actName(fields), fields };
  }
}

/** The filings of one proposal, in the order of its hash. */
export async function* comparedItems(
  run: Run,
  tenant: string,
  proposal: string,
): AsyncGenerator<FoundRow> {
  for (const row of await run(ITEMS, [tenant, proposal])) {
    yield {
      kind: 'review_item',
      id: `${text(row['proposal'])}/${text(row['filing'])}`,
      // Before the approval the hash of the proposal speaks for it.
      isQuiet: row['state'] !== 'approved',
      fields: {
        n: Number(row['n']),
        action: text(row['action']),
        revision: Number(row['revision']),
        key: text(row['key']),
        payload_sha256: hex(row['payload_sha256']),
        payload_ct: hex(row['payload_ct']),
        not_filed: orNull(row['not_filed'], text),
      },
    };
  }
}
