/**
 * From key to key. The first key of a log is known from outside, or remembered; every later one is introduced by an entry
 * `key.rotated` that an earlier key has signed for. So whoever knows the first key need believe no list of keys.
 *
 * A key that only ever signs beside one that is believed needs no introduction yet: nothing rests on it.
 *
 * One way has no such signature: after a quarantine the log begins anew from an older state, and the earlier key would
 * have to sign a second history. Then the entry says `after: quarantine`, and whoever checks is told that the new key must
 * be confirmed from another source.
 */
import type { LedgerEntry } from './entry-type.ts';

interface ChainedKey {
  readonly vkey: string;
  readonly firstSize: number;
  /** Undefined while it signs. */
  readonly lastSize: number | undefined;
}

export type KeyFault = 'KEY_NOT_INTRODUCED' | 'KEY_RETIRED_OTHERWISE';

export type ChainVerdict =
  | {
      readonly ok: true;
      /** Keys that no earlier key has signed for, because of a quarantine. */
      readonly unsigned: readonly string[];
    }
  | { readonly ok: false; readonly reason: KeyFault; readonly message: string };

interface Introduction {
  readonly seq: number;
  readonly old: readonly string[];
  readonly firstSize: number;
  readonly isAfterQuarantine: boolean;
}

/** Which keys signed together, and up to which size: a handful of combinations, however many heads there are. */
export class SignedHeads {
  readonly #together = new Map<string, { readonly keys: readonly string[]; size: number }>();

  add(keys: readonly string[], size: number): void {
    const name = keys.join(' ');
    const known = this.#together.get(name);
    if (known === undefined) this.#together.set(name, { keys, size });
    else known.size = Math.max(known.size, size);
  }

  /** The largest size for which a key is seen to have signed. */
  largest(vkey: string): number {
    return Math.max(0, ...this.#of(vkey).map(({ size }) => size));
  }

  /** Whether it signed a head that none of these signed. */
  isAlone(vkey: string, others: ReadonlySet<string>): boolean {
    return this.#of(vkey).some(({ keys }) => !keys.some((each) => others.has(each)));
  }

  #of(vkey: string): readonly { readonly keys: readonly string[]; readonly size: number }[] {
    return [...this.#together.values()].filter(({ keys }) => keys.includes(vkey));
  }
}

/** A log has a handful of keys; so many rotations in one log are somebody's attempt to fill the memory. */
const KEYS_MAX = 10_000;

export class KeyChain {
  readonly #introduced = new Map<string, Introduction>();
  readonly #retired = new Map<string, number>();

  /** Takes the entries of the log in their order. */
  push({ type, seq, subj, data }: LedgerEntry): void {
    if (subj.kind !== 'signing_key' || this.#introduced.size >= KEYS_MAX) return;
    const { old, new: fresh, first_size: firstSize, vkey, last_size: lastSize } = data;
    if (type === 'key.retired' && typeof vkey === 'string' && typeof lastSize === 'number') {
      this.#retired.set(vkey, lastSize);
    }
    if (type !== 'key.rotated' || typeof fresh !== 'string' || typeof old !== 'string') return;
    // The first entry counts: a later one could not have been there when the key began to sign.
    if (typeof firstSize !== 'number' || this.#introduced.has(fresh)) return;
    this.#introduced.set(fresh, {
      seq,
      old: old.split(' ').filter((each) => each !== ''),
      firstSize,
      isAfterQuarantine: data['after'] === 'quarantine',
    });
  }

  /**
   * `keys` from the oldest to the newest; `signed` says which of them are seen to have signed what. Keys in `pinned` are
   * known from outside and need no introduction.
   */
  check(
    keys: readonly ChainedKey[],
    signed: SignedHeads,
    pinned: ReadonlySet<string> = new Set(),
  ): ChainVerdict {
    const believed = new Set<string>();
    const unsigned: string[] = [];
    for (const [index, key] of keys.entries()) {
      const how = index === 0 || pinned.has(key.vkey) ? 'signed' : this.#how(key, believed, signed);
      if (how === undefined && !signed.isAlone(key.vkey, believed)) continue;
      if (how === undefined) {
        const message = `Expected the key ${key.vkey} to be introduced by an entry that an earlier key has signed for; there is none.`;
        return { ok: false, reason: 'KEY_NOT_INTRODUCED', message };
      }
      if (how === 'after quarantine') unsigned.push(key.vkey);
      const retired = this.#retired.get(key.vkey);
      if (retired !== undefined && retired !== key.lastSize) {
        const message = `Expected the key ${key.vkey} to have signed up to size ${retired}, as the log says; its own record says ${key.lastSize ?? 'no end'}.`;
        return { ok: false, reason: 'KEY_RETIRED_OTHERWISE', message };
      }
      believed.add(key.vkey);
    }
    return { ok: true, unsigned };
  }

  #how(
    key: ChainedKey,
    believed: ReadonlySet<string>,
    signed: SignedHeads,
  ): 'signed' | 'after quarantine' | undefined {
    const found = this.#introduced.get(key.vkey);
    if (found === undefined || found.firstSize !== key.firstSize) return undefined;
    const old = found.old.filter((each) => believed.has(each));
    if (old.length === 0) return undefined;
    if (found.isAfterQuarantine) return 'after quarantine';
    // The entry is the (seq + 1)th: a head of that size, or a larger one, is over it.
    return old.some((each) => signed.largest(each) > found.seq) ? 'signed' : undefined;
  }
}
