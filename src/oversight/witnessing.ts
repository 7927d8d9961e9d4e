/**
 * Asks the witnesses of the trust policy to cosign the newest head of the spine, which stands for every log. It runs beside
 * the sequencer and never in its way: a witness that is away costs nothing but its signature.
 */
import { readFileSync } from 'node:fs';
import { FilewrightError, whyUnreadable } from '../core/index.ts';
import type { WitnessedBy } from '../filewright.ts';
import {
  addCosignature,
  type CheckpointCopies,
  checkpointsFrom,
  growthProof,
  lastCosigned,
  latestCheckpoint,
  logOrigin,
  parseTrustPolicy,
  readCosignature,
  type StoredCheckpoint,
  type TrustedWitness,
  type TrustPolicy,
  writeAddCheckpoint,
} from '../ledger/index.ts';
import { type JobDeps, type NewAlert, raiseAlert } from '../people/index.ts';
import { type Environment, type OnceEnd, operatorNetworks } from '../wire/index.ts';

/** Without a cosignature for so long, somebody is told. */
const AWAY_MS = 3_600_000;
/** A witness checks a signature and writes a file. */
const ANSWER_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** The first may be answered with the size that the witness knows, the second with one that another process brought. */
const TRIES_MAX = 4;
const SIZE = /^(0|[1-9][0-9]{0,15})\n$/;

type WitnessDeps = Pick<
  JobDeps,
  'session' | 'tenant' | 'instance' | 'clock' | 'ids' | 'environment' | 'network'
> & { readonly copies: CheckpointCopies | undefined };

/** The policy that the environment names; undefined where none is. */
function witnessPolicy(environment: Environment): TrustPolicy | undefined {
  const file = environment['FILEWRIGHT_POLICY'];
  if (file === undefined || file === '') return undefined;
  try {
    return parseTrustPolicy(readFileSync(file));
  } catch (error) {
    if (error instanceof FilewrightError) throw error;
    const message = `FILEWRIGHT_POLICY names ${file}, which cannot be read: ${whyUnreadable(error)}`;
    throw new FilewrightError('NOT_FOUND', message, { cause: error });
  }
}

/**
 * Each witness with an address is asked once; all at the same time, because one that hangs must not hold up another. One
 * that has cosigned the newest head is asked again only where it is `always`: a database that was put back to a head that
 * was cosigned looks as if nothing had happened since.
 */
export async function askWitnesses(
  deps: WitnessDeps,
  { always = false }: { readonly always?: boolean } = {},
): Promise<readonly WitnessedBy[]> {
  const policy = witnessPolicy(deps.environment);
  const witnesses = policy?.witnesses.filter(({ url }) => url !== undefined) ?? [];
  return Promise.all(
    witnesses.map(async (witness) => {
      const outcome = await new Asking(deps, witness).ask(always);
      const alert = alertOf(outcome, originOf(deps));
      if (alert !== undefined) await raiseAlert(deps, alert);
      return outcome;
    }),
  );
}

function originOf({ instance, tenant }: Pick<WitnessDeps, 'instance' | 'tenant'>): string {
  return logOrigin(instance, tenant, 'spine');
}

class Asking {
  readonly #deps: WitnessDeps;
  readonly #witness: TrustedWitness;
  readonly #log: { readonly tenant: string; readonly boundary: 'spine' };

  constructor(deps: WitnessDeps, witness: TrustedWitness) {
    this.#deps = deps;
    this.#witness = witness;
    this.#log = { tenant: deps.tenant, boundary: 'spine' };
  }

