/** A batch from obligations, what a second person binds by approving it, and what follows an acceptance. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvalTerms } from '../../src/filings/acts/approvals.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { approve, importFile, runBatch } from '../../src/filings/acts/batches.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { createBatch } from '../../src/filings/acts/register-batch.ts';
import { importRegister } from '../../src/entities/acts/import.ts';
import { issueIcs } from '../../src/entities/acts/ics.ts';
import { nextObligation, onFilingComplete } from '../../src/filings/acts/register-completion.ts';
import { recompute } from '../../src/entities/acts/recompute.ts';
import type { BatchId } from '../../src/core/ids.ts';
import type { Profile } from '../../src/core/profile.ts';
import { runBackgroundWorkOnce } from '../../src/oversight/jobs.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { listPeople } from '../../src/people/store/people.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';
import { californiaLlc, corporation, csv, Office, TODAY } from './office.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

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

/** As Delaware asks for ACH above $5,000: here cards up to $22, ACH above. */
const RAILS: Partial<Profile> = {
  limits: {
    fields: [],
    whitespace: 'any',
    characters: 'unicode',
    duplicateWindowMs: 0,
    payment: {
      centsAt: '/fee_cents',
      railAt: '/fields/payment_rail',
      rails: [{ rail: 'card', centsMax: 2_200 }, { rail: 'ach' }],
    },
  },
};

const create = (dueBefore: string, dryRun = false) =>
  createBatch(office.app, office.clerk, {
    dueBefore,
    jurisdictions: [],
    dryRun,
    asOf: TODAY,
  });

