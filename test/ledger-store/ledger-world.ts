/** A tenant whose logs are signed and copied: the store's world with a sequencer that has keys and a folder. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryId, type PersonId } from '../../src/core/ids.ts';
import type { FactType } from '../../src/core/facts/catalogue.ts';
import type { LedgerFact, Random } from '../../src/core/ports.ts';
import type { LedgerBoundary } from '../../src/core/boundary.ts';
import { logOrigin } from '../../src/ledger/entry.ts';
import { PLANNER } from '../../src/postgres/planner.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { Session } from '../../src/postgres/session.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import type { SigningMeans } from '../../src/ledger/store/signing-keys.ts';
import { CheckpointFiles } from '../../src/system/checkpoint-copies.ts';
import type { FreshDatabase } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from '../store-contract/postgres-world.ts';

export const INSTANCE = 'ledger.example.org';
export const random: Random = { bytes: (count) => randomBytes(count) };

export interface LedgerWorld extends PostgresWorld {
  readonly signing: SigningMeans;
  readonly folder: string;
  readonly copies: CheckpointFiles;
  readonly sequencer: PostgresSequencer;
  /** Another process that has seen nothing yet. */
  another(): PostgresSequencer;
  log(boundary: LedgerBoundary): { tenant: string; boundary: LedgerBoundary; origin: string };
  fact(type: string, data?: LedgerFact['data']): LedgerFact;
  /** Plain facts about lanes of their own, straight into intake. */
  addFacts(count: number, boundary?: LedgerBoundary): Promise<void>;
  /** Two founders. */
  readonly people: readonly [PersonId, PersonId];
  run: Session['run'];
}

export async function ledgerWorld(database: FreshDatabase): Promise<LedgerWorld> {
  const world = await postgresWorld(database);
  const folder = await mkdtemp(join(tmpdir(), 'fw-copies-'));
  const copies = new CheckpointFiles(folder);
  const signing: SigningMeans = { tenantKey: new TenantKey(randomBytes(32)), random };
  const sessions: Session[] = [];
  const { tenant } = world;
  const another = (): PostgresSequencer => {
    const session = new Session({ ...database, name: 'sequencer', settings: PLANNER });
    sessions.push(session);
    return new PostgresSequencer({ session, tenant, instance: INSTANCE, signing, copies });
  };
  const fact = (type: string, data: LedgerFact['data'] = {}): LedgerFact => ({
    id: entryId(world.ids.next()),
    // Some tests record facts of no known type, as a database holds them that somebody else wrote to.
    type: type as FactType,
    actor: { kind: 'system', id: 'test' },
    trace: 'test',
    data,
  });
  return {
    ...world,
    signing,
    folder,
    copies,
    sequencer: another(),
    another,
    log: (boundary) => ({ tenant, boundary, origin: logOrigin(INSTANCE, tenant, boundary) }),
    fact,
    run: (statement, values) => world.admin.run(statement, values),
    async addFacts(count, boundary = 'filing') {
      const ids = Array.from({ length: count }, () => world.ids.next());
      await world.admin.run(
        {
          name: '',
          text: `insert into ledger_intake
            (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
            select $1, $2, id, now(), 'test.happened', 'thing', id::text, 1, 'system', 'test', 'test', '{"n":1}'
            from unnest($3::uuid[]) id`,
        },
        [tenant, boundary, ids],
      );
    },
    people: [world.person, world.second],
    async close() {
      await Promise.all(sessions.map((session) => session.close()));
      await world.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a generator gives, where it is known to be little. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
