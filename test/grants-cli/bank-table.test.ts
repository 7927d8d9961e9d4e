/** The bank's own CSV, as banks write it, by commands alone: what proves it, what is asked, and what is refused at the gate. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json } from '../fixtures/cli.ts';
import { House, listAt, STATES } from './house.ts';

let house: House;
let nora: readonly string[];
let count = 0;
let account = '';

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
});
afterAll(() => house.close());
beforeEach(() => {
  count += 1;
  account = `9000${count}`;
});

/** Three bookings of March 2026, as amounts in cents with the balance after each. */
const MARCH = [
  { on: '2026-03-02', cents: 120_000, text: 'BIRCH TRUST BT-7', balance: 130_000 },
  { on: '2026-03-16', cents: -3_500, text: 'SERVICE CHARGE', balance: 126_500 },
  { on: '2026-03-31', cents: 1_234_567, text: 'FERN FUND, "Q1"', balance: 1_361_067 },
] as const;

const us = (cents: number): string => {
  const [whole = '', part = ''] = (Math.abs(cents) / 100).toFixed(2).split('.');
  return `${cents < 0 ? '-' : ''}$${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${part}`;
};
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const mdy = (day: string): string => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;

async function feed(name: string, content: string | Buffer, ...more: string[]) {
  await writeFile(join(house.folder, name), content);
  return house.run('--json', ...nora, 'grants', 'feed', name, '--accept-map', ...more);
}
const dataOf = ({ stdout }: { readonly stdout: string }): Json =>
  (JSON.parse(stdout) as { readonly data: Json }).data;

async function linesOf(): Promise<readonly (readonly unknown[])[]> {
  const found = await house.data([...nora, 'grants', 'lines', '--account', account]);
  return listAt(found, 'lines').map((one) => [one['bookedOn'], one['cents'], one['state']]);
}
const asBooked = MARCH.map(({ on, cents }) => [on, cents, 'open']);

/** What a bank writes; each must be read as the same three bookings, and proved by its balances. */
interface Form {
  readonly name: string;
  readonly write: () => string | Buffer;
  readonly given?: readonly string[];
}

const FORMS: readonly Form[] = [
  {
    name: 'dollars with signs, oldest first',
    write: () =>
      [
        'Posting Date,Description,Amount,Running Balance',
        ...MARCH.map(({ on, cents, text, balance }) =>
          [on, quoted(text), quoted(us(cents)), quoted(us(balance))].join(','),
        ),
      ].join('\n'),
  },
  {
    name: 'newest first, parentheses, a title above, a repeated header and a total below',
    write: () =>
      [
        'Account activity',
        '',
        'Date,Description,Amount,Balance',
        ...MARCH.toReversed().map(({ on, cents, text, balance }) => {
          const amount = cents < 0 ? `(${(-cents / 100).toFixed(2)})` : (cents / 100).toFixed(2);
          return [mdy(on), quoted(text), amount, (balance / 100).toFixed(2)].join(',');
        }),
        'Date,Description,Amount,Balance',
        'Total,,12310.67,',
      ].join('\r\n'),
  },
  {
    name: 'semicolons, decimal commas, debit and credit, day first, in Windows-1252',
    write: () =>
      Buffer.from(
        [
          'Buchungstag;Verwendungszweck;Debit;Credit;Saldo',
          ...MARCH.map(({ on, cents, text, balance }) => {
            const comma = (value: number): string => (value / 100).toFixed(2).replace('.', ',');
            const sides = cents < 0 ? [comma(-cents), ''] : ['', comma(cents)];
            const day = `${on.slice(8)}.${on.slice(5, 7)}.${on.slice(0, 4)}`;
            return [day, quoted(`${text} für`), ...sides, comma(balance)].join(';');
          }),
        ].join('\r\n'),
        'latin1',
      ),
  },
  {
    name: 'tabs in UTF-16, and the sign in a column of its own',
    write: () =>
      Buffer.concat([
        Buffer.from([0xff, 0xfe]),
        Buffer.from(
          [
            'Date\tDetails\tAmount\tDR/CR\tBalance',
            ...MARCH.map(({ on, cents, text, balance }) =>
              [
                on,
                text.replaceAll('"', ''),
                (Math.abs(cents) / 100).toFixed(2),
                cents < 0 ? 'DR' : 'CR',
                (balance / 100).toFixed(2),
              ].join('\t'),
            ),
          ].join('\r\n'),
          'utf16le',
        ),
      ]),
  },
  {
    name: 'no balance column, the balances given by a person',
    write: () =>
      [
        'Date,Description,Withdrawals,Deposits',
        ...MARCH.map(({ on, cents, text }) =>
          [
            on,
            quoted(text),
            cents < 0 ? (-cents / 100).toFixed(2) : '',
            cents < 0 ? '' : (cents / 100).toFixed(2),
          ].join(','),
        ),
      ].join('\n'),
    given: ['--opening', '100.00', '--closing', '13,610.67'],
  },
];

