/**
 * The adversary: somebody who owns the database server and has none of our keys. Every trigger is switched off; each
 * change is committed, looked for by `audit verify --rows` and in an export by tools/verify.py, and undone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition, missing } from '../verify-py/python.ts';
import { LOG_MUTATIONS } from './log-mutations.ts';
import { MUTATIONS } from './mutations.ts';
import { NOT_MUTATED } from './not-mutated.ts';
import { MutationWorld, tablesOf } from './world.ts';

describe.skipIf(missing)(`rows against entries${condition}`, { timeout: 120_000 }, () => {
  let world: MutationWorld;
  beforeAll(async () => {
    world = await MutationWorld.make();
  });
  afterAll(() => world.close());

  it('finds nothing in a firm that nobody has touched', async () => {
    expect(await world.findings()).toEqual({ ours: [], python: null, where: null });
  });

  it('knows of every table whether a promise rests on it', async () => {
    const changed = new Set(tablesOf([...MUTATIONS, ...LOG_MUTATIONS].flatMap(({ sql }) => sql)));
    const tables = await world.tables();
    const named = Object.keys(NOT_MUTATED);
    expect(tables.filter((table) => !changed.has(table) && !named.includes(table))).toEqual([]);
    expect(named.filter((table) => changed.has(table) || !tables.includes(table))).toEqual([]);
  });

  it('has at least sixty changes to find', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(MUTATIONS)('finds $what', async (mutation) => {
    const { found } = mutation;
    const { ours, python, where } = await world.after(mutation);
    expect(ours).toContain(found);
    const [reason = '', place = ''] = found.split(' ');
    expect(python, String(where)).toMatch(/^(ROW_DIFFERS|ROW_WITHOUT_ENTRY|ENTRY_WITHOUT_ROW)$/);
    // It tells the first of several; where there is one, it is the same.
    if (ours.length === 1) {
      expect([python, where?.split(' ')[0]]).toEqual([reason, place.split('.')[0]]);
    }
  });

  // What does not verify is not exported: the refusal is what a stranger gets, with the same reason.
  it.each(LOG_MUTATIONS)('finds $what', async (mutation) => {
    const { found } = mutation;
    const { ours, python, where } = await world.after(mutation);
    expect(ours).toContain(found);
    expect(python).toBe('LEDGER_BROKEN');
    expect(where).toContain(found);
  });

  it('and nothing is left of any of it', async () => {
    expect(await world.findings()).toEqual({ ours: [], python: null, where: null });
  });
});
