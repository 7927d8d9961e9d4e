/** The client is gone and the portal is not: what it still works on counts against its ceiling, also questions and probes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hurryLane } from '../../src/filings/acts/lane-recovery.ts';
import type { FaultKind } from '../../src/testing/simulator/faults.ts';
import { type Server, startServer } from './server.ts';
import { NO_KEYS, quickProfile, Stage } from './stage.ts';
import { pass, until } from './waiting.ts';

const DE = 'US-DE';
const WORKS_ON_MS = 500;
/** Quick, and longer than any of these portals works. */
const ONE = { ceiling: 1, timeoutMs: 250, longestServiceMs: 600, ...NO_KEYS } as const;
const RETRY = { inARowMax: 3, totalMsMax: 60_000, delayMsMin: 20, delayMsMax: 60 } as const;
const TIMINGS = { worksOnMs: WORKS_ON_MS, silenceMs: 550, slowMs: 550, throttleMs: 100 } as const;

let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

async function withFaults(
  faults: Partial<Record<FaultKind, number>>,
  profile: Partial<ReturnType<typeof quickProfile>> = {},
): Promise<void> {
  const breaker = { failures: 50, coolDownMs: 100, probeSpacingMs: 50 };
  const quick = quickProfile(DE, { ...ONE, retry: RETRY, breaker, ...profile });
  stage = await Stage.set(server, [quick], {
    [DE]: { latencyMs: { mean: 15, spread: 0 }, faults, timings: TIMINGS },
  });
}

function expectCeilingKept(): void {
  const { inFlightMax, arrivedOverCeiling } = stage.simulator.truth(DE).summary();
  expect({ inFlightMax, arrivedOverCeiling }).toEqual({ inFlightMax: 1, arrivedOverCeiling: 0 });
}

describe('a submission that the portal works on', () => {
  const kinds: readonly FaultKind[] = [
    'accept_then_504',
    'error_504',
    'error_502',
    'error_503',
    'accept_then_500',
    'truncated_body',
    'accept_then_cut_after_headers',
    'accept_then_cut',
    'cut_before_accept',
    'slow',
    'http_408',
    'busy_503_retry_after',
    'throttle_429_seconds',
    'throttle_429_absurd_garbage',
  ];
  it.each(kinds)('keeps its slot after %s, and no question goes out beside it', async (kind) => {
    // Pauses that a portal asks for are shorter than it works, as when a gateway speaks for it.
    await withFaults({ [kind]: 1 }, { throttle: { pauseMsMax: 100 } });
    await stage.feed(DE, 3);
    await Promise.all([stage.worker(), stage.worker()]);
    const { requests } = stage.simulator.truth(DE);
    await until(() => requests.submit + requests.status >= 4);
    expectCeilingKept();
  });
});

describe('a question that the portal works on', () => {
  const kinds: readonly FaultKind[] = [
    'status_500',
    'status_cut',
    'status_silence',
    'status_throttled_429',
  ];
  it.each(kinds)('keeps its slot after %s', async (kind) => {
    await withFaults({ accept_then_500: 1, [kind]: 1 }, { throttle: { pauseMsMax: 100 } });
    await stage.feed(DE, 4);
    await Promise.all([stage.worker(), stage.worker()]);
    await until(() => stage.simulator.truth(DE).requests.status >= 3);
    expectCeilingKept();
  });
});

describe('a probe', () => {
  const breaker = { failures: 1, coolDownMs: 100, probeSpacingMs: 50 };

  it.each(['health_500', 'health_cut', 'health_silence'] as const)(
    'that the portal works on after %s is not joined by a second one',
    async (kind) => {
      await withFaults({ error_500_before_accept: 1, [kind]: 1 }, { breaker });
      await stage.feed(DE, 3);
      await Promise.all([stage.worker(), stage.worker()]);
      await until(() => stage.simulator.truth(DE).requests.health >= 4);
      expectCeilingKept();
    },
  );

  it('that hangs keeps its slot when a person hurries the next one', async () => {
    await withFaults({ error_500_before_accept: 1, health_silence: 1 }, { breaker });
    await stage.feed(DE, 6);
    await Promise.all([stage.worker(), stage.worker()]);
    await until(() => stage.simulator.truth(DE).requests.health >= 1);
    stage.simulator.behave(DE, { faults: {} });
    await hurryLane(stage.app, stage.person, DE);
    await stage.approve(DE);
    await stage.untilDone();
    expectCeilingKept();
  });
});

describe('a worker that ends', () => {
  it('leaves a slot that rests to rest', async () => {
    await withFaults({ accept_then_504: 1 });
    await stage.feed(DE, 4);
    const first = await stage.worker();
    await until(() => stage.simulator.truth(DE).requests.submit === 1);
    await pass(50);
    await Promise.all([first.stop(), stage.worker()]);
    const { requests } = stage.simulator.truth(DE);
    await until(() => requests.submit + requests.status >= 3);
    expectCeilingKept();
  });
});
