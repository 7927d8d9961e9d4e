/** Links, sessions and tokens: who gets in, for how long, and what an insider with SQL cannot make of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allowThrough, isDelegable, needsFreshSignIn } from '../../src/access/delegated.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { type ActName, RIGHTS } from '../../src/access/rights.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { instant } from '../../src/core/time.ts';
import type { Filewright } from '../../src/filewright.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { addOwnKey, listUserKeys, revokeKey } from '../../src/oversight/acts/user-keys.ts';
import { disableUser } from '../../src/oversight/acts/users.ts';
import {
  enter,
  listSignIns,
  makeLink,
  revokeSignIn,
  signIn,
} from '../../src/people/acts/sign-ins.ts';
import { listProgramTokens, makeToken, revokeProgramToken } from '../../src/people/acts/tokens.ts';
import { OPERATOR } from '../operator.ts';
import { ACT_FOR, Firm, founders, vouchedFor } from './firm.ts';

const HERE = '127.0.0.1';
let firm: Firm;
let app: Filewright;
let ann: PersonActor;
let ben: PersonActor;

beforeAll(async () => {
  firm = await Firm.make();
});
afterAll(() => firm.close());
beforeEach(async () => {
  app = await firm.tenant();
  const [one, two] = await founders(app, 'Ann', 'Ben');
  if (one === undefined || two === undefined) throw new Error('nobody was founded');
  [ann, ben] = [one, two];
});

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // A refusal of the database has the name of its rule.
  if (error instanceof FilewrightError) return error.code;
  return error === undefined ? 'done' : String(Reflect.get(Object(error), 'constraint') ?? error);
}

function sql(text: string, by?: PersonActor): Promise<unknown> {
  return app.session.transaction(async (run) => {
    await run(ACT_FOR, [by?.id ?? '']);
    return run({ name: '', text });
  });
}

async function keyOf(actor: PersonActor): Promise<{ id: string; key: string }> {
  return addOwnKey(app, actor, { name: 'console' });
}

describe('a session', () => {
  it('begins with a key, and ends with that key, with its person, and when it is revoked', async () => {
    const { id, key } = await keyOf(ann);
    const one = await signIn(app, { key }, HERE);
    expect((await enter(app, one.token)).person).toMatchObject({ id: ann.id, roles: ann.roles });
    expect((await listSignIns(app, ann)).map((s) => [s.personName, s.isOpen])).toEqual([
      ['Ann', true],
    ]);
    await revokeSignIn(app, ann, one.id);
    expect(await codeOf(enter(app, one.token))).toBe('BAD_CREDENTIAL');
    const two = await signIn(app, { key }, HERE);
    await revokeKey(app, ann, id);
    expect(await codeOf(enter(app, two.token))).toBe('BAD_CREDENTIAL');
    expect(await codeOf(signIn(app, { key }, HERE))).toBe('BAD_CREDENTIAL');
    const three = await signIn(app, { key: (await keyOf(ben)).key }, HERE);
    await disableUser(app, ann, 'Ben');
    expect(await codeOf(enter(app, three.token))).toBe('BAD_CREDENTIAL');
  });

  it('ends half an hour after its last use, and twelve hours after it began', async () => {
    const { key } = await keyOf(ann);
    const late = { name: '', text: 'alter table person_session disable trigger all' };
    const again = { name: '', text: 'alter table person_session enable trigger all' };
    const token = async (change: string): Promise<string> => {
      const made = await signIn(app, { key }, HERE);
      // The clock of the database cannot be moved; the rows can, where the walls are down.
      await app.session.run(late);
      await sql(`update person_session set ${change} where id = '${made.id}'`);
      await app.session.run(again);
      return codeOf(enter(app, made.token));
    };
    expect(await token(`last_used_at = now() - interval '29 minutes'`)).toBe('done');
    expect(await token(`last_used_at = now() - interval '31 minutes'`)).toBe('BAD_CREDENTIAL');
    const began = `started_at = now() - interval '13 hours', expires_at = now() - interval '1 hour'`;
    expect(await token(began)).toBe('BAD_CREDENTIAL');
  });

  it('of another person is not there, but for an administrator', async () => {
    const nora = await vouchedFor(app, [ann, ben], 'Nora', ['viewer']);
    const { id } = await signIn(app, { key: (await keyOf(ann)).key }, HERE);
    expect(await listSignIns(app, nora)).toEqual([]);
    expect(await codeOf(revokeSignIn(app, nora, id))).toBe('NOT_FOUND');
    expect(await codeOf(revokeSignIn(app, nora, app.ids.next()))).toBe('NOT_FOUND');
    expect(await codeOf(revokeSignIn(app, ben, id))).toBe('done');
  });

  it('is never made, moved or kept open by somebody with SQL alone', async () => {
    const { key } = await keyOf(ann);
    const made = await signIn(app, { key }, HERE);
    const add = (person: string, more: string, by?: PersonActor): Promise<string> =>
      codeOf(
        sql(
          `insert into person_session (tenant, id, person, sha256, way, credential, expires_at) values ('${app.tenant}',
            gen_random_uuid(), '${person}', sha256('x'), ${more})`,
          by,
        ),
      );
    const anyKey = `'key', gen_random_uuid(), now() + interval '1 hour'`;
    expect(await add(ann.id, anyKey, ann)).toBe('person_session_shown');
    const own = (await listUserKeys(app, ann)).find(({ name }) => name === 'console');
    const long = `'key', '${own?.id}', now() + interval '13 hours'`;
    expect(await add(ann.id, long, ann)).toBe('person_session_short');
    expect(await add(ann.id, long)).toBe('acting_person');
    expect(await add(ben.id, long, ben)).toBe('person_session_shown');
    const change = (set: string, by?: PersonActor): Promise<string> =>
      codeOf(sql(`update person_session set ${set} where id = '${made.id}'`, by));
    expect(await change(`person = '${ben.id}'`, ann)).toBe('person_session_stays');
    expect(await change(`expires_at = expires_at + interval '1 minute'`, ann)).toBe(
      'person_session_stays',
    );
    expect(await change(`ended_at = now(), ended_by = '${ann.id}'`, ben)).toBe(
      'person_session_stays',
    );
    expect(await codeOf(sql('delete from person_session', ann))).toContain('written once');
  });
});

describe('a link', () => {
  it('signs in once, whoever is faster, and for ten minutes', async () => {
    const { link } = await makeLink(app, ann);
    const both = await Promise.all([
      codeOf(signIn(app, { link }, HERE)),
      codeOf(signIn(app, { link }, HERE)),
    ]);
    expect(both.toSorted()).toEqual(['BAD_CREDENTIAL', 'done']);
    const long = `insert into sign_in_link (tenant, id, person, sha256, made_by, expires_at) values ('${app.tenant}',
      gen_random_uuid(), '${ann.id}', sha256('y'), '${ann.id}', now() + interval '11 minutes')`;
    expect(await codeOf(sql(long, ann))).toBe('sign_in_link_short');
  });

  it('is made for oneself alone: an administrator does not become another person by it', async () => {
    expect(await codeOf(makeLink(app, ann, 'Ben'))).toBe('NOT_PERMITTED');
    const forBen = `insert into sign_in_link (tenant, id, person, sha256, made_by, expires_at) values ('${app.tenant}',
      gen_random_uuid(), '${ben.id}', sha256('z'), '${ann.id}', now() + interval '5 minutes')`;
    expect(await codeOf(sql(forBen, ann))).toBe('sign_in_link_own');
    expect((await makeLink(app, ann, 'Ann')).name).toBe('Ann');
  });
});

describe('a token', () => {
  it('acts for its owner until it is revoked, and the others hear of it', async () => {
    const made = await makeToken(app, ann, { name: 'crm', acts: ['filing.list', 'batch.import'] });
    const { person, entrance } = await enter(app, made.token);
    expect(person.id).toBe(ann.id);
    expect(entrance).toMatchObject({ kind: 'token', acts: ['batch.import', 'filing.list'] });
    expect((await listProgramTokens(app, ann)).map(({ name }) => name)).toEqual(['crm']);
    const alerts = await app.session.run({ name: '', text: `select kind, text from alert` });
    expect(String(alerts.find(({ kind }) => kind === 'token_changed')?.['text'])).toContain(
      '"crm"',
    );
    await revokeProgramToken(app, ann, made.id);
    expect(await codeOf(enter(app, made.token))).toBe('BAD_CREDENTIAL');
  });

  it('is made for no decision, and not for longer than a year', async () => {
    const add = (acts: readonly string[], days = 5): Promise<string> =>
      codeOf(makeToken(app, ann, { name: 'crm', acts, days }));
    expect(await add(['batch.approve'])).toBe('USAGE');
    expect(await add(['worker.run', 'filing.list'])).toBe('done');
    expect(await add(['database.stop'])).toBe('done');
    expect(await add(['no.act'])).toBe('USAGE');
    expect(await add(['filing.list'], 367)).toBe('USAGE');
  });
});

describe('what a way in is good for', () => {
  const NOW = instant(1_800_000_000_000);
  const through = (act: ActName, minutes: number): string => {
    const signedInAt = instant(NOW - minutes * 60_000);
    try {
      allowThrough({ kind: 'session', id: 's', signedInAt }, ann, act, NOW);
      return 'done';
    } catch (error) {
      return error instanceof FilewrightError ? error.code : String(error);
    }
  };

  it('what cannot be undone asks for a sign-in of the last fifteen minutes', () => {
    expect(through('batch.approve', 15)).toBe('done');
    expect(through('batch.approve', 15.01)).toBe('SIGN_IN_AGAIN');
    expect(through('filing.list', 600)).toBe('done');
    expect(through('session.revoke', 600)).toBe('done');
  });

  it('every act that approves, or decides what another proposed, asks for it, and no token does it', () => {
    const decisive = Object.keys(RIGHTS).filter((act) =>
      /\.(approve|decide|release|role)$/.test(act),
    );
    expect(decisive.length).toBeGreaterThan(10);
    // A release in grants hands figures on; it sends nothing and can be done again.
    const open = decisive.filter((act) => !needsFreshSignIn(act as ActName));
    expect(open).toEqual(['grants.release']);
    for (const act of Object.keys(RIGHTS) as ActName[]) {
      if (needsFreshSignIn(act)) expect(isDelegable(act), act).toBe(false);
    }
  });
});

it('the rows of all of it are held against the ledger', async () => {
  const { key } = await keyOf(ann);
  const { id } = await signIn(app, { key }, HERE);
  await signIn(app, { link: (await makeLink(app, ben)).link }, HERE);
  const token = await makeToken(app, ben, { name: 'crm', acts: ['filing.list'] });
  await revokeSignIn(app, ann, id);
  await revokeProgramToken(app, ben, token.id);
  const report = await verifyLedger(app, OPERATOR, { bodies: false, rows: true });
  expect(report.rows?.shown).toEqual([]);
  await app.session.run({ name: '', text: 'alter table program_token disable trigger all' });
  await sql(`update program_token set acts = '{batch.import}'`);
  const changed = await verifyLedger(app, OPERATOR, { bodies: false, rows: true });
  expect(changed.rows?.shown.map(({ table, field }) => `${table}.${field}`)).toEqual([
    'program_token.acts',
  ]);
  await app.session.run({ name: '', text: 'alter table program_token enable trigger all' });
});
