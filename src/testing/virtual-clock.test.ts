import { describe, expect, it } from 'vitest';
import { SeededIds, SeededRandom, VirtualClock, VirtualTime } from './virtual-clock.ts';

const START_MS = 1_000_000;

function order(seed: number, count: number): Promise<number[]> {
  const time = new VirtualTime({ startMs: START_MS, seed });
  const seen: number[] = [];
  for (let n = 0; n < count; n++) time.schedule(START_MS + 5, () => seen.push(n));
  return time.run().then(() => seen);
}

describe('virtual time', () => {
  it('jumps from event to event, in the order of their moments', async () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 1 });
    const seen: [number, number][] = [];
    for (const delay of [70, 10, 3_600_000, 40, 10]) {
      time.schedule(START_MS + delay, () => seen.push([delay, time.now - START_MS]));
    }
    expect(await time.run()).toBe('idle');
    expect(seen).toEqual([10, 10, 40, 70, 3_600_000].map((delay) => [delay, delay]));
    expect(time.events).toBe(5);
  });

  it('orders events of one moment by the seed alone', async () => {
    const first = await order(7, 50);
    expect(await order(7, 50)).toEqual(first);
    expect(await order(8, 50)).not.toEqual(first);
    expect(first.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('finishes every promise that an event set off before the next event, however long the chain', async () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 1 });
    let steps = 0;
    let seen = 0;
    const chain = async (): Promise<void> => {
      for (let n = 0; n < 5_000; n++) {
        await Promise.resolve();
        steps += 1;
      }
    };
    time.schedule(START_MS + 1, () => void chain());
    time.schedule(START_MS + 2, () => {
      seen = steps;
    });
    await time.run();
    expect(seen).toBe(5_000);
  });

  it('lets sleepers wake each other in the order of their moments', async () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 3 });
    const trace: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await time.sleep(ms);
        trace.push(`${name}${time.now - START_MS}`);
      }
    };
    void sleeper('a', 20);
    void sleeper('b', 25);
    await time.run();
    expect(trace).toEqual(['a20', 'b25', 'a40', 'b50', 'a60', 'b75']);
  });

  it('wakes a sleeper at once when its signal aborts, and its timer is gone', async () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 1 });
    const stop = new AbortController();
    let wokeAt = 0;
    void time.sleep(60_000, stop.signal).then(() => {
      wokeAt = time.now;
    });
    time.schedule(START_MS + 10, () => stop.abort());
    await time.run();
    expect(wokeAt).toBe(START_MS + 10);
    expect(time.now).toBe(START_MS + 10);
    await time.sleep(60_000, stop.signal);
  });

  it('stops at a moment, on demand, and at its bound', async () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 1 });
    const again = (): void => void time.schedule(time.now + 10, again);
    again();
    expect(await time.run({ untilMs: START_MS + 35 })).toBe('until');
    expect([time.now, time.events]).toEqual([START_MS + 35, 3]);
    time.schedule(START_MS + 45, () => time.stop());
    expect(await time.run()).toBe('stopped');
    expect(time.now).toBe(START_MS + 45);
    await expect(time.run({ eventsMax: 100 })).rejects.toThrow('did not end');
  });

  it('gives each process a wall clock of its own and one monotonic time', () => {
    const time = new VirtualTime({ startMs: START_MS, seed: 1 });
    const clock = new VirtualClock(time, 3_000);
    expect(clock.now()).toBe(START_MS + 3_000);
    clock.jump(-5_000);
    expect(clock.now()).toBe(START_MS - 2_000);
    expect(clock.monotonicMs()).toBe(START_MS);
  });

  it('makes the same ids and bytes for the same seed and scope', () => {
    const clock = new VirtualClock(new VirtualTime({ startMs: START_MS, seed: 1 }));
    const ids = (seed: number, scope: string): string[] => {
      const made = new SeededIds(clock, new SeededRandom(seed, scope));
      return [made.next(), made.next()];
    };
    expect(ids(1, 'a')).toEqual(ids(1, 'a'));
    expect(ids(1, 'a')).not.toEqual(ids(1, 'b'));
    expect(ids(1, 'a')).not.toEqual(ids(2, 'a'));
    expect(ids(1, 'a')[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(new SeededRandom(5).bytes(32)).toEqual(new SeededRandom(5).bytes(32));
  });
});
