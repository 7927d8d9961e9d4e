/** Every fact that the three demos leave in their ledgers is one that the catalogue describes, in its spelling. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FACTS, isFactType, requireFitting } from '../src/core/facts/catalogue.ts';
import { type FactShape, missingFrom } from '../src/core/facts/shape.ts';
import type { JsonValue } from '../src/core/canonical-json.ts';
import { ensureEmbedded } from '../src/postgres/embedded/ensure.ts';
import { Session } from '../src/postgres/session.ts';
import { CliWorld } from './fixtures/cli.ts';

interface Fact {
  readonly type: string;
  readonly data: Readonly<Record<string, JsonValue>>;
}

const DEMOS: readonly (readonly string[])[] = [
  ['--tenant', 'entities', 'demo'],
  ['--tenant', 'patents', 'demo', 'patent'],
  ['--tenant', 'grants', 'demo', 'grants'],
];

let world: CliWorld;
let facts: readonly Fact[] = [];

beforeAll(async () => {
  world = await CliWorld.make();
  for (const words of DEMOS) {
    const { code, stdout, stderr } = await world.start(words).ended;
    expect(code, `${words.join(' ')}\n${stdout}${stderr}`).toBe(0);
  }
  const { connection } = await ensureEmbedded({ dataDirectory: world.dataDirectory });
  const session = new Session({ target: connection, schema: 'filewright', name: 'test' });
  const rows = await session.run({ name: '', text: 'select bytes from ledger_entry' }, []);
  await session.close();
  // bytea comes as bytes, and an entry is canonical JSON.
  facts = rows.map((row) => JSON.parse(Buffer.from(row['bytes'] as Uint8Array).toString()) as Fact);
}, 300_000);
afterAll(() => world?.close());

describe('facts of the demos', () => {
  it('are of known types only, and of every noun that a demo touches', () => {
    expect([...new Set(facts.map(({ type }) => type))].filter((type) => !isFactType(type))).toEqual(
      [],
    );
    const nouns = new Set(facts.map(({ type }) => type.slice(0, type.indexOf('.'))));
    const touched = [
      'batch',
      'breaker',
      'docket',
      'feed',
      'filing',
      'period',
      'person',
      'recovery',
    ];
    expect(touched.filter((noun) => !nouns.has(noun))).toEqual([]);
  });

  it('fit their descriptions, and lack no field', () => {
    const faults = new Set<string>();
    for (const { type, data } of facts) {
      if (!isFactType(type)) continue;
      const shape: FactShape = FACTS[type];
      for (const name of missingFrom(data, shape.fields)) faults.add(`${type} lacks ${name}`);
      expect(() => requireFitting(type, data)).not.toThrow();
    }
    expect([...faults]).toEqual([]);
  });

  it('hold no moment as a number, and no name in another spelling than ours', () => {
    const wrong = new Set<string>();
    for (const { type, data } of facts) {
      for (const [name, value] of everything(data)) {
        if (/[A-Z]/.test(name) && !isGiven(type)) wrong.add(`${type} ${name}`);
        // Any moment since 2001 in milliseconds; no count comes near it.
        if (typeof value === 'number' && value > 1e12) wrong.add(`${type} ${name}`);
      }
    }
    expect([...wrong]).toEqual([]);
  });
});

describe('a fact in another spelling', () => {
  const at = '2026-03-02T10:00:00.000Z';
  it.each([
    [
      'a moment as a number',
      { at: 1_772_445_600_000, due: '2026-03-02' },
      '/at: expected an instant',
    ],
    ['a name in camelCase', { at, dueDay: '2026-03-02' }, '/dueDay: there is no such field'],
    ['a day that is a moment', { at, due: at }, '/due: expected a day'],
  ])('is refused: %s', (_, data, fault) => {
    expect(() => requireFitting('docket.late', data)).toThrow(fault);
  });
});

/** What others wrote keeps their names: codes of currencies, fields of a row. */
function isGiven(type: string): boolean {
  return isFactType(type) && JSON.stringify(FACTS[type].fields).includes('"given"');
}

function* everything(value: JsonValue, name = ''): Generator<[string, JsonValue]> {
  yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [inner, one] of Object.entries(value)) {
    yield* everything(one, Array.isArray(value) ? name : inner);
  }
}
