/** New York's pages, with a login, at the pace of a test and open at any hour. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../src/core/profile.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { packageRoot } from '../../src/postgres/package-root.ts';

/** Whose times the pages keep. */
export type Pace = Pick<
  Profile,
  'retry' | 'breaker' | 'throttle' | 'timeoutMs' | 'longestServiceMs' | 'personMs' | 'received'
>;

const PATH = join(packageRoot(), 'profiles', 'us-ny.json');
const LOGIN_FIELDS = [
  { name: 'user', value: 'env:PAGES_USER' },
  { name: 'password', value: 'env:PAGES_PASSWORD' },
];
/** For the environment of whoever signs in there. */
export const PAGE_SECRETS = { PAGES_USER: 'clerk', PAGES_PASSWORD: 'secret' } as const;

export function quickPages(code: string, pace: Pace, changes: Partial<Profile> = {}): Profile {
  const {
    hours: _hours,
    limits: _limits,
    status,
    session,
    ...rest
  } = readProfile(readFileSync(PATH), PATH);
  const { retry, breaker, throttle, timeoutMs, longestServiceMs, personMs, received } = pace;
  const { pollMs, boundMs } = received;
  return {
    ...rest,
    retry,
    breaker,
    throttle,
    timeoutMs,
    longestServiceMs,
    personMs,
    code,
    jurisdiction: code,
    automation: 'allowed',
    slowStartStepMs: 0,
    received: { ...rest.received, pollMs, boundMs },
    ...(status === undefined ? {} : { status: { ...status, visibilityLagMs: 100 } }),
    ...(session?.login === undefined
      ? {}
      : { session: { ...session, login: { ...session.login, fields: LOGIN_FIELDS } } }),
    idempotency: { ...rest.idempotency, honouredMs: 0 },
    ...changes,
  };
}
