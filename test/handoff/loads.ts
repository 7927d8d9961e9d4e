/** Parts and loads for the tests of handoffs. */
import { hash } from 'node:crypto';
import { sha256Hex } from '../../src/core/ids.ts';
import type { WriteGuard } from '../../src/core/ports.ts';
import type { HandoffLoad, HandoffTarget } from '../../src/people/notify/handoff/handoff.ts';
import type { HandoffDeps } from '../../src/people/notify/handoff/deps.ts';
import { systemClock } from '../../src/system/clock.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

export const FREE: WriteGuard = { mayWrite: () => true, signal: new AbortController().signal };

/** Bytes that no parser gives back as they were. */
export const PAYLOAD = Buffer.from(
  '{"a":1,"a":12345678901234567890 , "ä":"\u2028"}\n\xff',
  'latin1',
);

export function load(changes: Partial<HandoffLoad> = {}): HandoffLoad {
  const payload = changes.payload ?? PAYLOAD;
  return {
    id: 'fwm1-0123456789abcdef',
    handoff: 'fwh1-0123456789abcdef',
    payload,
    payloadSha256: sha256Hex(hash('sha256', payload, 'hex')),
    contentType: 'application/json',
    notice: { subject: 'Docket event', text: 'An office action waits for you.' },
    ...changes,
  };
}

export function parts(changes: Partial<HandoffDeps> = {}): HandoffDeps {
  return {
    clock: systemClock,
    timeoutMs: 3_000,
    totalMs: 6_500,
    allowPrivateAddresses: () => ANY_PRIVATE,
    ...changes,
  };
}

export const target = (kind: HandoffTarget['kind'], address: string): HandoffTarget => ({
  id: 'team-a',
  kind,
  address,
});
