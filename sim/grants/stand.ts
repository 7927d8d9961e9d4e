/** Where a world stands: a tenant of its own in a real database, with roles, keys and two people. */
import { randomBytes } from 'node:crypto';
import {
  type Clock,
  entryId,
  type Instant,
  instant,
  type LedgerFact,
  type PersonId,
  personId,
  type Random,
} from '../../src/core/index.ts';
import { grantsLawFrom } from '../../src/packs/grants/index.ts';
import type { PipelineParts } from '../../src/pipeline/index.ts';
import {
  addPerson,
  type ConnectionTarget,
  localRootKey,
  migrate,
  openTenantKey,
  Session,
} from '../../src/store/index.ts';
import { systemIds } from '../../src/system/index.ts';
import { shippedLaw } from '../../src/system/law/index.ts';
import { SeededRandom } from '../../src/testing/index.ts';

const START = Date.UTC(2026, 3, 1, 9);
const ACTOR = { kind: 'system', id: 'simulation' } as const;
const LAW = grantsLawFrom(shippedLaw());
/** Keys and ids need not be those of the seed: no decision hangs on them. */
const random: Random = { bytes: (count) => randomBytes(count) };

export interface Stand {
  readonly tenant: string;
  readonly session: Session;
  readonly parts: PipelineParts;
  readonly people: readonly [PersonId, PersonId];
  advance(ms: number): void;
  now(): Instant;
  close(): Promise<void>;
}

export interface Place {
  readonly target: ConnectionTarget;
  readonly schema: string;
}

export async function prepare({ target, schema }: Place): Promise<void> {
  const session = new Session({ target, schema, name: 'simulation' });
  await migrate(session, schema);
  await session.close();
}

export async function openStand(place: Place, tenant: string, seed: number): Promise<Stand> {
  const settings = {
    ...place.target.settings,
    'fw.tenant': tenant,
    // What dies here is our process, never the server: nothing that it has answered is lost.
    synchronous_commit: 'off',
  };
  const target = { ...place.target, settings };
  const session = new Session({ target, schema: place.schema, name: 'simulation' });
  const rootKey = randomBytes(32);
  const { key, instance } = await openTenantKey(session, {
    tenant,
    instance: 'simulation.example.org',
    rootKey: () => localRootKey(rootKey, random, undefined),
    random,
  });
  let now = START;
  const clock: Clock = {
    now: () => instant(now),
    monotonicMs: () => now,
    sleep: () => Promise.resolve(),
  };
  const ids = systemIds({ ...clock, now: () => instant(Date.now()) }, random);
  const add = async (name: string): Promise<PersonId> => {
    const id = personId(ids.next());
    const fact: LedgerFact = {
      id: entryId(ids.next()),
      type: 'person.added',
      actor: ACTOR,
      trace: 'simulation',
      data: {},
    };
    const person = { id, name, keySha256: randomBytes(32) };
    await addPerson(session, tenant, person, fact, { onlyAsFirst: false });
    return id;
  };
  const people = [await add('Nora'), await add('Theo')] as const;
  return {
    tenant,
    session,
    people,
    parts: {
      session,
      tenant,
      instance,
      tenantKey: key,
      clock,
      ids,
      random: new SeededRandom(seed, 'jitter and keys'),
      law: LAW,
    },
    advance: (ms) => {
      now += ms;
    },
    now: () => instant(now),
    close: () => session.close(),
  };
}
