/**
 * Every route as every role over real HTTP, and as everyone who is not, or no longer, let in. Which role may do what is written
 * down in test/access/cells.ts, beside the program's own table and never made from it. FILEWRIGHT_ACCESS_CELLS=all asks every role in
 * every state too.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Role, ROLES } from '../../src/access/role.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { makeToken } from '../../src/people/acts/tokens.ts';
import { changeRoles, disableUser } from '../../src/oversight/acts/users.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import type { Route } from '../../src/service/route.ts';
import { ROUTES } from '../../src/service/routes/table.ts';
import { CELLS } from '../access/cells.ts';
import { founders, vouchedFor } from '../people/firm.ts';
import { House, serve } from './house.ts';
import { type Asking, Client } from './client.ts';

const ALL = process.env['FILEWRIGHT_ACCESS_CELLS'] === 'all';
const WHO = [...ROLES, 'none'] as const;
type Who = (typeof WHO)[number];

let house: House;
const people = new Map<Who, PersonActor>();
const cookies = new Map<Who, string>();

beforeAll(async () => {
  // Each request comes from another address: what counts failures by address is another test's.
  house = await House.make({ proxies: ['127.0.0.1'] });
  const two = [house.ann, house.ben] as const;
  for (const role of ROLES)
    people.set(role, await vouchedFor(house.app, two, `The ${role}`, [role]));
  people.set('none', await vouchedFor(house.app, two, 'Nora None', ['viewer']));
  const change = { name: 'Nora None', act: 'take', roles: ['viewer'] as Role[] } as const;
  for (const [who, person] of people) cookies.set(who, await house.signedIn(person));
  const asked = await changeRoles(house.app, house.ann, change);
  if (asked.state !== 'waiting') throw new Error('nobody else is there');
  await approveUser(house.app, house.ben, { id: asked.proposal, sha256: asked.sha256 });
}, 120_000);
afterAll(() => house.close());

async function ask(route: Route, asking: Asking, client = house.client) {
  const path = route.path.replaceAll(/\{\w+\}/g, randomUUID());
  const headers = { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` };
  const file = { type: 'text/csv', bytes: 'nothing\n' };
  const { status, body, text } = await client.ask(
    route.method,
    path,
    route.body === undefined || route.takesFile ? undefined : {},
    { ...asking, headers, ...(route.takesFile ? { file } : {}) },
  );
  return { status, code: typeof body['code'] === 'string' ? body['code'] : '', text };
}

function mayDo(route: Route, who: Who): boolean {
  if (route.act === undefined) return true;
  const cell = CELLS.get(route.act);
  if (cell === undefined) throw new Error(`no cell of ${route.act}`);
  return who !== 'none' && cell.roles.includes(who);
}

/** Everybody of a list is asked about every route; what surprises is told at once. */
async function surprises(
  look: (route: Route) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const found = await Promise.all(ROUTES.map(look));
  return found.filter((one) => one !== undefined);
}

describe('every route', () => {
  it.each(WHO)('as %s', async (who) => {
    const cookie = cookies.get(who) ?? '';
    const found = await surprises(async (route) => {
      const { status, code, text } = await ask(route, { cookie });
      const isRefused = status === 403 && code === 'NOT_PERMITTED';
      const isFine = mayDo(route, who) ? status !== 401 && !isRefused && status < 500 : isRefused;
      return isFine ? undefined : `${route.method} ${route.path}: ${status} ${text.slice(0, 200)}`;
    });
    expect(found).toEqual([]);
  });

  const refused = async (asking: () => Asking, code: string): Promise<void> => {
    const found = await surprises(async (route) => {
      const answer = await ask(route, asking());
      return answer.status === 401 && answer.code === code
        ? undefined
        : `${route.path}: ${answer.text}`;
    });
    expect(found).toEqual([]);
  };

  it('without a session is asked for one', () => refused(() => ({}), 'NO_CREDENTIAL'));

  it('with what is no session, or one of another tenant', async () => {
    const other = await house.firm.tenant();
    const [zoe] = await founders(other, 'Zoe');
    if (zoe === undefined) throw new Error('nobody was founded');
    const elsewhere = await serve(other);
    const { addOwnKey } = await import('../../src/oversight/acts/user-keys.ts');
    const { key } = await addOwnKey(other, zoe, { name: 'k' });
    const cookie = await new Client(elsewhere.url).signIn({ key });
    expect((await new Client(elsewhere.url).get('/me', { cookie })).status).toBe(200);
    await refused(() => ({ cookie }), 'BAD_CREDENTIAL');
    await refused(() => ({ token: `fwt_${'a'.repeat(43)}` }), 'BAD_CREDENTIAL');
    await elsewhere.close();
  });

  it('by a token for another act', async () => {
    const { token } = await makeToken(house.app, house.ann, { name: 'one', acts: ['mail.show'] });
    const found = await surprises(async (route) => {
      const answer = await ask(route, { token });
      const mayBe = route.act === 'mail.show' || route.act === undefined;
      const isFine = mayBe ? answer.status < 500 && answer.status !== 403 : answer.status === 403;
      return isFine ? undefined : `${route.path}: ${answer.status} ${answer.text}`;
    });
    expect(found).toEqual([]);
  });
});

// Last: nobody of them comes back.
describe.each(ALL ? WHO : (['auditor'] as const))('every route as %s', (who) => {
  const again = async (): Promise<string> => {
    const person = people.get(who);
    if (person === undefined) throw new Error('nobody');
    return house.signedIn(person);
  };
  const without = async (cookie: string): Promise<void> => {
    const found = await surprises(async (route) => {
      const { status, code, text } = await ask(route, { cookie });
      return status === 401 && code === 'BAD_CREDENTIAL' ? undefined : `${route.path}: ${text}`;
    });
    expect(found).toEqual([]);
  };

  it('whose session has ended', async () => {
    const cookie = await again();
    await house.client.post('/sign-out', undefined, { cookie });
    await without(cookie);
  });

  it('whose session has expired', async () => {
    const cookie = await again();
    await house.rows('alter table person_session disable trigger all');
    await house.rows(
      `update person_session set started_at = now() - interval '12 hours', expires_at = now() - interval '1 second'
       where started_at = (select max(started_at) from person_session)`,
    );
    await house.rows('alter table person_session enable trigger all');
    await without(cookie);
  });

  it('who is disabled', async () => {
    const cookie = await again();
    await disableUser(house.app, house.ann, people.get(who)?.name ?? '');
    await without(cookie);
  });
});
