/** Nothing is late in silence: dates, laws, people and links, as they change under open dockets. */
import { docketId, partyId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseDay } from '../../src/calendar/day.ts';
import { addMs, instant } from '../../src/core/time.ts';
import { acknowledgementLinks } from '../../src/people/notify/acknowledgement-link.ts';
import { createHandoffs } from '../../src/people/notify/handoff/deliver.ts';
import { acknowledgeAs, closeAs } from '../../src/dockets/routing/docket-acts.ts';
import { acknowledgementPage } from '../../src/dockets/routing/acknowledgement-page.ts';
import { loadRouting, setAbsence } from '../../src/dockets/routing/setup.ts';
import { observe } from '../../src/dockets/routing/observe.ts';
import { QueueWatch } from '../../src/dockets/routing/queue-watch.ts';
import { databaseNow } from '../../src/dockets/store/steps.ts';
import { linkFor } from '../../src/dockets/store/handoffs.ts';
import { rolesState } from '../../src/postgres/roles.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { startStallingTls } from '../handoff/stalling-tls.ts';
import { TLS } from '../notify/mail-server.ts';
import { law, Stage } from './stage.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const alerts = (kind: string) => stage.count('alert where tenant = $1 and kind = $2', [kind]);
const manual = () => stage.count(`docket where tenant = $1 and phase = 'manual'`);

/** Another router has looked a moment ago, and has been there for ten minutes: only then a lag is a lag. */
const anotherRouterRuns = () =>
  stage.read(
    `insert into queue_reading (tenant, queue, backlog, lag_ms, evidence, triggers) values ($1, 'filewright', 0, 0,
     jsonb_build_object('runningSince', floor(extract(epoch from now() - interval '10 minutes') * 1000)), '[]')`,
  );

