/** A portal locks an account after a few wrong passwords, so a lane that is not let in stops after the first. */
import { describe, expect, it } from 'vitest';
import { laneAfter } from '../../src/lanes/rules/lane-rules.ts';
import type { LaneState } from '../../src/core/lane.ts';
import { type Act, FILED, FORM, html, lead, LOGIN, portal, show } from './own-pages.ts';
import { NOON, statement } from './world.ts';

const REFUSED = { kind: 'drift', code: 'LOGIN_REFUSED', written: false };
const POSTED = 'POST /login';
const posts = (seen: readonly string[]): number => seen.filter((line) => line === POSTED).length;
const answer =
  (status: number, text: string): Act =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(html(text));
  };
const asksAgain = { 'GET /statement': show(LOGIN) };
const nobody: readonly (readonly [string, Readonly<Record<string, Act>>])[] = [
  ['a page without the login form', { ...asksAgain, [POSTED]: show('<p>Wrong password.</p>') }],
  ['a redirect to the page behind it', { ...asksAgain, [POSTED]: lead(303, '/statement') }],
  ['a page, and a 403 behind it', { 'GET /statement': answer(403, ''), [POSTED]: show('No.') }],
  ['a page, and a 401 behind it', { 'GET /statement': answer(401, ''), [POSTED]: show('No.') }],
  ['a 401', { ...asksAgain, [POSTED]: answer(401, 'No.') }],
  ['the login form with a 401', { ...asksAgain, [POSTED]: answer(401, LOGIN) }],
  ['the login form with a 422', { ...asksAgain, [POSTED]: answer(422, LOGIN) }],
  ['a 403', { ...asksAgain, [POSTED]: answer(403, 'No.') }],
];

describe('a wrong password that is answered with', () => {
  it.each(nobody)('%s is posted once and stops the lane', async (_name, acts) => {
    const { world, profile, seen } = await portal(acts);
    expect((await world.send(profile, 'a', statement())).verdict).toEqual(REFUSED);
    expect(posts(seen)).toBe(1);
  });

  it.each(nobody)('%s is posted once by four slots together', async (_name, acts) => {
    const { world, profile, seen } = await portal(acts);
    const keys = ['a', 'b', 'c', 'd'];
    const sent = await Promise.all(keys.map((key) => world.send(profile, key, statement())));
    expect(sent.map(({ verdict }) => verdict)).toEqual(keys.map(() => REFUSED));
    expect(posts(seen)).toBe(1);
  });

  it('another page in the place of the form is posted once by four slots together', async () => {
    const page = show('<p>Please sign in at the counter.</p>');
    const { world, profile, seen } = await portal({ 'GET /statement': page, [POSTED]: page });
    const keys = ['a', 'b', 'c', 'd'];
    const sent = await Promise.all(keys.map((key) => world.send(profile, key, statement())));
    expect(new Set(sent.map(({ verdict }) => verdict.kind))).toEqual(new Set(['drift']));
    expect(posts(seen)).toBe(1);
  });

  it('a page is not posted again by the question for a status, and the question stops the lane', async () => {
    const { world, profile, seen } = await portal({
      [POSTED]: show('<p>Wrong password.</p>'),
      'GET /statement/status': show(LOGIN),
    });
    const asked = await world.ask(profile, 'a');
    expect(asked).toEqual({ kind: 'unclear', code: 'LOGIN_REFUSED' });
    expect(posts(seen)).toBe(1);
    const lane = { pause: { kind: 'none' }, breaker: { state: 'closed', failures: 0 } };
    const after = laneAfter(lane as LaneState, { kind: 'asked', answer: asked }, profile, NOON);
    expect(after.pause).toMatchObject({ kind: 'held', reason: 'drift' });
  });
});

describe('a login', () => {
  it('that was refused is tried once more when a person lets the lane go on', async () => {
    let isRight = false;
    const { world, profile, seen } = await portal({
      'GET /statement': (...call) => show(isRight ? FORM : LOGIN)(...call),
    });
    expect((await world.send(profile, 'a', statement())).verdict).toEqual(REFUSED);
    isRight = true;
    expect((await world.send(profile, 'a', statement())).verdict.kind).toBe('accepted');
    expect(posts(seen)).toBe(2);
  });

  it('that has worked is renewed once where the new session is lost, and the password changed is refused', async () => {
    const pages = [FORM, LOGIN, LOGIN, FORM, LOGIN, LOGIN, LOGIN];
    const { world, profile, seen } = await portal({
      [POSTED]: show('<p>Welcome.</p>'),
      'GET /statement': (...call) => show(pages.shift() ?? LOGIN)(...call),
    });
    const kinds: string[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      kinds.push((await world.send(profile, key, statement())).verdict.kind);
    }
    // The second filing finds its session over and a new one too; the third is let in with the next login.
    expect(kinds).toEqual(['accepted', 'drift', 'accepted', 'drift']);
    expect(posts(seen)).toBe(4);
    expect(seen.filter((line) => line === FILED)).toHaveLength(2);
  });
});
