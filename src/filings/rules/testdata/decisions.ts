/** The portals and the filing that the tests of decisions start from. */
import type { Filing } from '../../../core/filing.ts';
import { batchId, filingId, idempotencyKey, laneCode, sha256Hex } from '../../../core/ids.ts';
import type { Profile } from '../../../core/profile.ts';
import { addMs, instant } from '../../../core/time.ts';

export const NOW = instant(Date.UTC(2026, 2, 2, 15));
export const HOUR_MS = 3_600_000;
export const LAG_MS = 60_000;
export const LONGEST_MS = 120_000;
export const BOUND_MS = 2 * HOUR_MS;

/** Asks status, honours no keys: the strictest portal that can still be settled. */
export const PORTAL: Profile = {
  format: 1,
  code: 'US-DE',
  jurisdiction: 'US-DE',
  title: 'Delaware',
  automation: 'allowed',
  effect: 'filing',
  driver: 'json-api',
  baseUrl: 'https://portal.example',
  allowPrivateAddresses: false,
  ceiling: 1,
  timeoutMs: 30_000,
  tlsHandshakeMsMax: 3000,
  longestServiceMs: LONGEST_MS,
  expectedServiceMs: 1000,
  personMs: 7_200_000,
  submit: { method: 'POST', path: '/filings' },
  status: {
    path: '/status/{key}',
    visibilityLagMs: LAG_MS,
    stateAt: '/state',
    accepted: ['A'],
    refused: ['R'],
    processing: ['P'],
    notFound: ['N'],
  },
  health: { method: 'HEAD', path: '/health' },
  idempotency: { header: 'Idempotency-Key', honouredMs: 0 },
  receipt: { statuses: [200], numberAt: '/receipt', pattern: '.+' },
  received: { submissionIdAt: '/submission', pollMs: 30_000, boundMs: BOUND_MS },
  answers: [],
  captcha: { marks: ['captcha'], threshold: 3 },
  throttle: { pauseMsMax: HOUR_MS },
  redirects: [],
  retry: { inARowMax: 3, totalMsMax: 900_000, delayMsMin: 1000, delayMsMax: 60_000 },
  breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
  slowStartStepMs: 1000,
  credentials: [],
  quirks: [],
};

/** The same portal, which nobody can ask. */
export function without(profile: Profile): Profile {
  const { status: _status, ...rest } = profile;
  return rest;
}

export const MUTE = without(PORTAL);
export const KEYED: Profile = { ...PORTAL, idempotency: { header: 'k', honouredMs: 24 * HOUR_MS } };
export const KEYED_MUTE = without(KEYED);
export const NOTICE: Profile = { ...PORTAL, effect: 'notice' };
export const NOTICE_MUTE = without(NOTICE);

export const FILING: Filing = {
  id: filingId('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
  batch: batchId('b'),
  lane: laneCode('US-DE'),
  jurisdiction: 'US-DE',
  effect: 'filing',
  entityId: 'e',
  filingKind: 'annual-report',
  period: '2026',
  revision: 1,
  key: idempotencyKey('fw1-secret-to-the-decision'),
  payloadSha256: sha256Hex('0'.repeat(64)),
  notBefore: addMs(NOW, -30 * 24 * HOUR_MS),
  due: addMs(NOW, 10 * 24 * HOUR_MS),
  lastSafe: addMs(NOW, 9 * 24 * HOUR_MS),
  status: 'submitted',
  attempt: 1,
  step: { action: 'send' },
  failures: 0,
  failingSince: undefined,
  captchaMarks: 0,
  holder: undefined,
};
