import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../core/errors.ts';
import { readProfile } from './read-profile.ts';

const root = new URL('../../../profiles/', import.meta.url);

type Json = Record<string, unknown>;

function document(name: string): Json {
  // Each shipped profile is a JSON object; another test reads them all.
  return JSON.parse(readFileSync(new URL(`${name}.json`, root), 'utf8')) as Json;
}

/** The shipped profile with one value put at a path, or taken away. */
function changed(name: string, path: string, value: unknown): string {
  const whole = document(name);
  const steps = path.split('/').slice(1);
  const last = steps.pop() ?? '';
  let at: Json = whole;
  // Every path of the table below leads through objects and lists.
  for (const step of steps) at = at[step] as Json;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(whole);
}

function refusal(text: string): string {
  try {
    readProfile(text, 'test.json');
  } catch (error) {
    if (error instanceof FilewrightError) return error.message;
    throw error;
  }
  return 'it was taken';
}

describe('a profile with pages, sessions and a way out', () => {
  const rows: readonly (readonly [string, string, unknown, string])[] = [
    ['us-ny', '/form', undefined, '/form: expected an object with the driver html-form'],
    ['us-ny', '/submit/method', 'PUT', '/submit/method: expected POST with html-form'],
    ['us-ny', '/driver', 'json-api', '/form: expected nothing with the driver json-api'],
    ['us-ny', '/driver', 'json-api', '/session/login: expected nothing with the driver json-api'],
    ['us-ny', '/receipt/numberAt', '/receipt', '/receipt/numberAt: expected a CSS selector'],
    ['us-ny', '/status/stateAt', '/state', '/status/stateAt: expected a CSS selector'],
    ['us-ny', '/receipt/numberAt', '#a >> b', '/receipt/numberAt: expected a JSON pointer such as'],
    ['us-ny', '/form/selector', 'form[', '/form/selector: expected a CSS selector'],
    ['us-ny', '/form/confirmation', 'div:nope', '/form/confirmation: expected a CSS selector'],
    ['us-ny', '/form/fields/0/text', 'x', '/form/fields/0: expected either at or text, found both'],
    [
      'us-ny',
      '/form/fields/0/at',
      undefined,
      '/form/fields/0: expected either at or text, found neither',
    ],
    ['us-ny', '/form/fields/1/name', 'dos_id', '/form/fields/1/name: expected each field once'],
    ['us-ny', '/form/fingerprint', 'ABC', '/form/fingerprint: expected a SHA-256 in 64'],
    ['us-ny', '/session/cookies', [], '/session/cookies: expected the cookie or header'],
    [
      'us-ny',
      '/session/keepAlive/everyMs',
      900_000,
      '/session/keepAlive/everyMs: expected less than idleMs (900000)',
    ],
    [
      'us-ny',
      '/session/login/fields/1/value',
      'hunter2',
      '/session/login/fields/1/value: expected a reference',
    ],
    [
      'us-ca',
      '/receipt/numberAt',
      '#receipt',
      '/receipt/numberAt: expected a JSON pointer such as /receipt/number,',
    ],
    ['us-ca', '/registry/path', '/registry', '/registry/path: expected a path with {number} in it'],
    [
      'us-ca',
      '/egress',
      { proxies: ['http://u:p@proxy.invalid'] },
      '/egress/proxies/0: expected an http URL of a proxy',
    ],
    [
      'us-ca',
      '/egress',
      { proxies: ['http://a.invalid'], afterBlock: 'next' },
      '/egress/terms: expected where the portal',
    ],
    ['us-ca', '/limits/fields/0/at', 'name', '/limits/fields/0/at: expected a JSON pointer'],
  ];
  it.each(rows)('%s with %s = %j is refused', (name, path, value, message) => {
    const found = refusal(changed(name, path, value));
    expect(found).toContain(`\n  ${message}`);
    expect(found).not.toContain('hunter2');
  });

  it('a pool with terms is taken, and stays where it is unless it says otherwise', () => {
    const proxies = ['http://a.invalid:3128', 'http://b.invalid:3128'];
    const taken = readProfile(changed('us-ca', '/egress', { proxies }), 'test.json');
    expect(taken.egress).toEqual({ proxies, afterBlock: 'stay' });
    const egress = { proxies, afterBlock: 'next', terms: 'Terms of use, section 4' };
    expect(readProfile(changed('us-ca', '/egress', egress), 'test.json').egress).toEqual(egress);
  });
});
