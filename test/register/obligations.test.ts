/** Stored obligations: computed again when the law changes, listed, and as a calendar that remembers. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueIcs } from '../../src/entities/acts/ics.ts';
import { recompute } from '../../src/entities/acts/recompute.ts';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { csvCell, csvLine } from '../../src/core/csv/cells.ts';
import { storedObligations } from '../../src/entities/store/obligations.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { csv, llc, Office, TODAY } from './office.ts';
import { OPERATOR } from '../operator.ts';

let server: Server;
let office: Office;
const folders: string[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  office = await Office.open(server);
});
afterEach(() => office.close());

type Rule = Record<string, unknown> & { id: string; due_rule: Record<string, unknown> };

/** The shipped law with some rules changed, as a folder. */
function changedLaw(version: string, change: (rule: Rule) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'fw-law-'));
  folders.push(folder);
  cpSync(join(ROOT, 'law'), folder, { recursive: true });
  const path = join(folder, 'rules/entity.json');
  const file = JSON.parse(readFileSync(path, 'utf8')) as { version: string; filings: Rule[] };
  file.version = version;
  for (const rule of file.filings) change(rule);
  writeFileSync(path, JSON.stringify(file));
  return registerLaw(folder);
}

const california = (id: string, number: string, formed = '2015-01-19') =>
  `${id},US-CA,${number},Name,corporation,domestic,${formed},,,,`;

const stored = () =>
  office.rows(
    `select entity, period, state, due::text, rule_version, ver from obligation
     where tenant = $1 order by entity, period, state`,
  );

describe('computing again', () => {
  it('with the same law on the same day moves nothing and writes nothing', async () => {
    await office.import(csv(llc('E1'), california('E2', 'C1')));
    const before = await stored();
    const done = await recompute(office.app, office.clerk, {
      dryRun: false,
      asOf: TODAY,
    });
    expect(done).toMatchObject({ entities: 2, moves: [], faults: [], earlier: 0 });
    expect(await stored()).toEqual(before);
  });

  it('lists what a change of rules would move before it moves, and flags what gets earlier', async () => {
    await office.import(csv(llc('E1'), california('E2', 'C1')));
    const law = changedLaw('2027-01-01.1', (rule) => {
      if (rule.id === 'US-DE.llc.domestic') rule.due_rule['month'] = 5;
      if (rule.id === 'US-CA.corporation.domestic') rule.due_rule['offset_months'] = 1;
    });
    const before = await stored();
    const would = await recompute(office.app, OPERATOR, {
      dryRun: true,
      asOf: TODAY,
      law,
    });
    expect(await stored()).toEqual(before);
    expect(would).toMatchObject({ counts: { moved: 2, new: 0, superseded: 0 }, earlier: 1 });
    expect(would.moves.map(({ entity, isEarlier, due }) => ({ entity, isEarlier, due }))).toEqual([
      { entity: 'E1', isEarlier: true, due: '2027-05-01' },
      { entity: 'E2', isEarlier: false, due: '2027-02-28' },
    ]);
    expect(would.moves[0]?.changes).toContainEqual({
      field: 'due',
      from: '2027-06-01',
      to: '2027-05-01',
    });
    await recompute(office.app, office.clerk, { dryRun: false, asOf: TODAY, law });
    expect(await stored()).toMatchObject([
      { entity: 'E1', due: '2027-05-01', rule_version: '2027-01-01.1', ver: 2 },
      { entity: 'E2', due: '2027-02-28', rule_version: '2027-01-01.1', ver: 2 },
    ]);
  });

  it('with only another version restates the version and calls nothing moved', async () => {
    await office.import(csv(llc('E1')));
    const law = changedLaw('2027-01-01.2', () => undefined);
    const done = await recompute(office.app, office.clerk, {
      dryRun: false,
      asOf: TODAY,
      law,
    });
    expect(done.moves).toEqual([]);
    expect(await stored()).toMatchObject([{ rule_version: '2027-01-01.2', ver: 2 }]);
  });

  it('after a due date has passed keeps the one that was missed beside the next', async () => {
    await office.import(csv(llc('E1')));
    await recompute(office.app, office.clerk, { dryRun: false, asOf: '2027-06-02' });
    expect(await stored()).toMatchObject([
      { period: '2026', state: 'open', due: '2027-06-01' },
      { period: '2027', state: 'open', due: '2028-06-01' },
    ]);
    // And again, so that the missed one does not vanish with the second look either.
    await recompute(office.app, office.clerk, { dryRun: false, asOf: '2027-07-02' });
    expect(await stored()).toHaveLength(2);
  });

  it('when a rule becomes unknown asks for the record of the state', async () => {
    await office.import(csv(llc('E1')));
    const law = changedLaw('2027-01-01.3', (rule) => {
      if (rule.id === 'US-DE.llc.domestic') rule.due_rule = { type: 'unknown' };
    });
    const done = await recompute(office.app, office.clerk, {
      dryRun: false,
      asOf: TODAY,
      law,
    });
    expect(done.counts).toMatchObject({ superseded: 1, new: 1 });
    const tasks = await storedObligations(office.run, office.app.tenant, {
      states: ['open', 'record_needed'],
      jurisdictions: [],
      unfiled: false,
      dueBefore: '2026-01-01',
      limit: 10,
    });
    expect(tasks).toMatchObject([{ state: 'record_needed', entity: 'E1', due: undefined }]);
    expect(tasks[0]?.answer['reason']).toMatch(/state_record_due/);
  });
});

