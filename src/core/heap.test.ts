import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.ts';

interface Item {
  readonly at: number;
  readonly order: number;
}

describe('a heap', () => {
  it('gives everything back, each time the least of what is in it', () => {
    const steps = fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { nil: 'pop' as const }));
    fc.assert(
      fc.property(steps, (all) => {
        const heap = new Heap<Item>((a, b) => (a.at === b.at ? a.order < b.order : a.at < b.at));
        const sorted: Item[] = [];
        for (const [order, step] of all.entries()) {
          if (step === 'pop') {
            expect(heap.first).toEqual(sorted[0]);
            expect(heap.pop()).toEqual(sorted.shift());
          } else {
            const item = { at: step, order };
            heap.push(item);
            sorted.push(item);
            sorted.sort((a, b) => a.at - b.at || a.order - b.order);
          }
          expect(heap.size).toBe(sorted.length);
        }
      }),
    );
  });
});
