/**
 * Which entities a file has named so far. A file that names one twice with other content would change it forth and back
 * with every import, so the first row counts and the second is refused; a mere copy is none.
 */
import { hash } from 'node:crypto';
import { canonicalText, overLimit, type RowError } from '../../core/index.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import { wholeFacts } from './sealed-record.ts';

/** About 250 bytes a row are remembered; beyond this the file must be split. */
const ROWS_MAX = 1_000_000;

interface Met {
  readonly line: number;
  readonly content: string;
}

export class RowMemory {
  private readonly met = new Map<string, Met>();

  /** Undefined for the first row of an entity, and for a copy of it. */
  meet(record: EntityRecord, line: number): RowError | undefined {
    const content = digest(canonicalText(wholeFacts(record)));
    const names = [
      ['entity_id', digest(`id ${record.id}`)],
      ['registry_number', digest(`number ${record.jurisdiction} ${record.registryNumber}`)],
    ] as const;
    for (const [where, name] of names) {
      const first = this.met.get(name);
      if (first === undefined || first.content === content) continue;
      const why = `is the entity of line ${first.line} of this file, with other content; keep one of the two rows`;
      return { where, why };
    }
    if (this.met.size >= ROWS_MAX * names.length) {
      throw overLimit(
        `Expected at most ${ROWS_MAX} entities in one file, found more. Split the file.`,
        { details: { line } },
      );
    }
    for (const [, name] of names) if (!this.met.has(name)) this.met.set(name, { line, content });
    return undefined;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 22);
}
