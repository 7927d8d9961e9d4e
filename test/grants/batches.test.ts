import { describe, expect, it } from 'vitest';
import { canonicalText, type JsonValue } from '../../src/core/canonical-json.ts';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import {
  BATCH_ENTRIES,
  matchEach,
  matchExpectedPayments,
} from '../../src/grants/rules/matching/match.ts';
import type { FoundOutcome } from '../../src/grants/rules/matching/outcome.ts';
import {
  ListedEntries,
  type OpenEntries,
  PackedEntries,
} from '../../src/grants/rules/matching/entries/open-entries.ts';
import { OutcomeList } from '../../src/grants/rules/matching/outcome-list.ts';
import { totalsOf } from '../../src/grants/rules/matching/period.ts';
import { batchesOf } from '../../src/grants/rules/matching/components/batches.ts';
import { textHash } from '../../src/grants/rules/matching/entries/text-hash.ts';
import { type MatchWorld, matchWorld } from './match-worlds.ts';
import { day, line, mulberry32, expectedPayment, shuffled } from './reco.ts';

const SEEDS = Array.from({ length: 1_500 }, (_, at) => at + 1);
const TOGETHER = Infinity;
/** Each component alone. */
const APART = 0;

function canonical(outcomes: Iterable<FoundOutcome>): string[] {
  // Outcomes are plain JSON.
  return Array.from(outcomes, ({ outcome }) => canonicalText(outcome as unknown as JsonValue));
}

function packed({ lines, expectedPayments }: MatchWorld): PackedEntries {
  const entries = new PackedEntries();
  // In turns: nothing may hang on which side comes first.
  for (let at = 0; at < Math.max(lines.length, expectedPayments.length); at += 1) {
    const [one, other] = [lines[at], expectedPayments[at]];
    if (one !== undefined) entries.addLine(one);
    if (other !== undefined) entries.addExpectedPayment(other);
  }
  return entries;
}

describe('components', () => {
  it('matched one by one give what all of them give together', () => {
    let components = 0;
    for (const seed of SEEDS) {
      const world = matchWorld(seed);
      const together = JSON.stringify(matchExpectedPayments({ ...world, batchEntries: TOGETHER }));
      for (const batchEntries of [APART, 7]) {
        const apart = JSON.stringify(matchExpectedPayments({ ...world, batchEntries }));
        expect(apart, `seed ${seed}, batches of ${batchEntries}`).toBe(together);
      }
      components += [...batchesOf(packed(world), APART)].length;
    }
    // Otherwise it would have shown nothing.
    expect(components / SEEDS.length).toBeGreaterThan(5);
  });

  it('have every rule among them, or the test above would not see it', () => {
    const rules = new Map<string, number>();
    for (const seed of SEEDS) {
      for (const { rule } of matchExpectedPayments(matchWorld(seed))) {
        rules.set(rule, (rules.get(rule) ?? 0) + 1);
      }
    }
    expect(
      [...rules]
        .filter(([, count]) => count >= 20)
        .map(([rule]) => rule)
        .sort(),
    ).toEqual([
      'P0-duplicate-delivery',
      'P0-information',
      'P0-pending',
      'P0-reversal',
      'P1-ambiguous',
      'P1-reference-exact',
      'P2-ambiguous',
      'P2-many-to-one',
      'P3-ambiguous',
      'P3-one-to-many',
      'P4-ambiguous',
      'P4-amount-date-unique',
      'P5-ambiguous',
      'P5-short-by-fee',
      'P6-currency-mismatch',
      'P6-suspected-double-payment',
      'P6-unmatched-bank',
      'P6-unmatched-ledger',
    ]);
  });

  it('come in the same order, however the entries came', () => {
    for (const seed of SEEDS.slice(0, 200)) {
      const world = matchWorld(seed);
      const first = canonical(matchEach(packed(world), { batchEntries: 7 }));
      const random = mulberry32(seed + 9_000);
      const mixed = {
        lines: shuffled(world.lines, random),
        expectedPayments: shuffled(world.expectedPayments, random),
      };
      expect(canonical(matchEach(packed(mixed), { batchEntries: 7 })), `seed ${seed}`).toEqual(
        first,
      );
    }
  });

  it('do not grow together where the money is equal but the reference is known', () => {
    const pairs = Array.from({ length: 50 }, (_, at) => ({
      line: line({ id: `b${at}`, references: [`AW-${at}`], counterparty: undefined }),
      expectedPayment: expectedPayment({ id: `l${at}`, reference: `AW-${at}` }),
    }));
    const entries = new ListedEntries(
      pairs.map((pair) => pair.line),
      pairs.map((pair) => pair.expectedPayment),
    );
    const batches = [...batchesOf(entries, APART)];
    expect(batches).toHaveLength(50);
    for (const { lines, expectedPayments } of batches) {
      expect(lines[0]?.references[0]).toBe(expectedPayments[0]?.reference);
    }
  });

  it('a hash that two references share parts nothing', () => {
    // The line names no reference that is known, but its word has the hash of one.
    const [known, other] = ['AW-0001', 'AW-0002'];
    const entries = (): OpenEntries =>
      new ListedEntries(
        [line({ id: 'b1', references: [other] })],
        [expectedPayment({ id: 'l1', reference: known }), expectedPayment({ id: 'l2' })],
      );
    const collided = withHash(entries(), textHash(other), textHash(known));
    const [batch, ...more] = batchesOf(collided, APART);
    expect(more).toEqual([]);
    expect(batch?.expectedPayments.map(({ id }) => id).sort()).toEqual(['l1', 'l2']);
    expect(canonical(matchEach(collided, { batchEntries: APART }))).toEqual(
      canonical(matchEach(entries(), { batchEntries: TOGETHER })),
    );
  });
});

