/** People who must be told: really told, by a real SMTP server, in few letters, and not when a target has it after all. */
import { docketId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { acknowledgeAs, docketSeenBy } from '../../src/dockets/routing/docket-acts.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { header, type MailServerStub, startMailServer, TLS } from '../notify/mail-server.ts';
import { Stage } from './stage.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const DESK = 'desk@firm.example';
const HART = 'hart@firm.example';
const SENDING_TIERS = ['PRIMARY', 'SECONDARY', 'TERTIARY'] as const;

let server: Server;
let stage: Stage;
let mail: MailServerStub;
const refused = new Set<string>();
const putOff = new Set<string>();

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  refused.clear();
  putOff.clear();
  await stage?.close();
  await mail?.close();
});

/** A desk and a privileged person behind it, each with a mailbox. */
async function set(): Promise<void> {
  mail = await startMailServer({
    onRcptTo: ({ address }, _session, callback) => {
      const code = refused.has(address) ? 550 : putOff.has(address) ? 451 : undefined;
      callback(
        code === undefined ? null : Object.assign(new Error('not now'), { responseCode: code }),
      );
    },
  });
  stage = await Stage.set(server);
  const { matrix, people } = stage.documents() as {
    matrix: { targets: Record<string, object> };
    people: { persons: Record<string, object> };
  };
  const allow = ['client:*', 'class:*', 'privilege:*'];
  const matrixChanges = {
    targets: {
      ...matrix.targets,
      desk: { kind: 'mail', address: DESK, party: 'clerk' },
      hart: { kind: 'mail', address: HART, party: 'hart' },
    },
  };
  const persons = {
    ...people.persons,
    clerk: { name: 'Carl Clerk', target: 'desk', allow },
    hart: { name: 'Judith Hart', target: 'hart', allow },
  };
  await stage.activate(matrixChanges, { people: { persons } });
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

function outage(isOut: boolean): void {
  for (const tier of SENDING_TIERS) {
    stage.endpoints[tier].mode = isOut ? { kind: 'status', status: 503 } : { kind: 'well' };
    stage.endpoints[tier].health = isOut ? 503 : 200;
  }
}

const manual = () => stage.count(`docket where tenant = $1 and phase = 'manual'`);
const lettersTo = (address: string) => mail.taken.filter(({ to }) => to.includes(address));
const alertTexts = async (kind: string): Promise<string[]> =>
  (await stage.read(`select text from alert where tenant = $1 and kind = $2`, [kind])).map((row) =>
    String(row['text']),
  );

describe('a person of the manual tier', () => {
  it('whose mailbox is refused was not notified, and the next one is asked at once', async () => {
    await set();
    refused.add(DESK);
    outage(true);
    const [docket] = await stage.feed(1);
    await stage.router({ transport: transport() });
    await until(() => lettersTo(HART).length === 1);
    await until(
      async () =>
        (await alertTexts('docket_manual')).some((text) => text.includes('hart was notified')),
      10_000,
    );
    const { handoffs } = await docketSeenBy(
      stage.parts,
      await stage.viewer(),
      docket?.docket ?? docketId(''),
    );
    expect(
      handoffs
        .filter(({ tier }) => tier === 'MANUAL')
        .map(({ target, attempt, ended }) => [target, attempt, ended?.outcome]),
    ).toEqual([
      ['desk', 1, 'denied'],
      ['hart', 1, 'sent'],
    ]);
    const facts = await stage.facts();
    expect(facts.find(({ type }) => type === 'docket.manual_unreached')?.data).toMatchObject({
      target: 'desk',
      code: 'SMTP_550',
      next: 'hart',
    });
    expect(facts.filter(({ type }) => type === 'docket.manual_told')).toHaveLength(1);
    const acknowledged = await acknowledgeAs(
      stage.parts,
      await stage.viewer('hart'),
      docket?.docket ?? docketId(''),
    );
    expect(acknowledged.kind).toBe('acknowledged');
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('counts as notified only once a letter is through; until then the next one is asked too', async () => {
    await set();
    putOff.add(DESK);
    putOff.add(HART);
    outage(true);
    await stage.feed(1);
    await stage.router({ transport: transport() });
    await until(
      async () => (await stage.count(`docket_handoff where tenant = $1 and tier = 'MANUAL'`)) === 2,
      40_000,
    );
    expect((await alertTexts('docket_manual')).join()).not.toContain('was notified');
    putOff.clear();
    await until(() => lettersTo(DESK).length + lettersTo(HART).length > 0);
    await until(
      async () => (await alertTexts('docket_manual')).join().includes('was notified'),
      10_000,
    );
  });

  it('where no one can be notified, the alert says so', async () => {
    await set();
    refused.add(DESK);
    refused.add(HART);
    outage(true);
    await stage.feed(1);
    await stage.router({ transport: transport() });
    await until(
      async () => (await alertTexts('docket_manual')).join().includes('No one else'),
      30_000,
    );
    const [alert] = await stage.read(
      `select severity, text from alert where tenant = $1 and kind = 'docket_manual'`,
    );
    expect(alert?.['severity']).toBe('critical');
    expect(String(alert?.['text'])).not.toContain('was notified');
  });

  it('gets a reminder as a letter of its own', async () => {
    await set();
    outage(true);
    await stage.feed(1);
    const hurried = {
      policy: (stated: Parameters<NonNullable<typeof stage.parts.policy>>[0]) => ({
        ...(stage.parts.policy?.(stated) ?? stated),
        manualClockMs: 4_000,
      }),
    };
    await stage.router({ transport: transport(), ...hurried });
    await until(() => lettersTo(DESK).length >= 2);
    const ids = mail.taken.map(({ raw }) => header(raw, 'message-id'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gets one letter about an outage, with every docket in it, the most urgent first', async () => {
    await set();
    outage(true);
    await stage.feed(150);
    await stage.feed(1, { application_number: '18/999001', due_date: '2098-03-02' });
    await stage.router({ transport: transport() });
    await until(async () => (await manual()) === 151);
    await until(
      async () =>
        (await stage.count(
          `docket_handoff where tenant = $1 and tier = 'MANUAL' and outcome = 'sent'`,
        )) === 151,
      60_000,
    );
    expect(mail.taken.length).toBeLessThanOrEqual(2);
    const text = mail.taken.map(({ raw }) => raw.replaceAll('=\r\n', '')).join();
    const rows = await stage.read(`select id from docket where tenant = $1`);
    expect(rows.filter(({ id }) => !text.includes(String(id)))).toEqual([]);
    const urgent = mail.taken.find(({ raw }) => raw.includes('18/999001'))?.raw ?? '';
    expect(urgent.indexOf('18/999001')).toBeLessThan(urgent.search(/18\/300\d/));
  });
});

describe('a docket that waits for people', () => {
  it('goes to a target that is well again while no one has acted, without another letter', async () => {
    await set();
    outage(true);
    await stage.feed(12);
    await stage.router({ transport: transport() });
    await until(async () => (await manual()) === 12);
    await until(() => mail.taken.length > 0);
    const letters = mail.taken.length;
    outage(false);
    await until(async () => (await stage.confirmed()) === 12);
    expect(mail.taken.length).toBe(letters);
    const facts = await stage.facts();
    expect(facts.filter(({ type }) => type === 'docket.returned')).toHaveLength(12);
    expect(facts.filter(({ type }) => type === 'docket.manual_required')).toHaveLength(12);
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('stays with the person who has acted', async () => {
    await set();
    outage(true);
    const admitted = await stage.feed(4);
    await stage.router({ transport: transport() });
    await until(async () => (await manual()) === 4);
    const viewer = await stage.viewer('clerk');
    const mine = admitted[0]?.docket ?? docketId('');
    expect((await acknowledgeAs(stage.parts, viewer, mine)).kind).toBe('acknowledged');
    outage(false);
    await until(async () => (await stage.confirmed()) === 4);
    expect((await docketSeenBy(stage.parts, viewer, mine)).owner).toBe('clerk');
    const taken = SENDING_TIERS.flatMap((tier) => [...stage.endpoints[tier].counts().keys()]);
    expect(taken).not.toContain(mine);
  });
});
