/** The last safe moment, at the last moment: a claim may wait for its slot, and a slot for a connection. */
import { describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import { attemptId, workerId } from '../../src/core/ids.ts';
import type { Claim, Clock, Portal } from '../../src/core/ports.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import type { Filing } from '../../src/core/filing.ts';
import type { Profile } from '../../src/core/profile.ts';
import { FILING, PORTAL } from '../fixtures/decisions.ts';
import { Leases, momentOf } from '../../src/lanes/live/leases.ts';
import { takeTurn } from '../../src/filings/delivery/turn.ts';

const START = FILING.lastSafe - 1_000;
const KEYS: Profile = { ...PORTAL, idempotency: { header: 'Key', honouredMs: 86_400_000 } };
const SENT = { firstSentAt: addMs(instant(START), -5_000), lastSentAt: instant(START) };
const RESEND: Filing = { ...FILING, status: 'submitted', step: { action: 'resend', ...SENT } };

/** A turn whose portal needs `connectMs` before it writes, begun `waitedMs` after the start. */
async function turnOf(
  filing: Filing,
  times: { readonly waitedMs: number; readonly connectMs: number },
): Promise<{ readonly event: unknown; readonly written: number }> {
  let passedMs = times.waitedMs;
  const clock: Clock = {
    now: () => instant(START + passedMs),
    monotonicMs: () => passedMs,
    sleep: async () => undefined,
  };
  const leases = new Leases(clock, 60_000);
  leases.begin(workerId('1'), clock.now(), momentOf(clock));
  let written = 0;
  const never = () => Promise.reject(new Error('not asked here'));
  const portal: Portal = {
    ask: never,
    probe: never,
    send: async (_request, guard): Promise<Exchange> => {
      passedMs += times.connectMs;
      const mayWrite = guard.mayWrite();
      if (mayWrite) written += 1;
      const code = mayWrite ? 'cut' : 'lease_lost';
      return { kind: 'failure', written: mayWrite, code, message: '', elapsedMs: 0 };
    },
  };
  // Only what a turn reads.
  const claim = {
    filing,
    attempt: attemptId('01900000-0000-7000-8000-000000000001'),
    worker: workerId('1'),
    reason: 'turn',
  } as unknown as Claim;
  const { event } = await takeTurn({ portal, leases }, { claim, payload: Buffer.from('{}') }, KEYS);
  return { event, written };
}

describe.each([
  ['a first send', FILING],
  ['a repeat under the same key', RESEND],
])('%s', (_what, filing) => {
  it('goes out before it', async () => {
    const turn = await turnOf(filing, { waitedMs: 0, connectMs: 500 });
    expect(turn).toMatchObject({ event: { kind: 'sent' }, written: 1 });
  });

  it('that waited past it for its slot is a person’s', async () => {
    const turn = await turnOf(filing, { waitedMs: 1_000, connectMs: 0 });
    expect(turn).toEqual({ event: { kind: 'late' }, written: 0 });
  });

  it('that waited past it for its connection is not written', async () => {
    const turn = await turnOf(filing, { waitedMs: 0, connectMs: 1_000 });
    expect(turn).toEqual({ event: { kind: 'unsent' }, written: 0 });
  });
});
