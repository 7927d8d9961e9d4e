/** Docket events in, looked at, reported and closed, as a person meets it on the command line. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { pdfTexts } from './pdf-text.ts';

let desk: DeskLine;
let hart: Person;

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
  await desk.route([...files], hart);
});
afterAll(() => desk.close());

async function idOf(application: string): Promise<string> {
  const { dockets } = await desk.data(['docket', 'list'], hart);
  const found = (dockets as readonly object[]).find(
    (one) => 'applicationNumber' in one && one.applicationNumber === application,
  );
  return textAt(found, 'docket');
}

describe('docket import', () => {
  it('counts first and writes nothing, then creates each event once', async () => {
    const file = desk.path('samples/patent-docket.ndjson');
    const dry = await desk.data(['docket', 'import', file, '--dry-run'], hart);
    expect(dry).toMatchObject({ rows: 5, created: 5, dryRun: true });
    expect((await desk.data(['docket', 'list'], hart))['total']).toBe(0);
    expect(await desk.data(['docket', 'import', file], hart)).toMatchObject({ created: 5 });
    expect(await desk.data(['docket', 'import', file], hart)).toMatchObject({
      rows: 5,
      created: 0,
      unchanged: 5,
      changed: 0,
    });
  });

  it('says before what it does then, of what the file itself holds twice, however far apart', async () => {
    const event = (number: number, matter: string): string =>
      `{"application_number":"17/${number}","filing_date":"2024-03-11","event_code":"CTNF","event_date":"2026-11-02","client":"Northwind","technology_group":"BIO","matter":"${matter}"}`;
    // More than one transaction takes.
    const first = Array.from({ length: 520 }, (_, index) => event(100_000 + index, 'NW-1'));
    const again = [event(100_000, 'NW-1'), event(100_001, 'NW-2'), event(100_519, 'NW-1')];
    const file = await desk.file('twice.ndjson', `${[...first, ...again].join('\n')}\n`);
    const counts = { rows: 523, created: 520, unchanged: 2, changed: 1 };
    const words = ['docket', 'import', file];
    const other = await desk.person('Judith Hart', undefined, 'other');
    const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
    await desk.route([...files], other);
    expect(await desk.data([...words, '--dry-run'], other, 5)).toMatchObject(counts);
    expect(await desk.data(words, other, 5)).toMatchObject(counts);
  });

  it('keeps the exact bytes: of a line as it is, of a row with its header', async () => {
    const file = desk.path('samples/patent-docket.csv');
    await desk.data(['docket', 'import', file], hart);
    const [head, row] = readFileSync(file, 'utf8').split('\n');
    const csv = await desk.run(['docket', 'show', await idOf('18/300201'), '--payload'], hart);
    expect(csv.stdout).toBe(`${head}\n${row}`);
    const [line = ''] = readFileSync(desk.path('samples/patent-docket.ndjson'), 'utf8').split('\n');
    const shown = await desk.data(['docket', 'show', await idOf('18/300101'), '--payload'], hart);
    expect(Buffer.from(textAt(shown, 'payload'), 'base64').toString()).toBe(line);
    const sha256 = createHash('sha256').update(line).digest('hex');
    expect(shown).toMatchObject({ payloadSha256: sha256, payloadBytes: line.length });
  });

  it('the same event with other bytes is a conflict, and the first bytes stay', async () => {
    const [line = ''] = readFileSync(desk.path('samples/patent-docket.ndjson'), 'utf8').split('\n');
    const file = await desk.file('changed.ndjson', `${line.replace('NW-0101', 'NW-9999')}\n`);
    const told = await desk.data(['docket', 'import', file], hart, 5);
    expect(told).toMatchObject({ created: 0, unchanged: 0, changed: 1 });
    const shown = await desk.data(['docket', 'show', await idOf('18/300101')], hart);
    expect(shown['matter']).toBe('NW-0101');
  });

  it('tells drift as its own class with what changed, and routes the record all the same', async () => {
    const file = desk.path('samples/patent-docket-drift.ndjson');
    const told = await desk.data(['docket', 'import', file], hart, 5);
    expect(told).toMatchObject({ rows: 3, created: 3, drift: 3, refused: 0 });
    expect(told['errors']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          line: 1,
          code: 'SCHEMA_DRIFT',
          where: '/application_number',
          why: expect.stringContaining('applicationNumberText') as string,
        }),
        expect.objectContaining({ line: 2, where: '/filing_date', code: 'SCHEMA_DRIFT' }),
        expect.objectContaining({ line: 3, where: '/event_code', code: 'SCHEMA_DRIFT' }),
      ]),
    );
    const { dockets } = await desk.data(['docket', 'list'], hart);
    const drifted = (dockets as readonly object[]).filter(
      (one) => textAt(one, 'eventCode') === 'SCHEMA_DRIFT',
    );
    expect(drifted).toHaveLength(3);
  });

  it('a column of a table that was renamed is drift too, and ends nothing', async () => {
    const table = readFileSync(desk.path('samples/patent-docket.csv'), 'utf8')
      .replace('filing_date', 'Filing Date')
      .replaceAll('18/3002', '18/3009');
    const file = await desk.file('renamed.csv', table);
    const told = await desk.data(['docket', 'import', file, '--dry-run'], hart, 5);
    expect(told).toMatchObject({ rows: 2, drift: 2 });
    expect(JSON.stringify(told['errors'])).toContain('Filing Date');
    // Said what it is called, it is no drift any more.
    const map = await desk.file('map.json', '{"filing_date": "Filing Date"}');
    const mapped = await desk.data(
      ['docket', 'import', file, '--map-file', map, '--dry-run'],
      hart,
    );
    expect(mapped).toMatchObject({ rows: 2, created: 2, drift: 0 });
  });

  it('gives a wrong value back in an error file that can be corrected and imported', async () => {
    const good =
      '{"application_number":"18/300601","filing_date":"2024-03-11","event_code":"CTNF"}';
    const bad = good.replace('300601', '300602').replace('2024-03-11', '2024-02-30');
    const file = await desk.file('values.ndjson', `${good}\n${bad}\nnot json\n`);
    const told = await desk.data(['docket', 'import', file], hart, 5);
    expect(told).toMatchObject({ rows: 3, created: 1, drift: 0, refused: 2 });
    const errors = textAt(told, 'errorFile');
    const [first = ''] = readFileSync(errors, 'utf8').split('\n');
    expect(first).toContain('2024-02-30 is not a date that exists');
    const corrected = await desk.file('corrected.ndjson', `${first.replace('02-30', '02-29')}\n`);
    expect(await desk.data(['docket', 'import', corrected], hart)).toMatchObject({ created: 1 });
  });

  it('names the columns as the file does, in what it tells and in the error file', async () => {
    const table = 'application_number,Filed,event_code\n18/300701,2024-02-30,CTNF\n';
    const file = await desk.file('filed.csv', table);
    const map = await desk.file('filed-map.json', '{"filing_date": "Filed"}');
    const told = await desk.data(['docket', 'import', file, '--map-file', map], hart, 5);
    expect(told).toMatchObject({ rows: 1, refused: 1, errors: [{ line: 2, where: 'Filed' }] });
    const written = readFileSync(textAt(told, 'errorFile'), 'utf8');
    expect(written).toMatch(/^18\/300701,2024-02-30,CTNF,"line 2: Filed","Filed: /m);
  });

  it('does not take one JSON document for a table', async () => {
    const file = await desk.file('wrapper.json', '{"a": [1, 2]}');
    const { code, stderr } = await desk.run(['docket', 'import', file], hart);
    expect([code, stderr]).toEqual([2, expect.stringContaining('ends with .json')]);
  });

  it.each([
    ['uspto-file-wrapper', '18300401', 'CTNF', 2],
    ['epo-register', '24100501', undefined, 0],
  ])('maps a document of the shape %s by data', async (mapping, application, code, skipped) => {
    const file = desk.path(`samples/patent-${mapping}.json`);
    const words = ['docket', 'import', file, '--mapping', mapping];
    const told = await desk.data(words, hart);
    expect(told).toMatchObject({ created: 1, drift: 0, refused: 0 });
    expect(listAt(told, 'skipped').length).toBe(skipped);
    const shown = await desk.data(['docket', 'list'], hart);
    const one = listAt(shown, 'dockets').find((each) =>
      String(each['applicationNumber']).includes(application),
    );
    expect(one).toBeDefined();
    if (code !== undefined) expect(one?.['eventCode']).toBe(code);
    expect(await desk.data(words, hart)).toMatchObject({ created: 0, unchanged: 1 });
  });

  it('tomorrow’s document has one event more; what was there is the same', async () => {
    const document = readFileSync(desk.path('samples/patent-uspto-file-wrapper.json'), 'utf8');
    const added = document.replace(
      '"eventDataBag": [',
      '"eventDataBag": [{"eventCode": "MCTFR", "eventDescriptionText": "Mail Final Rejection", "eventDate": "2026-11-12"},',
    );
    const file = await desk.file('tomorrow.json', added);
    const told = await desk.data(
      ['docket', 'import', file, '--mapping', 'uspto-file-wrapper'],
      hart,
    );
    expect(told).toMatchObject({ created: 1, unchanged: 1, changed: 0 });
  });

  it('dockets an event that no table knows, and says that a person must look', async () => {
    const document = readFileSync(desk.path('samples/patent-uspto-file-wrapper.json'), 'utf8');
    const event = (code: string, text: string): string =>
      JSON.stringify({ eventCode: code, eventDescriptionText: text, eventDate: '2026-11-10' });
    const added = document
      .replace('18300401', '18300402')
      .replace(
        '"eventDataBag": [',
        `"eventDataBag": [${[event('MZZQ9', 'Mail New Thing'), event('NTC.FILG', 'Notice'), event('MCTEQ', 'Mail Ex parte Quayle')].join(',')},`,
      );
    const file = await desk.file('unknown.json', added);
    const words = ['docket', 'import', file, '--mapping', 'uspto-file-wrapper'];
    expect(await desk.data(words, hart)).toMatchObject({ created: 4, refused: 0, drift: 0 });
    const { dockets } = await desk.data(['docket', 'list'], hart);
    const idFor = (code: string): string =>
      textAt(
        (dockets as readonly object[]).find((one) => 'eventCode' in one && one.eventCode === code),
        'docket',
      );
    for (const code of ['MZZQ9', 'NTC.FILG']) {
      const shown = await desk.run(['docket', 'show', idFor(code)], hart);
      expect(shown.stdout).toMatch(/^due +not known \*/m);
      expect(shown.stdout).toMatch(
        new RegExp(`"${code}" is an unknown event at the United States .*a person must look`),
      );
    }
    // Known, and its period is printed in the action: the person is asked for that.
    const quayle = await desk.run(['docket', 'show', idFor('MCTEQ')], hart);
    expect(quayle.stdout).toMatch(/period: missing; take it from the document.*usually P2M/);
  });

  it('knows its usage: two kinds of mapping, a mapping that is not there, a file that is not there', async () => {
    const file = desk.path('samples/patent-docket.csv');
    const both = ['docket', 'import', file, '--mapping', 'epo-register', '--map-file', file];
    expect((await desk.run(both, hart)).code).toBe(2);
    const absent = ['docket', 'import', file, '--mapping', 'no-such-office'];
    expect((await desk.run(absent, hart)).code).toBe(3);
    expect((await desk.run(['docket', 'import', desk.path('absent.csv')], hart)).code).toBe(3);
    expect((await desk.run(['docket', 'import', file])).code).toBe(4);
    const consume = ['docket', 'consume', '--rabbit', 'q', '--redis', 's'];
    expect((await desk.run(consume, hart)).code).toBe(2);
  });
});

