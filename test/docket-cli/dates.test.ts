/** Dates that are questioned: further versions, disputes with a second pair of eyes, and the blind second docketing. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';

let desk: DeskLine;
let hart: Person;
let moreau: Person;
let lind: Person;
let auditor: Person;
const BLIND = 'blind';
const REASON = 'Checked against the office action in the file.';

beforeAll(async () => {
  desk = await DeskLine.make();
  const people = async (tenant: string): Promise<Person[]> => {
    const names = ['Judith Hart', 'Claire Moreau', 'Maja Lind', 'Elena Ruiz'];
    const found: Person[] = [];
    for (const name of names) found.push(await desk.person(name, found[0], tenant));
    return found;
  };
  const parties = (file: string) => [desk.path(file), desk.path('samples/patent-people.json')];
  const [first, second] = await people('main');
  if (first === undefined || second === undefined) throw new Error('nobody is there');
  [hart, moreau] = [first, second];
  await desk.route(parties('samples/patent-matrix.json'), hart);
  const matrix = JSON.parse(
    readFileSync(desk.path('samples/patent-matrix.json'), 'utf8'),
  ) as Record<string, object>;
  const policy = { ...matrix['policy'], second_docketing: true };
  await desk.file('blind.json', JSON.stringify({ ...matrix, policy }));
  const others = await people(BLIND);
  const [blindHart, blindMoreau, blindLind, ruiz] = others;
  if (!blindHart || !blindMoreau || !blindLind || !ruiz) throw new Error('nobody is there');
  await desk.route(parties('blind.json'), blindHart);
  blind = { hart: blindHart, moreau: blindMoreau, lind: blindLind };
  lind = blindLind;
  auditor = ruiz;
}, 120_000);
afterAll(() => desk.close());

let blind: { readonly hart: Person; readonly moreau: Person; readonly lind: Person };

let count = 0;
async function brought(by: Person, fields: object, code = 0): Promise<string> {
  count += 1;
  const event = {
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    event_date: '2026-11-02',
    period: 'P3M',
    client: 'Northwind',
    technology_group: 'BIO',
    ...fields,
  };
  const file = await desk.file(`event-${count}.ndjson`, `${JSON.stringify(event)}\n`);
  await desk.data(['docket', 'import', file], by, code);
  const { dockets } = await desk.data(['docket', 'list', '--limit', '1000'], by);
  const application = (event as { application_number?: string }).application_number;
  const found = (dockets as readonly Record<string, unknown>[]).find(
    (one) => one['applicationNumber'] === application,
  );
  return textAt(found, 'docket');
}

const shown = (id: string, by: Person) => desk.data(['docket', 'show', id], by);
const failure = async (words: readonly string[], by: Person): Promise<string> => {
  const ended = await desk.run(['--json', ...words], by);
  expect(ended.code).not.toBe(0);
  return ended.stdout + ended.stderr;
};

describe('a docket says why it has its date', () => {
  it('with rule, steps and citation, and what the source states beside it', async () => {
    const id = await brought(hart, { application_number: '18/1', due_date: '2027-01-15' });
    const { stdout } = await desk.run(['docket', 'show', id], hart);
    expect(stdout).toContain('Why this date');
    expect(stdout).toMatch(/The law gives due 2027-02-02.*35 U\.S\.C\. 133/);
    expect(stdout).toMatch(/ {2}1\. .*2026-11-02|November/);
    expect(stdout).toContain('The source states due 2027-01-15.');
    const json = await shown(id, hart);
    expect(json).toMatchObject({
      due: '2027-01-15',
      trail: { law: { due: '2027-02-02', rule: 'US-REPLY-SSP' }, stated: { due: '2027-01-15' } },
    });
  });
});

describe('a second version of an event', () => {
  it('is shown with its differences, and its earlier date counts until two people decide', async () => {
    const number = { application_number: '18/2' };
    const id = await brought(hart, number);
    expect(await shown(id, hart)).toMatchObject({ due: '2027-02-02' });
    await brought(hart, { ...number, period: 'P2M' }, 5);
    expect(await shown(id, hart)).toMatchObject({
      due: '2027-01-04',
      trail: {
        versions: [
          {
            n: 2,
            state: 'open',
            due: '2027-01-04',
            differences: [{ field: 'period', first: 'P3M', other: 'P2M' }],
          },
        ],
      },
    });
    const words = ['docket', 'accept', id, '--record', '2', '--reason', REASON];
    const { sha256 } = await desk.data(words, hart);
    const approve = (hash: unknown) => ['docket', 'approve', id, '--expect-hash', String(hash)];
    expect(await failure(approve(sha256), hart)).toContain('SELF_APPROVAL');
    expect(await failure(approve('0'.repeat(64)), moreau)).toContain('HASH_DIFFERS');
    const { proposals } = await desk.data(['docket', 'proposals'], moreau);
    expect(proposals).toMatchObject([
      { act: 'accept', version: 2, now: { due: '2027-02-02' }, proposed: { due: '2027-01-04' } },
    ]);
    expect(await desk.data(approve(sha256), moreau)).toMatchObject({ due: '2027-01-04' });
    const after = await shown(id, moreau);
    expect(after).toMatchObject({
      due: '2027-01-04',
      trail: { law: { due: '2027-01-04' }, versions: [{ state: 'accepted' }] },
    });
    // The very bytes of before are no new version.
    await brought(hart, { ...number, period: 'P2M' }, 5);
    expect(listAt((await shown(id, hart))['trail'] as never, 'versions')).toHaveLength(1);
  });

  it('that is declined leaves the date of the first', async () => {
    const number = { application_number: '18/3' };
    const id = await brought(hart, number);
    await brought(hart, { ...number, event_date: '2026-11-02', period: 'P1M' }, 5);
    expect(await shown(id, hart)).toMatchObject({ due: '2026-12-02' });
    const words = ['docket', 'decline', id, '--record', '2', '--reason', REASON];
    const { sha256 } = await desk.data(words, moreau);
    expect(await shown(id, hart)).toMatchObject({ due: '2026-12-02' });
    await desk.data(['docket', 'approve', id, '--expect-hash', String(sha256)], hart);
    expect(await shown(id, hart)).toMatchObject({
      due: '2027-02-02',
      trail: { versions: [{ state: 'refused' }] },
    });
    expect(await failure(words, moreau)).toContain('already refused');
  });
});

describe('a date that is disputed', () => {
  it('with a period counts at once where it is earlier, and no more when it is refused', async () => {
    const id = await brought(hart, { application_number: '18/4' });
    const words = ['docket', 'dispute', id, '--period', 'P2M', '--reason', REASON];
    expect(await desk.data(words, hart)).toMatchObject({
      proposed: { due: '2027-01-04' },
      meanwhile: { due: '2027-01-04' },
    });
    expect(await shown(id, hart)).toMatchObject({ due: '2027-01-04' });
    await desk.data(['docket', 'refuse', id, '--reason', REASON], moreau);
    expect(await shown(id, hart)).toMatchObject({ due: '2027-02-02' });
  });

  it('with proof that the stated one is wrong is later only when two people agreed', async () => {
    const id = await brought(hart, { application_number: '18/5', due_date: '2027-01-05' });
    const dispute = ['docket', 'dispute', id, '--without-stated', '--reason', REASON];
    expect(await failure(dispute, hart)).toContain('--proof');
    const proof = await desk.file('action.pdf', '%PDF the office action');
    const { sha256 } = await desk.data([...dispute, '--proof', proof], hart);
    expect(await shown(id, hart)).toMatchObject({ due: '2027-01-05' });
    await desk.data(['docket', 'approve', id, '--expect-hash', String(sha256)], moreau);
    expect(await shown(id, hart)).toMatchObject({ due: '2027-02-02' });
    expect(await desk.data(['audit', 'verify', '--rows'], hart)).toMatchObject({ ok: true });
  });

  it('needs something that is disputed, and days that are days', async () => {
    const id = await brought(hart, { application_number: '18/6' });
    const dispute = ['docket', 'dispute', id, '--reason', REASON];
    expect(await failure(dispute, hart)).toContain('--period');
    expect(await failure([...dispute, '--trigger', '2027-02-30'], hart)).toContain('2027-02-30');
  });
});

describe('the second docketing', () => {
  const second = (id: string, period: string) => [
    'docket',
    'second',
    id,
    '--event',
    'CTNF',
    '--event-date',
    '2026-11-02',
    '--period',
    period,
  ];

  it('is given by who has not seen the first date anywhere', async () => {
    const { hart: first, moreau: other } = blind;
    const id = await brought(first, { application_number: '18/10', due_date: '2027-02-01' });
    expect(await shown(id, first)).toMatchObject({ due: '2027-02-01' });
    const everything = [await desk.run(['--json', 'docket', 'list'], other)];
    const ics = desk.path('blind.ics');
    const csv = desk.path('blind.csv');
    for (const words of [
      ['docket', 'show', id],
      ['docket', 'report', '--csv', csv, '--ics', ics],
      ['docket', 'list'],
      ['audit', 'log', '--limit', '200'],
      ['docket', 'proposals'],
      ['docket', 'moved', 'law'],
      ['alert', 'list'],
    ]) {
      everything.push(await desk.run(['--json', ...words], other), await desk.run(words, other));
    }
    const said = everything.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    const files = [ics, csv].map((path) => readFileSync(path, 'utf8')).join('\n');
    for (const text of [said, files]) {
      expect(text).not.toMatch(/2027-02-0[12]|20270201|20270202|2026-11-02|P3M/);
    }
    expect(said).toContain('18/10');
    expect(await failure(['docket', 'show', id, '--payload'], other)).toContain('second docketing');
    expect(
      await failure(['docket', 'dispute', id, '--period', 'P1M', '--reason', REASON], other),
    ).toContain('docket second');
  });

  it('that is equal verifies the date by two, and both may be read then', async () => {
    const { hart: first, moreau: other } = blind;
    const id = await brought(first, { application_number: '18/11' });
    expect(await failure(second(id, 'P3M'), first)).toContain('imported it');
    expect(await desk.data(second(id, 'P3M'), other)).toMatchObject({
      standing: 'verified',
      first: { due: '2027-02-02' },
      second: { due: '2027-02-02' },
    });
    expect(await shown(id, other)).toMatchObject({
      due: '2027-02-02',
      trail: { second: { standing: { kind: 'verified' }, by: 'Claire Moreau' } },
    });
    expect(await failure(second(id, 'P2M'), lind)).toContain('has its second docketing');
  });

  it('that differs blocks the date: the earlier counts until a third person decides', async () => {
    const { hart: first, moreau: other } = blind;
    const id = await brought(first, { application_number: '18/12' });
    expect(await desk.data(second(id, 'P2M'), other, 5)).toMatchObject({ standing: 'blocked' });
    const blocked = await desk.run(['docket', 'show', id], lind);
    expect(blocked.stdout).toContain('BLOCKED');
    expect(blocked.stdout).toMatch(
      /The law gives due 2027-02-02[\s\S]*The law gives due 2027-01-04/,
    );
    expect(await shown(id, lind)).toMatchObject({ due: '2027-01-04' });
    const override = ['docket', 'close', id, '--override', REASON];
    expect(await failure(override, other)).toContain('differ');
    const decide = ['docket', 'decide', id, '--for', 'first', '--reason', REASON];
    for (const one of [first, other]) expect(await failure(decide, one)).toContain('SELF_APPROVAL');
    await desk.data(decide, lind);
    expect(await shown(id, first)).toMatchObject({
      due: '2027-02-02',
      trail: { second: { standing: { kind: 'decided', for: 'first' } } },
    });
    expect(await failure(decide, lind)).toContain('decided already');
  });

  it('cannot be given by who asked to see the date', async () => {
    const id = await brought(blind.hart, { application_number: '18/13' });
    await desk.data(['docket', 'reveal', id, '--reason', REASON], blind.moreau);
    expect(await shown(id, blind.moreau)).toMatchObject({ due: '2027-02-02' });
    expect(await failure(second(id, 'P3M'), blind.moreau)).toContain('could see');
    expect(await shown(id, lind)).toMatchObject({ due: null });
    await desk.data(second(id, 'P3M'), lind);
    expect(await desk.data(['audit', 'verify', '--rows'], blind.hart)).toMatchObject({ ok: true });
    expect(await failure(second(id, 'P3M'), auditor)).toContain('second docketing');
  });
});
