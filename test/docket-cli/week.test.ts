/** The week of a docketing clerk: what was imported for others, the report by attorney and by client, and the mail behind it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { pdfTexts } from './pdf-text.ts';

let desk: DeskLine;
let hart: Person;
let tanaka: Person;

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  tanaka = await desk.person('Ken Tanaka', hart);
  const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
  await desk.route([...files], hart);
});
afterAll(() => desk.close());

const event = (number: number, fields: object): string =>
  JSON.stringify({
    application_number: `18/${number}`,
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    event_date: '2026-11-02',
    period: 'P3M',
    technology_group: 'ELEC',
    client: 'Northwind',
    ...fields,
  });

describe('an import with records of others', () => {
  it('says how many went to people with the right to see them, whatever is stored already', async () => {
    const rows = [event(1, {}), event(2, { client: 'Contoso' }), event(3, { client: 'Contoso' })];
    const file = await desk.file('mixed.ndjson', `${rows.join('\n')}\n`);
    const words = ['docket', 'import', file];
    const counts = { rows: 3, toOthers: 2 };
    expect(await desk.data([...words, '--dry-run'], tanaka)).toMatchObject(counts);
    expect(await desk.data(words, tanaka)).toMatchObject(counts);
    const again = await desk.run(words, tanaka);
    expect(again.stdout).toContain('2 of the rows went to people with the right to see them');
    expect(again.stdout).not.toContain('Contoso');
    expect(await desk.data(words, hart)).toMatchObject({ toOthers: 0 });
  });
});

describe('the weekly report', () => {
  it('is by attorney or client, with what is late and what has no date, on Letter or A4', async () => {
    const rows = [
      event(10, { due_date: '2027-01-20', client: 'Northwind' }),
      event(11, { due_date: '2027-01-27', client: 'Northwind' }),
      event(12, { due_date: '2026-01-05', client: 'Fabrikam' }),
      event(13, { due_date: '2027-01-26', client: 'Fabrikam' }),
    ];
    const file = await desk.file('week.ndjson', `${rows.join('\n')}\n`);
    await desk.data(['docket', 'import', file], hart);
    const week = ['docket', 'report', '--week', '2027-01-20', '--by', 'client'];
    const letter = desk.path('letter.pdf');
    const a4 = desk.path('a4.pdf');
    const report = await desk.data([...week, '--pdf', letter], hart);
    const numbers = listAt(report, 'rows').map((row) => row['applicationNumber']);
    expect(numbers).toEqual(['18/12', '18/10', '18/13']);
    expect(report['groups']).toEqual([
      { name: 'Fabrikam', count: 2 },
      { name: 'Northwind', count: 1 },
    ]);
    await desk.data([...week, '--pdf', a4, '--paper', 'a4'], hart);
    const sizeOf = (path: string) =>
      /MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(readFileSync(path, 'latin1'))?.slice(1).map(Number);
    expect(sizeOf(letter)).toEqual([792, 612]);
    expect(sizeOf(a4)?.map(Math.round)).toEqual([842, 595]);
    const texts = pdfTexts(readFileSync(letter)).flat().join(' ');
    expect(texts).toContain('Docket report by client, due before 2027-01-27');
    expect(texts).toContain('Fabrikam: 2');
    const shown = await desk.run(['docket', 'report', '--by', 'attorney'], hart);
    expect(shown.stdout).toContain('No one has it yet: ');
    const refused = await desk.run([...week, '--ics', desk.path('x.ics')], hart);
    expect(refused.stderr).toContain('--week');
    expect((await desk.run(['docket', 'report', '--by', 'judge'], hart)).stderr).toContain('judge');
  });
});

describe('doctor', () => {
  it('says that dockets need mail, and that no server is set', async () => {
    const { stdout } = await desk.run(['doctor'], hart);
    expect(stdout).toMatch(/mail server.*none is set; \d+ docket targets need one/);
  });
});
