/** What really happened in a world, kept apart from what the pipeline believes. */
import type { Instant } from '../../src/core/time.ts';
import type { Book } from './book-of-seed.ts';
import type { CrashPoint } from './dying-session.ts';
import type { Look } from './look.ts';

export interface Violation {
  readonly invariant: string;
  readonly text: string;
}

/** `cut`: a part of the document came. `changed`: it is another one than was read before. */
export type ReadAnswer = 'good' | 'transient' | 'permanent' | 'cut' | 'changed';

/** One read of a grantor's ledger or of a document, as the other side saw it. */
export interface ReadAtTarget {
  readonly at: Instant;
  readonly subject: string;
  readonly answer: ReadAnswer;
  /** Attempts that were on record at that moment. */
  readonly attemptsOnRecord: number;
}

export interface Crashed {
  readonly command: string;
  readonly point: CrashPoint;
}

export interface Evidence {
  readonly book: Book;
  /** After every run of every command, in order; the last is the end. */
  readonly looks: readonly { readonly after: string; readonly look: Look }[];
  readonly reads: readonly ReadAtTarget[];
  readonly crashes: readonly Crashed[];
  /** What commands said that they should not have. */
  readonly surprises: readonly Violation[];
  /** Contributions of the 990 in cents, and what the bank lines come to that the figure names. */
  readonly reported: { readonly total: bigint; readonly traced: bigint } | undefined;
  /** SHA-256 of each document of the book, in order. */
  readonly documentHashes: readonly string[];
}
