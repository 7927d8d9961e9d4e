/** Committed facts and the logs they become, with the real entry format, so that a run's ledger can be verified. */
import {
  type Instant,
  invariant,
  type LedgerFact,
  checkFact,
  toRfc3339,
} from '../../core/index.ts';
import {
  buildEntry,
  CompactRange,
  genesisPrev,
  type IntakeEntry,
  type LedgerSubject,
  logOrigin,
} from '../../ledger/index.ts';
import { asStored } from './rows.ts';

export const MEMORY_BOUNDARIES = ['filing', 'access'] as const;
export type MemoryBoundary = (typeof MEMORY_BOUNDARIES)[number];

/** One log: what waits for its sequencer, and what stands in it. */
class MemoryLog {
  readonly origin: string;
  readonly intake = new Map<string, IntakeEntry>();
  readonly entries: Uint8Array[] = [];
  readonly #ids = new Set<string>();
  readonly #range = CompactRange.empty();
  #lastLeaf: Uint8Array;
  #lastTs: Instant | undefined;

  constructor(origin: string) {
    this.origin = origin;
    this.#lastLeaf = genesisPrev(origin);
  }

  sequence(limit: number, now: Instant): number {
    // The database's clock may have been set back; the log's time may not.
    const ts = this.#lastTs !== undefined && this.#lastTs > now ? this.#lastTs : now;
    const before = this.entries.length;
    for (const row of [...this.intake.values()].slice(0, limit)) {
      this.intake.delete(row.id);
      if (this.#ids.has(row.id)) continue;
      const place = {
        log: this.origin,
        seq: this.#range.size,
        prev: this.#lastLeaf,
        ts: toRfc3339(ts),
      };
      const built = buildEntry(row, place);
      this.#range.append(built.leaf);
      this.#lastLeaf = built.leaf;
      this.#lastTs = ts;
      this.#ids.add(row.id);
      this.entries.push(built.bytes);
    }
    return this.entries.length - before;
  }

  head(): { readonly size: number; readonly root: Uint8Array } {
    return { size: this.#range.size, root: this.#range.root() };
  }
}

export class MemoryLedger {
  readonly #logs: Readonly<Record<MemoryBoundary, MemoryLog>>;

  constructor(instance: string, tenant: string) {
    this.#logs = {
      filing: new MemoryLog(logOrigin(instance, tenant, 'filing')),
      access: new MemoryLog(logOrigin(instance, tenant, 'access')),
    };
  }

  record(boundary: MemoryBoundary, subj: LedgerSubject, fact: LedgerFact, at: Instant): void {
    const { intake } = this.#logs[boundary];
    checkFact(fact.type, fact.data);
    invariant(!intake.has(fact.id), 'A fact is recorded once', { fact: fact.id });
    intake.set(fact.id, {
      id: fact.id,
      at: toRfc3339(at),
      type: fact.type,
      subj,
      actor: fact.actor,
      trace: fact.trace,
      cls: 'internal',
      data: asStored(fact.data),
      body: fact.body?.sealed ?? null,
    });
  }

  sequence(limit: number, now: Instant): number {
    let appended = 0;
    for (const boundary of MEMORY_BOUNDARIES) {
      appended += this.#logs[boundary].sequence(limit, now);
    }
    return appended;
  }

  log(boundary: MemoryBoundary): Pick<MemoryLog, 'origin' | 'entries' | 'intake' | 'head'> {
    return this.#logs[boundary];
  }
}