describe('docket report', () => {
  it('is by due date and owner; undated first; screen, table, pages and calendar agree', async () => {
    const [csv, pdf, ics] = ['csv', 'pdf', 'ics'].map((ending) => desk.path(`report.${ending}`));
    const files = ['--csv', String(csv), '--pdf', String(pdf), '--ics', String(ics)];
    const report = await desk.data(['docket', 'report', ...files], hart);
    const rows = listAt(report, 'rows');
    const dues = rows.map((row) => (row['due'] === undefined ? '' : textAt(row, 'due')));
    expect(dues).toEqual([...dues].sort());
    expect(rows[0]).toMatchObject({ mark: 'undated' });
    const dated = rows.filter((row) => row['due'] !== undefined);
    expect(dated.length).toBeGreaterThan(4);

    const table = readFileSync(String(csv), 'utf8').trim().split('\r\n').slice(1);
    expect(table.map((line) => line.split(',')[0])).toEqual(dues);

    const drawn = pdfTexts(readFileSync(String(pdf))).flat();
    for (const row of dated) {
      const isVerified = (row['unverified'] as readonly string[]).length === 0;
      expect(drawn).toContain(`${textAt(row, 'due')}${isVerified ? '' : ' *'}`);
    }

    const events = eventsIn(String(ics));
    const days = dated.flatMap((row) => {
      const soft = row['soft'] === row['due'] ? undefined : row['soft'];
      return [soft, row['due'], row['final']].filter(Boolean).map(String);
    });
    expect(events.some(({ summary }) => summary.startsWith('Work target: '))).toBe(true);
    expect(events.map(({ day }) => day).sort()).toEqual(days.sort());
    // A label keeps the number out of a calendar.
    expect(events.find(({ summary }) => summary.includes('18/300101'))).toBeUndefined();
    expect(events.some(({ summary }) => summary.includes('18/300103'))).toBe(true);
  });

  it('marks a date that only the source states, and takes the earlier of two that disagree', async () => {
    const rows = listAt(await desk.data(['docket', 'report'], hart), 'rows');
    const stated = rows.find((row) => row['applicationNumber'] === '2025-500105');
    expect(stated).toMatchObject({ due: '2027-01-15', matter: 'FA-0105' });
    expect(stated?.['unverified']).not.toEqual([]);
    const { stdout } = await desk.run(['docket', 'report'], hart);
    expect(stdout).toContain('2027-01-15 *');
  });

  it('is a calendar also where a code or a number is longer than its line', async () => {
    const long = {
      application_number: `18/${'9'.repeat(400)}`,
      filing_date: '2024-03-11',
      event_code: 'X'.repeat(400),
      due_date: '2027-03-01',
    };
    const file = await desk.file('long.ndjson', `${JSON.stringify(long)}\n`);
    await desk.data(['docket', 'import', file], hart);
    const ics = desk.path('long.ics');
    await desk.data(['docket', 'report', '--ics', ics], hart);
    const event = eventsIn(ics).find(({ summary }) => summary.includes('XXXX'));
    expect(event).toMatchObject({ day: '2027-03-01', status: 'CONFIRMED' });
    expect(event?.summary).toMatch(/^Due: X{100}… \(unverified\), 18\/9{97}…$/);
  });

  it('a calendar would lose dates with --due-before, so it takes all', async () => {
    const ended = await desk.run(
      ['docket', 'report', '--due-before', '2027-01-01', '--ics', desk.path('x.ics')],
      hart,
    );
    expect(ended.code).toBe(2);
    expect(existsSync(desk.path('x.ics'))).toBe(false);
    const report = await desk.data(['docket', 'report', '--due-before', '2027-01-01'], hart);
    const dues = listAt(report, 'rows').map((row) => row['due'] as string | undefined);
    expect(dues.every((due) => due === undefined || due < '2027-01-01')).toBe(true);
    expect(dues).toContain(undefined);
  });
});