/** A day, so many days from now. */
const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('a docket', () => {
  it('whose date has passed goes to a person at once, is in the ledger as late, and raises an alert', async () => {
    stage = await Stage.set(server);
    await stage.feed(1, { due_date: '2026-01-05' });
    await stage.router();
    await until(async () => (await manual()) === 1);
    expect(stage.endpoints.PRIMARY.taken).toEqual([]);
    const types = (await stage.facts()).map(({ type }) => type);
    expect(types).toContain('docket.late');
    expect(await alerts('docket_late')).toBe(1);
  });

  it('that is confirmed and not filed is reported when its slack is gone, and again when it is late', async () => {
    stage = await Stage.set(server);
    const [admission] = await stage.feed(1);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    const [row] = await stage.read('select next_at from docket where tenant = $1');
    // Watched from a day before its date, 5 January 2099 at the end of the day in the office's zone.
    expect(instant(Number(row?.['next_at']))).toBe(Date.parse('2099-01-05T05:00:00Z'));
    await stage.stopRouters();
    await stage.read(`update docket set next_at = now() where tenant = $1 and id = $2`, [
      admission?.docket,
    ]);
    await stage.router();
    // Looked at too early it is only put back.
    await until(
      async () =>
        (await stage.count(`docket where tenant = $1 and next_at > now() + interval '1 day'`)) ===
        1,
      10_000,
    );
    expect(await alerts('docket_unfiled')).toBe(0);
    const late = await stage.feed(1, { application_number: '18/9', due_date: '2026-01-05' });
    await until(async () => (await manual()) === 1);
    const id = late[0]?.docket ?? docketId('');
    const hart = await stage.viewer('hart');
    expect(await acknowledgeAs(stage.parts, hart, id)).toMatchObject({ kind: 'acknowledged' });
    // Acknowledged is not filed: it stays on the list of what is late.
    await until(
      async () =>
        (await stage.count(
          `alert where tenant = $1 and kind = 'docket_late' and raised >= 2 and text like '%without proof of filing%'`,
        )) === 1,
      10_000,
    );
    const filedAt = stage.app.clock.now();
    expect(
      await closeAs(stage.parts, hart, id, { kind: 'proof', receipt: 'EFS', filedAt }),
    ).toMatchObject({
      inTime: false,
    });
    expect(
      await stage.count('docket where tenant = $1 and id = $2 and next_at is null', [id]),
    ).toBe(1);
  });

  it('that cannot be decided delays no other, is reported, and goes on when it is fixed', async () => {
    stage = await Stage.set(server);
    const [broken] = await stage.feed(1, { application_number: '18/1' });
    const before = await stage.read('select state from docket where tenant = $1');
    // As another version might have left it.
    const write = (state: unknown) =>
      stage.read(
        `update docket set state = $2, next_at = now() - interval '1 day' where tenant = $1 and id = $3`,
        [JSON.stringify(state), broken?.docket],
      );
    await write({ state: 'queued', tier: 'PRIMARY' });
    await stage.feed(3, {});
    await stage.router();
    await until(async () => (await stage.confirmed()) === 3);
    expect(await alerts('docket_stuck')).toBe(1);
    await write(before[0]?.['state']);
    await until(async () => (await stage.confirmed()) === 4);
  });

  it('hears of changed people, and goes to who stands in for the absent', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 403 };
    stage.endpoints.SECONDARY.mode = { kind: 'status', status: 403 };
    stage.endpoints.TERTIARY.mode = { kind: 'status', status: 403 };
    await stage.feed(1);
    await stage.router();
    await until(async () => (await manual()) === 1);
    await stage.stopRouters();
    const far = () =>
      stage.count(
        `docket where tenant = $1 and phase = 'manual' and next_at > now() + interval '30 seconds'`,
      );
    expect(await far()).toBe(1);
    const before = await loadRouting(stage.parts);
    const after = await setAbsence(
      stage.parts,
      { person: 'ruiz', from: inDays(-1), to: inDays(300), delegate: 'moreau' },
      { kind: 'user', id: 'test' },
    );
    expect(after.n).toBe(before.n + 1);
    expect(after.people.absences).toHaveLength(1);
    expect(await far()).toBe(0);
    // A docket for the absent lead goes to who stands in, and says for whom.
    stage.endpoints.TERTIARY.mode = { kind: 'well' };
    await stage.feed(1, { application_number: '18/2' });
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    const [handoff] = await stage.read(
      `select hop->'standsInFor' as for, party from docket_handoff where tenant = $1 and outcome = 'confirmed' and tier <> 'MANUAL'`,
    );
    expect(handoff).toEqual({ for: ['ruiz'], party: 'moreau' });
    const routing = (await stage.facts('access')).filter(
      ({ type }) => type === 'routing.activated',
    );
    expect(routing.map(({ subj }) => subj.ver)).toEqual([1, 2]);
  });

  it('is dated anew when a calendar changes, whether someone has it or not, and the ledger says so', async () => {
    stage = await Stage.set(server);
    const dated = { due_date: null, event_date: '2026-11-02', period: 'P3M' };
    await stage.feed(1, dated);
    await stage.router();
    await until(
      async () =>
        (await stage.count(`docket where tenant = $1 and phase in ('confirmed', 'manual')`)) === 1,
      10_000,
    );
    await stage.stopRouters();
    const redated = async () =>
      (await stage.facts()).filter(({ type }) => type === 'docket.redated').map(({ data }) => data);
    expect(await redated()).toEqual([]);
    const day = parseDay('2027-02-02');
    const us = law.calendars.get(law.rules.offices.get('US')?.calendar ?? '');
    const christmas = us?.closedOn(parseDay('2026-12-25') ?? (0 as never));
    if (us === undefined || christmas === undefined) throw new Error('no calendar for the US');
    const closed: typeof us = Object.assign(Object.create(Object.getPrototypeOf(us)), us, {
      version: `${us.version}x`,
      closedOn: (asked: typeof day) =>
        asked === day ? christmas : us.closedOn(asked ?? (0 as never)),
    });
    const calendars = new Map(law.calendars).set(us.code, closed);
    await stage.router({ law: () => ({ ...law, calendars }) });
    await until(async () => (await redated()).length === 1);
    expect(await redated()).toMatchObject([
      { from: { due: '2027-02-02' }, to: { due: '2027-02-03' } },
    ]);
  });

  it('that has waited for 61 s in our own queue leaves the primary tier; one that waits for 59 s stays', async () => {
    stage = await Stage.set(server);
    const [late, soon] = [
      await stage.feed(1, { application_number: '18/1' }),
      await stage.feed(1, { application_number: '18/2' }),
    ];
    const wait = (id: string | undefined, seconds: number) =>
      stage.read(
        `update docket set next_at = now() - $3::int * interval '1 second' where tenant = $1 and id = $2`,
        [id, seconds],
      );
    const watch = new QueueWatch(stage.parts);
    await anotherRouterRuns();
    await wait(soon[0]?.docket, 58);
    await wait(late[0]?.docket, 58);
    expect(await watch.look()).toEqual([]);
    await wait(late[0]?.docket, 61);
    expect((await watch.look()).map(({ code }) => code)).toEqual(['QUEUE_LAG']);
    const rows = await stage.read(
      'select id from docket where tenant = $1 and activation is not null',
    );
    expect(rows).toEqual([{ id: late[0]?.docket }]);
    expect(await alerts('queue_saturated')).toBe(1);
  });

  it('leaves the primary tier by the thresholds that its matrix states', async () => {
    stage = await Stage.set(server, { policy: { lag_ms_max: 5_000, backlog_max: 2 } });
    const [late, soon] = await stage.feed(2);
    const wait = (id: string | undefined, seconds: number) =>
      stage.read(
        `update docket set next_at = now() - $3::int * interval '1 second' where tenant = $1 and id = $2`,
        [id, seconds],
      );
    const watch = new QueueWatch(stage.parts);
    await anotherRouterRuns();
    await wait(soon?.docket, 3);
    await wait(late?.docket, 3);
    expect(await watch.look()).toEqual([]);
    await wait(late?.docket, 6);
    expect((await watch.look()).map(({ code, evidence }) => [code, evidence.threshold])).toEqual([
      ['QUEUE_LAG', 'more than 5000 ms'],
    ]);
    const rows = await stage.read(
      'select id from docket where tenant = $1 and activation is not null',
    );
    expect(rows).toEqual([{ id: late?.docket }]);
    await wait(late?.docket, 1);
    await stage.feed(1, { application_number: '18/3' });
    expect((await watch.look()).map(({ code, evidence }) => [code, evidence.threshold])).toEqual([
      ['QUEUE_BACKLOG', 'more than 2'],
    ]);
  });

  it('leaves a target whose TLS handshake takes longer than its matrix allows', async () => {
    const slow = await startStallingTls(1_000);
    stage = await Stage.set(server);
    const { matrix } = stage.documents() as { matrix: { targets: Record<string, object> } };
    const team = { kind: 'http', address: slow.url, party: 'team' };
    await stage.activate({
      targets: { ...matrix.targets, team },
      policy: { tls_handshake_ms_max: 300 },
    });
    await stage.feed(1);
    const transport = {
      allowPrivateAddresses: () => ANY_PRIVATE,
      certificateAuthorities: [TLS.cert],
    };
    await stage.router({ transport });
    await until(async () => (await stage.confirmed()) === 1);
    const moved = (await stage.facts()).find(({ type }) => type === 'docket.transition');
    expect(moved?.data).toMatchObject({
      trigger: { code: 'TLS_SLOW' },
      evidence: { measure: 'handshake_ms', threshold: 'more than 300 ms' },
    });
    expect(slow.requests()).toBe(0);
    await slow.close();
  });

  it('by mail says no more than its labels allow, and its link acknowledges it', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 403 };
    const { matrix } = stage.documents() as { matrix: { targets: Record<string, object> } };
    const lead = { kind: 'mail', address: 'ruiz@firm.example', party: 'ruiz' };
    await stage.activate({ targets: { ...matrix.targets, lead } });
    const notices: { subject: string; text: string }[] = [];
    const { clock } = stage.app;
    const wires = {
      allowPrivateAddresses: () => ANY_PRIVATE,
      clock,
      timeoutMs: 400,
      totalMs: 1_500,
    };
    const real = createHandoffs(wires);
    const links = acknowledgementLinks([new Uint8Array(32).fill(7)]);
    await stage.router({
      links: { links, publicUrl: 'https://firm.example/' },
      handoffs: {
        deliver: async (target, load, guard) => {
          if (target.kind !== 'mail') return real.deliver(target, load, guard);
          notices.push(load.notice);
          return { kind: 'sent', evidence: { code: '250', elapsedMs: 1 }, signs: [] };
        },
      },
    });
    await stage.feed(1, { application_number: '18/1' });
    await until(() => notices.length === 1);
    await stage.feed(1, { application_number: '18/2', privilege: ['attorney-client'] });
    await until(() => notices.length === 2);
    const awaiting = () => stage.count(`docket where tenant = $1 and phase = 'awaiting'`);
    await until(async () => (await awaiting()) === 2);
    const [plain, labelled] = notices;
    expect(plain?.text).toContain('CTNF in 18/1');
    expect(plain?.subject).toBe('[SECONDARY] CTNF, 18/1, Northwind, due 2099-01-05');
    expect(labelled?.text).not.toContain('18/2');
    expect(labelled?.subject).toBe('[SECONDARY] Docket event, due 2099-01-05');
    const [, token = ''] = /acknowledge\/(\S+)/.exec(labelled?.text ?? '') ?? [];
    const reference = links.read(token)?.reference ?? '';
    const desk = acknowledgementPage(stage.parts);
    expect(await desk.acknowledge(reference)).toMatchObject({ by: 'ruiz', isFirst: true });
    expect(await stage.confirmed()).toBe(1);
  });

  it('goes in the name of who has a target now, and its link acknowledges in that name', async () => {
    stage = await Stage.set(server);
    for (const tier of ['PRIMARY', 'SECONDARY', 'TERTIARY'] as const) {
      stage.endpoints[tier].mode = { kind: 'status', status: 403 };
    }
    const { matrix, people } = stage.documents() as {
      matrix: { targets: Record<string, object> };
      people: { persons: Record<string, object> };
    };
    const mail = { kind: 'mail', address: 'desk@firm.example' };
    const deskOf = (party: string) => ({
      targets: { ...matrix.targets, desk: { ...mail, party } },
      privileged: [party],
    });
    await stage.activate(deskOf('hart'));
    const texts: string[] = [];
    const { clock } = stage.app;
    const wires = {
      allowPrivateAddresses: () => ANY_PRIVATE,
      clock,
      timeoutMs: 400,
      totalMs: 1_500,
    };
    const real = createHandoffs(wires);
    const links = acknowledgementLinks([new Uint8Array(32).fill(7)]);
    await stage.router({
      links: { links, publicUrl: 'https://firm.example/' },
      handoffs: {
        deliver: async (target, load, guard) => {
          if (target.kind !== 'mail') return real.deliver(target, load, guard);
          texts.push(load.notice.text);
          const evidence = { code: '450', elapsedMs: 1 };
          // The first is put off by the mail server, and would be tried again.
          return { kind: texts.length === 1 ? 'failed' : 'sent', evidence, signs: [] };
        },
      },
    });
    await stage.feed(1);
    const open = 'docket_handoff where tenant = $1 and evidence is not null and ended_at is null';
    await until(async () => (await stage.count(open)) === 1);
    const { target: _desk, ...retired } = people.persons['hart'] as { target: string };
    const moreau = { ...people.persons['moreau'], target: 'desk' };
    await stage.activate(deskOf('moreau'), {
      people: { ...people, persons: { ...people.persons, hart: retired, moreau } },
    });
    const attempts = () => stage.count(`${open} and attempt > 1`);
    await stage.read(
      `update work set next_at = now() where tenant = $1 and kind = 'handoff' and state = 'pending'`,
    );
    await until(async () => (await attempts()) === 1);
    await stage.read(
      `update docket set next_at = now(), state = state || '{"reviewBy": 0}' where tenant = $1`,
    );
    await until(() => texts.length >= 2);
    expect(texts.map((text) => text.split(':')[0])).toEqual(['Judith Hart', 'Claire Moreau']);
    const [, token = ''] = /acknowledge\/(\S+)/.exec(texts[1] ?? '') ?? [];
    const page = acknowledgementPage(stage.parts);
    const reference = links.read(token)?.reference ?? '';
    expect(await page.acknowledge(reference)).toMatchObject({ by: 'moreau', isFirst: true });
  });

  it('has a link that begins anew when its time is over and it is still reported', async () => {
    stage = await Stage.set(server);
    const [fed] = await stage.feed(1);
    const link = {
      reference: 'ab'.repeat(16),
      docket: fed?.docket ?? docketId(''),
      handoff: 'fwh1-x',
      party: partyId('ruiz'),
    };
    const { session, tenant } = stage.parts;
    const hour = 3_600_000;
    const now = await databaseNow(session);
    const early = await linkFor(session, tenant, { ...link, expiresAt: addMs(now, hour) });
    const other = { ...link, reference: 'cd'.repeat(16) };
    const kept = await linkFor(session, tenant, { ...other, expiresAt: addMs(now, 2 * hour) });
    expect(kept).toEqual(early);
    await stage.read(
      `update docket_link set expires_at = now() - interval '1 s' where tenant = $1`,
    );
    const anew = await linkFor(session, tenant, { ...other, expiresAt: addMs(now, 3 * hour) });
    expect(anew).toEqual({ ...early, expiresAt: addMs(now, 3 * hour) });
  });

  it('leaves the primary tier when the assignment table answers 403, once, and not at 404', async () => {
    stage = await Stage.set(server);
    await stage.feed(2);
    const lookup = { kind: 'lookup', resource: 'assignment_table' } as const;
    expect(await observe(stage.parts, { ...lookup, status: 404 })).toEqual({
      triggers: [],
      activated: [],
    });
    expect((await observe(stage.parts, { ...lookup, status: 403 })).activated).toHaveLength(2);
    expect((await observe(stage.parts, { ...lookup, status: 403 })).activated).toEqual([]);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 2);
    expect(stage.endpoints.PRIMARY.taken).toEqual([]);
    const transitions = (await stage.facts()).filter(({ type }) => type === 'docket.transition');
    expect(transitions).toHaveLength(2);
    expect(transitions[0]?.data).toMatchObject({
      reason: 'TRIGGERED',
      evidence: { measure: 'status', measured: 403, threshold: '401 or 403' },
    });
  });

  it('goes on by the last matrix when the matrix may not be read any more, past the primary tier', async () => {
    stage = await Stage.set(server);
    const { prefix } = await rolesState(stage.app.session);
    const role = `${prefix}_filing`;
    // The router as the database knows it in production: a role that can do no more than its part.
    const options = stage.options();
    await stage.router({
      target: { ...options.target, settings: { ...options.target.settings, role } },
    });
    await stage.feed(1);
    await until(async () => (await stage.confirmed()) === 1);
    expect(stage.endpoints.PRIMARY.taken).toHaveLength(1);
    await stage.app.session.run({
      name: '',
      text: `revoke select on routing_setup from ${prefix}_app`,
    });
    try {
      await stage.feed(1, { application_number: '18/2' });
      await until(async () => (await stage.confirmed()) === 2);
    } finally {
      await stage.app.session.run({
        name: '',
        text: `grant select on routing_setup to ${prefix}_app`,
      });
    }
    expect(stage.endpoints.PRIMARY.taken).toHaveLength(1);
    const transition = (await stage.facts()).find(({ type }) => type === 'docket.transition');
    expect(transition?.data).toMatchObject({ reason: 'TRIGGERED', evidence: { measured: 403 } });
  });

  it('that was closed without an acknowledgement has a link that says so', async () => {
    stage = await Stage.set(server);
    const [admission] = await stage.feed(1);
    const reference = '0e'.repeat(16);
    await stage.read(
      `insert into docket_link (tenant, reference, docket, handoff, party, expires_at)
       values ($1, $2, $3, 'fwh1-x', 'ruiz', now() + interval '1 day')`,
      [reference, admission?.docket],
    );
    const desk = acknowledgementPage(stage.parts);
    expect(await desk.look(reference)).toMatchObject({ kind: 'open' });
    await closeAs(stage.parts, await stage.viewer('hart'), admission?.docket ?? docketId(''), {
      kind: 'override',
      reason: 'abandoned by the client',
    });
    expect(await desk.look(reference)).toMatchObject({ kind: 'closed', by: 'hart' });
    expect(await desk.acknowledge(reference)).toBeUndefined();
  });

  it('is acknowledged by the link in its notice, by the first person to use it, and by no one who lost the right', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 403 };
    stage.endpoints.SECONDARY.mode = { kind: 'status', status: 403 };
    stage.endpoints.TERTIARY.mode = { kind: 'status', status: 403 };
    const [admission] = await stage.feed(1);
    await stage.router();
    await until(async () => (await manual()) === 1);
    await stage.stopRouters();
    const reference = '0f'.repeat(16);
    await stage.read(
      `insert into docket_link (tenant, reference, docket, handoff, party, expires_at)
       values ($1, $2, $3, 'fwh1-x', 'hart', now() + interval '1 day')`,
      [reference, admission?.docket],
    );
    const links = acknowledgementLinks([new Uint8Array(32).fill(7)]);
    const expiresAt = instant(stage.app.clock.now() + 60_000);
    const token = links.tokenFor({ reference, expiresAt });
    expect(links.read(token)?.reference).toBe(reference);
    const desk = acknowledgementPage(stage.parts);
    expect(await desk.look(reference)).toMatchObject({ kind: 'open', reader: 'Judith Hart' });
    expect(await desk.look('00'.repeat(16))).toBeUndefined();
    const { people, matrix } = stage.documents() as {
      people: { persons: Record<string, object> };
      matrix: { targets: Record<string, object> };
    };
    const fox = { kind: 'http', address: 'https://fox.example/in', party: 'fox' };
    const persons = {
      ...people.persons,
      hart: {
        name: 'Judith Hart',
        target: 'desk',
        allow: ['client:*'],
        deny: ['client:Northwind'],
      },
      fox: { name: 'Ada Fox', target: 'fox', allow: ['client:*', 'class:*', 'privilege:*'] },
    };
    await stage.activate(
      { targets: { ...matrix.targets, fox }, privileged: ['fox'] },
      { people: { persons } },
    );
    expect(await desk.look(reference)).toBeUndefined();
    expect(await desk.acknowledge(reference)).toBeUndefined();
    await stage.activate();
    const [one, two] = await Promise.all([
      desk.acknowledge(reference),
      desk.acknowledge(reference),
    ]);
    expect([one, two].filter((done) => done?.isFirst === true)).toHaveLength(1);
    expect(await stage.confirmed()).toBe(1);
  });
});
