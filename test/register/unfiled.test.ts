/** What is owed and has no filing: in no queue, and yet nobody may hear of it only afterwards. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBatch } from '../../src/filings/acts/register-batch.ts';
import { instant } from '../../src/core/time.ts';
import { queueDigest } from '../../src/filings/watch/digest.ts';
import { unfiledSoon, watchUnfiled } from '../../src/filings/watch/unfiled-watch.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { csv, Office, TODAY } from './office.ts';

let server: Server;
let office: Office;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  office = await Office.open(server);
});
afterEach(() => office.close());

const california = (id: string, number: string) =>
  `${id},US-CA,${number},Name,corporation,domestic,2015-01-19,,,,`;
const at = (day: string) => ({
  ...office.app,
  clock: { ...office.app.clock, now: () => instant(Date.parse(`${day}T12:00:00Z`)) },
});
const alerts = () =>
  office.rows('select severity, subject, text from alert where tenant = $1 order by raised_at, id');

// Both owe their statement by January 31, 2027.
describe('an obligation without a filing', () => {
  it('is reported under each threshold once, and once more when its day is past', async () => {
    await office.import(csv(california('E1', 'C0000001'), california('E2', 'C0000002')));
    const told: number[] = [];
    for (const day of [
      '2026-12-01',
      '2027-01-26',
      '2027-01-26',
      '2027-01-30',
      '2027-02-01',
      '2027-03-01',
    ]) {
      told.push((await watchUnfiled(at(day))).length);
    }
    expect(told).toEqual([0, 1, 0, 1, 1, 0]);
    const raised = await alerts();
    expect(raised.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'critical']);
    expect(raised[0]).toMatchObject({
      subject: 'US-CA, due 2027-01-31',
      text: '2 obligations have no filing (US-CA, due 2027-01-31). Create a batch: filewright batch create --due-before 2027-02-01 --jurisdiction US-CA',
    });
    expect(raised[2]?.['text']).toContain('and are late');
  });

  it('is reported also when others of that day were reported and acknowledged before', async () => {
    await office.import(csv(california('E1', 'C0000001')));
    expect(await watchUnfiled(at('2027-01-26'))).toMatchObject([{ obligations: 1 }]);
    await office.rows(
      `update alert set acknowledged_at = now(), acknowledged_by = (select id from person where tenant = $1 limit 1)
       where tenant = $1`,
    );
    expect(await watchUnfiled(at('2027-01-26'))).toEqual([]);
    await office.import(csv(california('E1', 'C0000001'), california('E2', 'C0000002')));
    expect(await watchUnfiled(at('2027-01-26'))).toMatchObject([{ obligations: 2 }]);
    expect(await watchUnfiled(at('2027-01-26'))).toEqual([]);
    expect(await alerts()).toHaveLength(2);
  });

  it('is no longer reported once it has one, and is in the digest until then', async () => {
    await office.lane('US-CA');
    await office.import(csv(california('E1', 'C0000001')));
    await office.rows(
      `insert into recipient (tenant, role, address) values ($1, 'digest', 'ops@example.org')`,
    );
    expect(await unfiledSoon(at('2027-01-26'))).toMatchObject([{ obligations: 1 }]);
    await queueDigest(at('2027-01-26'));
    const [mail] = await office.rows(
      `select body->>'text' as body from work where tenant = $1 and kind = 'mail'`,
    );
    expect(mail?.['body']).toMatch(/1 {2}owed soon or already late, without a filing/);
    await createBatch(office.app, office.clerk, {
      dueBefore: '2027-02-01',
      jurisdictions: [],
      dryRun: false,
      asOf: TODAY,
    });
    expect(await watchUnfiled(at('2027-01-26'))).toEqual([]);
  });
});
