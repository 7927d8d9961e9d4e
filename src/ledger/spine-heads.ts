/**
 * What the spine says of the other logs: which there are, and which heads each of them had (ledger format 1, § 11). Whoever
 * holds the spine to be true need believe no list of logs, and no log that does not have these heads.
 */
import type { TreeHead } from './checkpoint.ts';
import type { LedgerEntry } from './entry-type.ts';
import { sameBytes } from './hashes.ts';
import { HeadTable } from './head-table.ts';

/** The installation and the tenant of a log. */
function houseOf(origin: string): string {
  return origin.slice(0, origin.lastIndexOf('/'));
}

const ROOT = /^[0-9a-f]{64}$/;

export class SpineHeads {
  readonly #logs = new Map<string, HeadTable>();
  #fault: { readonly seq: number; readonly message: string } | undefined;

  /** Takes the entries of the spine in their order. */
  push({ type, seq, data, log }: LedgerEntry): void {
    if (type !== 'spine.head') return;
    const { origin, size, root } = data;
    const isHead =
      typeof origin === 'string' &&
      // Of its own house alone: whoever vouches for one spine has not seen the logs of another.
      houseOf(origin) === houseOf(log) &&
      typeof size === 'number' &&
      typeof root === 'string' &&
      ROOT.test(root);
    if (isHead && this.#table(origin).add(size, root)) return;
    this.#fault ??= {
      seq,
      message: `Expected entry ${seq} of the spine to name a later head of a log than those before it.`,
    };
  }

  /** The first entry that contradicts those before it. */
  get fault(): { readonly seq: number; readonly message: string } | undefined {
    return this.#fault;
  }

  get origins(): readonly string[] {
    return [...this.#logs.keys()];
  }

  /** The heads of a log from the smallest to the largest; none when the spine has not heard of it. */
  of(origin: string): Iterable<TreeHead> & { readonly last: number } {
    return this.#logs.get(origin) ?? new HeadTable();
  }

  /** Whether the spine names exactly this head. */
  names(origin: string, { size, root }: TreeHead): boolean {
    for (const head of this.of(origin)) {
      if (head.size === size) return sameBytes(head.root, root);
    }
    return false;
  }

  #table(origin: string): HeadTable {
    const known = this.#logs.get(origin) ?? new HeadTable();
    this.#logs.set(origin, known);
    return known;
  }
}
