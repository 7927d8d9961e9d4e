/** Sealed bodies and disclosures that lie beside the entries of an export. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { FilewrightError, sha256Of } from '../../core/index.ts';
import type { parseEntry } from '../entry-chain.ts';
import { parseStrict } from '../plain-json.ts';
import { demand, isFolder, namesIn, readOptional, readRequired } from './audit-offline-files.ts';

/** Takes the entries in their order; hashes what they name, and remembers what they committed to. */
export class BodyWatch {
  readonly #folder: string;
  readonly #commitments = new Map<string, string>();
  #has: { readonly bodies: boolean; readonly disclosed: readonly string[] } | undefined;
  readonly #missing = new Map<string, { readonly seq: number; readonly ct: string }>();
  count = 0;
  disclosed = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether there is anything beside the entries at all. */
  async isNeeded(): Promise<boolean> {
    const { bodies, disclosed } = await this.#look();
    return bodies || disclosed.length > 0;
  }

  /** Keys of bodies that are not beside their entries, each with the first of these: they must have been destroyed. */
  get missing(): ReadonlyMap<string, { readonly seq: number; readonly ct: string }> {
    return this.#missing;
  }

  async add(entry: ReturnType<typeof parseEntry>): Promise<void> {
    const has = await this.#look();
    const { body } = entry;
    if (body === null) return;
    if (has.disclosed.length > 0) this.#commitments.set(entry.id, body.cm);
    if (!has.bodies) return;
    const blob = await readOptional(join(this.#folder, 'bodies', body.ct));
    if (blob === undefined) {
      if (!this.#missing.has(body.key))
        this.#missing.set(body.key, { seq: entry.seq, ct: body.ct });
      return;
    }
    const isNamed = sha256Of(blob) === body.ct;
    demand(
      isNamed,
      'BODY_HASH_MISMATCH',
      `bodies/${body.ct} is not the body that entry ${entry.seq} names`,
    );
    this.count += 1;
  }

  async checkDisclosed(): Promise<void> {
    for (const name of (await this.#look()).disclosed) {
      const path = join(this.#folder, 'disclosed', name);
      const claim = claimOf(await readRequired(path));
      const holds = claim !== undefined && this.#commitments.get(claim.id) === claim.commitment;
      demand(holds, 'COMMITMENT_MISMATCH', `${path} is not what the entry committed to`);
      this.disclosed += 1;
    }
  }

  async #look(): Promise<{ readonly bodies: boolean; readonly disclosed: readonly string[] }> {
    this.#has ??= {
      bodies: await isFolder(join(this.#folder, 'bodies')),
      disclosed: await namesIn(join(this.#folder, 'disclosed')),
    };
    return this.#has;
  }
}

// All of it: Buffer.from stops at what is no digit, and HMAC takes a key with zeros after it for the same key.
const SALT_HEX = /^[0-9a-f]{64}$/i;

function claimOf(bytes: Buffer): { readonly id: string; readonly commitment: string } | undefined {
  let value: unknown;
  try {
    // Strictly: of two keys of one name, a person may read the other one.
    value = parseStrict(bytes);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    // What is no JSON claims nothing, and is told as a claim that does not hold.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, salt, body } = value as Readonly<Record<string, unknown>>; // Any object is one.
  if (typeof id !== 'string' || typeof salt !== 'string' || typeof body !== 'string')
    return undefined;
  if (!SALT_HEX.test(salt)) return undefined;
  const commitment = createHmac('sha256', Buffer.from(salt, 'hex')).update(body).digest('hex');
  return { id, commitment };
}
