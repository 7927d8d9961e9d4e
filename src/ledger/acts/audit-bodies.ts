/** Sealed bodies of many entries, a bounded group at a time; a body that is missing must have been shredded. */
import { FilewrightError } from '../../core/index.ts';
import type { Installation } from '../store/installation.ts';
import { parseEntry } from '../entry-chain.ts';
import type { LedgerEntry, SealedBody } from '../entry-type.ts';
import {
  dataKeyStates,
  ledgerBlobs,
  ledgerEntries,
  type StoredBlob,
} from '../store/ledger-entries.ts';

/** A body may have some megabytes where a portal answered at length; so few are held at once. */
const BODIES_AT_ONCE = 50;

export interface FoundBody {
  readonly entry: LedgerEntry & { readonly body: SealedBody };
  /** Undefined when it was shredded. */
  readonly stored: StoredBlob | undefined;
}

/** Takes entries one by one and hands their bodies to `take`, in order; `finish` hands out the rest. */
export class BodyCollector {
  readonly #app: Installation;
  readonly #boundary: string;
  readonly #take: (found: FoundBody) => Promise<void>;
  readonly #isShredded: (key: string) => Promise<boolean>;
  #waiting: FoundBody['entry'][] = [];

  /** `isShredded`: whether an entry says so. */
  constructor(
    app: Installation,
    boundary: string,
    take: (found: FoundBody) => Promise<void>,
    isShredded: (key: string) => Promise<boolean>,
  ) {
    this.#app = app;
    this.#boundary = boundary;
    this.#take = take;
    this.#isShredded = isShredded;
  }

  async add(entry: LedgerEntry): Promise<void> {
    const { body } = entry;
    if (body === null) return;
    this.#waiting.push({ ...entry, body });
    if (this.#waiting.length >= BODIES_AT_ONCE) await this.finish();
  }

  async finish(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length === 0) return;
    const { session, tenant } = this.#app;
    const hashes = entries.map(({ body }) => body.ct);
    const blobs = await ledgerBlobs(session, tenant, this.#boundary, hashes);
    // A body without its key is as lost as one that is gone; only shredding may do either.
    const isLost = ({ body }: FoundBody['entry']): boolean => blobs.get(body.ct)?.key === undefined;
    const lost = entries.filter(isLost);
    const keys = [...new Set(lost.map(({ body }) => body.key))];
    const states = keys.length === 0 ? new Map() : await dataKeyStates(session, tenant, keys);
    for (const entry of entries) {
      const stored = blobs.get(entry.body.ct);
      const isDestroyed =
        states.get(entry.body.key) === 'shredded' && (await this.#isShredded(entry.body.key));
      if (isLost(entry) && !isDestroyed) {
        const missing = stored === undefined ? 'The sealed body' : 'The key of the sealed body';
        throw new FilewrightError(
          'LEDGER_BROKEN',
          `${missing} of entry ${entry.seq} of ${entry.log} is missing, and its key ${entry.body.key} was not destroyed by retention: it was removed`,
          { details: { seq: entry.seq, reason: 'BODY_UNREADABLE' } },
        );
      }
      await this.#take({ entry, stored });
    }
  }
}

/**
 * Whether an entry says that a data key was destroyed: a row that says so alone may be anybody's. The entries are read once,
 * and only when a body is missing.
 */
export function shreddedByEntries(app: Installation): (key: string) => Promise<boolean> {
  let keys: Promise<ReadonlySet<string>> | undefined;
  return async (key) => {
    keys ??= shreddedKeys(app);
    return (await keys).has(key);
  };
}

async function shreddedKeys({ session, tenant }: Installation): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const bytes of ledgerEntries(session, tenant, 'access')) {
    const { type, data } = parseEntry(bytes);
    if (type !== 'retention.shredded' || !Array.isArray(data.keys)) continue;
    for (const key of data.keys) if (typeof key === 'string') keys.add(key);
  }
  return keys;
}
