/**
 * The keys that sign the checkpoints of a log. The private half lies in the database, wrapped by the tenant key: every
 * process that may become the log's sequencer needs it, on whatever host, and it is rotated and backed up with the rest;
 * a copy of the database alone cannot sign.
 */
import {
  type FilewrightError,
  type LedgerBoundary,
  type LedgerFact,
  type Random,
  ruledOut,
} from '../../core/index.ts';
import { logOrigin } from '../entry.ts';
import { logSigner, type NoteSigner } from '../note-signer.ts';
import { parseVerifierKey } from '../verifier-key.ts';
import type { TrustedLog } from '../trust-policy.ts';
import { unwrapKey, wrapKey } from '../seal.ts';
import { recordFact } from './facts.ts';
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

const SEED_BYTES = 32;

interface SigningKey {
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
  readonly tenantKey: Uint8Array;
  readonly random: Random;
}

const LIVE = sql('signing-key-live')`
select id, wrapped, first_size, ver, vkey from ledger_signing_key
  where tenant = $1 and boundary = $2 and last_size is null order by created_at, id`;

const LIST = sql('signing-key-list')`
select id, vkey, first_size, last_size, created_at from ledger_signing_key
  where tenant = $1 and boundary = $2 order by created_at, id`;

const ADD = sql('signing-key-add')`
insert into ledger_signing_key (tenant, boundary, id, vkey, wrapped, first_size, ver)
  values ($1, $2, $3, $4, $5, $6, $7)`;

const RETIRE = sql('signing-key-retire')`
update ledger_signing_key set last_size = $4, ver = ver + 1
  where tenant = $1 and boundary = $2 and id = $3 and last_size is null returning ver`;

const HEAD = sql('signing-key-head')`
select size, signed_size from ledger_head where tenant = $1 and boundary = $2 for update`;

function contextOf(origin: string, id: string): string {
  return `signing/${origin}/${id}`;
}

async function addKey(
  run: Run,
  log: LogName,
  origin: string,
  means: SigningMeans,
  place: { readonly firstSize: number; readonly ver: number },
): Promise<NoteSigner> {
  const seed = means.random.bytes(SEED_BYTES);
  const signer = logSigner({ name: origin, key: seed });
  const { id, text: vkey } = signer.verifierKey;
  const wrapped = wrapKey({
    wrapping: means.tenantKey,
    key: seed,
    context: contextOf(origin, id),
    random: (count) => means.random.bytes(count),
  });
  const { firstSize, ver } = place;
  await run(ADD, [log.tenant, log.boundary, id, vkey, wrapped, firstSize, ver]);
  return signer;
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

  /** Whoever signs for the log now; the first key is made here. The caller holds the log's lock. */
  async current(run: Run, log: LogName, firstSize: number): Promise<readonly NoteSigner[]> {
    const rows = await run(LIVE, [log.tenant, log.boundary]);
    if (rows.length === 0) {
      return [await addKey(run, log, this.#origin, this.#means, { firstSize, ver: 0 })];
    }
    return rows.map((row) => this.#signer(row));
  }

  #signer(row: Row): NoteSigner {
    const id = text(row['id']);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const key = unwrapKey({
      wrapping: this.#means.tenantKey,
      blob: bytes(row['wrapped']),
      context: contextOf(this.#origin, id),
    });
    const signer = logSigner({ name: this.#origin, key });
    this.#known.set(id, signer);
    return signer;
  }
}

/** All keys that ever signed for a log, oldest first. */
export async function signingKeys(
  session: Pick<Session, 'run'>,
  log: LogName,
): Promise<readonly SigningKey[]> {
  return (await session.run(LIST, [log.tenant, log.boundary])).map((row) => ({
    id: text(row['id']),
    vkey: text(row['vkey']),
    firstSize: Number(row['first_size']),
    lastSize: optional(row['last_size'], Number),
    createdAt: when(row['created_at']),
  }));
}

/** The keys of a log as a trust policy lists them, each with the sizes it may have signed. */
export async function trustedLogs(
  session: Pick<Session, 'run'>,
  log: LogName,
): Promise<readonly TrustedLog[]> {
  return (await signingKeys(session, log))
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
    const [old, ...others] = await run(LIVE, [log.tenant, log.boundary]);
    if (head === undefined || old === undefined) {
      throw refused(`The log ${origin} has no signing key yet; its first checkpoint makes one`);
    }
    if (others.length > 0) {
      throw refused(
        `Two keys sign for ${origin} already; end that overlap first by retiring key ${text(old['id'])}`,
      );
    }
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

/** Ends the overlap: the older key signs no more. Refused until both keys have signed one checkpoint together. */
export async function retireSigningKey(
  session: Session,
  log: LogName,
  fact: LedgerFact,
): Promise<{ readonly retired: string; readonly lastSize: number }> {
  return session.transaction(async (run) => {
    const [head] = await run(HEAD, [log.tenant, log.boundary]);
    const [old, successor] = await run(LIVE, [log.tenant, log.boundary]);
    if (head === undefined || old === undefined || successor === undefined) {
      throw refused('No rotation is going on: one key signs for this log');
    }
    const lastSize = Number(head['signed_size']);
    if (lastSize < Number(successor['first_size'])) {
      throw refused(
        `The new key has signed nothing yet: a checkpoint of size ${text(successor['first_size'])} or more must come first`,
      );
    }
    const id = text(old['id']);
    const [row] = await run(RETIRE, [log.tenant, log.boundary, id, lastSize]);
    const subject = { kind: 'signing_key', id, ver: Number(row?.['ver']) };
    const data = { ...fact.data, vkey: text(old['vkey']), last_size: lastSize };
    await recordFact(run, log, subject, { ...fact, data });
    return { retired: text(old['vkey']), lastSize };
  });
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
  const old = await run(LIVE, [log.tenant, log.boundary]);
  for (const row of old) {
    const lastSize = Math.max(Number(head['signed_size']), Number(row['first_size']) - 1);
    await run(RETIRE, [log.tenant, log.boundary, text(row['id']), lastSize]);
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
      },
    },
  );
}

function refused(message: string): FilewrightError {
  return ruledOut(message);
}
