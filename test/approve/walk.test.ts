/** The approver's and the paralegal's day by commands alone: look, ask, refuse, correct, approve, and the list of what waits. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { CliWorld, textAt, type Variables } from '../fixtures/cli.ts';

const YEAR = new Date().getUTCFullYear() + 2;
const HEADER =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';
const row = (n: number, fee = '225.00', year = YEAR): string =>
  `US-NV,N${n},Entity ${n},annual_list,${year},${year}-03-01,E-${n},${fee},Paula Signer`;
const reason = ['--reason', 'the fee was typed from last year'];

let world: CliWorld;
let paula: Variables;
let arthur: Variables;
let cara: Variables;

beforeAll(async () => {
  world = await CliWorld.make();
  await world.data(['init']);
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
  await world.data(['lane', 'add', '--by-hand', 'US-NV'], paula);
  cara = await world.person('Cara Third', paula);
});
afterAll(() => world.close());

async function imported(name: string, ...rows: readonly string[]): Promise<string> {
  const file = await world.file(`${name}.csv`, `${[HEADER, ...rows].join('\n')}\n`);
  return textAt(await world.data(['batch', 'import', file, '--accept-map'], paula), 'batch');
}

const inbox = async (who: Variables) => {
  const { items } = await world.data(['inbox'], who);
  // The command's own list.
  return items as readonly { kind: string; id: string; why: string; next: string; due: string }[];
};

describe('the approver', () => {
  it('sees each filing, the totals and what changed since last year, in words, pages and on paper', async () => {
    const before = await imported('last-year', row(1, '200.00', YEAR - 1));
    await world.data(['batch', 'approve', before], arthur);
    const batch = await imported('this-year', row(1), row(2, '500.00'), row(3));
    const { stdout } = await world.run(['batch', 'show', batch], arthur);
    expect(stdout).toContain('Prepared by Paula Preparer');
    expect(stdout).toContain('3 filings, $950.00 in fees');
    expect(stdout).toMatch(/^US-NV +3 +\$950\.00$/m);
    expect(stdout).toMatch(/^Entity 2 +US-NV +\$500\.00/m);
    expect(stdout).toContain(`changed since ${YEAR - 1}:`);
    expect(stdout).toContain('fee_cents: 20000 → 22500');
    expect(stdout).toContain('due Mar 1, ');
    expect(stdout).toContain('p.m. PT');
    expect(stdout).toContain(`batch approve ${batch} --expect-hash `);
    const first = await world.data(['batch', 'review', batch, '--limit', '2'], arthur);
    expect(first['filings']).toHaveLength(2);
    const next = textAt(first, 'next');
    const second = await world.data(
      ['batch', 'show', batch, '--limit', '2', '--after', next],
      arthur,
    );
    expect(second).toMatchObject({
      next: null,
      filings: [{ entityName: expect.any(String) as string }],
    });
    expect(
      new Set(
        [first, second].flatMap((one) => (one['filings'] as { id: string }[]).map(({ id }) => id)),
      ).size,
    ).toBe(3);
    await world.data(['batch', 'show', batch, '--pdf', world.path('batch.pdf')], arthur);
    expect((await readFile(world.path('batch.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    // Of another's desk nothing is shown.
    const other = await world.data(['user', 'list']);
    expect(JSON.stringify(other)).toContain('Cara Third');
    await world.data(
      ['batch', 'approve', batch, '--expect-hash', textAt(first, 'terms', 'sha256')],
      arthur,
    );
  });

  it('finds what waits in one list, and whom it waits for', async () => {
    const batch = await imported('waits', row(11), row(12));
    expect(await world.data(['whoami'], arthur)).toMatchObject({
      kind: 'person',
      name: 'Arthur Approver',
    });
    const mine = (await inbox(arthur)).find(({ id }) => id === batch);
    expect(mine).toMatchObject({
      kind: 'approval',
      why: 'prepared by Paula Preparer; you may approve',
      next: `batch show ${batch}`,
      due: expect.stringMatching(/^\d{4}-03-02T07:/) as string,
    });
    // Who prepared it has nothing to approve.
    expect(
      (await inbox(paula)).filter(({ kind, id }) => kind === 'approval' && id === batch),
    ).toEqual([]);
    expect((await world.run(['inbox'])).stdout).toContain('without a personal key');

    const asked = ['batch', 'ask', batch, 'is the fee of both right this year?'];
    expect(await world.data(asked, cara)).toMatchObject({ n: 1 });
    const question = (await inbox(paula)).find(({ kind }) => kind === 'question');
    expect(question?.next).toBe(`batch answer ${batch} 1 "ANSWER"`);
    const refused = await world.run(['batch', 'approve', batch], arthur);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('is the fee of both right this year?');
    await world.data(['batch', 'answer', batch, '1', 'the second one is not'], paula);
    expect((await world.run(['batch', 'show', batch], arthur)).stdout).toContain(
      'Paula Preparer: the second one is not',
    );

    await world.data(['batch', 'refuse', batch, ...reason], arthur);
    const back = (await inbox(paula)).find(({ kind, id }) => kind === 'batch' && id === batch);
    expect(back?.why).toBe('you prepared it; Arthur Approver: the fee was typed from last year');
    expect(
      (await inbox(arthur)).filter(({ kind, id }) => kind === 'approval' && id === batch),
    ).toEqual([]);
  });
});

describe('the paralegal', () => {
  it('corrects a row by importing it again, which the dry run names, and the approver approves what stands then', async () => {
    const batch = await imported('typo', row(21), row(22, '2250.00'));
    const seen = textAt(await world.data(['batch', 'show', batch], arthur), 'terms', 'sha256');
    const file = await world.file('typo.csv', `${[HEADER, row(21), row(22)].join('\n')}\n`);
    const would = await world.run(['batch', 'import', file, '--dry-run'], paula);
    expect(would.code).toBe(5);
    expect(would.stdout).toContain('fee_cents: 225000 → 22500');
    expect(would.stdout).toContain('import the file with --correct');
    const done = await world.run(['batch', 'import', file, '--correct', ...reason], paula);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('1 row took the place of filings that no one had approved');
    const late = await world.run(['batch', 'approve', batch, '--expect-hash', seen], arthur);
    expect(late.code).not.toBe(0);
    const blind = await world.run(['batch', 'approve', batch], arthur);
    expect(blind.stderr).toContain('was changed since it was first proposed');
    const now = textAt(await world.data(['batch', 'show', batch], arthur), 'terms', 'sha256');
    await world.data(['batch', 'approve', batch, '--expect-hash', now], arthur);
  });

  it('withdraws one, corrects a field, undoes an import, and stops what was approved with another person', async () => {
    const batch = await imported('mixed', row(31), row(32), row(33));
    const { filings } = await world.data(['filing', 'list', '--batch', batch]);
    const [one, two] = [textAt(filings, 0, 'id'), textAt(filings, 1, 'id')];
    await world.data(['batch', 'withdraw', one, ...reason], paula);
    const corrected = await world.data(
      ['batch', 'correct', two, '--set', 'entity_name=Entity Corrected', ...reason],
      paula,
    );
    expect(corrected).toMatchObject({ former: two, count: 2 });
    const shown = await world.run(['batch', 'show', batch], arthur);
    expect(shown.stdout).toContain('Entity Corrected');
    expect(shown.stdout).toContain('(withdrawn)');
    await world.data(
      ['batch', 'approve', batch, '--expect-hash', textAt(corrected, 'sha256')],
      arthur,
    );
    const alone = await world.run(
      ['batch', 'correct', two, '--set', 'entity_name=X', ...reason],
      paula,
    );
    expect(alone.code).toBe(4);
    const stopped = await world.data(['batch', 'cancel', batch, ...reason], paula);
    expect(stopped).toMatchObject({ kind: 'stopped', count: 2, claimed: 0 });
    const waits = (await inbox(arthur)).find(
      ({ kind, next }) => kind === 'proposal' && next.includes(batch),
    );
    expect(waits?.next).toBe(
      `batch cancel ${batch} --approve --expect-hash ${textAt(stopped, 'sha256')}`,
    );
    await world.data((waits?.next ?? '').split(' '), arthur);
    const undone = await imported('undone', row(41));
    await world.data(['batch', 'cancel', undone, ...reason], paula);
    expect(await imported('undone', row(41, '250.00'))).not.toBe(undone);
    expect(await world.data(['audit', 'verify', '--rows', '--bodies'])).toMatchObject({ ok: true });
  });
});

describe('a state record that is later than the law', () => {
  const REGISTER =
    'entity_id,jurisdiction,registry_number,entity_name,entity_kind,origin,formation_date,state_record_due';
  const llc = (n: number, record: string): string =>
    `L-${n},US-DE,700000${n},Company ${n} LLC,llc,domestic,2019-02-11,${record}`;

  it('is an alarm at the import, in lists, in calendars and in batches; an earlier one is not', async () => {
    const lines = [llc(1, '2027-07-01'), llc(2, '2027-05-15'), llc(3, '2027-06-01'), llc(4, '')];
    const file = await world.file('register.csv', `${[REGISTER, ...lines].join('\n')}\n`);
    const importing = ['entity', 'import', file, '--as-of', '2026-11-15', '--accept-map'];
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await world.run([...importing, ...more], paula);
      expect(stdout.match(/^ALARM .*$/gm)).toEqual([
        expect.stringMatching(/^ALARM L-1, US-DE, .*2027-07-01, later than 2027-06-01/),
      ]);
    }
    const alarms = (await inbox(arthur)).filter(({ kind }) => kind === 'alert');
    expect(JSON.stringify(alarms)).toContain('L-1');
    const ics = world.path('owed.ics');
    const listed = await world.run(['obligation', 'list', '--ics', ics], paula);
    expect(listed.stdout.match(/^ALARM .*$/gm)).toHaveLength(1);
    const { obligations } = await world.data(['obligation', 'list'], paula);
    const later = (obligations as { entity: string; laterThanLaw?: object }[]).filter(
      ({ laterThanLaw }) => laterThanLaw !== undefined,
    );
    expect(later).toMatchObject([
      { entity: 'L-1', laterThanLaw: { record: '2027-07-01', law: '2027-06-01' } },
    ]);
    const calendar = (await readFile(ics, 'utf8')).replaceAll('\r\n ', '');
    const events = calendar.split('BEGIN:VEVENT').filter((event) => event.includes('L-1'));
    const days = events.map((event) => /VALUE=DATE:(\d+)/.exec(event)?.[1]);
    expect(new Set(days)).toEqual(new Set(['20270601', '20270701']));
    expect(days).toHaveLength(2);
    expect(calendar).toContain('record later than the law');
    expect(calendar).toContain("the law's date");
  });

  it('and the rows of a batch say so too', async () => {
    await world.data(['lane', 'add', '--by-hand', 'US-DE'], paula);
    const columns =
      'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,entity_kind,origin,formation_date,state_record_due';
    const line =
      'US-DE,7000009,Company 9 LLC,annual_tax,2026,2027-07-01,L-9,300.00,llc,domestic,2019-02-11,2027-07-01';
    const file = await world.file('later.csv', `${columns}\n${line}\n`);
    const { stdout } = await world.run(
      ['batch', 'import', file, '--accept-map', '--dry-run'],
      paula,
    );
    expect(stdout).toContain('STATE_RECORD_LATER');
    const batch = textAt(
      await world.data(['batch', 'import', file, '--accept-map'], paula),
      'batch',
    );
    const shown = await world.run(['batch', 'show', batch], arthur);
    expect(shown.stdout).toContain('! STATE_RECORD_LATER');
  });

  it('the shipped register has none', async () => {
    const sample = ['entity', 'import', join(ROOT, 'samples/register.csv'), '--dry-run'];
    const { obligations } = await world.data([...sample, '--as-of', '2026-11-15'], paula);
    expect(obligations).toMatchObject({ recordLater: 0 });
  });
});
