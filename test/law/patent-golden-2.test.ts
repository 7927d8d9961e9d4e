/** Every case of the second golden file: dates, the last day of all, states, and how each rule is known. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Day, formatDay } from '../../src/calendar/day.ts';
import { replaySteps } from '../../src/calendar/replay.ts';
import { deadlineAnswer } from '../../src/dockets/rules/answer.ts';
import { computeDeadline } from '../../src/dockets/rules/compute.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { shippedPatentLaw } from './patent-law.ts';

interface GoldenCase extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly rule: string;
  readonly expected_raw: string;
  readonly expected_due?: string;
  readonly expected_as_of?: string;
  readonly expected_final?: string;
  readonly standing: string;
}

const [, ...cases] = JSON.parse(
  readFileSync(new URL('../golden/patent-deadlines-2.golden.json', import.meta.url), 'utf8'),
) as readonly GoldenCase[];
const law = shippedPatentLaw();

/** A case as it comes from outside: without what the answer must be. */
function question(one: GoldenCase): Readonly<Record<string, unknown>> {
  const answers = /^(expected_|why$|source$|confidence$|standing$)/;
  return Object.fromEntries(Object.entries(one).filter(([name]) => !answers.test(name)));
}

describe('golden patent deadlines, second file', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(151);
  });

  it.each(cases.map((one) => [one.id, one.rule, one] as const))('%s %s', (_id, _rule, one) => {
    const input = question(one);
    const explained = computeDeadline(readPatentCase(input), law, { explain: true });
    const answer = deadlineAnswer(explained, law.rules.version);
    expect({
      raw: answer.raw,
      due: answer.due,
      as_of: answer.as_of,
      ...(one.expected_final === undefined ? {} : { final: answer.final }),
      standing: answer.standing,
    }).toEqual({
      raw: one.expected_raw,
      due: one.expected_due,
      as_of: one.expected_as_of,
      ...(one.expected_final === undefined ? {} : { final: one.expected_final }),
      standing: one.standing,
    });
    const quick = computeDeadline(readPatentCase(input), law, { explain: false });
    expect([quick.raw, quick.due, quick.final?.day, quick.confidence]).toEqual([
      explained.raw,
      explained.due,
      explained.final?.day,
      explained.confidence,
    ]);
    expect(replaySteps(explained.steps ?? [])).toBe(quick.due);
    // What the case repeats agrees, and no input is left aside.
    expect(explained.warnings.filter((warning) => warning.startsWith('inputs.'))).toEqual([]);
    expect(answer).toMatchObject({
      citation: expect.stringMatching(/\S/),
      rule_version: expect.stringMatching(/\S/),
      calendar_version: expect.stringContaining('@'),
      steps: expect.arrayContaining([expect.objectContaining({ n: 1 })]),
    });
  });

  it('and each limit that the law sets follows without a period in the case', () => {
    const set = cases.filter(({ rule, period }) => law.rules.rules.get(rule)?.period === period);
    expect(set.length).toBeGreaterThan(60);
    for (const one of set) {
      const { period: _period, ...input } = question(one);
      const found = computeDeadline(readPatentCase(input), law, { explain: false });
      const due = (day: Day): string => formatDay(day);
      expect(due(found.due), one.id).toBe(one.expected_due ?? one.expected_as_of);
    }
  });
});
