/** Destroying the key of a client destroys what was read of its dockets, and nothing of a docket that is still open. */
import { docketId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { detailJson, detailText } from '../../src/cli/commands/docket-text.ts';
import { entryId } from '../../src/core/ids.ts';
import { instant } from '../../src/core/time.ts';
import { importDockets } from '../../src/dockets/routing/intake.ts';
import { docketSeenBy, docketsSeenBy } from '../../src/dockets/routing/docket-acts.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import {
  holdData,
  releaseData,
  retentionStatus,
  runRetention,
} from '../../src/oversight/acts/retention.ts';
import { mayHold } from '../../src/dockets/rules/docket/kept-under.ts';
import { shredDue } from '../../src/oversight/store/retention.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { type Row, Stage } from './stage.ts';
import { OPERATOR } from '../operator.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const LONG_AGO = instant(Date.UTC(2012, 4, 1));
const SECRETS = /18\/424242|Northwind|A secret title|secret-file|EFS 61234567/;

async function bring(row: Row = {}): Promise<string> {
  const clock = { ...stage.parts.clock, now: () => LONG_AGO };
  const named = { application_number: '18/424242', title: 'A secret title' };
  const incoming = stage.incoming({ ...named, ...row });
  const source = 'secret-file.ndjson';
  const [admitted] = await importDockets({ ...stage.parts, clock }, [{ ...incoming, source }]);
  return admitted?.docket ?? '';
}

const close = (at: string) =>
  stage.read(
    `update docket set closed_at = $2::timestamptz, closed_by = 'hart', next_at = null,
      closing = '{"kind": "proof", "how": "proof", "receipt": "EFS 61234567"}' where tenant = $1`,
    [at],
  );

const shred = () => {
  const { ids, session, tenant } = stage.parts;
  const id = entryId(ids.next());
  const actor = { kind: 'system', id: 'test' } as const;
  return shredDue(session, tenant, { id, type: 'retention.shredded', actor, trace: id, data: {} });
};

const rowText = async (): Promise<string> => {
  const [row] = await stage.read('select to_jsonb(d)::text as all from docket d where tenant = $1');
  return String(row?.['all']);
};

