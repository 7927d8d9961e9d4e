/**
 * What rows say only together: the hash that a second person approved is one over many of them. Made from the rows by
 * themselves, so that a row that was added, left out or changed shows in it.
 */
import { createHash, type Hash } from 'node:crypto';
import { sha256Of } from '../../core/index.ts';
import { type FoundRow, named } from './saying.ts';

/** Takes filings in the order of batch and first key, and each proposal before its own items in the order of filings. */
export class DerivedRows {
  #batch: { readonly id: string; readonly hash: Hash; count: number } | undefined;
  #proposal: { readonly id: string; readonly hash: Hash; count: number } | undefined;

  /** What is known now that was not before: parts of rows that came earlier. */
  *push(row: FoundRow): Generator<FoundRow> {
    if (row.kind === 'filing') yield* this.#filing(row);
    else if (row.kind === 'proposal') {
      yield* this.#endProposal();
      const { kind, subject, reason, terms } = row.fields;
      const head = `${named(kind)} ${named(subject)} ${sha256Of(named(reason))}`;
      const hash = createHash('sha256').update(
        `filewright proposal 1\n${head}\n${named(terms)}\n`,
        'utf8',
      );
      this.#proposal = { id: row.id, hash, count: 0 };
    } else if (row.kind === 'review_item' && this.#proposal !== undefined) {
      this.#proposal.count += 1;
      this.#proposal.hash.update(`${itemLine(row)}\n`, 'utf8');
    }
  }

  *finish(): Generator<FoundRow> {
    yield* this.#endBatch();
    yield* this.#endProposal();
  }

  *#filing({ fields }: FoundRow): Generator<FoundRow> {
    const id = named(fields.batch);
    if (this.#batch?.id !== id) {
      yield* this.#endBatch();
      this.#batch = { id, hash: createHash('sha256'), count: 0 };
    }
    // Withdrawn before anybody approved it.
    if (fields.in_batch_hash === false) return;
    const line = `${named(fields.first_key)} ${named(fields.first_payload_sha256)}\n`;
    this.#batch.hash.update(line, 'utf8');
    this.#batch.count += 1;
  }

  *#endBatch(): Generator<FoundRow> {
    if (this.#batch === undefined) return;
    const { id, hash, count } = this.#batch;
    this.#batch = undefined;
    if (count === 0) return;
    const fields = { computed_count: count, computed_sha256: hash.digest('hex') };
    yield { kind: 'batch', id, fields };
  }

  *#endProposal(): Generator<FoundRow> {
    if (this.#proposal === undefined) return;
    const { id, hash, count } = this.#proposal;
    yield { kind: 'proposal', id, fields: { computed_sha256: hash.digest('hex'), count } };
    this.#proposal = undefined;
  }
}

/** As `proposal_hash` of the database and `reviewLines` of the program compose it. */
function itemLine({ fields, id }: FoundRow): string {
  const filing = id.slice(id.indexOf('/') + 1);
  const { n, action, revision, key, payload_sha256: hash, not_filed: known } = fields;
  const evidence = typeof known === 'string' ? sha256Of(known) : '-';
  return [filing, n, action, revision, key, hash, evidence].map(named).join(' ');
}
