/** Every golden date of the entity filings, through the law as it ships. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { answerObligation } from '../../src/entities/rules/law/obligation-answer.ts';

interface GoldenCase {
  readonly id: string;
  readonly why: string;
  readonly source: string;
  readonly confidence: string;
  readonly verified: string;
  readonly expected_next_due: string;
  readonly expected_rolled_due?: string;
  readonly expected_window_opens?: string;
  readonly expected_penalty_free_until?: string;
  readonly last_timely_day?: string;
  readonly conservative_due?: string;
  readonly [field: string]: unknown;
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/entity-deadlines.golden.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly GoldenCase[] };
const law = registerLaw();

/** A case as a stranger would send it: nothing of the expected answer is in it. */
function question(golden: GoldenCase): Record<string, unknown> {
  const answers = /^(expected_|last_timely_day|conservative_due|why|source|confidence|verified)/;
  return Object.fromEntries(Object.entries(golden).filter(([name]) => !answers.test(name)));
}

interface Correction {
  readonly id: string;
  readonly changes: Readonly<Record<string, unknown>> & {
    readonly verified?: string;
    readonly confidence?: string;
    readonly citation?: string;
  };
}

/** What was read again since, by rule: its standing and its section are those of the second reading. */
const corrections = new Map(
  (
    JSON.parse(
      readFileSync(new URL('../golden/entity-2.corrections.json', import.meta.url), 'utf8'),
    ) as { readonly corrections: readonly Correction[] }
  ).corrections.map((one) => [one.id, one.changes]),
);

/** Dates that the second reading gives beside the first, or in its place. */
const CORRECTED: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  'edl-009': {
    source: 'Cal. Corp. Code 1502(a), 2117, 6210, 8210, 17702.09(a)',
    verified: 'primary',
  },
  'edl-027': { source: 'O.C.G.A. 14-2-1622(d), 14-3-1622(d)' },
  'edl-038': { conservative_due: '2027-01-31' },
  'edl-052': { conservative_due: '2027-03-15' },
  'edl-053': { conservative_due: '2027-03-15' },
  'edl-054': { expected_window_opens: '2026-10-02' },
  // The year end is assumed, and the answer says so.
  'edl-056': { confidence: 'medium' },
  'edl-057': { confidence: 'medium' },
  'edl-064': { expected_window_opens: '2028-07-03' },
  'edl-065': { expected_window_opens: '2027-09-02' },
  'edl-082': { expected_next_due: '2027-08-31', expected_window_opens: undefined },
  'edl-055': { expected_window_opens: '2027-10-02' },
};

function corrected(first: GoldenCase): GoldenCase {
  const { verified, confidence, citation } = corrections.get(String(first['rule_id'])) ?? {};
  return {
    ...first,
    ...(verified === undefined ? {} : { verified }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(citation === undefined ? {} : { source: citation }),
    ...CORRECTED[first.id],
  };
}

describe('the corrections', () => {
  const raw = JSON.parse(
    readFileSync(new URL('../../law/rules/entity.json', import.meta.url), 'utf8'),
  ) as {
    readonly filings: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
  };
  const byId = new Map(raw.filings.map((rule) => [rule.id, rule]));
  /** Kept in another form: as `choice`, under `initial_filings`, or with a longer reason. */
  const elsewhere = new Set(['due_rule_by', 'exceptions', 'initial_report', 'fee_note']);

  it.each([...corrections])('%s is corrected', (id, changes) => {
    const rule = byId.get(id);
    expect(rule).toBeDefined();
    for (const [field, value] of Object.entries(changes)) {
      if (!elsewhere.has(field)) expect(rule?.[field], field).toEqual(value);
    }
    if (changes['due_rule_by'] !== undefined) {
      const { absent, ...values } = (
        changes['due_rule_by'] as { tax_class: Record<string, unknown> }
      ).tax_class;
      expect(rule?.['choice']).toEqual({ input: 'tax_class', values, absent });
    }
  });
});

describe('the golden dates', () => {
  it('are all there', () => {
    expect(golden.cases).toHaveLength(82);
  });

  it.each(golden.cases.map((one) => [one.id, one.why, one] as const))(
    '%s: %s',
    (_id, _why, first) => {
      const answer = answerObligation(question(first), law);
      const one = corrected(first);
      expect({
        next_due: answer.next_due,
        rolled_due: answer.rolled_due,
        window_opens: answer.window_opens,
        penalty_free_until: answer.penalty_free_until,
        last_timely_day: answer.last_timely_day,
        conservative_due: answer.conservative_due,
        confidence: answer.confidence,
        verified: answer.verified,
      }).toEqual({
        next_due: one.expected_next_due,
        rolled_due: one.expected_rolled_due,
        window_opens: one.expected_window_opens,
        penalty_free_until: one.expected_penalty_free_until,
        last_timely_day: one.last_timely_day,
        conservative_due: one.conservative_due,
        confidence: one.confidence,
        verified: one.verified,
      });
      expect(answer.steps.some((step) => step.citation === one.source)).toBe(true);
    },
  );

  it.each(golden.cases.map((one) => [one.id, one] as const))(
    '%s: the rule follows from jurisdiction, kind and origin alone, and from its id alone',
    (_id, one) => {
      const { rule_id: ruleId, ...named } = question(one);
      const { jurisdiction, entity_kind: _kind, origin: _origin, ...byRule } = question(one);
      expect(answerObligation(named, law).rule_id).toBe(ruleId);
      expect(answerObligation(byRule, law).next_due).toBe(corrected(one).expected_next_due);
      expect(String(ruleId).startsWith(String(jurisdiction))).toBe(true);
    },
  );
});