describe('the key of a client', () => {
  it('is kept while a docket is open, and for seven years after it was closed', async () => {
    stage = await Stage.set(server);
    await bring();
    expect(await shred()).toMatchObject({ keys: [], needed: 1 });
    expect(await rowText()).toMatch(SECRETS);
    await close(new Date(stage.parts.clock.now()).toISOString());
    expect(await shred()).toMatchObject({ keys: [], extended: 1 });
    expect(await rowText()).toMatch(SECRETS);
  });

  it('goes with all that was read; people who may see everything are shown that, for others nothing is there', async () => {
    stage = await Stage.set(server);
    const id = docketId(await bring());
    await close('2013-01-01T00:00:00Z');
    expect((await shred()).keys).toHaveLength(1);
    expect(await rowText()).not.toMatch(SECRETS);
    const { parts } = stage;
    const shown = await docketSeenBy(parts, await stage.viewer('hart'), id);
    expect(detailText(shown)).toContain("destroyed with its client's data key");
    expect(`${detailText(shown)}${JSON.stringify(detailJson(shown))}`).not.toMatch(SECRETS);
    expect(detailJson(shown)).toMatchObject({ isDestroyed: true, payloadBytes: null });
    await expect(docketSeenBy(parts, await stage.viewer('ruiz'), id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const closed = { closed: 'only' } as const;
    expect(await docketsSeenBy(parts, await stage.viewer('hart'), closed)).toHaveLength(1);
    expect(await docketsSeenBy(parts, await stage.viewer('ruiz'), closed)).toEqual([]);
    expect(await stage.isLedgerSound()).toBe(true);
    // The row may say that it was destroyed, because an entry names its key; it was closed past the program here.
    const { rows } = await verifyLedger(stage.app, OPERATOR, { bodies: false, rows: true });
    expect(rows?.shown.filter(({ field }) => field === 'read_sha256')).toEqual([]);
    // The same event again is still the same docket, and nothing of it comes back.
    expect(await bring()).toBe(id);
    expect(await rowText()).not.toMatch(SECRETS);
  });

  it('is what the database asks for: nothing else may take away what was read', async () => {
    stage = await Stage.set(server);
    await bring();
    const destroy = () =>
      stage.read(`update docket set docket = docket || '{"destroyed": true}' where tenant = $1`);
    await expect(destroy()).rejects.toMatchObject({ code: '23001' });
    await close('2013-01-01T00:00:00Z');
    await expect(destroy()).rejects.toMatchObject({ code: '23001' });
  });
});

describe('a hold on a client', () => {
  /** Who is Contoso, who may be, and who is not. */
  const HELD = ['Contoso, Inc.', 'CONTOSO INC', 'Contoso', 'C0ntoso Ltd', 'Fabrikam and Contoso'];
  // Letters of two scripts: nobody can tell.
  const UNTOLD = ['Сontoso', '***'];
  const OTHERS = ['Fabrikam', 'Northwind GmbH'];

  it('keeps what came under any spelling of it, and what may be its; the rest is destroyed', async () => {
    stage = await Stage.set(server);
    const { app } = stage;
    const keys = [
      await foundUser(app, OPERATOR, 'clerk'),
      await foundUser(app, OPERATOR, 'second'),
    ] as const;
    const clerk = await personOf(app, keys[0].key);
    const second = await personOf(app, keys[1].key);
    const ids = new Map<string, string>();
    let number = 500_000;
    for (const client of [...HELD, ...UNTOLD, ...OTHERS, null]) {
      number += 1;
      const application_number = `18/${number}`;
      ids.set(client ?? 'no client', await bring({ application_number, client }));
    }
    await close('2013-01-01T00:00:00Z');
    const order = { subject: 'docket/Contoso, Inc.', reason: 'A court has asked for it.' };
    const hold = await holdData(app, clerk, order);
    const kept = [...HELD, ...UNTOLD, 'no client'];
    expect(hold.keys).toBe(kept.length);
    const dry = await runRetention(app, clerk, { dryRun: true, backupDays: 35 });
    // Shown to who may see every docket alone; to a clerk there are none.
    expect(dry).toMatchObject({ keys: 0, held: 0 });
    const done = await runRetention(app, clerk, { dryRun: false, backupDays: 35 });
    expect(done).toMatchObject({ keys: OTHERS.length, held: kept.length });
    const destroyed = await stage.read(
      `select id from docket where tenant = $1 and docket ? 'destroyed' order by id`,
    );
    expect(destroyed.map(({ id }) => id)).toEqual(
      OTHERS.map((name) => ids.get(name) ?? '').toSorted(),
    );
    await releaseData(app, second, hold.id);
    const last = await runRetention(app, clerk, { dryRun: false, backupDays: 35 });
    expect(last).toMatchObject({ keys: kept.length, held: 0 });
    expect((await retentionStatus(app, OPERATOR)).holds).toEqual([]);
    expect(await stage.isLedgerSound()).toBe(true);
  }, 30_000);

  it.each([
    ['docket/Contoso f/k/a Fabrikam', 'docket/Fabrikam, Inc.', true],
    ['docket/Müller', 'docket/Mueller GmbH', true],
    ['docket/*', 'docket/Anybody', true],
    ['docket/Contoso', 'docket/unknown client/18/300101', true],
    ['docket/Contoso', 'docket/18/300101', true],
    ['docket/Contoso', 'docket/Northwind', false],
    // Another kind of subject goes by its exact name: an entity's id is no client.
    ['Contoso', 'docket/Contoso', false],
    ['docket/E-1', 'E-1', false],
    ['E-1', 'E-1', true],
  ])('%s, and the key of %s: %s', (hold, subject, isHeld) => {
    expect(mayHold(hold, subject)).toBe(isHeld);
  });
});
