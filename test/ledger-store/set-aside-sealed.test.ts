/** A fact that was set aside may speak of people: it is sealed, shown only to who may see it, and goes with its key. */
import { ROLES } from '../../src/access/role.ts';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { listSetAside, showSetAside } from '../../src/oversight/acts/audit-set-aside.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import { entryId, personId } from '../../src/core/ids.ts';
import { dataKey } from '../../src/ledger/store/data-keys.ts';
import { retainedKeys, shredDue } from '../../src/oversight/store/retention.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { Stage } from '../dockets/stage.ts';
import { collect } from './ledger-world.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { takeAnyFact } from '../store-contract/postgres-world.ts';

/** A month whose keys are past their date. */
const LONG_AGO = '2012-05';

let server: Server;
let app: Filewright;
let tenants = 0;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
afterAll(async () => server?.close());
beforeEach(async () => {
  tenants += 1;
  app = await createFilewright({
    dataDirectory: server.dataDirectory,
    tenant: `aside-${process.pid}-${tenants}`,
  });
  await takeAnyFact(app.session);
});
afterEach(async () => app.close());

const rows = (text: string, values: readonly unknown[] = []) =>
  app.session.run({ name: '', text }, values);

/** Straight into the intake, as a fact stands there that came past every bound. */
async function add(data: object, body: object | null = null, to = app): Promise<string> {
  const id = to.ids.next();
  await to.session.run(
    {
      name: '',
      text: `insert into ledger_intake
       (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
     values ($1, 'filing', $2, now(), 'thing.happened', 'thing', $5, 1, 'system', 'test', 'test', $3, $4)`,
    },
    [to.tenant, id, JSON.stringify(data), body === null ? null : JSON.stringify(body), id],
  );
  return id;
}

/** Every row of every table, as text: bytes stand in it as hexadecimal digits. */
async function dump(): Promise<string> {
  const tables = await rows(
    `select table_name as name from information_schema.tables
     where table_schema = 'filewright' and table_type = 'BASE TABLE'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const found = await rows(`select t::text as row from ${String(name)} t`);
    texts.push(...found.map(({ row }) => String(row)));
  }
  return texts.join('\n');
}

function expectNowhere(all: string, marker: string): void {
  expect(all.length).toBeGreaterThan(1_000);
  const hex = Buffer.from(marker).toString('hex');
  expect([all.includes(marker), all.includes(hex)]).toEqual([false, false]);
}

const newMarker = (): string => `person-${randomBytes(12).toString('hex')}`;

it('lies nowhere in the clear, neither its values nor the names that the error quotes', async () => {
  const [value, name] = [newMarker(), newMarker()];
  const waiting = { reason: value, rates: { [name]: 0.5 } };
  await add(waiting);
  // The search finds what is there.
  expect(await dump()).toContain(value);
  expect((await listSetAside(app, OPERATOR)).count).toBe(1);
  const all = await dump();
  expectNowhere(all, value);
  expectNowhere(all, name);
});

it('is shown to the byte, as the entry in its place names it, and its list quotes nothing', async () => {
  const [value, name] = [newMarker(), newMarker()];
  const id = await add({ reason: value, rates: { [name]: 0.5 } });
  const { facts } = await listSetAside(app, OPERATOR);
  expect(JSON.stringify(facts)).not.toContain(name);
  const shown = await showSetAside(app, OPERATOR, id);
  if (shown.state !== 'kept') throw new Error('the fact was expected to be kept');
  expect(JSON.parse(shown.fact)).toMatchObject({ id, data: { reason: value } });
  expect(shown.message).toContain(name);
  expect(facts).toMatchObject([
    {
      id,
      sha256: createHash('sha256').update(shown.fact).digest('hex'),
      bytes: Buffer.byteLength(shown.fact),
    },
  ]);
  // Kept as long as anything else of its subject, and then destroyed.
  const [key] = await collect(retainedKeys(app.session, app.tenant, { subject: id }));
  expect(key).toMatchObject({ state: 'live', bodies: 1 });
});

it('is gone with the key of its body, and the ledger still holds', async () => {
  const value = newMarker();
  const where = { tenant: app.tenant, subject: 'E-1', month: LONG_AGO };
  const key = await dataKey(app.session, where, () => app.vault.newKey(LONG_AGO));
  const hash = createHash('sha256').update('any').digest('hex');
  const body = { alg: 'A256GCM', key: key.id, ct: hash, cm: hash };
  const id = await add({ reason: value, rate: 0.5 }, body);
  expect((await listSetAside(app, OPERATOR)).count).toBe(1);
  expect(await showSetAside(app, OPERATOR, id)).toMatchObject({
    state: 'kept',
    fact: expect.stringContaining(value),
  });

  const fact = {
    id: entryId(app.ids.next()),
    type: 'retention.shredded',
    actor: { kind: 'system', id: 'test' },
    trace: 'test',
    data: {},
  } as const;
  expect(await shredDue(app.session, app.tenant, fact)).toMatchObject({ keys: [key.id] });
  expect(await showSetAside(app, OPERATOR, id)).toEqual({
    state: 'shredded',
    key: key.id,
    at: expect.stringMatching(/^\d{4}-/),
  });
  expect((await listSetAside(app, OPERATOR)).facts).toMatchObject([
    { id, bytes: expect.any(Number) },
  ]);
  expectNowhere(await dump(), value);
  const report = await verifyLedger(app, OPERATOR, { bodies: true });
  expect(report.setAside).toBe(1);
  expect(report.logs.length).toBeGreaterThan(1);
  expect(report.logs.filter(({ ok }) => !ok)).toEqual([]);
});

it('does not open when it was changed, and says so', async () => {
  const id = await add({ rate: 0.5 });
  await listSetAside(app, OPERATOR);
  await rows('alter table ledger_set_aside disable trigger ledger_set_aside_once');
  await rows('update ledger_set_aside set sha256 = sha256($2) where tenant = $1', [
    app.tenant,
    Buffer.from('another'),
  ]);
  await rows('alter table ledger_set_aside enable always trigger ledger_set_aside_once');
  await expect(showSetAside(app, OPERATOR, id)).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
});

it('is shown, where there are dockets, only to who may see all of them', async () => {
  const stage = await Stage.set(server);
  try {
    await stage.feed(1);
    const id = await add({ rate: 0.5 }, null, stage.app);
    await listSetAside(stage.app, OPERATOR);
    const person = (name: string): PersonActor => {
      const id = personId(stage.app.ids.next());
      return { kind: 'person', id, name, party: id, roles: ROLES };
    };
    expect(await showSetAside(stage.app, person('Judith Hart'), id)).toMatchObject({
      state: 'kept',
    });
    for (const reader of [OPERATOR, person('Elena Ruiz'), person('Nobody')]) {
      await expect(showSetAside(stage.app, reader, id)).rejects.toMatchObject({
        code: 'SIGHT_NEEDED',
      });
    }
  } finally {
    await stage.close();
  }
});
