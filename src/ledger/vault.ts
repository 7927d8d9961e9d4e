/**
 * Seals and opens the bodies of one log. The tenant key comes from outside, unwrapped by the root key; data keys are
 * unwrapped on use and kept in a bounded cache; `forget` drops those that were destroyed.
 */
import type {
  EntryId,
  PayloadOwner,
  Random,
  SealedPayload,
  Vault,
  WrappedKey,
} from '../core/index.ts';
import { openBody, sealBody } from './seal.ts';
import type { TenantKey } from './tenant-key.ts';

/** 32-byte keys for so many subjects take about 2 MB; a batch touches each subject a few times in a short while. */
const CACHED_KEYS_MAX = 8_192;

export class KeyVault implements Vault {
  readonly #origin: string;
  readonly #tenantKey: TenantKey;
  readonly #random: Random;
  readonly #keys = new Map<string, Uint8Array>();

  constructor(options: {
    readonly origin: string;
    readonly tenantKey: TenantKey;
    readonly random: Random;
  }) {
    this.#origin = options.origin;
    this.#tenantKey = options.tenantKey;
    this.#random = options.random;
  }

  newKey(month: string): WrappedKey {
    const id = `k-${Buffer.from(this.#random.bytes(12)).toString('hex')}`;
    const key = this.#random.bytes(32);
    const wrapped = this.#tenantKey.wrap({ key, context: id, random: this.#random });
    this.#keep(id, key);
    return { id, month, wrapped };
  }

  seal(input: {
    readonly key: WrappedKey;
    readonly entry: EntryId;
    readonly body: Uint8Array;
    readonly owner?: PayloadOwner;
  }): ReturnType<Vault['seal']> {
    return sealBody({
      origin: this.#origin,
      id: input.entry,
      keyId: input.key.id,
      dek: this.dataKey(input.key),
      body: input.body,
      owner: input.owner,
      random: (count) => this.#random.bytes(count),
    });
  }

  open(payload: SealedPayload): Uint8Array {
    const { canonical } = openBody({
      origin: this.#origin,
      id: payload.entry,
      keyId: payload.key.id,
      dek: this.dataKey(payload.key),
      blob: payload.blob,
      owner: payload.owner,
    });
    return canonical;
  }

  dataKey(key: WrappedKey): Uint8Array {
    const cached = this.#keys.get(key.id);
    if (cached !== undefined) return cached;
    const dek = this.#tenantKey.unwrap({ blob: key.wrapped, context: key.id });
    this.#keep(key.id, dek);
    return dek;
  }

  /** Destroyed keys must not live on here. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#keys.delete(id);
  }

  #keep(id: string, dek: Uint8Array): void {
    // A Map remembers insertion order: the first is the oldest.
    if (this.#keys.size >= CACHED_KEYS_MAX) {
      const oldest = this.#keys.keys().next();
      if (!oldest.done) this.#keys.delete(oldest.value);
    }
    this.#keys.set(id, dek);
  }
}