describe('the list', () => {
  it('has what is due before a day, in the order of the dates, whatever the page', async () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      california(`E${at}`, `C${at}`, `2015-${String((at % 12) + 1).padStart(2, '0')}-10`),
    );
    await office.import(csv(...rows, llc('Z1')));
    const filter = {
      states: ['open' as const],
      jurisdictions: ['US-CA'],
      unfiled: false,
      dueBefore: '2027-05-31',
    };
    const all = await storedObligations(office.run, office.app.tenant, { ...filter, limit: 100 });
    const days = all.map((one) => one.due ?? '');
    expect(days).toEqual([...days].sort());
    // Formed in January to April, or in November and December: due November 30 to April 30; May 31 is not before itself.
    expect(new Set(all.map((one) => one.due?.slice(5, 7)))).toEqual(
      new Set(['11', '12', '01', '02', '03', '04']),
    );
    const paged: string[] = [];
    for (;;) {
      const last = all.find((one) => one.id === paged.at(-1));
      const page = await storedObligations(office.run, office.app.tenant, {
        ...filter,
        limit: 4,
        ...(last === undefined ? {} : { after: { due: last.due, id: last.id } }),
      });
      paged.push(...page.map((one) => one.id));
      if (page.length < 4) break;
    }
    expect(paged).toEqual(all.map((one) => one.id));
  });

  it('as a table holds no formula', () => {
    const cells = ['=1+1', '+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=HYPERLINK("x")'];
    for (const cell of cells) {
      const written = csvCell(cell);
      expect(written.replace(/^"/, '').startsWith("'"), cell).toBe(true);
    }
    expect(csvCell('-5.00')).toBe('-5.00');
    expect(csvLine(['a', 'b,c', 'say "hi"', undefined, 7])).toBe('a,"b,c","say ""hi""",,7\r\n');
  });
});

describe('the calendar', () => {
  const events = (text: string) =>
    text
      .split('BEGIN:VEVENT')
      .slice(1)
      .map((event) => ({
        uid: /UID:(.+)\r/.exec(event)?.[1],
        sequence: Number(/SEQUENCE:(\d+)/.exec(event)?.[1]),
        day: /DTSTART;VALUE=DATE:(\d+)/.exec(event)?.[1],
        status: /STATUS:(\w+)/.exec(event)?.[1],
      }));

  it('keeps identities, raises the sequence of a moved date, cancels instead of forgetting', async () => {
    await office.import(csv(llc('E1'), llc('E2')));
    const first = await issueIcs(office.app, OPERATOR, { jurisdictions: [] });
    const again = await issueIcs(office.app, OPERATOR, { jurisdictions: [] });
    expect(again.text).toBe(first.text);
    expect(first.text).not.toContain('Entity E1 LLC');
    const law = changedLaw('2027-01-01.4', (rule) => {
      if (rule.id === 'US-DE.llc.domestic') rule.due_rule['month'] = 5;
    });
    await recompute(office.app, office.clerk, { dryRun: false, asOf: TODAY, law });
    const moved = await issueIcs(office.app, OPERATOR, { jurisdictions: [] });
    expect(events(moved.text)).toMatchObject(
      events(first.text).map(({ uid }) => ({
        uid,
        sequence: 1,
        day: '20270501',
        status: 'CONFIRMED',
      })),
    );
    // The number of E2 was wrong: what was owed under it is owed no more.
    await office.import(csv(llc('E2', { number: '9999999' })), { asOf: TODAY });
    const cancelled = await issueIcs(office.app, OPERATOR, { jurisdictions: [] });
    expect(cancelled.counts).toMatchObject({ active: 2, cancelled: 1 });
    expect(events(cancelled.text).find((event) => event.status === 'CANCELLED')).toMatchObject({
      sequence: 2,
    });
    expect(cancelled.counts.entries).toBe(cancelled.counts.active);
  });

  it('does not cancel what is still owed when the list is asked for an earlier day', async () => {
    await office.import(csv(llc('E1'), california('E2', 'C1')));
    const wide = await issueIcs(office.app, OPERATOR, {
      jurisdictions: [],
      dueBefore: '2028-01-01',
    });
    const narrow = await issueIcs(office.app, OPERATOR, {
      jurisdictions: [],
      dueBefore: '2027-02-01',
    });
    expect(wide.counts).toMatchObject({ active: 2, cancelled: 0 });
    expect(narrow.text).toBe(wide.text);
  });
});
