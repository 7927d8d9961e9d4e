/** One event is one docket in the database, whatever spelling it comes in; and what a link tells of a confidential one. */
import { docketId, partyId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serveAcknowledgements } from '../../src/dockets/acts/serve.ts';
import { linksOf } from '../../src/dockets/acts/links.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { addMs } from '../../src/core/time.ts';
import { acknowledgementPage } from '../../src/dockets/routing/acknowledgement-page.ts';
import { importDockets } from '../../src/dockets/routing/intake.ts';
import { linkFor } from '../../src/dockets/store/handoffs.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { type Row, Stage } from './stage.ts';
import { OPERATOR } from '../operator.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const bring = (...rows: Row[]) =>
  importDockets(
    stage.parts,
    rows.map((row) => stage.incoming(row)),
  );
const dockets = () => stage.count('docket where tenant = $1');

describe('one event', () => {
  it('is one docket under any spelling, in one import and in the next; no one is asked to compare', async () => {
    stage = await Stage.set(server);
    const spellings = [
      '17/123,456',
      '17123456',
      'US 17/123,456',
      '１７/123456',
      '17/123\u200b,456',
    ];
    const first = await bring(...spellings.map((application_number) => ({ application_number })));
    expect(first.map(({ kind }) => kind)).toEqual(['created', ...Array(4).fill('unchanged')]);
    const again = await bring({ application_number: 'USSN 17/123,456', client: 'NORTHWIND' });
    expect(again).toEqual([{ kind: 'unchanged', docket: first[0]?.docket }]);
    expect(await dockets()).toBe(1);
    expect(await stage.count(`alert where tenant = $1`)).toBe(0);
    // The name is shown as it came first, and every other spelling is kept as evidence.
    const [row] = await stage.read(
      `select docket->>'applicationNumber' as n from docket where tenant = $1`,
    );
    expect(row?.['n']).toBe('17/123,456');
    const types = (await stage.facts()).map(({ type }) => type);
    expect(types.filter((type) => type === 'docket.repeated')).toHaveLength(5);
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('that comes in another spelling and with other words is a conflict, and no second docket', async () => {
    stage = await Stage.set(server);
    const [, other] = await bring(
      { application_number: '17/123,456' },
      { application_number: '17123456', due_date: '2099-02-05' },
    );
    expect(other?.kind).toBe('conflict');
    expect(await dockets()).toBe(1);
    expect(await stage.count(`alert where tenant = $1 and kind = 'docket_conflict'`)).toBe(1);
  });

  it('is never another one', async () => {
    stage = await Stage.set(server);
    const numbers = ['17/123,456', '17/123,465', 'EP 17123456', '1/23', '12/3', '---', '///'];
    await bring(...numbers.map((application_number) => ({ application_number })));
    expect(await dockets()).toBe(numbers.length);
  });

  it('keeps its identity, whatever a fault above the database tries', async () => {
    stage = await Stage.set(server);
    await bring({});
    const change = `update docket set identity = 'other' where tenant = $1`;
    await expect(stage.read(change)).rejects.toThrow('has its identity');
  });
});

describe('the page behind a link', () => {
  const SECRETS = /18\/300|Northwind|NW-1|CTNF|Rejection|fwo1-/;

  async function linkTo(row: Row, party = 'hart'): Promise<string> {
    const [one] = await bring({ matter: 'NW-1', title: 'Rejection', ...row });
    const reference = (await dockets()).toString(16).padStart(32, 'a');
    await linkFor(stage.app.session, stage.app.tenant, {
      reference,
      docket: one?.docket ?? docketId(''),
      handoff: `fwh1-${reference}`,
      party: partyId(party),
      expiresAt: addMs(stage.app.clock.now(), 3_600_000),
    });
    return reference;
  }

  it.each<[string, Row]>([
    ['a privilege marker', { privilege: ['attorney-client'] }],
    ['a marker in the words of its source', { privilege_markers: 'attorney-client' }],
    ['a classification', { class: 'export-controlled' }],
    ['a name that nobody can tell', { client: 'Nоrthwind' }],
    ['a client behind a wall', { client: 'CONTOSO, INC.' }],
  ])('shows which docket it is only after sign-in: %s', async (_what, row) => {
    stage = await Stage.set(server);
    const { people } = stage.documents() as { people: { persons: Record<string, object> } };
    const ruiz = { ...people.persons['ruiz'], deny: ['client:Contoso'] };
    await stage.activate({}, { people: { persons: { ...people.persons, ruiz } } });
    const view = await acknowledgementPage(stage.parts).look(await linkTo(row));
    expect(view).toMatchObject({ kind: 'open', needsSignIn: true, lines: ['Due 2099-01-05'] });
    expect(JSON.stringify(view)).not.toMatch(SECRETS);
  });

  it('shows it to who signs in and has the right, over the wire, and to no other key', async () => {
    stage = await Stage.set(server);
    const { app } = stage;
    const hart = await foundUser(app, OPERATOR, 'Judith Hart');
    const ruiz = await foundUser(app, OPERATOR, 'Elena Ruiz');
    const reference = await linkTo({ class: 'export-controlled' });
    const page = await serveAcknowledgements(app, OPERATOR, { port: 0 });
    try {
      const expiresAt = addMs(app.clock.now(), 3_600_000);
      const url = linksOf(app).urlFor({ reference, expiresAt }, page.url);
      const sign = (key: string) =>
        fetch(url, { method: 'POST', body: new URLSearchParams({ key }) });
      expect(await (await fetch(url)).text()).not.toMatch(SECRETS);
      for (const key of [ruiz.key, 'fwk_nobody']) {
        const refused = await sign(key);
        expect(refused.status).toBe(403);
        expect(await refused.text()).not.toMatch(SECRETS);
      }
      const shown = await sign(` ${hart.key}`);
      expect(await shown.text()).toContain('CTNF in 18/300101');
      expect(await stage.confirmed()).toBe(0);
    } finally {
      await page.close();
    }
  });

  it('shows an open docket to its reader as before', async () => {
    stage = await Stage.set(server);
    const view = await acknowledgementPage(stage.parts).look(await linkTo({}));
    expect(view).toMatchObject({ kind: 'open', title: 'CTNF in 18/300101' });
  });
});
