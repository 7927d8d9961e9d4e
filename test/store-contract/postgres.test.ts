/** What only PostgreSQL can be asked: its walls, its plans, and connections that are cut. */
import { afterAll, beforeAll, describe } from 'vitest';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from '../fixtures/database.ts';
import { cutsContract } from './cuts.ts';
import { plansContract } from './plans.ts';
import { wallsContract } from './walls.ts';

function postgres(where: 'embedded' | 'url'): void {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase(where);
  });
  afterAll(() => database.close());
  wallsContract(() => database);
  plansContract(() => database);
  cutsContract(() => database);
}

describe('the embedded PostgreSQL', () => postgres('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => postgres('url'),
);