function idOf(batch: BatchId | undefined): BatchId {
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

describe('a batch from obligations', () => {
  it('has one filing for each, under the key of its obligation, and none the second time', async () => {
    await office.lane('US-CA');
    await office.import(csv(corporation('E1'), corporation('E2'), californiaLlc('E3')));
    const would = await create('2027-12-31', true);
    expect(would).toMatchObject({ rows: 3, created: 3, batch: undefined });
    const report = await create('2027-12-31');
    expect(report).toMatchObject({ created: 3, refused: 0, count: 3, refusals: [], overdue: 0 });
    const rows = await office.rows(
      `select o.entity, e.entity_id, e.period, e.filing_kind, f.status, f.next_at
       from obligation o join envelope e on e.tenant = o.tenant and e.obligation = o.id
       join filing f on f.tenant = e.tenant and f.id = e.id where o.tenant = $1 order by o.entity`,
    );
    const filing = { filing_kind: 'statement_of_information', period: '2027', status: 'pending' };
    expect(rows).toEqual(
      ['E1', 'E2', 'E3'].map((id) => ({ entity: id, entity_id: id, ...filing, next_at: null })),
    );
    await expect(create('2027-12-31')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a file for the same obligation is no second filing', async () => {
    await office.lane('US-CA');
    await office.import(csv(corporation('E1', { number: 'C1234567' })));
    await create('2027-12-31');
    const path = office.file(
      'jurisdiction,registry_number,entity_name,filing_kind,period,due\n' +
        'US-CA,C1234567,Another name,statement_of_information,2027,2027-01-31\n',
    );
    const report = await importFile(office.app, office.clerk, { path, dryRun: false });
    expect(report).toMatchObject({ created: 0, changed: 1 });
    expect(report.errors[0]?.why).toMatch(/conflicts with filing/);
    const [count] = await office.rows('select count(*)::int as n from envelope where tenant = $1');
    expect(count).toEqual({ n: 1 });
  });

  it('takes only what is due before the day, and waits where a window opens later', async () => {
    await office.lane('US-NY', { hours: EASTERN });
    await office.lane('US-CA');
    const statement = 'N1,US-NY,5120773,Foods,corporation,domestic,2017-02-14,,,,';
    await office.import(csv(statement, californiaLlc('E1')));
    const report = await create('2027-03-01');
    expect(report).toMatchObject({ rows: 1, created: 1, opensLater: 1 });
    const [row] = await office.rows(
      'select entity_id, not_before, due, last_safe from envelope where tenant = $1',
    );
    expect(row?.['entity_id']).toBe('N1');
    // The first business day of the month, from midnight in New York.
    expect(row?.['not_before']).toBe(Date.parse('2027-02-01T05:00:00Z'));
    // The portal closes on Friday at 19:30; a person still has an hour, and the send its 10 ms.
    expect(row?.['last_safe']).toBe(Date.parse('2027-02-27T00:30:00Z') - 3_600_010);
  });

  it('names the entity of a refused obligation, and does not make the others wait', async () => {
    await office.lane('US-CA');
    await office.import(
      csv(corporation('E1'), 'F1,US-FL,P1,Marine,corporation,domestic,2018-05-16,,,,'),
    );
    const report = await create('2027-12-31');
    expect(report).toMatchObject({ created: 1, refused: 1 });
    expect(report.refusals).toMatchObject([{ entity: 'F1', where: '/jurisdiction' }]);
  });

  it('counts what a person has to look up', async () => {
    await office.lane('US-CA');
    await office.import(csv(corporation('E1'), 'P1,US-IA,LP1,Farmland,lp,domestic,2012-03-22,,,,'));
    expect(await create('2027-12-31')).toMatchObject({ created: 1, recordNeeded: 1 });
  });
});

const EASTERN: NonNullable<Profile['hours']> = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:00', to: '19:30' }],
  closedOn: [],
};

describe('an approval', () => {
  async function mixed(): Promise<BatchId> {
    await office.lane('US-CA', RAILS);
    await office.import(csv(corporation('E1'), californiaLlc('E2'), californiaLlc('E3')));
    return idOf((await create('2027-12-31')).batch);
  }

  it('shows and binds the hash, the count and the fees of each rail', async () => {
    const batch = await mixed();
    const fees = [
      { rail: 'ach', filings: 1, cents: 2_500 },
      { rail: 'card', filings: 2, cents: 4_000 },
    ];
    const terms = await approvalTerms(office.app, office.approver, batch);
    expect(terms).toMatchObject({ count: 3, fees });
    expect(await approve(office.app, office.approver, batch)).toEqual(terms);
    const [kept] = await office.rows(
      `select p.terms::jsonb as terms, a.fees from batch_approval a join proposal p on p.tenant = a.tenant
         and p.kind = 'batch' and p.subject = a.batch::text and p.state = 'approved' where a.tenant = $1`,
    );
    expect(kept).toEqual({ terms: { sha256: terms.sha256, count: 3, lanes: terms.lanes }, fees });
    const entries = await office.rows(
      `select convert_from(bytes, 'UTF8') as entry from ledger_entry where tenant = $1 and boundary = 'access'`,
    );
    const granted = entries
      .map((row) => JSON.parse(String(row['entry'])) as Record<string, unknown>)
      .find((entry) => entry['type'] === 'approval.granted');
    expect(granted).toMatchObject({
      actor: { kind: 'user', id: office.approver.id },
      data: { batch, count: 3, sha256: terms.sha256, fees },
    });
  });

  it('of Delaware franchise tax above $5,000 counts it to the rail that the profile asks for', async () => {
    const path = join(ROOT, 'profiles/us-de.json');
    await addPortal(office.app, office.clerk, readProfile(readFileSync(path), path));
    const delaware = (id: string, shares: string) =>
      `${id},US-DE,${id.slice(1).padStart(7, '5')},Corp ${id},corporation,domestic,2014-05-06,,,${shares},`;
    await office.import(csv(delaware('D1', '5000@0.01'), delaware('D2', '100000000@none')));
    const { batch, created } = await create('2027-12-31');
    expect(created).toBe(2);
    // Up to 5,000 shares $175. 10,000 shares $250 and $85 for each further 10,000, but at most $200,000. The report $50.
    expect((await approvalTerms(office.app, office.approver, idOf(batch))).fees).toEqual([
      { rail: 'ach', filings: 1, cents: 20_000_000 + 5_000 },
      { rail: 'card', filings: 1, cents: 22_500 },
    ]);
  });

  it.each([
    ['hash', { sha256: 'f'.repeat(64) }],
    ['count', { count: 4 }],
    ['fees', { totalCents: 1 }],
  ])('with another %s than expected approves nothing', async (_, expected) => {
    const batch = await mixed();
    await expect(approve(office.app, office.approver, batch, expected)).rejects.toMatchObject({
      code: 'APPROVAL_MISMATCH',
    });
    const [row] = await office.rows('select state from batch where tenant = $1');
    expect(row).toEqual({ state: 'frozen' });
    const queued = await office.rows(
      'select id from filing where tenant = $1 and next_at is not null',
    );
    expect(queued).toEqual([]);
  });

  it('by the person who prepared it is refused, also by direct SQL', async () => {
    const batch = await mixed();
    await expect(approve(office.app, office.clerk, batch)).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    const decide = (person: PersonActor, sha256: string) =>
      office.rows(
        `update proposal set state = 'approved', decided_by = $3, decided_at = now(),
           sha256 = coalesce(decode(nullif($4, ''), 'hex'), sha256)
         where tenant = $1 and kind = 'batch' and subject = $2`,
        batch,
        person.id,
        sha256,
      );
    await expect(decide(office.clerk, '')).rejects.toThrow(/another one decides/);
    await expect(decide(office.approver, 'f'.repeat(64))).rejects.toThrow(/another hash/);
    await expect(
      office.rows(`update batch set state = 'approved' where tenant = $1 and id = $2`, batch),
    ).rejects.toThrow(/two people/);
  });

  it('of payloads that were changed underneath is refused', async () => {
    const batch = await mixed();
    await office
      .rows('alter table envelope disable trigger envelope_once; select $1::text')
      .catch(() => undefined);
    await office.app.session.run({ name: '', text: 'alter table envelope disable trigger user' });
    await office.rows(
      `update envelope e set payload_ct = (select payload_ct from envelope o where o.tenant = e.tenant and o.id <> e.id limit 1)
       where tenant = $1 and entity_id = 'E1'`,
    );
    await office.app.session.run({
      name: '',
      text: 'alter table envelope enable always trigger envelope_once',
    });
    await office.app.session.run({
      name: '',
      text: 'alter table envelope enable always trigger envelope_kept',
    });
    await expect(approve(office.app, office.approver, batch)).rejects.toMatchObject({
      code: 'SEAL_BROKEN',
    });
  });
});

describe('after an acceptance', () => {
  it('the obligation is met, the next one is computed, and the calendar follows', async () => {
    const stage = await Stage.set(server, [quickProfile('US-CA', { ceiling: 4 })]);
    const { app, person } = stage;
    const path = office.file(
      csv(
        corporation('E1', { formed: inTwoMonths() }),
        corporation('E2', { formed: inTwoMonths() }),
      ),
    );
    await importRegister(app, person, { path, dryRun: false });
    const before = await issueIcs(app, OPERATOR, { jurisdictions: [] });
    const question = { dueBefore: '2999-01-01', jurisdictions: [], dryRun: false };
    const { batch } = await createBatch(app, person, question);
    await approve(app, await stageApprover(stage), idOf(batch));
    const ended = await runBatch(app, OPERATOR, idOf(batch), {
      signal: AbortSignal.timeout(30_000),
    });
    expect(ended.counts).toMatchObject([{ accepted: 2 }]);
    const owed = () =>
      app.session.run(
        {
          name: '',
          text: `select entity, state, due::text, (raw - as_of) as ahead, ver from obligation
            where tenant = $1 order by entity, due`,
        },
        [app.tenant],
      );
    const [first] = await owed();
    const due = String(first?.['due']);
    // Registered with the first run: events are taken for the consumers that are known.
    const jobs = { ...app, target: server.target, schema: 'filewright', environment: OWN_MACHINE };
    await runBackgroundWorkOnce({ ...jobs, consumers: [nextObligation(app)] });
    await runBackgroundWorkOnce({ ...jobs, consumers: [nextObligation(app)] });
    const after = await owed();
    const next = `${Number(due.slice(0, 4)) + 1}${due.slice(4, 7)}`;
    expect(after).toMatchObject(
      ['E1', 'E2'].flatMap((entity) => [
        { entity, state: 'met', due },
        { entity, state: 'open', due: expect.stringContaining(next) as string },
      ]),
    );
    // The same event again, and a recomputation, change nothing.
    const filings = await app.session.run(
      { name: '', text: 'select id from filing where tenant = $1' },
      [app.tenant],
    );
    const events = filings.map((row) => ({ id: app.ids.next(), filing: String(row['id']) }));
    const moves = await app.session.transaction((run) => onFilingComplete(app, events, run));
    expect(moves).toEqual([]);
    await recompute(app, person, { dryRun: false });
    expect(await owed()).toEqual(after);
    const feed = await issueIcs(app, OPERATOR, { jurisdictions: [] });
    expect(before.counts).toMatchObject({ active: 2, cancelled: 0 });
    expect(feed.counts).toMatchObject({ active: 2, cancelled: 2 });
    await expect(
      app.session.run(
        {
          name: '',
          text: `update obligation set state = 'open' where tenant = $1 and state = 'met'`,
        },
        [app.tenant],
      ),
    ).rejects.toThrow(/stays so/);
    expect(await verifyLedger(app, OPERATOR, { bodies: true })).toMatchObject({ ok: true });
    await stage.close();
  });

  it('a record whose date is met asks for the next one', async () => {
    await office.lane('US-IA');
    await office.import(csv('P1,US-IA,LP1,Farmland,lp,domestic,,2027-04-01,,,'));
    await create('2027-12-31');
    await accepted();
    const rows = await office.rows(
      'select period, state from obligation where tenant = $1 order by period',
    );
    expect(rows).toEqual([
      { period: '2027', state: 'met' },
      { period: 'unknown', state: 'record_needed' },
    ]);
  });

  it('an acceptance that the register missed is found by the next recomputation', async () => {
    await office.lane('US-CA');
    await office.import(csv(corporation('E1')));
    await create('2027-12-31');
    await accept();
    const done = await recompute(office.app, office.clerk, {
      dryRun: false,
      asOf: TODAY,
    });
    expect(done.counts).toMatchObject({ met: 1, new: 1 });
  });

  it('a filing accepted before the register knew the entity counts as met', async () => {
    await office.lane('US-CA');
    const path = office.file(
      'jurisdiction,registry_number,entity_name,filing_kind,period,due\n' +
        'US-CA,C1234567,Name,statement_of_information,2027,2027-01-31\n',
    );
    await importFile(office.app, office.clerk, { path, dryRun: false });
    await accept();
    await office.import(csv(corporation('E1', { number: 'C1234567' })));
    const rows = await office.rows(
      'select period, state from obligation where tenant = $1 order by period',
    );
    expect(rows).toEqual([
      { period: '2027', state: 'met' },
      { period: '2028', state: 'open' },
    ]);
  });

  it('a changed record while a filing is under way makes no second duty', async () => {
    await office.lane('US-CA');
    await office.import(csv(corporation('E1', { number: 'C1000001' })));
    await create('2027-12-31');
    const report = await office.import(csv(corporation('E1', { number: 'C1000002' })));
    expect(report.obligations).toMatchObject({ created: 0, superseded: 0, blocked: 1 });
    const rows = await office.rows(
      'select registry_number, state from obligation where tenant = $1',
    );
    expect(rows).toEqual([{ registry_number: 'C1000001', state: 'open' }]);
  });

  /** As the tick would record it. */
  async function accept(): Promise<void> {
    await office.app.session.run({ name: '', text: 'alter table filing disable trigger user' });
    await office.rows(`update filing set status = 'submitted' where tenant = $1`);
    await office.rows(
      `update filing set status = 'accepted', step = null, next_at = null, receipt = 'R-1' where tenant = $1`,
    );
  }

  async function accepted(): Promise<void> {
    await accept();
    const filings = await office.rows('select id from filing where tenant = $1');
    const events = filings.map((row) => ({ id: office.app.ids.next(), filing: String(row['id']) }));
    await office.app.session.transaction((run) =>
      onFilingComplete(office.app, events, run, { asOf: TODAY }),
    );
  }
});

/** A day of formation whose anniversary month ends two months from now: due soon, and its window is open. */
function inTwoMonths(): string {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear() - 5, now.getUTCMonth() + 2, 1));
  return month.toISOString().slice(0, 10);
}

/** The stage keeps its second person to itself; the database knows them. */
async function stageApprover(stage: Stage): Promise<PersonActor> {
  const people = await listPeople(stage.app.session, stage.app.tenant);
  const approver = people.find((one) => one.name === 'approver');
  if (approver === undefined) throw new Error('nobody to approve');
  return { kind: 'person', ...approver };
}
