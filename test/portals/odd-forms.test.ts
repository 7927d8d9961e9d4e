/** Pages that are honest but odd, as real portals write them: a filing goes out as a browser would have sent it. */
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import {
  type Act,
  DONE,
  FILED,
  FORM,
  HONEST,
  html,
  inputs,
  lead,
  LOGIN,
  portal,
  show,
} from './own-pages.ts';
import { statement } from './world.ts';

type Acts = Readonly<Record<string, Act>>;
const ACCEPTED = { kind: 'accepted', receipt: { number: 'NY-12345' } };

const bytes =
  (body: Buffer, type: string): Act =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
const withInside = (extra: string): string => FORM.replace('</form>', `${extra}</form>`);

/** Files once; the verdict, and the filing as the portal has it. */
async function file(
  acts: Acts,
  change: (profile: Profile) => Profile = (profile) => profile,
  payload = statement(),
) {
  const { world, profile, seen, bodies, requests } = await portal(acts);
  const { verdict, exchange } = await world.send(change(profile), 'k-1', payload);
  const at = seen.indexOf(FILED);
  const request = requests[at];
  const posted = new URLSearchParams(bodies[at]);
  const message = exchange.kind === 'failure' ? exchange.message : '';
  return { verdict, message, seen, request, posted, body: bodies[at] ?? '' };
}

const withField =
  (name: string, text: string) =>
  (profile: Profile): Profile => {
    const { form } = profile;
    if (form === undefined) throw new Error('no form');
    return { ...profile, form: { ...form, fields: [...form.fields, { name, text }] } };
  };

describe('a session that is over', () => {
  it.each([401, 403, 419, 440])('is renewed where the login is shown with %i', async (status) => {
    let asked = 0;
    const { world, profile, seen } = await portal({
      'GET /statement': (request, response, body) => {
        asked += 1;
        // Shown after the login and for the first filing; over when the second one asks.
        if (asked !== 3) return show(FORM)(request, response, body);
        response.writeHead(status, { 'content-type': 'text/html' });
        return response.end(html(LOGIN));
      },
    });
    for (const key of ['a', 'b', 'c']) {
      expect((await world.send(profile, key, statement())).verdict).toEqual(ACCEPTED);
    }
    expect(seen.filter((line) => line === 'POST /login')).toHaveLength(2);
  });

  it('is not used again after a bare 403', async () => {
    let asked = 0;
    const { world, profile } = await portal({
      'GET /statement': (request, response, body) => {
        asked += 1;
        if (asked === 3) return response.writeHead(403).end();
        return show(FORM)(request, response, body);
      },
    });
    await world.send(profile, 'a', statement());
    const { verdict } = await world.send(profile, 'b', statement());
    expect(verdict).toEqual({ kind: 'transient', code: 'PAGE' });
    expect((await world.send(profile, 'b', statement())).verdict).toEqual(ACCEPTED);
    // The login page and the form behind it once more: the form was asked for five times and not four.
    expect(asked).toBe(5);
  });
});

describe('a form is sent as a browser sends it', () => {
  it('with what the page has filled in and chosen', async () => {
    const extra = `<input name=year value=2026 required><select name=state required><option>NY<option
      selected value=CA>California</select><input type=radio name=r value=a><input type=radio name=r value=b checked>
      <input type=checkbox name=no value=1><textarea name=note>as before</textarea><input type=hidden name=item value=1>
      <input type=hidden name=item value=2>`;
    const { verdict, posted } = await file({ 'GET /statement': show(withInside(extra)) });
    expect(verdict).toEqual(ACCEPTED);
    const names = ['year', 'state', 'r', 'no', 'note', 'item'];
    expect(names.map((name) => posted.getAll(name))).toEqual([
      ['2026'],
      ['CA'],
      ['b'],
      [],
      ['as before'],
      ['1', '2'],
    ]);
  });

  it('with the box that the profile ticks before the hidden field of its name', async () => {
    const extra =
      '<input type=checkbox name=agree value=true><input type=hidden name=agree value=false>';
    const acts = { 'GET /statement': show(withInside(extra)) };
    expect((await file(acts, withField('agree', 'true'))).posted.getAll('agree')).toEqual([
      'true',
      'false',
    ]);
    expect((await file(acts)).posted.getAll('agree')).toEqual(['false']);
  });

  it('with the name of the only button, or of the one that the profile names', async () => {
    const one = '<input type=submit name=go value="File now"><button type=button name=x>?</button>';
    const { posted } = await file({ 'GET /statement': show(withInside(one)) });
    expect(posted.get('go')).toBe('File now');
    const two =
      '<button name=act value=draft>Save</button><button name=act value=file>File</button>';
    const acts = { 'GET /statement': show(withInside(two)) };
    expect((await file(acts)).posted.has('act')).toBe(false);
    const chosen = await file(acts, withField('act', 'file'));
    expect(chosen.verdict).toEqual(ACCEPTED);
    expect(chosen.posted.getAll('act')).toEqual(['file']);
  });

  it('with fields elsewhere that name it, without disabled ones and those of another form', async () => {
    const inside = `<input type=hidden form=other name=foreign value=1><input type=hidden disabled name=off value=1>
      <fieldset disabled><input type=hidden name=off2 value=1></fieldset>`;
    const page = `<input type=hidden form=statement name=token value=t1>${withInside(inside)}`;
    const { posted } = await file({ 'GET /statement': show(page) });
    expect(posted.get('token')).toBe('t1');
    for (const name of ['foreign', 'off', 'off2']) expect(posted.has(name)).toBe(false);
  });

  it('with the fields in the rows of the table in which it begins', async () => {
    const page = `<table><tr><td><input name=q></td></tr><form id=statement method=POST action="/statement/submit"><tr>
      <td><input type=hidden name=csrf value=c9>${inputs}</td></tr></form></table><input name=later>`;
    const { verdict, posted } = await file({ 'GET /statement': show(page) });
    expect(verdict).toEqual(ACCEPTED);
    expect(posted.get('csrf')).toBe('c9');
    expect([posted.has('q'), posted.has('later')]).toEqual([false, false]);
  });

  it('to its action with the query, from the page that redirects and base lead to', async () => {
    const query = FORM.replace('/statement/submit', '/statement/submit?execution=e1s1');
    expect((await file({ 'GET /statement': show(query) })).request?.url).toBe(
      '/statement/submit?execution=e1s1',
    );
    const near = FORM.replace('/statement/submit', 'submit');
    const based = await file({ 'GET /statement': show(`<base href="/statement/">${near}`) });
    expect(based.verdict).toEqual(ACCEPTED);
    const led = await file(
      { 'GET /statement': lead(302, '/statement/new'), 'GET /statement/new': show(near) },
      (profile) => ({ ...profile, redirects: [...profile.redirects, '/statement/new'] }),
    );
    expect(led.verdict).toEqual(ACCEPTED);
    expect(led.request?.headers.referer).toBe(`http://${led.request?.headers.host}/statement/new`);
    expect(led.request?.headers.origin).toBe(`http://${led.request?.headers.host}`);
  });

  it('in parts where it asks for parts, and not at all as plain text', async () => {
    const as = (type: string) => FORM.replace('method=', `enctype="${type}" method=`);
    const { request, body } = await file({ 'GET /statement': show(as('multipart/form-data')) });
    const boundary = /boundary=(.+)$/.exec(request?.headers['content-type'] ?? '')?.[1] ?? '?';
    const form = await new Response(Buffer.from(body, 'latin1'), {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    }).formData();
    expect(form.get('csrf')).toBe('c1');
    expect(form.get('business_description')).toBe('Ropes & twine — "coïr"');
    const plain = await file({ 'GET /statement': show(as('text/plain')) });
    expect(plain.verdict).toMatchObject({ kind: 'drift', code: 'FORM_CHANGED' });
  });
});

