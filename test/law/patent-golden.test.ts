/** Every case of the golden file, from the case as it comes in to the two dates. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { replaySteps } from '../../src/calendar/replay.ts';
import { computeDeadline } from '../../src/dockets/rules/compute.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { shippedPatentLaw } from './patent-law.ts';

interface GoldenCase extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly rule: string;
  readonly expected_raw: string;
  readonly expected_due: string;
}

const cases = JSON.parse(
  readFileSync(new URL('../golden/patent-deadlines.golden.json', import.meta.url), 'utf8'),
) as readonly GoldenCase[];
const law = shippedPatentLaw();

describe('golden patent deadlines', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(123);
  });

  it.each(cases.map((one) => [one.id, one.rule, one] as const))('%s %s', (_id, _rule, one) => {
    const { expected_raw, expected_due, why: _why, source: _source, confidence: _c, ...rest } = one;
    const quick = computeDeadline(readPatentCase(rest), law, { explain: false });
    const explained = computeDeadline(readPatentCase(rest), law, { explain: true });
    expect({ raw: formatDay(quick.raw), due: formatDay(quick.due) }).toEqual({
      raw: expected_raw,
      due: expected_due,
    });
    expect(quick.steps).toBeUndefined();
    expect(explained.due).toBe(quick.due);
    expect(replaySteps(explained.steps ?? [])).toBe(quick.due);
    // Inputs that only repeat what follows agree in every golden case.
    expect(explained.warnings.filter((warning) => warning.startsWith('inputs.'))).toEqual([]);
  });
});
