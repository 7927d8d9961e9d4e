/**
 * Asks the authority of time that the operator names (RFC 3161) to stamp the newest head of the spine, which stands for
 * every log: then nobody, not even with all of our keys, can say later that it was made at another time. It runs beside the
 * sequencer and never in its way. A process that is killed between asking and storing loses an answer, and asks again.
 */
import { readFileSync } from 'node:fs';
import { FilewrightError, misuse, type Random, toRfc3339, whyUnreadable } from '../core/index.ts';
import type { Stamped } from '../filewright.ts';
import {
  addStamp,
  type CheckpointArchive,
  checkStamp,
  imprintOf,
  lastStamp,
  latestCheckpoint,
  logOrigin,
  NONCE_BYTES,
  nonceOf,
  openResponse,
  readAuthorities,
  STAMP_BYTES_MAX,
  type StampCertificate,
  stampRequest,
  stampsFrom,
  type StoredCheckpoint,
} from '../ledger/index.ts';
import { type JobDeps, type NewAlert, raiseAlert } from '../people/index.ts';
import { type Environment, operatorNetworks } from '../wire/index.ts';

/** While entries come in; authorities count requests, and an hour bounds the doubt about a moment well enough. */
const STAMP_MS = 3_600_000;
/** Without a stamp for so long although there is something to stamp, somebody is told. */
const AWAY_MS = 24 * 3_600_000;
/** An authority signs one hash. */
const ANSWER_MS = 10_000;
/** More than this between its clock and ours, and one of the two is wrong. */
const CLOCKS_APART_MS_MAX = 300_000;
const OID = /^[0-2](\.(0|[1-9][0-9]{0,8})){1,30}$/;

type StampingDeps = Pick<
  JobDeps,
  'session' | 'tenant' | 'instance' | 'clock' | 'ids' | 'environment' | 'network'
> & { readonly copies: CheckpointArchive; readonly random: Random };

interface StampSettings {
  readonly url: URL;
  readonly authorities: readonly StampCertificate[];
  readonly policy: string | undefined;
}

/** What the operator's environment says; undefined where no server is named. */
export function stampSettings(environment: Environment): StampSettings | undefined {
  const named = environment['FILEWRIGHT_TIMESTAMP_URL'];
  if (named === undefined || named === '') return undefined;
  const url = URL.canParse(named) ? new URL(named) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw misuse(`FILEWRIGHT_TIMESTAMP_URL: expected an http or https address, found "${named}"`);
  }
  const file = environment['FILEWRIGHT_TIMESTAMP_CA'] ?? '';
  if (file === '') {
    throw misuse(
      'FILEWRIGHT_TIMESTAMP_URL needs FILEWRIGHT_TIMESTAMP_CA, the PEM file of the authority to believe',
    );
  }
  const policy = environment['FILEWRIGHT_TIMESTAMP_POLICY'] ?? '';
  if (policy !== '' && !OID.test(policy)) {
    throw misuse(`FILEWRIGHT_TIMESTAMP_POLICY: expected numbers with dots, found "${policy}"`);
  }
  return {
    url,
    authorities: authoritiesIn('FILEWRIGHT_TIMESTAMP_CA', file),
    policy: policy === '' ? undefined : policy,
  };
}

/** The authorities of a PEM file that a setting or an option names. */
export function authoritiesIn(setting: string, file: string): readonly StampCertificate[] {
  let pem: Uint8Array;
  try {
    pem = readFileSync(file);
  } catch (error) {
    const message = `${setting} names ${file}, which cannot be read: ${whyUnreadable(error)}`;
    throw new FilewrightError('NOT_FOUND', message, { cause: error });
  }
  const read = readAuthorities(pem);
  if (!('found' in read)) return read;
  throw misuse(`${setting}: expected certificates in PEM in ${file}, but ${read.found}`);
}

/** Once an hour, or `always` when the newest head has no stamp yet. Undefined where no server is named. */
export async function askForStamp(
  deps: StampingDeps,
  { always = false }: { readonly always?: boolean } = {},
): Promise<Stamped | undefined> {
  const settings = stampSettings(deps.environment);
  if (settings === undefined) return undefined;
  const stamped = await new Stamping(deps, settings).ask(always);
  const alert = alertOf(stamped, settings.url.host, originOf(deps));
  if (alert !== undefined) await raiseAlert(deps, alert);
  return stamped;
}

function originOf({ instance, tenant }: Pick<StampingDeps, 'instance' | 'tenant'>): string {
  return logOrigin(instance, tenant, 'spine');
}