describe('a page in another charset', () => {
  const latin = Buffer.from(
    html(`<meta charset="iso-8859-1"><p>Declaraci\u00f3n</p>${FORM}`),
    'latin1',
  );
  const plain = statement({ fields: { business_description: 'Caf\u00e9' } });
  it.each([
    ['in its header', 'text/html; charset=ISO-8859-1'],
    ['in itself', 'text/html'],
  ])('that says so %s is read and answered in it', async (_name, type) => {
    const { verdict, body } = await file(
      { 'GET /statement': bytes(latin, type) },
      undefined,
      plain,
    );
    expect(verdict).toEqual(ACCEPTED);
    expect(body).toContain('business_description=Caf%E9');
  });

  it('is not answered with characters that it cannot carry: the portal would file another name', async () => {
    const { verdict, message, seen } = await file(
      { 'GET /statement': bytes(latin, 'text/html') },
      undefined,
      statement({ entity_name: '\u4e2d Holdings' }),
    );
    expect(verdict).toEqual({ kind: 'denied', code: 'PAYLOAD', written: false });
    expect(message).toBe('entity_name has characters that a form in iso-8859-1 cannot carry.');
    expect(seen).not.toContain(FILED);
  });

  it('that cannot be read is named as such', async () => {
    const open = Buffer.from(`<!doctype html><html><body>${FORM}`);
    const { message } = await file({ 'GET /statement': bytes(open, 'text/html') });
    expect(message).toBe('Expected /statement to be a whole HTML page in the charset it claims.');
  });
});

describe('the page after the post', () => {
  const after = (text: string) => ({ 'GET /statement/confirmation': show(text) });
  it('with an empty place for errors is no refusal', async () => {
    expect((await file(after(`<ul id="errors"> </ul>${DONE}`))).verdict).toEqual(ACCEPTED);
  });

  it('that confirms and refuses proves neither', async () => {
    const both = `<p id="errors"><b id="error-code">E1</b></p>${DONE}`;
    expect((await file(after(both))).verdict).toEqual({ kind: 'unknown', code: 'PAGE_UNKNOWN' });
  });

  it('with a confirmation in a template confirms nothing', async () => {
    const { verdict } = await file(after(`<template>${DONE}</template><p>Please wait.</p>`));
    expect(verdict).toEqual({ kind: 'unknown', code: 'PAGE_UNKNOWN' });
  });
});

describe('a login', () => {
  const elsewhere: Acts = {
    'GET /login': show(LOGIN.replace('action="/login"', 'action="/login/check?next=1"')),
    'POST /login/check': HONEST['POST /login'] ?? lead(303, '/statement'),
  };
  it('posts to another path where the profile says so, and nowhere else', async () => {
    const to = (submitPath: string) => (profile: Profile) => {
      const { session } = profile;
      if (session?.login === undefined) throw new Error('no login');
      return { ...profile, session: { ...session, login: { ...session.login, submitPath } } };
    };
    expect((await file(elsewhere, to('/login/check'))).verdict).toEqual(ACCEPTED);
    const { verdict, seen } = await file(elsewhere, to('/login/other'));
    expect(verdict).toEqual({ kind: 'drift', code: 'FORM_CHANGED', written: false });
    expect(seen).toEqual(['GET /login']);
  });
});
