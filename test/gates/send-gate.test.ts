/** What the registry look-up before a first send means for the lane. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sendGate } from '../../src/filings/acts/send-gate.ts';
import { canonicalBytes } from '../../src/core/canonical-json.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import type { Filing } from '../../src/core/filing.ts';
import { instant } from '../../src/core/time.ts';
import { takeTurn, type TurnPorts, type Waiting } from '../../src/filings/delivery/turn.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { ROOT } from '../fixtures/built-tree.ts';

const NOW = instant(Date.parse('2027-02-01T18:00:00Z'));
const path = join(ROOT, 'profiles', 'us-ca.json');
const { limits: _window, hours: _hours, ...profile } = readProfile(readFileSync(path), path);

async function turnAfter(lookUp: Exchange): ReturnType<typeof takeTurn> {
  const filing = { step: { action: 'send' }, lastSafe: instant(NOW + 86_400_000) } as Filing;
  const guard = { mayWrite: () => true, signal: new AbortController().signal };
  const nothing = () => Promise.reject(new Error('nothing may be sent'));
  const ports = {
    portal: { send: nothing, ask: nothing },
    leases: { now: () => NOW, guard: () => guard },
    gate: sendGate({
      session: { run: nothing },
      tenant: 't',
      portal: { lookUp: () => Promise.resolve(lookUp) },
    }),
  } as unknown as TurnPorts;
  const payload = canonicalBytes({ registry_number: '4000001' });
  return takeTurn(ports, { claim: { filing }, payload } as Waiting, profile);
}

it('a pause that the registry asks for is one of the lane, until its stamp', async () => {
  const { event } = await turnAfter({
    kind: 'answer',
    status: 429,
    headers: { 'retry-after': '3600' },
    body: new Uint8Array(),
    bodyEnd: 'whole',
    elapsedMs: 1,
  } as unknown as Exchange);
  expect(event).toMatchObject({
    kind: 'sent',
    verdict: { kind: 'throttled', code: 'HTTP_429', waitMs: 3_600_000 },
  });
});

it('a login that is refused on the way to the registry stops the lane', async () => {
  const refused = { kind: 'failure', written: false, code: 'login_refused', message: 'no' };
  const { event } = await turnAfter({ ...refused, elapsedMs: 1 } as Exchange);
  expect(event).toMatchObject({
    kind: 'sent',
    verdict: { kind: 'drift', code: 'LOGIN_REFUSED', written: false },
  });
});