describe('a table of the bank', () => {
  it.each(FORMS)('$name', async ({ name, write, given: more = [] }) => {
    const said = await feed(
      `${name.slice(0, 8).trim()}.csv`,
      write(),
      '--account',
      account,
      ...more,
    );
    expect(said.code, said.stdout + said.stderr).toBe(0);
    expect(listAt(dataOf(said), 'files')).toMatchObject([{ format: 'csv', lines: 3 }]);
    expect(await linesOf()).toEqual(asBooked);
    const found = await house.data(['grants', 'statements', '--account', account]);
    expect(listAt(found, 'statements')).toMatchObject([
      { from: '2026-03-02', to: '2026-03-31', openingCents: 10_000, closingCents: 1_361_067 },
    ]);
  });

  const simple = (rows = MARCH as readonly (typeof MARCH)[number][]): string =>
    [
      'Posting Date,Description,Amount,Balance,Account Number',
      ...rows.map(({ on, cents, text, balance }) =>
        [on, quoted(text), cents / 100, balance / 100, account].join(','),
      ),
    ].join('\n');

  it('without any proof of balances it is a hint: listed, never money, and no period closes by it', async () => {
    const bare = simple()
      .split('\n')
      .map((line) => line.replace(/,[^,]*(,[^,]*)$/, '$1'))
      .join('\n');
    expect(await feed('bare.csv', bare)).toMatchObject({ code: 0 });
    expect((await linesOf()).map(([, , state]) => state)).toEqual(Array(3).fill('announced'));
    const close = ['grants', 'close', '2026-03', '--account', account, ...STATES];
    const blocked = await house.data([...nora, ...close], 4);
    expect(JSON.stringify(blocked)).toContain(`no statement of ${account}`);
  });

  it('the same download changes nothing, and an overlapping one adds only what is new', async () => {
    expect(await feed('one.csv', simple(MARCH.slice(0, 2)))).toMatchObject({ code: 0 });
    const again = await feed('one.csv', simple(MARCH.slice(0, 2)));
    expect(listAt(dataOf(again), 'files')).toMatchObject([{ isRepeatedFeed: true }]);
    expect(await feed('two.csv', simple(MARCH.slice(1)))).toMatchObject({ code: 0 });
    const states = (await linesOf()).map(([on, , state]) => [on, state]);
    expect(states.filter(([, state]) => state === 'open')).toHaveLength(3);
    expect(states.filter(([, state]) => state === 'repeated')).toHaveLength(1);
  });

  it('the same days as camt or MT940 count once', async () => {
    expect(await feed('table.csv', simple())).toMatchObject({ code: 0 });
    const mt940 = [
      ':20:MARCH',
      `:25:${account}`,
      ':28C:1/1',
      ':60F:C260301USD100,00',
      ':61:2603020302C1200,00NTRFNONREF//LB1',
      ':86:BIRCH TRUST BT-7',
      ':61:2603160316D35,00NTRFNONREF//LB2',
      ':86:SERVICE CHARGE',
      ':61:2603310331C12345,67NTRFNONREF//LB3',
      ':86:FERN FUND Q1',
      ':62F:C260331USD13610,67',
      '-',
      '',
    ].join('\r\n');
    await house.data([...nora, 'grants', 'feed', await house.file('m.sta', mt940)]);
    const states = (await linesOf()).map(([, cents, state]) => [cents, state]);
    expect(states.filter(([, state]) => state === 'open')).toHaveLength(3);
    expect(states.filter(([, state]) => state === 'repeated')).toHaveLength(3);
  });

  it('said to be of other days after it is imported: nobody is left to believe it, and there is a way on', async () => {
    expect(await feed('days.csv', simple())).toMatchObject({ code: 0 });
    const close = [...nora, 'grants', 'close', '2026-03', '--account', account, ...STATES];
    const bare = (await feed('days.csv', `${simple()}\n`, '--days', '2026-02..2026-03')).code;
    expect(bare).toBe(2);
    const other = ['--days', '2026-02-20..2026-03-31'];
    const refused = await feed('days.csv', simple(), ...other);
    expect(refused.stdout).toContain('is imported already, with other days');
    expect(refused.code).toBe(4);
    expect(await feed('days.csv', `${simple()}\n\n`, ...other)).toMatchObject({ code: 0 });
    const states = (await linesOf()).map(([, , state]) => state);
    expect(states.filter((state) => state === 'repeated')).toHaveLength(3);
    const shown = await house.data(close, 4);
    expect(JSON.stringify(shown['obstacles'])).not.toContain('no statement');
  });

  it('two accounts in one file are two statements, each with its own balances', async () => {
    const other = `${account}-B`;
    const rows = simple().split('\n');
    const mixed = [
      ...rows.slice(0, 2),
      `2026-03-05,GIFT,50.00,75.00,${other}`,
      ...rows.slice(2),
      `2026-03-20,GIFT,25.00,100.00,${other}`,
    ];
    const said = await feed('mixed.csv', mixed.join('\n'));
    expect(listAt(dataOf(said), 'files')).toMatchObject([{ statements: 2, lines: 5 }]);
    const found = await house.data(['grants', 'statements', '--account', other]);
    expect(listAt(found, 'statements')).toMatchObject([
      { openingCents: 2_500, closingCents: 10_000 },
    ]);
    const given = ['--opening', '1.00', '--closing', '2.00'];
    expect(await feed('mixed2.csv', `${mixed.join('\n')}\n`, ...given)).toMatchObject({ code: 1 });
  });

  it('columns are asked about once for tables of one kind, dates once where both orders fit', async () => {
    await house.file('asked.csv', 'When posted,Wert\n');
    const table = (rows: string): string => `Post Date,Memo,Net Amount,Ledger Balance\n${rows}\n`;
    const words = [...nora, 'grants', 'feed', 'ask.csv', '--account', account];
    await house.file('ask.csv', table('03/04/2026,GIFT,10.00,110.00'));
    const asked = await house.run(...words);
    expect(asked.code).toBe(2);
    expect(asked.stdout).toContain('can be month/day/year or day/month/year');
    expect(asked.stdout).toContain(`--account ${account} --accept-map --dates month-first`);
    expect(await linesOf()).toEqual([]);
    expect(await house.run(...words, '--accept-map', '--dates', 'month-first')).toMatchObject({
      code: 0,
    });
    expect(await linesOf()).toEqual([['2026-03-04', 1_000, 'open']]);
    await house.file('ask.csv', table('03/25/2026,GIFT,10.00,120.00'));
    expect(await house.run(...words)).toMatchObject({ code: 0 });
  });

  it('a row that is missing, a changed figure, a cut end: the whole table is refused, with the line', async () => {
    const rows = simple().split('\n');
    const gone = await feed('gone.csv', [...rows.slice(0, 2), ...rows.slice(3)].join('\n'));
    expect(gone.code).toBe(1);
    expect(gone.stdout).toContain('FEED_INCONSISTENT');
    expect(gone.stdout).toContain('Line 3');
    const cut = simple().slice(0, -30);
    expect(await feed('cut.csv', cut)).toMatchObject({ code: 1 });
    const amount = await feed('amount.csv', simple().replace('-35', 'thirty'));
    expect(amount.code).toBe(1);
    expect(amount.stdout).toContain('amount');
    const noName = simple()
      .split('\n')
      .map((line) => line.replace(/,[^,]*$/, ''))
      .join('\n');
    expect(await feed('noname.csv', noName)).toMatchObject({ code: 2 });
    expect(await linesOf()).toEqual([]);
  });

  it('another kind of file is refused at the gate, with what it is and what to do', async () => {
    for (const [name, content, word] of [
      ['a.csv', '%PDF-1.7\n%âãÏÓ\n1 0 obj', 'a PDF'],
      ['b.csv', '<!DOCTYPE html><html><body>Please sign in</body></html>', 'login page'],
      ['c.xlsx', 'Please sign in', 'date'],
    ] as const) {
      const said = await feed(name, content);
      expect([1, 2]).toContain(said.code);
      expect(said.stdout, name).toContain(word);
    }
    expect(await house.data(['grants', 'exceptions', 'list'])).toMatchObject({ exceptions: [] });
  });
});