  async ask(always: boolean): Promise<WitnessedBy> {
    const { session, clock } = this.#deps;
    const last = await lastCosigned(session, this.#log, this.#witness.key.text);
    let known = last?.size ?? 0;
    for (let n = 0; n < TRIES_MAX; n += 1) {
      // Read each time: what the witness knows may be a head that another process has signed meanwhile.
      const head = await latestCheckpoint(session, this.#log);
      if (head === undefined) return this.#outcome('idle', known, 'Nothing is signed yet.');
      if (n === 0 && known === head.size && !always) return this.#outcome('cosigned', known, '');
      if (known > head.size) {
        const found = `it has cosigned ${known} entries, and this database has signed ${head.size}`;
        return this.#outcome('contradicted', last?.size ?? 0, found);
      }
      const end = await this.#post(known, head);
      if (end.kind === 'failure' || end.status >= 500) {
        const isLong = last === undefined || clock.now() - last.at > AWAY_MS;
        const why = end.kind === 'failure' ? end.message : `It answered ${end.status}.`;
        return this.#outcome(isLong ? 'away' : 'idle', last?.size ?? 0, why);
      }
      const text = Buffer.from(end.body).toString('utf8');
      if (end.status === 200) return this.#keep(head, text, last?.size ?? 0);
      if (end.status === 422) {
        const found = `the ${known} entries that it has cosigned are not the beginning of ours`;
        return this.#outcome('contradicted', last?.size ?? 0, found);
      }
      const size = end.status === 409 ? SIZE.exec(text)?.[1] : undefined;
      if (size === undefined) {
        return this.#outcome('refused', last?.size ?? 0, `It answered ${end.status}.`);
      }
      if (Number(size) === known) {
        const found = `it has cosigned another root for ${known} entries`;
        return this.#outcome('contradicted', last?.size ?? 0, found);
      }
      known = Number(size);
    }
    return this.#outcome('idle', last?.size ?? 0, 'Its head moves all the time.');
  }

  async #post(oldSize: number, head: StoredCheckpoint): Promise<OnceEnd> {
    const { session, environment, network } = this.#deps;
    const proof = await growthProof(session, this.#log, { size1: oldSize, size2: head.size });
    const note = Buffer.from(head.note).toString('utf8');
    const base = this.#witness.url ?? '';
    const authorities = certificatesOf(environment['FILEWRIGHT_WITNESS_CA']);
    // Loaded on demand: commands that only ask the database never need it.
    const { askOnce, UNGUARDED } = await import('../wire/index.ts');
    return askOnce(
      {
        method: 'POST',
        url: new URL('add-checkpoint', base.endsWith('/') ? base : `${base}/`),
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: Buffer.from(writeAddCheckpoint({ oldSize, proof, note }), 'utf8'),
        // Two installations of one house: the operator's list says so, and not the policy file.
        allowPrivateAddresses: operatorNetworks(environment),
      },
      { wholeMs: ANSWER_MS, keptBytesMax: ANSWER_BYTES_MAX, readBytesMax: ANSWER_BYTES_MAX },
      { ...network, ...(authorities === undefined ? {} : { certificateAuthorities: authorities }) },
      UNGUARDED,
    );
  }

  /** In the database first, then in the copy outside: a crash between the two is made up for at the next start. */
  async #keep(head: StoredCheckpoint, answer: string, before: number): Promise<WitnessedBy> {
    const { session, copies } = this.#deps;
    const { key } = this.#witness;
    const read = readCosignature(head.note, answer, key);
    if (typeof read === 'string') {
      return this.#outcome('refused', before, `Its answer does not hold: ${read}.`);
    }
    const { size } = head;
    await addCosignature(session, this.#log, { size, witness: key.text, ...read });
    for await (const { note } of checkpointsFrom(session, this.#log, size)) {
      await copies?.amend(originOf(this.#deps), size, note);
      break;
    }
    return this.#outcome('cosigned', size, '');
  }

  #outcome(state: WitnessedBy['state'], size: number, message: string): WitnessedBy {
    return { witness: this.#witness.name, state, size, message };
  }
}

function certificatesOf(file: string | undefined): readonly string[] | undefined {
  return file === undefined || file === '' ? undefined : [readFileSync(file, 'utf8')];
}

/** Pure. Who must act, and what to do; a witness that is away for a moment is nobody's concern. */
function alertOf(outcome: WitnessedBy, origin: string): NewAlert | undefined {
  const { witness, state, message } = outcome;
  const about = { subject: origin, dedup: `witness/${witness}/${state}` };
  switch (state) {
    case 'cosigned':
    case 'idle':
      return undefined;
    case 'contradicted':
      return {
        ...about,
        kind: 'witness_contradicts',
        severity: 'critical',
        text: `The witness ${witness} knows another history of ${origin}: ${message}. The database was restored to an older state, or rewritten. Stop sending, change nothing, and run audit quarantine status and audit verify.`,
      };
    case 'refused':
      return {
        ...about,
        kind: 'witness_refuses',
        severity: 'warning',
        text: `The witness ${witness} does not cosign ${origin}. ${message} Send its operator the keys that audit checkpoint shows.`,
      };
    case 'away':
      return {
        ...about,
        kind: 'witness_away',
        severity: 'warning',
        text: `The witness ${witness} has not cosigned ${origin} for more than an hour. ${message} Until it does, no one outside can vouch for newer entries.`,
      };
  }
}
