import { describe, expect, it } from 'vitest';
import {
  behaviourFor,
  changeBehaviour,
  DEFAULT_BEHAVIOUR,
  readBehaviourChange,
  readBehaviourFile,
} from './behaviour.ts';

describe('a behavior file', () => {
  it('gives a lane the defaults, then what holds for all, then its own', () => {
    const file = readBehaviourFile(
      JSON.stringify({
        format: 1,
        lanes: {
          '*': { seed: 9, mixRate: 0.1, timings: { throttleMs: 50 } },
          'US-CA': { duplicateWindowMs: 259_200_000, timings: { processingMs: 70 } },
        },
      }),
    );
    expect(behaviourFor(file, 'US-CA')).toEqual({
      ...DEFAULT_BEHAVIOUR,
      seed: 9,
      mixRate: 0.1,
      duplicateWindowMs: 259_200_000,
      timings: { ...DEFAULT_BEHAVIOUR.timings, throttleMs: 50, processingMs: 70 },
    });
    expect(behaviourFor(file, 'US-DE').duplicateWindowMs).toBe(0);
  });

  const mistakes = [
    [{ faults: { accept_then_cutt: 0.1 } }, '/faults/accept_then_cutt', 'no such field'],
    [{ faults: { slow: 1.5 } }, '/faults/slow', '<= 1'],
    [{ faults: { slow: 0.6, slow_drip: 0.6 } }, '/faults', 'more than 1'],
    [{ latencyMs: { mean: 5 } }, '/latencyMs/spread', 'required'],
    [{ latencyMs: { mean: '5', spread: 0 } }, '/latencyMs/mean', 'number'],
    [{ schedule: [{ fault: 'slow' }] }, '/schedule/0', 'either request or key'],
    [{ schedule: [{ fault: 'slow', request: 0 }] }, '/schedule/0/request', '>= 1'],
    [{ schedule: [{ fault: 'fast', request: 1 }] }, '/schedule/0/fault', 'allowed values'],
    [{ schedule: [{ fault: 'slow', request: 1, nth: 2 }] }, '/schedule/0', 'nth goes with key'],
    [{ overCeiling: 'ignored' }, '/overCeiling', 'allowed values'],
    [{ sed: 1 }, '/sed', 'no such field'],
  ] as const;
  it.each(mistakes)('%j is refused at %s', (lane, field, reason) => {
    const read = () => readBehaviourFile(JSON.stringify({ format: 1, lanes: { 'US-DE': lane } }));
    expect(read).toThrow(
      expect.objectContaining({
        code: 'PROFILE_INVALID',
        details: {
          field: `/lanes/US-DE${field}`,
          reason: expect.stringContaining(reason),
        },
      }),
    );
  });

  it('is refused as a whole when it is not one', () => {
    expect(() => readBehaviourFile('[]')).toThrow('the document itself');
    expect(() => readBehaviourFile('{"format":1}')).toThrow('/lanes');
    expect(() => readBehaviourFile('{"format":2,"lanes":{}}')).toThrow('/format');
    expect(() => readBehaviourFile('{')).toThrow(
      expect.objectContaining({ code: 'JSON_MALFORMED' }),
    );
  });
});

describe('a change of behavior', () => {
  it('replaces what it names and keeps the rest', () => {
    const change = readBehaviourChange('{"health":"bad","timings":{"slowMs":7}}');
    const changed = changeBehaviour(DEFAULT_BEHAVIOUR, change);
    expect(changed).toEqual({
      ...DEFAULT_BEHAVIOUR,
      health: 'bad',
      timings: { ...DEFAULT_BEHAVIOUR.timings, slowMs: 7 },
    });
  });
});
