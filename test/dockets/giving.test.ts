/** Somebody is ill today: what they have goes to who stands in for them, by name, and nothing stays on an empty desk. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { giveDocket } from '../../src/dockets/acts/give.ts';
import { docketReport } from '../../src/dockets/acts/report.ts';
import { issueDocketIcs } from '../../src/dockets/acts/report-ics.ts';
import { noteAbsence } from '../../src/dockets/acts/routing-files.ts';
import { acknowledgeAs, docketSeenBy } from '../../src/dockets/routing/docket-acts.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { type DocketId, docketId } from '../../src/core/index.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { header, type MailServerStub, startMailServer, TLS } from '../notify/mail-server.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';
import { ACT_FOR, founders, vouchedFor } from '../people/firm.ts';
import { Stage } from './stage.ts';

const mailbox = (name: string): string => `${name}@firm.example`;
const REASON = 'Out for the hearing in the other matter.';

let server: Server;
let stage: Stage;
let mail: MailServerStub;
const actors = new Map<string, PersonActor>();

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  await stage?.close();
  await mail?.close();
});

const actor = (name: string): PersonActor => {
  const found = actors.get(name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
};

async function set(): Promise<void> {
  mail = await startMailServer();
  stage = await Stage.set(server);
  const [hart, ruiz] = await founders(stage.app, 'Judith Hart', 'Elena Ruiz');
  if (hart === undefined || ruiz === undefined) throw new Error('nobody is there');
  const moreau = await vouchedFor(stage.app, [hart, ruiz], 'Claire Moreau');
  for (const one of [hart, ruiz, moreau]) actors.set(one.name, one);
  const box = (name: string) => ({ kind: 'mail', address: mailbox(name), party: name });
  await stage.activate(
    {
      targets: {
        team: box('ruiz'),
        lead: box('moreau'),
        supervisor: box('hart'),
        desk: box('hart'),
      },
      nodes: {
        team: { tier: 'PRIMARY', target: 'team', next: ['supervisor'] },
        supervisor: { tier: 'SECONDARY', target: 'supervisor', next: ['third'] },
        third: { tier: 'TERTIARY', target: 'supervisor', next: ['desk'] },
        desk: { tier: 'MANUAL', target: 'desk' },
      },
    },
    { people: { persons: PERSONS, teams: {} } },
  );
  await stage.router({
    transport: {
      allowPrivateAddresses: () => ANY_PRIVATE,
      certificateAuthorities: [TLS.cert],
      mail: {
        server: async () => ({
          url: `smtp://127.0.0.1:${mail.port}`,
          allowPrivateAddresses: ANY_PRIVATE,
        }),
        from: 'docketing@firm.example',
        host: 'filewright.example',
      },
    },
  });
}

const SEES = ['client:*', 'privilege:*'];
const PERSONS = {
  ruiz: { name: 'Elena Ruiz', target: 'team', allow: [...SEES, 'class:*'] },
  moreau: { name: 'Claire Moreau', target: 'lead', allow: SEES },
  hart: { name: 'Judith Hart', target: 'supervisor', allow: [...SEES, 'class:*'] },
};

const lettersTo = (name: string) => mail.taken.filter(({ to }) => to.includes(mailbox(name)));
const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

async function ownerOf(id: DocketId): Promise<string> {
  const { owner, state } = await docketSeenBy(stage.parts, await stage.viewer(), id);
  return `${state.state} ${owner ?? ''}`;
}

/** Of the dockets that the attorney has: one acknowledged, one not, one that her colleague may not see. */
async function desk(): Promise<readonly [DocketId, DocketId, DocketId]> {
  const [open, taken] = await stage.feed(2);
  const [secret] = await stage.feed(1, { application_number: '18/9', classification: ['export'] });
  const ids = [open, taken, secret].map((one) => one?.docket ?? docketId('none'));
  await until(async () => (await stage.count(AWAITING)) === 3);
  const [first, second, third] = ids;
  if (first === undefined || second === undefined || third === undefined) throw new Error('none');
  await acknowledgeAs(stage.parts, await stage.viewer('ruiz'), second);
  expect(await ownerOf(second)).toBe('confirmed ruiz');
  return [first, second, third];
}

const AWAITING = `docket where tenant = $1 and phase = 'awaiting'`;