class Stamping {
  readonly #deps: StampingDeps;
  readonly #settings: StampSettings;
  readonly #log: { readonly tenant: string; readonly boundary: 'spine' };

  constructor(deps: StampingDeps, settings: StampSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#log = { tenant: deps.tenant, boundary: 'spine' };
  }

  async ask(always: boolean): Promise<Stamped> {
    const { session, clock } = this.#deps;
    await this.#copyLate();
    const last = await lastStamp(session, this.#log);
    const size = last?.size ?? 0;
    const head = await latestCheckpoint(session, this.#log);
    if (head === undefined) return { state: 'idle', size, message: 'Nothing is signed yet.' };
    const isDue = always || last === undefined || clock.now() - last.at >= STAMP_MS;
    if (head.size <= size || !isDue) return { state: 'stamped', size, message: '' };
    const found = await this.#post(head);
    if (typeof found !== 'string') return found;
    // Told only when it lasts: a server that is being restarted is nobody's concern.
    const isLong = last === undefined || clock.now() - last.at > AWAY_MS;
    return { state: isLong ? 'away' : 'idle', size, message: found };
  }

  /** What came of it, or why nothing came. */
  async #post(head: StoredCheckpoint): Promise<Stamped | string> {
    const { session, environment, network, random, clock, copies } = this.#deps;
    const { url, authorities, policy } = this.#settings;
    const { size } = head;
    const imprint = imprintOf(head.note);
    if (imprint === undefined) return 'The newest head cannot be read; run audit verify.';
    const nonce = nonceOf(random.bytes(NONCE_BYTES));
    const asked = { imprint, nonce, ...(policy === undefined ? {} : { policy }) };
    // Loaded on demand: commands that only ask the database never need it.
    const { askOnce, UNGUARDED } = await import('../wire/index.ts');
    const end = await askOnce(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/timestamp-query' },
        body: stampRequest(asked),
        allowPrivateAddresses: operatorNetworks(environment),
      },
      { wholeMs: ANSWER_MS, keptBytesMax: STAMP_BYTES_MAX, readBytesMax: STAMP_BYTES_MAX },
      { ...network },
      UNGUARDED,
    );
    if (end.kind === 'failure') return end.message;
    if (end.status >= 500) return `It answered ${end.status}.`;
    const refused = (message: string): Stamped => ({ state: 'refused', size, message });
    if (end.status !== 200) return refused(`It answered ${end.status}.`);
    if (end.bodyEnd !== 'whole') return 'Its answer was cut short.';
    const token = openResponse(end.body);
    if ('found' in token) return refused(`Its answer does not hold: ${token.found}.`);
    const stamp = checkStamp(token, { ...asked, authorities });
    if (!stamp.ok) return refused(`Its stamp does not hold: ${stamp.found}.`);
    const { at, authority } = stamp;
    const apart = Math.abs(at - clock.now());
    if (apart > CLOCKS_APART_MS_MAX) {
      return refused(
        `Its clock says ${toRfc3339(at)}, that of this machine ${toRfc3339(clock.now())}. Compare both with a third clock.`,
      );
    }
    // In the database first, then outside: what a crash leaves between the two is made up for at the next look.
    await addStamp(session, this.#log, { size, token, at });
    await copies.keepStamp(originOf(this.#deps), size, token);
    return { state: 'stamped', size, at: toRfc3339(at), authority, message: '' };
  }

  /** Stamps that a killed process, or another host, left without a copy here. */
  async #copyLate(): Promise<void> {
    const { session, copies } = this.#deps;
    const origin = originOf(this.#deps);
    const copied = (await copies.stamps(origin)).at(-1) ?? 0;
    for await (const { size, token } of stampsFrom(session, this.#log, copied + 1)) {
      await copies.keepStamp(origin, size, token);
    }
  }
}

/** Pure. Who must act, and what to do. */
function alertOf({ state, message }: Stamped, host: string, origin: string): NewAlert | undefined {
  if (state === 'stamped' || state === 'idle') return undefined;
  const about = {
    subject: origin,
    dedup: `timestamp/${host}/${state}`,
    severity: 'warning',
  } as const;
  return state === 'away'
    ? {
        ...about,
        kind: 'timestamp_away',
        text: `${host} has not stamped ${origin} for more than a day. ${message} Until it does, no one outside can say when newer entries were made. Check FILEWRIGHT_TIMESTAMP_URL, then run audit checkpoint.`,
      }
    : {
        ...about,
        kind: 'timestamp_refused',
        text: `${host} gave no time stamp for ${origin} that can be believed. ${message} Nothing of it was kept. Ask its operator, or name another one in FILEWRIGHT_TIMESTAMP_URL.`,
      };
}
