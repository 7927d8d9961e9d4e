import { describe, expect, it } from 'vitest';
import { icsCalendar } from '../../src/calendar/ics.ts';
import { parseDay } from '../../src/calendar/day.ts';
import { instant } from '../../src/core/time.ts';
import { type AcceptedAward, ingestAward } from '../../src/grants/rules/intake/ingest.ts';
import {
  awardOf,
  missingForCalendar,
  subawardTermsOf,
} from '../../src/grants/rules/obligations/award-terms.ts';
import {
  icsEntriesOf,
  grantObligations,
  withoutMetConditions,
} from '../../src/grants/rules/obligations/award-obligations.ts';
import { readAwards } from '../../src/grants/rules/intake/read-awards.ts';
import { grantsLaw } from '../law/grants-cases.ts';

function fail(text: string): never {
  throw new Error(`expected a day, found ${text}`);
}

const document = {
  grantor_id: 'HHS',
  award_amount: 100_000_00,
  currency: 'USD',
  fiscal_year: 2026,
  compliance_tags: {},
  award_id: 'W1',
  organization: '123456789',
  period_start: '2026-01-01',
  period_end: '2026-12-31',
  fiscal_year_end: '12-31',
  reporting_frequency: 'quarterly',
  guidance_version: '2024',
  terms: {
    reporting_periods: 'calendar',
    offset_days: { 'sf425.final': 90 },
    subaward_total_max: 5_000_00,
  },
};

async function ingested(fields: object = {}): Promise<AcceptedAward> {
  const text = Buffer.from(JSON.stringify({ ...document, ...fields }));
  for await (const record of readAwards('json', [text])) {
    const context = { tenant: 't', sourceDocument: 'd', now: instant(0), law: grantsLaw };
    const found = ingestAward(record, context);
    if (found.kind === 'accepted') return found;
    throw new Error(JSON.stringify(found.violations));
  }
  throw new Error('nothing was read');
}

const holder = {
  return990: { form: '990', extended: false },
  charityStates: [{ state: 'NC' }, { state: 'XX' }],
} as const;

describe('the calendar of an award', () => {
  it('has every report, the closeout, the audit, the return and the renewals; the terms win', async () => {
    const list = grantObligations('t', [awardOf(await ingested(), holder)], grantsLaw);
    const due = (kind: string): string[] =>
      list.filter(({ filingKind }) => filingKind === kind).map((one) => one.due ?? 'undated');
    expect(due('sf425.interim')).toEqual(['2026-04-30', '2026-07-30', '2026-10-30']);
    expect(due('performance.interim')).toHaveLength(3);
    // 90 days by its terms, where the guidance would give 120.
    expect(due('sf425.final')).toEqual(['2027-03-31']);
    expect(due('performance.final')).toEqual(['2027-04-30']);
    expect(due('closeout.agency')).toHaveLength(1);
    expect(due('singleAudit')).toEqual(['2027-09-30']);
    expect(due('form990')).toEqual(['2027-05-17']);
    expect(list.find(({ filingKind }) => filingKind === 'form990')?.raw).toBe('2027-05-15');
    expect(list.filter(({ jurisdiction }) => jurisdiction === 'NC').length).toBeGreaterThan(0);
    const unknown = list.find(({ jurisdiction }) => jurisdiction === 'XX');
    expect(unknown).toMatchObject({ state: 'record_needed', due: undefined });
    for (const one of list) expect(one.id).toMatch(/^fwo1-[0-9a-f]{32}$/);
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  });

  it('the audit depends on the threshold of its own year, and is owed once that is crossed', async () => {
    const obligations = grantObligations('t', [awardOf(await ingested(), undefined)], grantsLaw);
    const conditions = (found: typeof obligations) =>
      found.flatMap(({ filingKind, period, answer }) =>
        filingKind === 'singleAudit' ? [[period, answer['condition']]] : [],
      );
    const [[, condition] = []] = conditions(obligations);
    expect(condition).toContain('single audit threshold');
    const end = (text: string) => ({ end: parseDay(text) ?? fail(text) });
    const crossed = [{ kind: 'singleAudit' }];
    const after = withoutMetConditions(obligations, crossed, end('2026-12-31'));
    expect(conditions(after)).toEqual([['2026-12-31', undefined]]);
    expect(withoutMetConditions(obligations, [], end('2026-12-31'))).toEqual(obligations);
    expect(withoutMetConditions(obligations, crossed, end('2025-12-31'))).toEqual(obligations);
  });

  it('what the organization owes stands once for two awards, and an identity outlives its date', async () => {
    const one = awardOf(await ingested(), holder);
    const two = awardOf(await ingested({ award_id: 'W2', terms: {} }), holder);
    const list = grantObligations('t', [one, two], grantsLaw);
    expect(list.filter(({ filingKind }) => filingKind === 'form990')).toHaveLength(1);
    expect(list.filter(({ filingKind }) => filingKind === 'sf425.final')).toHaveLength(2);
    const final = (awards: readonly (typeof one)[]): unknown[] =>
      grantObligations('t', awards, grantsLaw)
        .filter(({ filingKind, entity }) => filingKind === 'sf425.final' && entity === 'W1')
        .map(({ id, due }) => [id, due]);
    const { terms: _, ...untermed } = one;
    const [[id, due]] = final([one]) as [[string, string]];
    const [[sameId, otherDue]] = final([untermed]) as [[string, string]];
    expect(sameId).toBe(id);
    expect(otherDue).not.toBe(due);
  });

  it('two awards that disagree give the earlier date and a task', async () => {
    const one = awardOf(await ingested(), holder);
    const extended = { return990: { form: '990', extended: true } } as const;
    const two = awardOf(await ingested({ award_id: 'W2' }), extended);
    const list = grantObligations('t', [two, one], grantsLaw);
    const found = list.find(({ filingKind }) => filingKind === 'form990');
    expect(found).toMatchObject({ due: '2027-05-17', confidence: 'low' });
    expect(JSON.stringify(found?.answer)).toMatch(/two dates for form990/);
  });

  it('makes a calendar feed in which every dated obligation is one event', async () => {
    const list = grantObligations('t', [awardOf(await ingested(), holder)], grantsLaw);
    const dated = list.filter(({ due }) => due !== undefined);
    const feed = icsCalendar({ name: 'Awards', entries: icsEntriesOf(list), stamp: instant(0) });
    expect(feed.counts).toEqual({ entries: dated.length, active: dated.length, cancelled: 0 });
    expect(feed.text).toContain('DTSTART;VALUE=DATE:20270517');
  });

  it('nothing that is missing is assumed', async () => {
    const text = { award_id: 'W3' };
    const partial = await ingested(text);
    const payload = Object.fromEntries(
      Object.entries(partial.payload).filter(
        ([name]) => !/^(organization|guidance_version)$/.test(name),
      ),
    );
    expect(missingForCalendar({ payload })).toEqual(['organization', 'guidance_version']);
    expect(() => awardOf({ payload })).toThrow(/a calendar needs organization, guidance_version/);
  });

  it('subaward limits come from the terms', async () => {
    expect(subawardTermsOf(await ingested())).toEqual({ totalCentsMax: 5_000_00n });
  });
});
