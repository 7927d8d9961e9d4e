/** Names in identities: pinned, because another word for the same duty would be a second filing. */
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import type { EntityRecord } from '../../src/entities/rules/register/entity-record.ts';
import { filingKindOf } from '../../src/entities/rules/register/filing-kinds.ts';
import { owedBy } from '../../src/entities/rules/register/owed.ts';
import { railShare } from '../../src/entities/rules/register/payment-rail.ts';
import { readRecord } from '../../src/entities/rules/register/read-record.ts';
import { reconcile, type StoredObligation } from '../../src/entities/rules/register/reconcile.ts';

const law = registerLaw();

describe('filing kinds', () => {
  it('are these for every rule that is shipped', () => {
    const kinds = new Map<string, string[]>();
    for (const rule of law.rules.byId.values()) {
      const kind = filingKindOf(rule, 'periodic');
      kinds.set(kind, [...(kinds.get(kind) ?? []), rule.jurisdiction.slice(3)]);
    }
    const states = (kind: string) => [...new Set(kinds.get(kind))].sort().join(' ');
    expect([...kinds.keys()].sort()).toEqual([
      'annual_certificate',
      'annual_continuation_report',
      'annual_list',
      'annual_notice',
      'annual_registration',
      'annual_registration_fee',
      'annual_registration_report',
      'annual_renewal',
      'annual_report',
      'annual_statement',
      'annual_tax',
      'biennial_corporate_report',
      'biennial_information_report',
      'biennial_report',
      'biennial_statement',
      'business_entity_report',
      'corporate_registration_report',
      'five_year_statement',
      'franchise_tax',
      'nonprofit_return',
      'periodic_report',
      'privilege_tax',
      'renewal',
      'renewal_report',
      'statement_of_continued_existence',
      'statement_of_information',
    ]);
    expect(states('franchise_tax')).toBe('AR DE TX');
    expect(states('statement_of_information')).toBe('CA');
    expect(states('biennial_statement')).toBe('NY');
    // A filing file takes no other spelling.
    for (const kind of kinds.keys()) expect(kind).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
  });
});

describe('payment rails', () => {
  const profile = {
    limits: {
      fields: [],
      whitespace: 'any',
      characters: 'unicode',
      duplicateWindowMs: 0,
      payment: {
        centsAt: '/fee_cents',
        railAt: '/fields/payment_rail',
        rails: [
          { rail: 'card', centsMax: 500_000 },
          { rail: 'ach', centsMax: 9_000_000 },
        ],
      },
    },
  } as const;
  it.each([
    [{}, 'none'],
    [{ fee_cents: 0 }, 'none'],
    [{ fee_cents: 500_000 }, 'card'],
    [{ fee_cents: 500_001 }, 'ach'],
    [{ fee_cents: 100, fields: { payment_rail: 'ach' } }, 'ach'],
    [{ fee_cents: 500_001, fields: { payment_rail: 'card' } }, 'unpayable'],
    [{ fee_cents: 100, fields: { payment_rail: 'cheque' } }, 'unpayable'],
    [{ fee_cents: 9_000_001 }, 'unpayable'],
  ])('%j goes by %s', (payload, rail) => {
    expect(railShare(profile, payload).rail).toBe(rail);
  });
  it('are unstated where the profile says nothing', () => {
    expect(railShare({}, { fee_cents: 5 })).toEqual({ rail: 'unstated', cents: 5 });
  });
});

describe('every sort of entity in every jurisdiction', () => {
  const day = '2026-11-15';
  const records = [...law.rules.byId.values()].map((rule): EntityRecord => {
    const result = readRecord(
      {
        jurisdiction: rule.jurisdiction,
        registry_number: '1',
        entity_name: 'N',
        entity_kind: rule.entity_kind,
        origin: rule.origin,
        formation_date: '2019-02-11',
        fiscal_year_end: '12-31',
      },
      law.rules,
    );
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return result.record;
  });

  it('has an answer: a date, a question to the state, or nothing owed', () => {
    expect(records.length).toBeGreaterThan(150);
    const states = records.map((record) => owedBy(record, law, question(day)).state);
    expect(new Set(states)).toEqual(new Set(['open', 'record_needed', 'nothing_owed']));
  });

  it('planning twice equals planning once, and what is accepted is followed by the next date', () => {
    for (const record of records) {
      const first = reconcile(record, [], law, { tenant: 't', today: day, accepted: new Set() });
      const stored = first.flatMap((change): StoredObligation[] =>
        change.kind === 'write' ? [storedOf(change.owed)] : [],
      );
      const again = reconcile(record, stored, law, {
        tenant: 't',
        today: day,
        accepted: new Set(),
      });
      expect(again.map((change) => change.kind)).toEqual(stored.map(() => 'write'));
      const [met] = stored.filter((one) => one.state === 'open' && one.sort === 'periodic');
      if (met === undefined) continue;
      const accepted = new Set([met.id]);
      const changes = reconcile(record, stored, law, { tenant: 't', today: day, accepted });
      expect(changes).toContainEqual({ kind: 'meet', id: met.id });
      const next = changes.flatMap((change) =>
        change.kind === 'write' && change.owed.sort === 'periodic' ? [change.owed] : [],
      );
      expect(next, record.jurisdiction).toHaveLength(1);
      const [following] = next;
      expect(following?.state === 'open' && following.raw > String(met.raw)).toBe(true);
    }
  });

  it('what came due between an acceptance and today is owed too, and long ago is not dug up', () => {
    const record = records.find((one) => `${one.jurisdiction} ${one.kind}` === 'US-DE llc');
    if (record === undefined) throw new Error('no Delaware LLC');
    const first = owedBy(record, law, question('2026-05-01'));
    const met: StoredObligation = { ...storedOf(first), state: 'met' };
    const days = (today: string) =>
      reconcile(record, [met], law, { tenant: 't', today, accepted: new Set() }).flatMap(
        (change) =>
          change.kind === 'write' && change.owed.state === 'open' ? [change.owed.due] : [],
      );
    expect(met.raw).toBe('2026-06-01');
    expect(days('2026-07-01')).toEqual(['2027-06-01']);
    expect(days('2027-07-01')).toEqual(['2027-06-01', '2028-06-01']);
    // 2027 is more than 400 days past.
    expect(days('2029-01-01')).toEqual(['2028-06-01', '2029-06-01']);
  });

  function question(asOf: string) {
    return { tenant: 't', sort: 'periodic', asOf } as const;
  }

  function storedOf(owed: ReturnType<typeof owedBy>): StoredObligation {
    const dates =
      owed.state === 'open' ? { raw: owed.raw, due: owed.due } : { raw: undefined, due: undefined };
    const { id, sort, state, asOf } = owed;
    return { id, sort, state, asOf, ...dates, filing: undefined };
  }
});