describe('an absence that begins today', () => {
  it('hands over what the person has now, acknowledged or not, in one letter', async () => {
    await set();
    const [open, taken, secret] = await desk();
    const absence = { person: 'ruiz', from: day(-1), to: day(1), delegate: 'moreau' };
    const { handedOver } = await noteAbsence(stage.app, actor('Judith Hart'), absence);
    expect(new Map(handedOver.map(({ docket, to }) => [docket, to]))).toEqual(
      new Map([
        [open, 'moreau'],
        [taken, 'moreau'],
        [secret, undefined],
      ]),
    );
    await until(async () => (await stage.count(AWAITING)) === 3);
    expect(await ownerOf(open)).toBe('awaiting moreau');
    expect(await ownerOf(taken)).toBe('awaiting moreau');
    // She may not see it: it went on to who may.
    expect(await ownerOf(secret)).toBe('awaiting hart');
    const letters = lettersTo('moreau');
    expect(letters).toHaveLength(1);
    expect(header(letters[0]?.raw ?? '', 'subject')).toContain('2 docket events for Northwind');
    expect(letters[0]?.raw).toContain('covering for ruiz');
    await acknowledgeAs(stage.parts, await stage.viewer('moreau'), taken);
    expect(await ownerOf(taken)).toBe('confirmed moreau');
    const given = (await stage.facts()).filter(({ type }) => type === 'docket.given');
    expect(given.map(({ data }) => [data['from'], data['to']])).toContainEqual(['ruiz', 'moreau']);
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('hands over only those that are named, and nothing where the person keeps them', async () => {
    await set();
    const [open, taken] = await desk();
    const absence = { person: 'ruiz', from: day(-1), to: day(1), delegate: 'moreau' };
    const hart = actor('Judith Hart');
    const keep = await noteAbsence(stage.app, hart, absence, 'nothing');
    expect(keep.handedOver).toEqual([]);
    expect(await ownerOf(taken)).toBe('confirmed ruiz');
    await noteAbsence(stage.app, hart, absence, [taken]);
    await until(async () => (await ownerOf(taken)) === 'awaiting moreau');
    expect(await ownerOf(open)).toBe('awaiting ruiz');
    await expect(noteAbsence(stage.app, hart, absence, ['fwo1-none'])).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
  });

  it('of somebody else is noted only by who has the right to', async () => {
    await set();
    const absence = { person: 'ruiz', from: day(-1), to: day(1), delegate: 'moreau' };
    const refused = noteAbsence(stage.app, actor('Claire Moreau'), absence);
    await expect(refused).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });
});

describe('the calendar of an attorney', () => {
  it('has matter, client and the link to what was handed to her, and of others no link', async () => {
    await set();
    await stage.feed(1, { matter: 'NW-0101' });
    await until(async () => (await stage.count(AWAITING)) === 1);
    const textFor = async (name: string): Promise<string> => {
      const { rows } = await docketReport(stage.app, actor(name), {});
      const issued = await issueDocketIcs(stage.app, actor(name), rows, name, PUBLIC);
      return issued.text.replaceAll('\r\n ', '');
    };
    const text = await textFor('Elena Ruiz');
    expect(text).toMatch(/SUMMARY:Due: CTNF.*18\/300000\\, NW-0101\\, Northwind/);
    expect(text).toMatch(/DESCRIPTION:filewright docket show fwo1-/);
    expect(text).toMatch(/URL:https:\/\/firm\.example\/acknowledge\/\S{71}/);
    expect(await textFor('Claire Moreau')).not.toContain('URL:');
    // Issued again, nothing has changed.
    expect(await textFor('Elena Ruiz')).toBe(text);
  });
});

const PUBLIC = 'https://firm.example/';

describe('the database', () => {
  it('takes a second docketing from nobody who was sent the date, looked at it or is somebody else', async () => {
    await set();
    const [id] = await stage.feed(1);
    await until(async () => (await stage.count(AWAITING)) === 1);
    const as = (name: string, text: string, values: readonly unknown[]): Promise<unknown> =>
      stage.app.session.transaction(async (run) => {
        await run(ACT_FOR, [actor(name).id]);
        await run({ name: '', text }, [stage.app.tenant, id?.docket, ...values]);
      });
    const second = `insert into docket_second (tenant, docket, by_person, event) values ($1, $2, $3, '{}')`;
    const give = (name: string, named = name) => as(name, second, [actor(named).id]);
    const blind = { code: '23001', constraint: 'docket_second_blind' };
    await expect(give('Elena Ruiz')).rejects.toMatchObject(blind);
    await expect(give('Elena Ruiz', 'Claire Moreau')).rejects.toMatchObject(blind);
    const looked = `insert into docket_reveal (tenant, docket, person, reason) values ($1, $2, $3, 'because it is so')`;
    await as('Claire Moreau', looked, [actor('Claire Moreau').id]);
    await expect(give('Claire Moreau')).rejects.toMatchObject(blind);
    await give('Judith Hart');
    const decide = `update docket_second set decided_for = 'first', decided_by = $3, decided_at = now(),
      decision_reason = 'because it is so' where tenant = $1 and docket = $2`;
    const third = { code: '23001', constraint: 'docket_second_third' };
    await expect(as('Judith Hart', decide, [actor('Judith Hart').id])).rejects.toMatchObject(third);
    await as('Claire Moreau', decide, [actor('Claire Moreau').id]);
    await expect(as('Elena Ruiz', decide, [actor('Elena Ruiz').id])).rejects.toMatchObject(third);
    const later = `update docket set dating = '{"event": {"stated": {"due": 99999}}}' where tenant = $1 and id = $2`;
    const dated = { code: '23001', constraint: 'docket_dated' };
    await expect(as('Judith Hart', later, [])).rejects.toMatchObject(dated);
  });
});

describe('one docket', () => {
  it('is given to a colleague who may see it, and to nobody else', async () => {
    await set();
    const [open, , secret] = await desk();
    const ruiz = actor('Elena Ruiz');
    const give = (id: DocketId, by: PersonActor, to = 'moreau') =>
      giveDocket(stage.app, by, id, { to, reason: REASON });
    await expect(give(open, actor('Claire Moreau'))).rejects.toMatchObject({
      message: expect.stringContaining('was not handed off to you') as string,
    });
    await expect(give(secret, ruiz)).rejects.toMatchObject({
      message: expect.stringContaining('may not see') as string,
    });
    await give(open, ruiz);
    await until(async () => (await ownerOf(open)) === 'awaiting moreau');
    expect(lettersTo('moreau')).toHaveLength(1);
    // Who gave it has it no more, until somebody gives it back.
    await give(secret, ruiz, 'hart');
    await until(async () => (await ownerOf(secret)) === 'awaiting hart');
  });
});
