/** Checks that file nothing: is the portal there, does it know its own doors, does it ask who comes. */
import { classifyRegistry } from '../rules/registry.ts';
import { type FailureCode, pointer, type Profile } from '../../core/index.ts';
import { isHealthy } from '../rules/classify.ts';
import {
  type Check,
  type CheckOutcome,
  type CheckReason,
  describe,
  failed,
  passed,
  skipped,
} from './check.ts';
import type { Inspector } from './inspector.ts';

const REACH: Readonly<Partial<Record<FailureCode, CheckReason>>> = {
  tls: 'TLS_BROKEN',
  tls_slow: 'TLS_BROKEN',
  address_refused: 'ADDRESS_REFUSED',
  credential: 'CREDENTIAL_UNREADABLE',
  protocol: 'PROTOCOL_BROKEN',
  timeout: 'TOO_SLOW',
  login_refused: 'LOGIN_REFUSED',
  form_changed: 'FORM_CHANGED',
  redirect: 'REDIRECT_UNDECLARED',
  session: 'SESSION_ENDS_EARLY',
  session_collision: 'SESSION_SHARED',
};

export function reasonOfFailure(code: FailureCode): CheckReason {
  return REACH[code] ?? 'UNREACHABLE';
}

const reach: Check = {
  name: 'reach',
  claim: 'An HTTP server answers at the address, over TLS where it says https.',
  async run({ portal, profile, guard }, findings) {
    const exchange = await portal.probe(profile, guard);
    findings.reached = exchange;
    if (exchange.kind === 'failure') {
      return failed(reasonOfFailure(exchange.code), exchange.message);
    }
    const tls = exchange.tlsHandshakeMs;
    return passed(tls === undefined ? 'answered' : `answered; TLS in ${Math.ceil(tls)} ms`);
  },
};

const health: Check = {
  name: 'health',
  claim: 'The health endpoint answers 2xx, twice.',
  async run({ portal, profile, guard }, { reached }) {
    // The first answer is known: a portal that is not well may still be at work on that request, and is not asked again.
    for (const known of [reached, undefined]) {
      const exchange = known ?? (await portal.probe(profile, guard));
      const status = exchange.kind === 'answer' ? String(exchange.status) : exchange.code;
      if (!isHealthy(exchange)) return failed('HEALTH_BAD', `${profile.health.path}: ${status}`);
    }
    return passed(`${profile.health.method} ${profile.health.path}`);
  },
};

const unknownPath: Check = {
  name: 'unknown-path',
  claim: 'An address that does not exist is not answered with success.',
  async run(inspector) {
    const { portal, profile, guard } = inspector;
    const exchange = await portal.read(profile, `/${inspector.key('nowhere')}`, guard);
    if (exchange.kind === 'failure')
      return passed(exchange.answer?.status.toString() ?? exchange.code);
    // Otherwise a misspelt path in the profile would look like a healthy portal.
    return exchange.status >= 200 && exchange.status < 300
      ? failed('UNKNOWN_PATH_ANSWERED', `a path that does not exist: ${exchange.status}`)
      : passed(String(exchange.status));
  },
};

const credentials: Check = {
  name: 'credentials',
  claim: 'Without the credentials of the profile, the portal shows nothing.',
  async run(inspector) {
    const { profile } = inspector;
    if (profile.credentials.length === 0) return skipped('the profile names no credentials');
    if (profile.status === undefined) return skipped('there is no status endpoint to test it with');
    const stranger = { ...profile, credentials: [] };
    const answer = await inspector.ask(inspector.key('stranger'), undefined, stranger);
    return answer.kind === 'unclear' || answer.kind === 'throttled'
      ? passed(describe(answer))
      : failed('AUTH_NOT_REQUIRED', `without credentials: ${describe(answer)}`);
  },
};

const signIn: Check = {
  name: 'sign-in',
  claim: 'The form is shown only after a login.',
  async run({ portal, profile, guard }) {
    const { session } = profile;
    if (profile.driver !== 'html-form' || session?.login === undefined) {
      return skipped('the profile has no login');
    }
    const { login: _login, ...anonymous } = session;
    const opened = await portal.openForm({ ...profile, session: anonymous }, guard);
    return opened.kind === 'opened'
      ? failed('SESSION_NOT_REQUIRED', `${profile.form?.path ?? ''} was shown without a login`)
      : passed('the form is not shown without a login');
  },
};

const form: Check = {
  name: 'form',
  claim: 'The login works and the form is the one that the profile describes.',
  async run({ portal, profile, guard }, findings) {
    if (profile.driver !== 'html-form') return skipped('no form with the driver json-api');
    const opened = await portal.openForm(profile, guard);
    if (opened.kind === 'failed') {
      return failed(reasonOfFailure(opened.failure.code), opened.failure.message);
    }
    const { fingerprint, misfit } = opened;
    findings.fingerprint = fingerprint;
    if (misfit !== undefined) return failed('FORM_CHANGED', misfit);
    const expected = profile.form?.fingerprint;
    if (expected === undefined) return passed(`fingerprint ${fingerprint}; the profile has none`);
    return fingerprint === expected
      ? passed(`fingerprint ${fingerprint}`)
      : failed('FORM_CHANGED', `fingerprint ${fingerprint}, expected ${expected}`);
  },
};

const sessions: Check = {
  name: 'sessions',
  claim: 'Two logins get two sessions.',
  async run(inspector) {
    const { portal, profile, guard, collisions } = inspector;
    if (profile.session?.login === undefined || profile.session.scope !== 'slot') {
      return skipped('the profile does not use one session for each filing');
    }
    if (inspector.width < 2) return skipped('only one request at a time is allowed');
    await portal.close(profile.code);
    await Promise.all([1, 2].map(() => portal.openForm(profile, guard)));
    const [collision] = collisions;
    if (collision === undefined) return passed('two logins, two tokens');
    return failed('SESSION_SHARED', `${collision.carrier} had one value in two sessions`);
  },
};

const registry: Check = {
  name: 'registry',
  claim: 'The registry knows the synthetic entity and does not know one that cannot exist.',
  async run(inspector) {
    const { profile } = inspector;
    if (profile.registry === undefined) return skipped('the profile has no registry');
    return checkRegistry(inspector, profile);
  },
};

async function checkRegistry(inspector: Inspector, profile: Profile): Promise<CheckOutcome> {
  const { portal, guard } = inspector;
  const ask = async (number: string) =>
    classifyRegistry(await portal.lookUp(profile, number, guard), profile, number);
  const stranger = await ask('no-such-entity');
  if (stranger.kind === 'active' || stranger.kind === 'inactive') {
    return failed('REGISTRY_INVENTS', 'a number that cannot exist is known');
  }
  if (stranger.kind === 'unclear') return failed('REGISTRY_UNREADABLE', stranger.code);
  const number = pointer(profile.synthetic?.payload, profile.registry?.numberAt ?? '');
  if (typeof number !== 'string') return passed('an unknown number is not found');
  const known = await ask(number);
  return known.kind === 'active'
    ? passed('both answers are right')
    : failed('REGISTRY_UNREADABLE', `the synthetic entity ${number}: ${known.kind}`);
}

export const ACCESS_CHECKS: readonly Check[] = [
  reach,
  health,
  unknownPath,
  credentials,
  signIn,
  form,
  sessions,
  registry,
];
