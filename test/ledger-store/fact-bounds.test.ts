/** Whatever a fact is made of: it is refused before anything is committed, or it can be written as an entry. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedFact, FACT_DATA_BYTES_MAX } from '../../src/core/fact-bounds.ts';
import { canonicalText, type JsonValue } from '../../src/core/canonical-json.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { LedgerFact } from '../../src/core/ports.ts';
import { recordFact } from '../../src/ledger/store/facts.ts';
import { setAsideFacts } from '../../src/ledger/store/kept-facts.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { verifyLogs } from '../fixtures/verify-logs.ts';
import { INSTANCE, type LedgerWorld, ledgerWorld } from './ledger-world.ts';
import { takeAnyFact } from '../store-contract/postgres-world.ts';

let database: FreshDatabase;
let world: LedgerWorld;
beforeAll(async () => {
  database = await freshDatabase();
  world = await ledgerWorld(database);
  await takeAnyFact(world.admin);
});
afterAll(async () => {
  await world?.close();
  await database?.close();
});

const bare = (data: LedgerFact['data']) => ({ type: 'a.b', actor: { id: 'x' }, trace: 't', data });
const bytesOf = (value: JsonValue): number => Buffer.byteLength(canonicalText(value));

describe('the data of a fact', () => {
  it('stays as it is where it fits', () => {
    const data = { labels: Array.from({ length: 80 }, () => 'l'.repeat(500)), to: 'accepted' };
    expect(boundedFact(bare(data))).toEqual({ data, long: {} });
  });

  it('gives its largest parts for their hashes until it fits, and keeps the small ones', () => {
    const labels = Array.from({ length: 150 }, (_, n) => `${n}`.padEnd(500, 'l'));
    const why = 'w'.repeat(30_000);
    const { data, long } = boundedFact(bare({ labels, why, from: 'pending', to: 'accepted' }));
    expect(long).toEqual({ labels });
    const text = canonicalText(labels);
    expect(data).toEqual({
      labels: { sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length },
      why,
      from: 'pending',
      to: 'accepted',
    });
  });

  it('is measured in bytes as they are written, not in characters', () => {
    for (const letter of ['漢', '\u0001', '"', '𝒳']) {
      const data = { a: letter.repeat(23_000), b: letter.repeat(2_000) };
      expect(bytesOf(boundedFact(bare(data)).data)).toBeLessThanOrEqual(FACT_DATA_BYTES_MAX);
    }
  });

  it.each([
    ['a NUL', { data: { a: 'x\u0000y' } }],
    ['a NUL in a name', { data: { 'x\u0000y': 1 } }],
    ['a lone surrogate', { data: { a: '\ud800' } }],
    ['a fraction', { data: { a: 0.5 } }],
    ['too many levels', { data: { a: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) } }],
    [
      'more small parts than fit',
      { data: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n])) },
    ],
    ['a type that is none', { type: 'Closed' }],
    ['a long actor', { actor: { id: 'a'.repeat(501) } }],
    ['a long trace', { trace: 'a'.repeat(501) }],
  ])('is refused with %s', (_, part) => {
    expect(() => boundedFact({ ...bare({}), ...part })).toThrow(FilewrightError);
  });

  it('may name a backslash before u0000', () => {
    const data = { a: '\\u0000' };
    expect(boundedFact(bare(data)).data).toEqual(data);
  });
});

describe('any fact that the store takes', () => {
  it('is written as an entry, and none is set aside', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        '\u0000',
        '\ud800',
        '\\u0000',
        '__proto__',
        '漢'.repeat(30_000),
        'x'.repeat(70_000),
      ),
    );
    const value = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    const facts = fc.sample(
      fc.record({
        data: fc.dictionary(text, value, { maxKeys: 6, noNullPrototype: true }),
        actor: text,
        trace: text,
      }),
      400,
    );
    let taken = 0;
    const { admin, tenant } = world;
    for (const [n, { data, actor, trace }] of facts.entries()) {
      const fact: LedgerFact = {
        ...world.fact('thing.happened', data),
        actor: { kind: 'system', id: actor },
        trace,
      };
      const subject = { kind: 'thing', id: `fuzz-${n}`, ver: 1 };
      await recordFact(admin.run.bind(admin), { tenant, boundary: 'filing' }, subject, fact).then(
        () => (taken += 1),
        (error: unknown) => {
          // Refused in our own words, not in the database's.
          if (!(error instanceof FilewrightError)) throw error;
        },
      );
    }
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(400);
    expect(await verifyLogs(admin, tenant, INSTANCE)).toMatchObject({ faults: [], waiting: 0 });
    expect(await setAsideFacts(admin, tenant)).toEqual([]);
  });
});