/** The same entries as if two texts had one hash. */
function withHash(entries: OpenEntries, from: number, to: number): OpenEntries {
  const { mentions } = entries.couplings;
  const each = mentions.each.bind(mentions);
  mentions.each = (visit) => each((key, entry, at) => visit(key === from ? to : key, entry, at));
  return entries;
}

describe('packed entries', () => {
  it('come back as they were', () => {
    const odd: BankLine = {
      ...line({ id: 'b1 "quoted" \u{1F4B6} \uD800' }),
      valueDate: day('2026-03-11'),
      trace: 'T',
      references: ['a', '', 'Ünïcode'],
      description: 'x'.repeat(2_000_000),
      isReversal: true,
    };
    const owed: ExpectedPayment = expectedPayment({ id: 'l1', reference: 'R', payloadHash: 'h' });
    const entries = packed({
      lines: [line({ id: 'b0' }), odd, line({ id: 'b2' })],
      expectedPayments: [expectedPayment({ id: 'l0' }), owed],
    });
    expect(entries.lineAt(0)).toEqual(line({ id: 'b0' }));
    expect(entries.lineAt(1)).toEqual(odd);
    expect(entries.lineAt(2)).toEqual(line({ id: 'b2' }));
    expect(entries.expectedPaymentAt(0)).toEqual(expectedPayment({ id: 'l0' }));
    expect(entries.expectedPaymentAt(1)).toEqual(owed);
    expect(() => entries.lineAt(3)).toThrow(RangeError);
  });

  it('give what lists of objects give', () => {
    for (const seed of SEEDS.slice(0, 200)) {
      const world = matchWorld(seed);
      const listed = new ListedEntries(world.lines, world.expectedPayments);
      expect(canonical(matchEach(packed(world))), `seed ${seed}`).toEqual(
        canonical(matchEach(listed)),
      );
    }
  });

  it('refuse an amount at once, and an id that appears twice before anything is matched', () => {
    const entries = new PackedEntries();
    for (const amountCents of [-1, 0.5, Number.NaN, 1e15]) {
      expect(() => entries.addLine(line({ id: 'b', amountCents }))).toThrow(/whole cents/);
      expect(() => entries.addExpectedPayment(expectedPayment({ id: 'l', amountCents }))).toThrow(
        /whole cents/,
      );
    }
    for (let at = 0; at < 5_000; at += 1) entries.addLine(line({ id: `b${at}` }));
    expect([...matchEach(entries)]).toHaveLength(5_000);
    entries.addLine(line({ id: 'b77', bookingDate: day('2026-05-01') }));
    expect(() => matchEach(entries).next()).toThrow(/bank line "b77": its id appears twice/);
    // The same id on the other side is another entry.
    const both = packed({
      lines: [line({ id: 'x' })],
      expectedPayments: [expectedPayment({ id: 'x' })],
    });
    expect([...matchEach(both)]).toHaveLength(1);
    const twice = packed({
      lines: [],
      expectedPayments: [expectedPayment({ id: 'x' }), expectedPayment({ id: 'x' })],
    });
    expect(() => matchEach(twice).next()).toThrow(/expected payment "x": its id appears twice/);
  });

  it('are matched in batches of a bounded size, and a larger component alone', () => {
    const world = {
      lines: Array.from({ length: 9_000 }, (_, at) =>
        line({ id: `b${at}`, references: [at < 5_000 ? 'R-ALL' : `R-${at}`] }),
      ),
      expectedPayments: Array.from({ length: 9_000 }, (_, at) =>
        expectedPayment({ id: `l${at}`, reference: at < 5_000 ? 'R-ALL' : `R-${at}` }),
      ),
    };
    const sizes = Array.from(
      batchesOf(packed(world), BATCH_ENTRIES),
      ({ lines, expectedPayments }) => lines.length + expectedPayments.length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(18_000);
    expect(sizes.filter((size) => size > BATCH_ENTRIES)).toEqual([10_000]);
    expect(sizes.length).toBeLessThanOrEqual(5);
  });
});

describe('a list of outcomes', () => {
  it('has the order, and so the hash, of what is listed from objects', () => {
    for (const seed of SEEDS.slice(0, 200)) {
      const world = matchWorld(seed);
      const expected = matchExpectedPayments(world).filter(({ bank }) => bank.length > 0);
      const list = new OutcomeList();
      for (const found of matchEach(packed(world), { batchEntries: APART })) {
        if (found.lines.length > 0) list.add(found);
      }
      expect(list).toHaveLength(expected.length);
      expect([...list], `seed ${seed}`).toEqual(expected);
      expect(totalsOf(list)).toEqual(totalsOf(expected));
    }
  });

  it('a period keeps the hash by which it was frozen', () => {
    const outcomes = matchExpectedPayments({
      lines: [line({ id: 'b1', references: ['R1'] }), line({ id: 'b2' })],
      expectedPayments: [expectedPayment({ id: 'l1', reference: 'R1' })],
    });
    expect(totalsOf(outcomes).hash).toBe(
      '3602b744133f50bae283f32a90a34583ffaa0509e61147af9d1e4db8f87e3c62',
    );
    expect(totalsOf([]).hash).toBe(
      'b6c89cfbfdc3cf8b01fba267235e02d16469853639dc58c9ea8565807d1c4778',
    );
  });
});
