import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, toRfc3339 } from '../../src/core/time.ts';
import { uuidV7 } from '../../src/core/ids.ts';
import { buildEntry } from '../../src/ledger/entry.ts';
import type { IntakeEntry } from '../../src/ledger/entry-type.ts';
import { EntryWriter } from '../../src/ledger/store/entry-writer.ts';

const ORIGIN = 'ledger.example.org/acme/filing';
const PREV = Buffer.alloc(32, 7);

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', 'é', '\u007f'),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      anyText.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

const intake = fc.record({
  id: fc
    .tuple(fc.nat(2 ** 40), fc.uint8Array({ minLength: 10, maxLength: 10 }))
    .map(([ms, bytes]) => uuidV7(ms, bytes)),
  at: fc.integer({ min: 0, max: 4e12 }).map(instant),
  type: fc.constantFrom('filing.intent', 'filing.state', 'a.b_c.d9'),
  kind: anyText,
  subject: anyText,
  ver: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  actorKind: fc.constantFrom('service', 'user', 'system'),
  actor: anyText,
  trace: anyText,
  cls: fc.constantFrom('public', 'internal', 'confidential', 'privileged'),
  data: fc.dictionary(
    anyText.filter((key) => key !== '__proto__'),
    value,
    { noNullPrototype: true },
  ),
  body: fc.option(fc.record({ key: anyText, ct: hash, cm: hash })),
});
type Intake = typeof intake extends fc.Arbitrary<infer T> ? T : never;

/** As the driver gives it: the body as PostgreSQL writes jsonb. */
function rowOf(from: Intake): Record<string, unknown> {
  const { body } = from;
  return {
    id: from.id,
    at: from.at,
    type: from.type,
    subj_kind: from.kind,
    subj_id: from.subject,
    subj_ver: from.ver,
    actor_kind: from.actorKind,
    actor_id: from.actor,
    trace: from.trace,
    cls: from.cls,
    data: from.data,
    body:
      body === null
        ? null
        : `{"cm": "${body.cm}", "ct": "${body.ct}", "alg": "A256GCM", "key": ${JSON.stringify(body.key)}}`,
  };
}

function entryOf(from: Intake): IntakeEntry {
  return {
    id: from.id,
    at: toRfc3339(from.at),
    type: from.type,
    subj: { kind: from.kind, id: from.subject, ver: from.ver },
    actor: { kind: from.actorKind, id: from.actor },
    trace: from.trace,
    cls: from.cls,
    // Built from JSON values above.
    data: from.data as IntakeEntry['data'],
    body: from.body === null ? null : { alg: 'A256GCM', ...from.body },
  };
}

describe('the writer of entries', () => {
  it('writes the bytes that the ledger’s own builder writes, whatever the facts hold', () => {
    fc.assert(
      fc.property(fc.array(intake, { minLength: 1, maxLength: 5 }), (all) => {
        const writer = new EntryWriter(ORIGIN);
        const ts = '2026-03-02T09:00:03.411Z';
        for (const [seq, each] of all.entries()) {
          const expected = buildEntry(entryOf(each), { log: ORIGIN, seq, prev: PREV, ts });
          const { start, length, leaf } = writer.write(rowOf(each), { seq, prev: PREV, ts });
          const written = Buffer.from(writer.written.subarray(start, start + length));
          expect(written.toString()).toBe(Buffer.from(expected.bytes).toString());
          expect(leaf.equals(expected.leaf)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('grows for entries that are larger than its buffer, and keeps those before', () => {
    const writer = new EntryWriter(ORIGIN);
    const [one] = fc.sample(intake, { numRuns: 1, seed: 1 });
    if (one === undefined) throw new Error('no sample');
    const row = { ...rowOf(one), data: { text: 'é'.repeat(20_000) } };
    const place = { prev: PREV, ts: '2026-03-02T09:00:03.411Z' };
    const written = Array.from({ length: 30 }, (_, seq) => writer.write(row, { seq, ...place }));
    for (const [seq, { start, length }] of written.entries()) {
      const text = Buffer.from(writer.written.subarray(start, start + length)).toString();
      expect(JSON.parse(text)).toMatchObject({ seq, v: 1 });
    }
  });

  it('refuses what would not verify, with the ledger’s own words', () => {
    const [one] = fc.sample(intake, { numRuns: 1, seed: 2 });
    if (one === undefined) throw new Error('no sample');
    const place = { seq: 0, prev: PREV, ts: '2026-03-02T09:00:03.411Z' };
    const write = (change: object) => () =>
      new EntryWriter(ORIGIN).write({ ...rowOf(one), ...change }, place);
    expect(write({ id: '00000000-0000-4000-8000-000000000000' })).toThrow('UUIDv7');
    expect(write({ type: 'Filing' })).toThrow('type is not');
    expect(write({ data: [1] })).toThrow('data is not an object');
    expect(write({ data: { x: 1.5 } })).toThrow('integer');
    expect(write({ body: '{"alg": "none"}' })).toThrow('body');
    expect(write({ data: { text: 'x'.repeat(70_000) } })).toThrow('65535');
  });
});
