/** A filing that waits for an answer, on a lane whose new profile has nobody to ask. */
import { expect, it } from 'vitest';
import { attemptId, workerId } from '../../src/core/ids.ts';
import type { Claim } from '../../src/core/ports.ts';
import { decide, type FilingEvent } from '../../src/filings/rules/decide.ts';
import type { Filing, Step } from '../../src/core/filing.ts';
import { FILING, NOW, PORTAL, without } from '../fixtures/decisions.ts';
import { Leases } from '../../src/lanes/live/leases.ts';
import { takeTurn } from '../../src/filings/delivery/turn.ts';
import { createPortal } from '../../src/lanes/portals/portal.ts';
import { systemClock } from '../../src/system/clock.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

const SENT = { firstSentAt: NOW, lastSentAt: NOW, unclear: 0 };
const STEPS: readonly Step[] = [
  { action: 'ask', cause: 'unknown', ...SENT },
  { action: 'poll', submissionId: 'S-1', ...SENT, until: FILING.lastSafe },
];

it.each(STEPS)('its turn to $action ends with a person, as in doubt', async (step) => {
  const filing: Filing = { ...FILING, status: 'submitted', step };
  // Only what a turn reads.
  const claim = {
    filing,
    attempt: attemptId('01900000-0000-7000-8000-000000000001'),
    worker: workerId('1'),
    reason: 'turn',
  } as unknown as Claim;
  const portal = createPortal({ environment: OWN_MACHINE });
  const leases = new Leases(systemClock, 60_000);
  const turn = await takeTurn({ portal, leases }, { claim, payload: undefined }, without(PORTAL));
  const event: FilingEvent = { kind: 'gated', code: 'NO_STATUS_RULE' };
  expect(turn).toEqual({ event });
  expect(decide(filing, event, without(PORTAL), NOW)).toMatchObject({
    kind: 'give_up',
    unsettled: { firstSentAt: NOW, lastSentAt: NOW },
  });
  await portal.close();
});
