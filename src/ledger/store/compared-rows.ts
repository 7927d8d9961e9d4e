/** Rows of the ledger's own tables that entries speak of, and facts on their way into a log. */
import type { FoundRow, Told } from '../rows/saying.ts';
import { cursorRows, hex, type Run, sql, text } from '../../postgres/index.ts';

const QUARANTINE = sql('compared-quarantine')`
select tenant, state, left_by, ver from quarantine where tenant = $1`;

const SHREDDED = sql(
  'compared-shredded',
)`select id, state from ledger_dek where tenant = $1 and state = 'shredded'`;

const SET_ASIDE = sql('compared-set-aside')`
select boundary, reason, bytes, sha256 from ledger_set_aside where tenant = $1`;

const WAITING = sql('compared-waiting')`
select boundary, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, cls, data, body
from ledger_intake where tenant = $1 order by boundary, n`;

export async function* comparedLedger(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, QUARANTINE, [tenant])) {
    const by = row['left_by'];
    const fields = {
      state: text(row['state']),
      left_by: by === null ? null : text(by),
      ver: Number(row['ver']),
    };
    yield { kind: 'quarantine', id: text(row['tenant']), fields };
  }
  for await (const row of cursorRows(run, SHREDDED, [tenant])) {
    yield { kind: 'shredded_key', id: text(row['id']), fields: { state: text(row['state']) } };
  }
  for await (const row of cursorRows(run, SET_ASIDE, [tenant])) {
    const fields = { bytes: Number(row['bytes']), reason: text(row['reason']) };
    yield { kind: 'set_aside', id: `${text(row['boundary'])}/${hex(row['sha256'])}`, fields };
  }
}

/** Committed with the rows that they speak of, and not yet in their log. */
export async function* waitingFacts(run: Run, tenant: string): AsyncGenerator<Told> {
  for await (const row of cursorRows(run, WAITING, [tenant])) {
    yield {
      boundary: text(row['boundary']),
      type: text(row['type']),
      subj: {
        kind: text(row['subj_kind']),
        id: text(row['subj_id']),
        ver: Number(row['subj_ver']),
      },
      // Check constraints and the one place that writes facts hold these to their forms.
      actor: { kind: row['actor_kind'] as Told['actor']['kind'], id: text(row['actor_id']) },
      cls: row['cls'] as Told['cls'],
      data: row['data'] as Told['data'],
      body: row['body'] as Told['body'],
    };
  }
}
