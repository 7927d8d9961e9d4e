/** A router that was away: what is due first goes first, and a person gets one letter and not one for each docket. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { header, type MailServerStub, startMailServer, TLS } from '../notify/mail-server.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';
import { Stage } from './stage.ts';

const RUIZ = 'ruiz@firm.example';
const HART = 'hart@firm.example';

let server: Server;
let stage: Stage;
let mail: MailServerStub;
/** While set, the mail server puts letters off. */
let isPutOff = false;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  isPutOff = false;
  await stage?.close();
  await mail?.close();
});

/** A firm whose attorney is reached by mail alone; the desk behind her, too. */
async function set(): Promise<void> {
  mail = await startMailServer({
    onRcptTo: (_address, _session, callback) =>
      callback(isPutOff ? Object.assign(new Error('not now'), { responseCode: 451 }) : null),
  });
  stage = await Stage.set(server);
  await stage.activate({
    targets: {
      team: { kind: 'mail', address: RUIZ, party: 'ruiz' },
      lead: { kind: 'mail', address: RUIZ, party: 'ruiz' },
      supervisor: { kind: 'mail', address: HART, party: 'moreau' },
      desk: { kind: 'mail', address: HART, party: 'hart' },
    },
  });
}

const transport = () => ({
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
});

const day = (n: number): string => `2099-01-${String(n).padStart(2, '0')}`;

describe('a backlog after an outage', () => {
  it('is handed over by due day, whenever each came in', async () => {
    stage = await Stage.set(server);
    const days = [20, 3, 11, 28, 7];
    for (const [n, at] of days.entries()) {
      await stage.feed(1, { application_number: `18/${n}`, due_date: day(at) });
    }
    await stage.router({ inFlightMax: 1 });
    await until(async () => (await stage.confirmed()) === days.length);
    const order = stage.endpoints.PRIMARY.taken.map(
      ({ body }) => (JSON.parse(body.toString()) as { due_date: string }).due_date,
    );
    expect(order).toEqual([3, 7, 11, 20, 28].map(day));
  });

  it('of many dockets for one person is one letter, the most urgent first', async () => {
    await set();
    await stage.feed(150, { client: 'Client A', due_date: day(20) });
    for (let n = 0; n < 4; n += 1) {
      await stage.feed(1, { application_number: `19/${n}`, due_date: day(10 + n) });
    }
    const total = await stage.count('docket where tenant = $1');
    await stage.router({ transport: transport() });
    await until(() => stage.count(AWAITING).then((count) => count === total));
    expect(mail.taken).toHaveLength(1);
    const [letter] = mail.taken;
    expect(header(letter?.raw ?? '', 'subject')).toContain(`${total} docket events for `);
    expect(header(letter?.raw ?? '', 'subject')).toContain('Client');
    const text = (letter?.raw ?? '').replaceAll(/=\r?\n/g, '');
    const dues = [...text.matchAll(/due (2099-01-\d\d), docket/g)].map(([, due]) => due);
    expect(dues).toHaveLength(total);
    expect(dues).toEqual(dues.toSorted((a = '', b = '') => a.localeCompare(b)));
  });

  it('whose one letter is put off counts against the mailbox once', async () => {
    await set();
    isPutOff = true;
    await stage.feed(20);
    await stage.router({ transport: transport() });
    const ends = `docket_handoff where tenant = $1 and outcome = 'failed'`;
    await until(async () => (await stage.count(ends)) === 20);
    const lanes = `lane where tenant = $1 and code = 'target/team'`;
    const [lane] = await stage.read(`select state from ${lanes}`);
    expect(lane?.['state']).toMatchObject({ breaker: { state: 'closed', failures: 1 } });
    isPutOff = false;
    await until(() => stage.count(AWAITING).then((count) => count === 20));
  });
});

describe('a router without a mail server', () => {
  it('says so in an alert, and nobody is called notified', async () => {
    await set();
    await stage.feed(1);
    await stage.router();
    const kinds = `alert where tenant = $1 and kind = 'mail_server_missing' and severity = 'critical'`;
    await until(async () => (await stage.count(kinds)) === 1);
    await until(
      async () => (await stage.count(`docket where tenant = $1 and phase = 'manual'`)) === 1,
    );
    const facts = await stage.facts();
    expect(facts.map(({ type }) => type)).not.toContain('docket.manual_told');
    const texts = await stage.read('select text from alert where tenant = $1');
    expect(texts.map((row) => String(row['text'])).join()).not.toMatch(/was notified/);
  });
});

const AWAITING = `docket where tenant = $1 and phase = 'awaiting'`;