describe('docket moved', () => {
  it('lists what another calendar would move, earlier first, and only what one may see', async () => {
    const same = await desk.data(['docket', 'moved', join(ROOT, 'law')], hart);
    expect(same).toEqual({ moved: [], earlier: 0 });
    // The day on which 18/300101 is due becomes a day on which the office is closed.
    const due = textAt(await desk.data(['docket', 'show', await idOf('18/300101')], hart), 'due');
    const calendars = await desk.file('closed.json', JSON.stringify(closedOn(due)));
    const words = ['docket', 'moved', calendars];
    const found = await desk.data(words, hart);
    expect(found['earlier']).toBe(0);
    const moved = listAt(found, 'moved').find((one) => one['applicationNumber'] === '18/300101');
    expect(moved).toMatchObject({ earlier: false, due: { from: due } });
    expect(textAt(moved, 'due', 'to') > due).toBe(true);
    const stranger = await desk.person('Nora Nobody', hart);
    expect(await desk.data(words, stranger)).toEqual({ moved: [], earlier: 0 });
  });
});

describe('docket ack and close', () => {
  it('only the person a docket is assigned to can acknowledge it', async () => {
    const ended = await desk.run(['docket', 'ack', await idOf('18/300101')], hart);
    expect([ended.code, ended.stderr]).toEqual([
      4,
      expect.stringContaining('is not assigned to Judith Hart'),
    ]);
  });

  it('a hard date closes with proof of filing or a named override, and with nothing else', async () => {
    const hard = await idOf('18/300101');
    const close = (...words: string[]) =>
      desk.run(['--json', 'docket', 'close', hard, ...words], hart);
    const refused = [
      await close('--seen'),
      await close('--override', 'done'),
      await close('--receipt', ' ', '--filed-at', '2026-11-10T10:00:00Z'),
      await close('--receipt', 'EFS 1', '--filed-at', '2036-11-10T10:00:00Z'),
    ];
    for (const { code, stdout } of refused) {
      expect([code, stdout]).toEqual([4, expect.stringContaining('PROOF_NEEDED')]);
    }
    const usage = [
      await close(),
      await close('--receipt', 'EFS 1'),
      await close('--seen', '--override', 'x'),
    ];
    expect(usage.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect((await close('--filing', 'f'.repeat(8))).code).toBe(2);
    expect((await close('--filing', '01a1def1-c17d-7b16-89c6-c3f35170e4d9')).code).toBe(3);

    const document = await desk.file('response.pdf', 'the response as filed');
    const closed = await desk.data(
      ['docket', 'close', hard, '--document', document, '--filed-at', '2026-11-10T10:00:00Z'],
      hart,
    );
    expect(closed).toMatchObject({ how: 'proof', inTime: true, isFirst: true });
    const late = ['docket', 'close', hard, '--override', 'The client abandoned the case.'];
    expect(await desk.data(late, hart)).toMatchObject({ how: 'proof', isFirst: false, by: 'hart' });
    const ack = await desk.run(['docket', 'ack', hard], hart);
    expect([ack.code, ack.stderr]).toEqual([4, expect.stringContaining('was closed by hart')]);
    const ids = listAt(await desk.data(['docket', 'list'], hart), 'dockets').map(
      (one) => one['docket'],
    );
    expect(ids).not.toContain(hard);
    const over = listAt(await desk.data(['docket', 'list', '--closed'], hart), 'dockets');
    expect(over).toEqual([expect.objectContaining({ docket: hard, standing: 'closed' })]);
  });

  it('an override bears the name and the reason into the ledger; a closed docket is cancelled in the calendar', async () => {
    const other = await idOf('18/300102');
    const reason = 'The client abandoned the case by letter.';
    await desk.data(['docket', 'close', other, '--override', reason], hart);
    const log = await desk.run(['audit', 'log'], hart);
    expect(`${log.stdout}${log.stderr}`).toContain(reason);
    const ics = desk.path('report.ics');
    await desk.data(['docket', 'report', '--ics', ics], hart);
    // Two closed dockets, each with a due and a final date.
    expect(eventsIn(ics).filter(({ status }) => status === 'CANCELLED')).toHaveLength(4);
  });
});

function eventsIn(path: string): { day: string; summary: string; status: string }[] {
  const calendar = new ICAL.Component(ICAL.parse(readFileSync(path, 'utf8')) as unknown[] as never);
  return calendar.getAllSubcomponents('vevent').map((event) => ({
    day: String(event.getFirstPropertyValue('dtstart')),
    summary: String(event.getFirstPropertyValue('summary')),
    status: String(event.getFirstPropertyValue('status')),
  }));
}

/** The calendar of the office with one closing more. */
function closedOn(day: string): object {
  const calendar = JSON.parse(readFileSync(join(ROOT, 'law/calendars/uspto.json'), 'utf8')) as {
    readonly dates: readonly { readonly date: string }[];
  };
  const closing = { date: day, reason: 'Closed', standing: 'verified', source: 'a test' };
  const dates = [...calendar.dates.filter(({ date }) => date !== day), closing];
  return {
    ...calendar,
    version: '2099-01-01.1',
    dates: dates.sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}
