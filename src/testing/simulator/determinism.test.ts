import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../core/time.ts';
import { FAULT_KINDS, FAULTS } from './faults.ts';
import type { Plan } from './plan.ts';
import { PortalModel } from './portal-model.ts';
import { sampleProfile } from './sample-profile.ts';
import { isSurvivable } from './survivable.ts';

const START = Date.parse('2026-03-02T15:00:00Z');

interface Step {
  readonly key: string;
  readonly ask: boolean;
}

function run(seed: number, steps: readonly Step[]): readonly Plan[] {
  const model = new PortalModel({
    profile: sampleProfile({ ceiling: 1_000 }),
    behaviour: { seed, mixRate: 0.7, latencyMs: { mean: 50, spread: 40 } },
  });
  return steps.map(({ key, ask }, index) => {
    const path = ask ? `/status?key=${key}&submission=` : '/submit';
    const method = ask ? 'GET' : 'POST';
    const headers = { 'x-idempotency-key': key };
    const body = Buffer.from(ask ? '' : key);
    return model.arrive({ method, path, headers, body }, instant(START + index * 7));
  });
}

const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), ask: fc.boolean() }), {
  maxLength: 40,
});

describe('a seed', () => {
  it('gives the same plans for the same arrivals', () => {
    fc.assert(
      fc.property(fc.integer(), steps, (seed, list) => {
        expect(run(seed, list)).toEqual(run(seed, list));
      }),
      { numRuns: 50 },
    );
  });

  it('gives a filing the same faults whatever else arrives between', () => {
    const faultsOf = (key: string, seed: number, list: readonly Step[]) =>
      run(seed, list)
        .filter((_, index) => list[index]?.key === key)
        .map((plan) => [plan.fault, plan.delayMs]);
    fc.assert(
      fc.property(fc.integer(), steps, (seed, list) => {
        const alone = list.filter((step) => step.key === 'a');
        expect(faultsOf('a', seed, list)).toEqual(faultsOf('a', seed, alone));
      }),
      { numRuns: 50 },
    );
  });

  it('decides: another seed gives other faults', () => {
    const list = Array.from({ length: 50 }, (_, index) => ({ key: `k${index}`, ask: false }));
    const faults = (seed: number) => run(seed, list).map((plan) => plan.fault);
    expect(faults(1)).not.toEqual(faults(2));
  });

  it('throws anew each time a key comes: a filing is not condemned to one fault', () => {
    const list = Array.from({ length: 50 }, () => ({ key: 'a', ask: false }));
    const delays = new Set(run(1, list).map((plan) => plan.delayMs));
    expect(delays.size).toBeGreaterThan(10);
  });

  it('meets a share of requests near the rate, and every survivable kind but no other', () => {
    const list = Array.from({ length: 6_000 }, (_, index) => ({ key: `k${index}`, ask: false }));
    const asks = list.map((step) => ({ ...step, ask: true }));
    const plans = run(7, [...list, ...asks]);
    const faulty = plans.filter((plan) => plan.fault !== undefined);
    expect(faulty.length / plans.length).toBeGreaterThan(0.67);
    expect(faulty.length / plans.length).toBeLessThan(0.73);
    const met = new Set(faulty.map((plan) => plan.fault));
    const expected = FAULT_KINDS.filter(
      (kind) => isSurvivable(kind, sampleProfile()) && FAULTS[kind].on !== 'health',
    );
    expect(met).toEqual(new Set(expected));
  });
});
