/** What people have resolved, beside what the rules are asked about; and the hash of a matching. */
import { describe, expect, it } from 'vitest';
import { matchEach } from '../../src/grants/rules/matching/match.ts';
import { PackedEntries } from '../../src/grants/rules/matching/entries/open-entries.ts';
import { DraftTotals } from '../../src/grants/pipeline/reconciliation/draft-totals.ts';
import { ResolvedEntries } from '../../src/grants/pipeline/reconciliation/resolved-entries.ts';
import { matchWorld } from '../grants/match-worlds.ts';
import { line, mulberry32, expectedPayment, shuffled } from '../grants/reco.ts';

describe('entries that people have spoken about', () => {
  const resolution = (ordinal: number, ...awards: string[]) => ({
    feed: 'f',
    ordinal,
    awards,
    reason: 'seen',
    feeCents: 0,
    cents: undefined,
    rest: undefined,
  });

  it('are kept aside, the others are not', () => {
    const resolved = new ResolvedEntries([resolution(1, 'l1')]);
    expect(resolved.keepLine(line({ id: 'f#1' }))).toBe(true);
    expect(resolved.keepLine(line({ id: 'f#2' }))).toBe(false);
    expect(resolved.keepExpectedPayment(expectedPayment({ id: 'l1' }))).toBe(true);
    expect(resolved.keepExpectedPayment(expectedPayment({ id: 'l2' }))).toBe(false);
    const { byPerson, lines, expectedPayments } = resolved.decided();
    expect(byPerson).toMatchObject([
      { outcome: { rule: 'person', status: 'matched', bank: ['f#1'], ledger: ['l1'] } },
    ]);
    expect([...lines, ...expectedPayments]).toEqual([]);
  });

  it('go back to the rules where the line is not there, or a receipt has gone', () => {
    const resolved = new ResolvedEntries([
      resolution(1, 'l1'),
      resolution(2, 'l2', 'gone'),
      resolution(3),
    ]);
    for (const id of ['f#2', 'f#3']) resolved.keepLine(line({ id }));
    for (const id of ['l1', 'l2']) resolved.keepExpectedPayment(expectedPayment({ id }));
    const { byPerson, lines, expectedPayments } = resolved.decided();
    expect(byPerson.map(({ outcome }) => [outcome.status, outcome.bank])).toEqual([
      ['ignored', ['f#3']],
    ]);
    expect([...lines].map(({ id }) => id)).toEqual(['f#2']);
    expect([...expectedPayments].map(({ id }) => id)).toEqual(['l1', 'l2']);
  });

  it('the first of two lines has the receipt that both were settled with', () => {
    const resolved = new ResolvedEntries([resolution(1, 'l1'), resolution(2, 'l1')]);
    for (const id of ['f#2', 'f#1']) resolved.keepLine(line({ id }));
    resolved.keepExpectedPayment(expectedPayment({ id: 'l1' }));
    const { byPerson, lines } = resolved.decided();
    expect(byPerson.map(({ outcome }) => outcome.bank)).toEqual([['f#1']]);
    expect([...lines].map(({ id }) => id)).toEqual(['f#2']);
  });
});

describe('the totals of a matching', () => {
  const totalsOf = (world: ReturnType<typeof matchWorld>, batchEntries: number) => {
    const entries = new PackedEntries();
    for (const one of world.expectedPayments) entries.addExpectedPayment(one);
    for (const one of world.lines) entries.addLine(one);
    const totals = new DraftTotals();
    for (const { outcome } of matchEach(entries, { batchEntries })) totals.add(outcome);
    return totals.totals();
  };

  it('depend neither on the order of the input nor on the batches, and notice any change', () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 100; seed += 1) {
      const world = matchWorld(seed);
      const random = mulberry32(seed);
      const mixed = {
        lines: shuffled(world.lines, random),
        expectedPayments: shuffled(world.expectedPayments, random),
      };
      const totals = totalsOf(world, Infinity);
      expect(totalsOf(mixed, 0), `seed ${seed}`).toEqual(totals);
      const [first, ...others] = world.lines;
      if (first === undefined) throw new Error('a world has lines');
      const changed = { ...world, lines: [{ ...first, id: 'another' }, ...others] };
      expect(totalsOf(changed, 0).hash).not.toBe(totals.hash);
      hashes.add(totals.hash);
    }
    expect(hashes.size).toBe(100);
  });

  it('hold more outcomes than the first room for their hashes', () => {
    const totals = new DraftTotals();
    const entries = new PackedEntries();
    for (let at = 0; at < 3_000; at += 1)
      entries.addExpectedPayment(expectedPayment({ id: `l${at}` }));
    for (const { outcome } of matchEach(entries)) totals.add(outcome);
    expect(totals.totals().outcomes).toEqual({ 'P6-unmatched-ledger': 3_000 });
  });
});
