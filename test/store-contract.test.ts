/** One suite for every store: what the simulation relies on in memory, PostgreSQL does as well. */
import { afterAll, beforeAll, describe } from 'vitest';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from './fixtures/database.ts';
import { admissionContract } from './store-contract/admission.ts';
import { claimsContract } from './store-contract/claims.ts';
import { lanesContract } from './store-contract/lanes.ts';
import { memoryWorld } from './store-contract/memory-world.ts';
import { outcomesContract } from './store-contract/outcomes.ts';
import { postgresWorld } from './store-contract/postgres-world.ts';
import { recoveryContract } from './store-contract/recovery.ts';
import { sequencingContract } from './store-contract/sequencing.ts';
import { slotsContract } from './store-contract/slots.ts';
import type { OpenWorld } from './store-contract/world.ts';

function contract(open: OpenWorld): void {
  slotsContract(open);
  claimsContract(open);
  outcomesContract(open);
  recoveryContract(open);
  lanesContract(open);
  admissionContract(open);
  sequencingContract(open);
}

function postgresContract(where: 'embedded' | 'url'): void {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase(where);
  });
  afterAll(() => database.close());
  contract(() => postgresWorld(database));
}

describe('the memory store', () => contract(memoryWorld));
describe('the embedded PostgreSQL', () => postgresContract('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => postgresContract('url'),
);
