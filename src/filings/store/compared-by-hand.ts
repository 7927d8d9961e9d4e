/** Takings, looks and confirmations as they are held against the ledger. */
import { toRfc3339 } from '../../core/index.ts';
import type { FoundRow } from '../../ledger/index.ts';
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

const TAKINGS = sql('compared-takings')`
select filing, no, by_person, ended from taking where tenant = $1`;

const LOOKS = sql('compared-looks')`
select filing, no, by_person, found, place, looked_at from look where tenant = $1`;

const CONFIRMATIONS = sql('compared-confirmations')`
select filing, no, sha256, kind, shared from confirmation where tenant = $1`;

export async function* comparedByHand(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, TAKINGS, [tenant])) {
    const fields = { by: text(row['by_person']), ended: orNull(row['ended'], text) };
    yield { kind: 'taking', id: attemptOf(row), fields };
  }
  for await (const row of cursorRows(run, LOOKS, [tenant])) {
    const fields = {
      by: text(row['by_person']),
      found: row['found'] === true,
      place: text(row['place']),
      looked_at: toRfc3339(when(row['looked_at'])),
    };
    yield { kind: 'look', id: attemptOf(row), fields };
  }
  for await (const row of cursorRows(run, CONFIRMATIONS, [tenant])) {
    const fields = {
      sha256: hex(row['sha256']),
      kind: text(row['kind']),
      shared: row['shared'] === true,
    };
    yield { kind: 'confirmation', id: attemptOf(row), fields };
  }
}

function attemptOf(row: Row): string {
  return `${text(row['filing'])}/${text(row['no'])}`;
}
