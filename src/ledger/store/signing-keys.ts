/**
 * The keys that sign the checkpoints of a log. The private half lies in the database, wrapped by the tenant key: every
 * process that may become the log's sequencer needs it, on whatever host, and it is rotated and backed up with the rest;
 * a copy of the database alone cannot sign. What makes a row a key: signing-key-seal.ts.
 */
import {
  FilewrightError,
  type LedgerBoundary,
  type LedgerFact,
  type Random,
  ruledOut,
} from '../../core/index.ts';
import type { TenantKey } from '../tenant-key.ts';
import { logOrigin } from '../entry.ts';
import { logSigner, type NoteSigner } from '../note-signer.ts';
import { parseVerifierKey } from '../verifier-key.ts';
import type { TrustedLog } from '../trust-policy.ts';
import { recordFact } from './facts.ts';
import { keyCode, openSigner, type SealedKeyRow, wrapSeed } from './signing-key-seal.ts';
import {
  bytes,
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import type { LogName } from './tree-store.ts';
import { LOCK_KEYS, UNDER } from './watch-keys.ts';

const SEED_BYTES = 32;

export interface SigningKey {
  /** Eight hex digits, as in a signature line. */
  readonly id: string;
  /** The verifier key, to be given to whoever checks. */
  readonly vkey: string;
  readonly firstSize: number;
  /** The last size it signed for; undefined while it signs. */
  readonly lastSize: number | undefined;
  readonly createdAt: number;
}

/** What it takes to make and to use signing keys. */
export interface SigningMeans {
  readonly tenantKey: TenantKey;
  readonly random: Random;
}

const LIVE = sql('signing-key-live')`
select id, wrapped, mac, first_size, last_size, ver, vkey from ledger_signing_key
  where tenant = $1 and boundary = $2 and last_size is null order by created_at, id`;

const LIST = sql('signing-key-list')`
select id, vkey, wrapped, mac, first_size, last_size, ver, created_at from ledger_signing_key
  where tenant = $1 and boundary = $2 order by first_size, created_at, id`;

const ADD = sql('signing-key-add')`
insert into ledger_signing_key (tenant, boundary, id, vkey, wrapped, mac, first_size, ver)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const RETIRE = sql('signing-key-retire')`
update ledger_signing_key set last_size = $4, mac = $5, ver = ver + 1
  where tenant = $1 and boundary = $2 and id = $3 and last_size is null returning ver`;

const HEAD = sql('signing-key-head')`
select size, signed_size from ledger_head where tenant = $1 and boundary = $2 for update`;

// The entry that introduces a key, from the size on at which it was made.
const INTRODUCED = sql('signing-key-introduced')`
select seq from ledger_entry where tenant = $1 and boundary = $2 and seq >= $3
  and position($4::bytea in bytes) > 0 and position('"type":"key.rotated"'::bytea in bytes) > 0 order by seq limit 1`;

/** A row of the table, to be held against its code. */
export function sealedRow(
  origin: string,
  row: Row,
): SealedKeyRow & { wrapped: Uint8Array; mac: Uint8Array } {
  return {
    origin,
    id: text(row['id']),
    vkey: text(row['vkey']),
    firstSize: Number(row['first_size']),
    lastSize: optional(row['last_size'], Number),
    wrapped: bytes(row['wrapped']),
    mac: bytes(row['mac']),
  };
}

async function addKey(
  run: Run,
  log: LogName,
  origin: string,
  means: SigningMeans,
  place: { readonly firstSize: number; readonly ver: number },
): Promise<NoteSigner> {
  await holdKey(run, log);
  const seed = means.random.bytes(SEED_BYTES);
  const signer = logSigner({ name: origin, key: seed });
  const { id, text: vkey } = signer.verifierKey;
  const { firstSize, ver } = place;
  const row = { origin, id, vkey, firstSize, lastSize: undefined };
  const wrapped = wrapSeed(means.tenantKey, row, seed, means.random);
  const mac = keyCode(means.tenantKey.current, row);
  await run(ADD, [log.tenant, log.boundary, id, vkey, wrapped, mac, firstSize, ver]);
  return signer;
}

/** From here to the end of the transaction the tenant's key is the one that this process knows. */
async function holdKey(run: Run, log: LogName): Promise<void> {
  await run(LOCK_KEYS.change);
  await run(UNDER, [log.tenant]);
}

/** Unwraps each key once and keeps the signer; the rows say each time which keys sign. */
export class Signers {
  readonly #origin: string;
  readonly #means: SigningMeans;
  /** A log has one or two keys that sign; a rotation adds one. */
  readonly #known = new Map<string, NoteSigner>();

  constructor(origin: string, means: SigningMeans) {
    this.#origin = origin;
    this.#means = means;
  }

  /**
   * Whoever signs for the log now; the first key is made here, and only for a log that was never signed: one whose keys
   * are gone has lost them to somebody. The caller holds the log's lock.
   */
  async current(
    run: Run,
    log: LogName,
    place: { readonly size: number; readonly signedSize: number },
  ): Promise<readonly NoteSigner[]> {
    const rows = await run(LIVE, [log.tenant, log.boundary]);
    if (rows.length > 0) return rows.map((row) => this.#signer(row));
    if (place.signedSize > 0) throw keysGone(this.#origin, place.signedSize);
    const first = { firstSize: place.size, ver: 0 };
    return [await addKey(run, log, this.#origin, this.#means, first)];
  }

  #signer(row: Row): NoteSigner {
    const sealed = sealedRow(this.#origin, row);
    // By its code, which is over everything that is said of the key.
    const place = Buffer.from(sealed.mac).toString('hex');
    const known = this.#known.get(place);
    if (known?.verifierKey.text === sealed.vkey) return known;
    const signer = openSigner(this.#means.tenantKey, sealed);
    this.#known.set(place, signer);
    return signer;
  }
}

/** All keys that ever signed for a log, as the table lists them: oldest first, believed or not. */
export async function signingKeys(
  session: Pick<Session, 'run'>,
  log: LogName,
): Promise<readonly SigningKey[]> {
  return (await session.run(LIST, [log.tenant, log.boundary])).map(keyOf);
}

function keyOf(row: Row): SigningKey {
  return {
    id: text(row['id']),
    vkey: text(row['vkey']),
    firstSize: Number(row['first_size']),
    lastSize: optional(row['last_size'], Number),
    createdAt: when(row['created_at']),
  };
}

/**
 * The keys of a log that the tenant key vouches for, oldest first. Throws `LEDGER_BROKEN` with the reason
 * `SIGNING_KEY_FORGED` when a row is not one of them: it was changed or added by somebody who has no key.
 */
export async function authenticKeys(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  tenantKey: TenantKey,
): Promise<readonly SigningKey[]> {
  const rows = await session.run(LIST, [log.tenant, log.boundary]);
  for (const row of rows) openSigner(tenantKey, sealedRow(log.origin, row));
  return rows.map(keyOf);
}

/** The keys of a log as a trust policy lists them, each with the sizes it may have signed. Throws as `authenticKeys`. */
export async function trustedLogs(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  tenantKey: TenantKey,
): Promise<readonly TrustedLog[]> {
  return trustOf(await authenticKeys(session, log, tenantKey));
}

/** A key that was replaced before it signed anything is nobody's to trust. */
export function trustOf(keys: readonly SigningKey[]): readonly TrustedLog[] {
  return keys
    .filter(({ firstSize, lastSize }) => lastSize === undefined || lastSize >= firstSize)
    .map(({ vkey, firstSize, lastSize }) => ({
      key: parseVerifierKey(vkey),
      sizes: { first: firstSize, ...(lastSize === undefined ? {} : { last: lastSize }) },
    }));
}

/**
 * Begins the overlap of a rotation: a new key signs beside the old one from the next entry on, and the entry
 * `key.rotated` names both. `retireSigningKey` ends it.
 */
export async function rotateSigningKey(
  session: Session,
  log: LogName & { readonly instance: string },
  means: SigningMeans,
  fact: LedgerFact,
): Promise<{ readonly old: string; readonly new: string }> {
  // The database holds the column to the names of boundaries, and logOrigin refuses any other.
  const origin = logOrigin(log.instance, log.tenant, log.boundary as LedgerBoundary);
  return session.transaction(async (run) => {
    const [head] = await run(HEAD, [log.tenant, log.boundary]);
    await holdKey(run, log);
    const [old, ...others] = await run(LIVE, [log.tenant, log.boundary]);
    if (head === undefined || old === undefined) {
      throw refused(`The log ${origin} has no signing key yet; its first checkpoint makes one`);
    }
    if (others.length > 0) {
      throw refused(
        `Two keys sign for ${origin} already; end that overlap first by retiring key ${text(old['id'])}`,
      );
    }
    openSigner(means.tenantKey, sealedRow(origin, old));
    const firstSize = Number(head['size']) + 1;
    const signer = await addKey(run, log, origin, means, { firstSize, ver: 1 });
    const { id, text: vkey } = signer.verifierKey;
    const names = { old: text(old['vkey']), new: vkey };
    const subject = { kind: 'signing_key', id, ver: 1 };
    await recordFact(run, log, subject, {
      ...fact,
      data: { ...fact.data, ...names, first_size: firstSize },
    });
    return names;
  });
}

/**
 * Ends the overlap: the older key signs no more. Refused until the older key has signed a checkpoint that covers the
 * entry which introduces the new one: by that entry a stranger follows from key to key.
 */
export async function retireSigningKey(
  session: Session,
  log: LogName & { readonly origin: string },
  { tenantKey }: Pick<SigningMeans, 'tenantKey'>,
  fact: LedgerFact,
): Promise<{ readonly retired: string; readonly lastSize: number }> {
  return session.transaction(async (run) => {
    const [head] = await run(HEAD, [log.tenant, log.boundary]);
    await holdKey(run, log);
    const [old, successor] = await run(LIVE, [log.tenant, log.boundary]);
    if (head === undefined || old === undefined || successor === undefined) {
      throw refused('No rotation is going on: one key signs for this log');
    }
    const lastSize = Number(head['signed_size']);
    const firstSize = Number(successor['first_size']);
    const named = Buffer.from(`"new":"${text(successor['vkey'])}"`, 'utf8');
    const [entry] = await run(INTRODUCED, [log.tenant, log.boundary, firstSize - 1, named]);
    const covered = entry === undefined ? Number.POSITIVE_INFINITY : Number(entry['seq']) + 1;
    if (lastSize < Math.max(firstSize, covered)) {
      throw refused(
        `The old key has not signed for the new one yet: a checkpoint of size ${firstSize} or more, with the entry that names both, must come first`,
      );
    }
    const row = { ...sealedRow(log.origin, old), lastSize };
    const retired = await retire(run, log, row, tenantKey);
    const subject = { kind: 'signing_key', id: row.id, ver: retired };
    const data = { ...fact.data, vkey: row.vkey, last_size: lastSize };
    await recordFact(run, log, subject, { ...fact, data });
    return { retired: row.vkey, lastSize };
  });
}

async function retire(
  run: Run,
  log: LogName,
  row: SealedKeyRow,
  tenantKey: TenantKey,
): Promise<number> {
  const mac = keyCode(tenantKey.current, row);
  const [done] = await run(RETIRE, [log.tenant, log.boundary, row.id, row.lastSize, mac]);
  return Number(done?.['ver']);
}

/**
 * Ends every key that signs for a log and gives it a new one, without an overlap: what the old keys signed after this
 * size is a history that the log no longer has. A log without a head has signed nothing here.
 */
export async function replaceSigningKeys(
  run: Run,
  log: LogName & { readonly origin: string },
  means: SigningMeans,
  fact: LedgerFact,
): Promise<void> {
  const [head] = await run(HEAD, [log.tenant, log.boundary]);
  if (head === undefined) return;
  await holdKey(run, log);
  const old = await run(LIVE, [log.tenant, log.boundary]);
  for (const row of old) {
    const lastSize = Math.max(Number(head['signed_size']), Number(row['first_size']) - 1);
    await retire(run, log, { ...sealedRow(log.origin, row), lastSize }, means.tenantKey);
  }
  const firstSize = Number(head['size']) + 1;
  const signer = await addKey(run, log, log.origin, means, { firstSize, ver: 1 });
  const { id, text: vkey } = signer.verifierKey;
  await recordFact(
    run,
    log,
    { kind: 'signing_key', id, ver: 1 },
    {
      ...fact,
      data: {
        ...fact.data,
        old: old.map((row) => text(row['vkey'])).join(' '),
        new: vkey,
        first_size: firstSize,
        // No earlier key signs for this one: it would have to sign a second history. Verifiers say so.
        after: 'quarantine',
      },
    },
  );
}

function keysGone(origin: string, signedSize: number): FilewrightError {
  return new FilewrightError(
    'LEDGER_BROKEN',
    `Expected the key that signed ${origin} up to size ${signedSize}; it is gone. Nothing more is signed; restore ledger_signing_key from a backup, and run audit verify.`,
    { details: { reason: 'SIGNING_KEY_MISSING', origin } },
  );
}

function refused(message: string): FilewrightError {
  return ruledOut(message);
}
