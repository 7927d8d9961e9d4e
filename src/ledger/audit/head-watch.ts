/**
 * Holds the heads of `headsOf` against the entries of the log while they pass by, each at the moment when exactly so many
 * entries have passed. The first thing that is wrong is kept; that something is missing counts only where nothing is wrong.
 */
import { checkCheckpoint } from '../checkpoint.ts';
import { sameBytes } from '../hashes.ts';
import { SignedHeads } from '../key-chain.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import type { CheckpointArchive } from '../store/checkpoints.ts';
import type { HeadAt } from './log-heads.ts';

type HeadProblem =
  | 'MALFORMED_CHECKPOINT'
  | 'UNTRUSTED_SIGNATURE'
  | 'ORIGIN_MISMATCH'
  | 'ROLLBACK'
  | 'INCONSISTENT_WITH_PINNED'
  | 'CHECKPOINT_MISMATCH'
  | 'CHECKPOINT_MISSING'
  | 'COPY_MISMATCH'
  | 'COPY_MISSING'
  | 'SPINE_MISMATCH'
  | 'SPINE_HEAD_MISSING';

interface HeadFault {
  readonly reason: HeadProblem;
  readonly message: string;
}

interface HeadRules {
  readonly origin: string;
  readonly policy: TrustPolicy;
  readonly copies: CheckpointArchive;
  /** Checkpoints up to this size must be in the spine; 0 for the spine itself, which has no entries about itself. */
  readonly spineUpTo: number;
  /**
   * Checkpoints up to this size have had their copy: one without was taken away. A later one may be without, because a
   * copy is written right after its checkpoint is committed, and a process can be killed in between.
   */
  readonly copiedUpTo: number;
}

export class HeadWatch {
  readonly #heads: AsyncIterator<HeadAt>;
  readonly #rules: HeadRules;
  readonly #policy: TrustPolicy;
  readonly #signed = new SignedHeads();
  #next: HeadAt | undefined;
  #fault: HeadFault | undefined;
  #missing: HeadFault | undefined;
  #uncopied: number | undefined;

  constructor(heads: AsyncIterable<HeadAt>, rules: HeadRules) {
    this.#heads = heads[Symbol.asyncIterator]();
    this.#rules = rules;
    // Witnesses are asked for the newest head, which is checked before.
    this.#policy = { ...rules.policy, quorum: 'none' };
  }

  get fault(): HeadFault | undefined {
    return this.#fault ?? this.#missing;
  }

  /** The smallest head whose copy was never written, for whoever writes it once everything else holds. */
  get uncopied(): number | undefined {
    return this.#uncopied;
  }

  /** Which keys are seen to have signed which heads. */
  get signed(): SignedHeads {
    return this.#signed;
  }

  /** The size at which `compare` wants the root. */
  get wanted(): number {
    return this.#next?.size ?? Number.POSITIVE_INFINITY;
  }

  async start(): Promise<void> {
    await this.#advance();
  }

  async compare(root: Uint8Array): Promise<void> {
    if (this.#next !== undefined) await this.#judge(this.#next, root);
    await this.#advance();
  }

  /** What is left when the entries have come to their end: heads that the log no longer reaches. */
  async finish(size: number): Promise<void> {
    if (this.#next === undefined || this.#fault !== undefined) return;
    const { size: wanted, isCopied, spine, pinned } = this.#next;
    const who =
      spine !== undefined
        ? 'the spine'
        : isCopied
          ? 'a copy kept outside the database'
          : (pinned[0]?.from ?? 'a stored checkpoint');
    this.#fail('ROLLBACK', `Expected at least ${wanted} entries, as ${who} says; found ${size}.`);
  }

  async #advance(): Promise<void> {
    const { value, done } = await this.#heads.next();
    this.#next = done === true ? undefined : value;
  }

  async #judge(head: HeadAt, root: Uint8Array): Promise<void> {
    if (this.#fault !== undefined) return;
    const { size, checkpoint, spine, pinned } = head;
    if (checkpoint !== undefined) this.#judgeCheckpoint(checkpoint, root);
    const wrong = pinned.find((pin) => !sameBytes(pin.root, root));
    if (wrong !== undefined) {
      this.#fail(
        'INCONSISTENT_WITH_PINNED',
        `Expected the first ${size} entries to be those that ${wrong.from} was made for; they are not.`,
      );
    }
    if (spine !== undefined && !sameBytes(spine, root)) {
      this.#fail(
        'SPINE_MISMATCH',
        `Expected the first ${size} entries to have the root that the spine names; they do not.`,
      );
    }
    await this.#judgeCopy(head, root);
    this.#judgePresence(head);
  }

  #judgeCheckpoint(stored: NonNullable<HeadAt['checkpoint']>, root: Uint8Array): void {
    const { origin } = this.#rules;
    const read = checkCheckpoint(stored.note, { origin, policy: this.#policy });
    if (!read.ok) {
      this.#fail(read.reason, `Of the stored checkpoint of size ${stored.size}: ${read.message}`);
      return;
    }
    this.#signed.add(
      read.signatures.map(({ key }) => key.text),
      stored.size,
    );
    const { checkpoint } = read;
    const isSame =
      checkpoint.size === stored.size &&
      sameBytes(checkpoint.root, stored.root) &&
      sameBytes(checkpoint.root, root);
    if (isSame) return;
    this.#fail(
      'CHECKPOINT_MISMATCH',
      `Expected the stored checkpoint of size ${stored.size} to be of these entries; it is not.`,
    );
  }

  async #judgeCopy({ size, checkpoint, isCopied }: HeadAt, root: Uint8Array): Promise<void> {
    if (this.#fault !== undefined || (!isCopied && checkpoint === undefined)) return;
    const { origin } = this.#rules;
    const note = await this.#rules.copies.read(origin, size);
    if (note === undefined) {
      if (size > this.#rules.copiedUpTo) this.#uncopied ??= size;
      else {
        this.#miss(
          'COPY_MISSING',
          `Expected the copy of the checkpoint of size ${size} outside the database; it was taken away. Compare the log with a checkpoint that you kept elsewhere; audit checkpoint writes the newest copy again.`,
        );
      }
      return;
    }
    if (checkpoint !== undefined && sameBytes(note, checkpoint.note)) return;
    const read = checkCheckpoint(note, { origin, policy: this.#policy });
    const isSame =
      read.ok && read.checkpoint.size === size && sameBytes(read.checkpoint.root, root);
    if (isSame) return;
    this.#fail(
      'COPY_MISMATCH',
      `Expected the first ${size} entries to be those of the copy kept outside the database${read.ok ? '' : ` (${read.message})`}; they are not.`,
    );
  }

  #judgePresence({ size, checkpoint, isCopied, spine }: HeadAt): void {
    if (checkpoint === undefined && (isCopied || spine !== undefined)) {
      const who = spine === undefined ? 'a copy outside' : 'the spine';
      this.#miss(
        'CHECKPOINT_MISSING',
        `Expected the checkpoint of size ${size}, which ${who} names; it is missing in the database.`,
      );
    }
    if (checkpoint !== undefined && spine === undefined && size <= this.#rules.spineUpTo) {
      this.#miss(
        'SPINE_HEAD_MISSING',
        `Expected the spine to name the checkpoint of size ${size}; it does not.`,
      );
    }
  }

  #fail(reason: HeadProblem, message: string): void {
    this.#fault ??= { reason, message };
  }

  #miss(reason: HeadProblem, message: string): void {
    this.#missing ??= { reason, message };
  }
}
