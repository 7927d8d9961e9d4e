/** Where a world stands, of a seed or of a test: a tenant of its own in a real database, with roles, keys and two people. */
import { randomBytes } from 'node:crypto';
import type { FactType } from '../../src/core/facts/catalogue.ts';
import type { Clock, LedgerFact, Random } from '../../src/core/ports.ts';
import { entryId, type PersonId, personId } from '../../src/core/ids.ts';
import { type Instant, instant } from '../../src/core/time.ts';
import { grantsLawFrom } from '../../src/grants/rules/law.ts';
import type { PipelineDeps } from '../../src/grants/pipeline/contracts.ts';
import { ROLES } from '../../src/access/role.ts';
import { foundPerson } from '../../src/people/store/people.ts';
import { type ConnectionTarget, Session } from '../../src/postgres/session.ts';
import { localRootKey, openTenantKey } from '../../src/ledger/store/key-tree.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { systemIds } from '../../src/system/clock.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

const LAW = grantsLawFrom(shippedLaw());
/** Keys and ids need not be those of a seed: no decision hangs on them. */
export const random: Random = { bytes: (count) => randomBytes(count) };

export interface Stand {
  readonly tenant: string;
  readonly target: ConnectionTarget;
  readonly session: Session;
  readonly parts: PipelineDeps;
  readonly people: readonly [PersonId, PersonId];
  advance(ms: number): void;
  now(): Instant;
  close(): Promise<void>;
}

export interface Place {
  readonly target: ConnectionTarget;
  readonly schema: string;
}

export interface StandOptions {
  readonly tenant: string;
  readonly instance: string;
  /** Where its clock stands until it is moved. */
  readonly startMs: number;
  readonly people: readonly [string, string];
  /** What the pipeline draws from. */
  readonly random: Random;
  /** Of the database session, beside the tenant. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function openStand(place: Place, options: StandOptions): Promise<Stand> {
  const { tenant } = options;
  const settings = { ...place.target.settings, ...options.settings, 'fw.tenant': tenant };
  const target = { ...place.target, settings };
  const session = new Session({ target, schema: place.schema, name: 'grants world' });
  // With this session, since roles are made only where a tenant is known.
  await migrate(session, place.schema);
  // The pipeline is driven here below its acts, where nobody has shown a key: who acts is not what these worlds are about.
  for (const text of [
    'alter table proposal disable trigger proposal_who_proposes, disable trigger proposal_who_decides',
    'alter table ledger_intake disable trigger ledger_intake_guard',
  ]) {
    await session.run({ name: '', text });
  }
  const rootKey = randomBytes(32);
  const { key, instance } = await openTenantKey(session, {
    tenant,
    instance: options.instance,
    rootKey: () => localRootKey(rootKey, random, undefined),
    random,
  });
  let now = options.startMs;
  const clock: Clock = {
    now: () => instant(now),
    monotonicMs: () => now,
    sleep: () => Promise.resolve(),
  };
  const ids = systemIds({ ...clock, now: () => instant(Date.now()) }, random);
  const add = async (name: string): Promise<PersonId> => {
    const id = personId(ids.next());
    const fact = (type: FactType): LedgerFact => ({
      id: entryId(ids.next()),
      type,
      actor: { kind: 'system', id: 'world' },
      trace: 'world',
      data: {},
    });
    const key = { id: ids.next(), name: 'first', sha256: randomBytes(32), days: 365 };
    const person = { id, name, skeleton: name.toLowerCase(), roles: ROLES };
    await foundPerson(session, tenant, person, key, {
      person: fact('person.added'),
      key: fact('key.added'),
    });
    return id;
  };
  const [first, second] = options.people;
  const people = [await add(first), await add(second)] as const;
  return {
    tenant,
    target,
    session,
    people,
    parts: {
      session,
      tenant,
      instance,
      tenantKey: new TenantKey(key),
      clock,
      ids,
      random: options.random,
      law: LAW,
    },
    advance: (ms) => {
      now += ms;
    },
    now: () => instant(now),
    close: () => session.close(),
  };
}
