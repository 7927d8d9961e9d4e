/** The register: streaming in, again, changed, refused; what is sealed stays sealed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { recompute } from '../../src/entities/acts/recompute.ts';
import { viewEntities, viewEntity } from '../../src/entities/acts/entities.ts';
import { obligationKey } from '../../src/core/identity.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { csv, HEADER, llc, Office, TODAY } from './office.ts';
import { OPERATOR } from '../operator.ts';

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

describe('a register file', () => {
  it('is imported with what each entity owes, and the ledger verifies', async () => {
    const sample = readFileSync(join(ROOT, 'samples/register.csv'), 'utf8');
    const report = await office.import(sample);
    expect(report).toMatchObject({ rows: 15, created: 15, refused: 0, errors: [] });
    expect(report.obligations).toMatchObject({ created: 14, recordNeeded: 1, blocked: 0 });
    const owed = await office.rows(
      `select entity, filing_kind, period, state, due::text, fee_cents::int as fee, cutoff_text, not_before::text
       from obligation where tenant = $1 order by entity, filing_kind`,
    );
    const line = (entity: string) =>
      owed
        .filter((row) => row['entity'] === entity)
        .map((row) =>
          [row['filing_kind'], row['period'], row['state'], row['due'], row['fee']].join(' '),
        );
    // Minimum tax $175 (5,000 shares) plus the report fee of $50.
    expect(line('ENT-1001')).toEqual(['franchise_tax 2026 open 2027-03-01 22500']);
    expect(line('ENT-1003')).toEqual(['annual_tax 2026 open 2027-06-01 40000']);
    expect(line('ENT-2001')).toEqual(['statement_of_information 2027 open 2027-01-31 2500']);
    // Formed 26 days before: the first report is due 90 days after the formation.
    expect(line('ENT-2004')).toEqual([
      'initial_report 2027 open 2027-01-18 ',
      'statement_of_information 2028 open 2028-10-31 2000',
    ]);
    expect(line('ENT-3001')).toEqual(['biennial_statement 2027-02 open 2027-02-28 900']);
    expect(line('ENT-7001')).toEqual(['periodic_report unknown record_needed  ']);
    expect(line('ENT-8001')).toEqual(['periodic_report unknown nothing_owed  ']);
    // February 28, 2027 is a Sunday: the portal's last open minute is on Friday.
    const statement = owed.find((row) => row['entity'] === 'ENT-3001');
    expect(statement).toMatchObject({
      cutoff_text: '2027-02-26T19:30:00-05:00',
      not_before: '2027-02-01',
    });
    expect(await verifyLedger(office.app, OPERATOR, { bodies: true })).toMatchObject({ ok: true });
  });

  it('again changes nothing at all', async () => {
    const content = csv(llc('E1'), llc('E2'), llc('E3'));
    await office.import(content);
    const before = await office.rows('select * from entity where tenant = $1 order by id');
    // Beside the entry that says who compared the file with what is sealed.
    const count = `select count(*)::int as n from ledger_entry where tenant = $1 and boundary = 'filing'`;
    const facts = await office.rows(count);
    const again = await office.import(content);
    expect(again).toMatchObject({ created: 0, changed: 0, unchanged: 3, refused: 0 });
    expect(await office.rows('select * from entity where tenant = $1 order by id')).toEqual(before);
    expect(await office.rows(count)).toEqual(facts);
  });

  it('that was cut off goes on where it was', async () => {
    // A record that never ends: everything before it is kept, as after a crash between two chunks.
    const half = `${csv(llc('E1'), llc('E2'))}E3,US-DE,"77`;
    await expect(office.import(half)).rejects.toMatchObject({ code: 'INPUT_MALFORMED' });
    const report = await office.import(csv(llc('E1'), llc('E2'), llc('E3')));
    expect(report).toMatchObject({ created: 1, unchanged: 2, refused: 0 });
  });

  it('in NDJSON reads the same entity as in CSV', async () => {
    await office.import(csv(llc('E1')));
    const row = {
      entity_id: 'E1',
      jurisdiction: 'US-DE',
      registry_number: '7777771',
      entity_name: 'Entity E1 LLC',
      entity_kind: 'llc',
      origin: 'domestic',
      formation_date: '2019-02-11',
      principal_office: '1209 Orange Street',
    };
    const report = await office.import(`${JSON.stringify(row)}\n`, { ending: 'ndjson' });
    expect(report).toMatchObject({ rows: 1, unchanged: 1, errors: [] });
  });

  it('takes a share class without its par for a mistake, not for no-par stock', async () => {
    const row = {
      entity_id: 'E1',
      jurisdiction: 'US-DE',
      registry_number: '7777771',
      entity_name: 'Entity E1 Inc',
      entity_kind: 'corporation',
      origin: 'domestic',
      formation_date: '2019-02-11',
      authorized: [{ shares: 100, par: null }, { shares: 5000 }],
    };
    const report = await office.import(`${JSON.stringify(row)}\n`, { ending: 'ndjson' });
    expect(report).toMatchObject({ rows: 1, created: 0, refused: 1 });
    expect(report.errors.map(({ where, why }) => `${where} ${why}`)).toEqual([
      expect.stringMatching(/^\/authorized\/1\/par is missing.*null/),
    ]);
  });

  it('reports every bad row with line, field and reason, and keeps the good ones', async () => {
    const report = await office.import(
      csv(
        llc('E1'),
        'E2,US-XX,1,Name,llc,domestic,,,,,',
        'E3,US-DE,12a,Name,gmbh,domestic,2019-02-30,,,,',
        'E4,US-DE,14,Name,llc,domestic,2019-01-01,soon,not an address,,',
        'E5,US-DE,15,Name,corporation,domestic,2019-01-01,,,5 million,',
        `E6,US-DE,7777771,Other name,llc,domestic,2019-01-01,,,,`,
        'E1,US-DE,7777771,Another content,llc,domestic,2019-02-11,,,,',
        'E8,US-DE,18,,llc,domestic,2019-01-01,,,,',
        'E9,US-DE,19,Zero shares,corporation,domestic,2019-01-01,,,0@0.01,',
      ),
    );
    expect(report).toMatchObject({ rows: 9, created: 1, refused: 8 });
    const places = report.errors.map(({ line, where }) => `${line} ${where}`);
    expect(places).toEqual([
      '3 jurisdiction',
      '4 registry_number',
      '4 formation_date',
      '4 entity_kind',
      '5 agent_email',
      '5 state_record_due',
      '6 authorized',
      '7 registry_number',
      '8 entity_id',
      '9 entity_name',
      '10 authorized',
    ]);
    const why = report.errors.find(({ line }) => line === 8)?.why;
    expect(why).toMatch(/line 2 of this file, with other content/);
    const errors = readFileSync(String(report.errorFile), 'utf8').split('\n');
    expect(errors[0]).toBe(`${HEADER},"error_where","error_why"`);
    expect(errors).toHaveLength(10);
    // Corrected and imported again, the error file itself is a register file.
    const again = await office.import(csv('E2,US-DE,22,Name,llc,domestic,2019-01-01,,,,'));
    expect(again).toMatchObject({ created: 1 });
  });

  it('refuses the copy of a row whose obligations cannot be reckoned, as it refuses the row', async () => {
    const row = 'E1,US-DE,19,Zero shares,corporation,domestic,2019-01-01,,,0@0.01,';
    const report = await office.import(csv(row, row, llc('E2')));
    expect(report).toMatchObject({ rows: 3, created: 1, unchanged: 0, refused: 2 });
    expect(report.errors.map(({ line, where }) => `${line} ${where}`)).toEqual([
      '2 authorized',
      '3 authorized',
    ]);
  });

  it('with a number that another entity has is refused, also in a later file', async () => {
    await office.import(csv(llc('E1', { number: '1000001' })));
    const report = await office.import(csv(llc('E2', { number: '1000001' })));
    expect(report).toMatchObject({ created: 0, refused: 1 });
    expect(report.errors[0]).toMatchObject({ where: 'registry_number' });
    expect(report.errors[0]?.why).toContain('entity E1');
  });

  it('a dry run says the same and writes nothing', async () => {
    const content = csv(llc('E1'), 'E2,US-XX,1,Name,llc,domestic,,,,,');
    const would = await office.import(content, { dryRun: true });
    expect(would).toMatchObject({ created: 1, refused: 1, errorFile: undefined });
    expect(would.obligations.created).toBe(1);
    expect(await viewEntities(office.app, OPERATOR, { limit: 10 }, false)).toEqual([]);
    expect(await office.rows('select id from obligation where tenant = $1')).toEqual([]);
  });

  it('refuses a card number where a reference belongs, without repeating it', async () => {
    const header =
      'jurisdiction,registry_number,entity_name,entity_kind,origin,formation_date,payment_reference';
    const row = (reference: string) =>
      `${header}\nUS-DE,1,N,llc,domestic,2019-02-11,${reference}\n`;
    const report = await office.import(row('card:4111 1111 1111 1111'));
    expect(report).toMatchObject({ refused: 1 });
    expect(report.errors[0]?.why).toMatch(/looks like a card number/);
    expect(report.errors[0]?.why).not.toContain('4111');
    expect(await office.import(row('vault:cards/4111'))).toMatchObject({ created: 1 });
  });
});

describe('a changed row', () => {
  it('changes the entity, with the difference in the ledger: plain values open, sealed ones by name', async () => {
    await office.import(csv(llc('E1')));
    const [first] = await office.rows('select id, due::text from obligation where tenant = $1');
    const report = await office.import(
      csv(llc('E1', { name: 'Renamed CANARY-NAME LLC', formed: '2026-03-01' })),
    );
    expect(report).toMatchObject({ created: 0, changed: 1, unchanged: 0 });
    const entries = await office.rows(
      `select convert_from(bytes, 'UTF8') as entry from ledger_entry
       where tenant = $1 and boundary = 'filing' order by seq`,
    );
    const changed = entries
      .map((row) => JSON.parse(String(row['entry'])) as Record<string, unknown>)
      .find((entry) => entry['type'] === 'entity.changed');
    expect(changed).toMatchObject({
      subj: { kind: 'entity', id: 'E1', ver: 2 },
      data: {
        changed: [{ field: 'formation_date', old: '2019-02-11', new: '2026-03-01' }],
        changed_sealed: ['entity_name'],
      },
    });
    expect(changed?.['body']).not.toBeNull();
    const { entity } = await viewEntity(office.app, office.clerk, 'E1', true);
    expect(entity.sealed?.entity_name).toBe('Renamed CANARY-NAME LLC');
    // The Delaware tax of an LLC does not hang on the day of formation, so the duty is the same one.
    expect(await office.rows('select id, due::text from obligation where tenant = $1')).toEqual([
      first,
    ]);
    expect(await verifyLedger(office.app, OPERATOR, { bodies: true })).toMatchObject({ ok: true });
  });

  it('whose number was wrong supersedes what was owed under it', async () => {
    await office.import(csv(llc('E1', { number: '1000001' })));
    await office.import(csv(llc('E1', { number: '1000002' })));
    const rows = await office.rows(
      'select id, registry_number, state from obligation where tenant = $1 order by registry_number',
    );
    const key = (registryNumber: string) =>
      obligationKey({
        pack: 'entity',
        tenant: office.app.tenant,
        jurisdiction: 'US-DE',
        registryNumber,
        filingKind: 'annual_tax',
        period: '2026',
      });
    expect(rows).toEqual([
      { id: key('1000001'), registry_number: '1000001', state: 'superseded' },
      { id: key('1000002'), registry_number: '1000002', state: 'open' },
    ]);
  });

  it('the record of the state overrides the rule, and answers an open question', async () => {
    const partnership = (due: string) =>
      csv(`E1,US-IA,LP1,Farmland,lp,domestic,2012-03-22,${due},,,`);
    const first = await office.import(partnership(''));
    expect(first.obligations).toMatchObject({ created: 0, recordNeeded: 1 });
    const second = await office.import(partnership('2027-04-01'));
    expect(second.obligations).toMatchObject({ created: 1, superseded: 1 });
    const rows = await office.rows(
      `select state, due::text, confidence from obligation where tenant = $1 order by state`,
    );
    expect(rows).toEqual([
      { state: 'open', due: '2027-04-01', confidence: 'medium' },
      { state: 'superseded', due: null, confidence: 'low' },
    ]);
  });

  it('keeps the recipients of acceptances in step with the record, and leaves the others alone', async () => {
    const row = (mail: string) => csv(`E1,US-DE,1000001,Name,llc,domestic,2019-02-11,,${mail},,`);
    await office.rows(
      `insert into recipient (tenant, role, entity_id, address) values ($1, 'registered_agent', 'E1', 'own@example.org')`,
    );
    await office.import(row('first@example.org'));
    await office.import(row('second@example.org'));
    const rows = await office.rows(
      'select address from recipient where tenant = $1 and removed_at is null order by address',
    );
    expect(rows.map((found) => found['address'])).toEqual([
      'own@example.org',
      'second@example.org',
    ]);
  });
});

describe('what is sealed', () => {
  it('is nowhere in the clear: not in a table, not in the log, not in a list', async () => {
    const content = csv(
      'E1,US-DE,1000001,CANARY-NAME Inc.,corporation,domestic,2019-02-11,,,31337042@0.01,CANARY-STREET 1',
    );
    await office.import(content);
    await recompute(office.app, office.clerk, { dryRun: false, asOf: TODAY });
    const stored = await office.everythingStored();
    expect(stored).toContain('1000001');
    expect(stored).not.toMatch(/CANARY|31337042/);
    const list = JSON.stringify(await viewEntities(office.app, OPERATOR, { limit: 10 }, false));
    expect(list).not.toContain('CANARY');
    const [found] = await viewEntities(
      office.app,
      office.clerk,
      { limit: 10, q: 'canary-name' },
      true,
    );
    expect(found?.sealed?.fields).toEqual({ principal_office: 'CANARY-STREET 1' });
  });

  it('is opened only with an entry that names who looked, and nothing that was found', async () => {
    await office.import(csv(llc('E1', { name: 'Findable LLC' })));
    await viewEntity(office.app, OPERATOR, 'E1', false);
    await viewEntity(office.app, office.clerk, 'E1', true);
    await viewEntities(office.app, office.clerk, { limit: 10, q: 'findable' }, true);
    const looks = await office.rows(
      `select actor_id, data from (
         select convert_from(bytes, 'UTF8')::jsonb as e, seq from ledger_entry where tenant = $1 and boundary = 'access'
         union all
         select jsonb_build_object('type', type, 'actor', jsonb_build_object('id', actor_id), 'data', data), 1000000 + n
         from ledger_intake where tenant = $1 and boundary = 'access') noted,
         lateral (select e->'actor'->>'id' as actor_id, e->'data' as data) shown
       where e->>'type' = 'access.opened' order by seq`,
    );
    const by = office.clerk.id;
    expect(looks).toEqual([
      { actor_id: by, data: { act: 'entity.import', subject: 'register' } },
      { actor_id: by, data: { act: 'entity.open', subject: 'E1' } },
      { actor_id: by, data: { act: 'entity.open', subject: 'list' } },
    ]);
  });

  it('is searched only by plain columns when it is not opened', async () => {
    await office.import(csv(llc('E1', { name: 'Findable LLC' }), llc('E2')));
    expect(await viewEntities(office.app, OPERATOR, { limit: 10, q: 'findable' }, false)).toEqual(
      [],
    );
    const byNumber = await viewEntities(office.app, OPERATOR, { limit: 10, q: '777772' }, false);
    expect(byNumber.map((one) => one.id)).toEqual(['E2']);
    const byName = await viewEntities(office.app, office.clerk, { limit: 10, q: 'findable' }, true);
    expect(byName.map((one) => one.id)).toEqual(['E1']);
  });
});
