import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf, signed } from './support.ts';

interface Shape {
  readonly account?: string;
  readonly details?: readonly string[];
  readonly sum: number;
  readonly physical?: string;
}

/** A file of one group and one account, with its counts right and the sum as given. */
function file({ account = '03,1,USD,/', details = [], sum, physical = '' }: Shape): string {
  const body = [account, ...details].join('\n');
  const records = body.split('\n').length;
  return `01,S,R,260320,2100,1,${physical},,2/\n02,R,S,1,260302,2359,,2/\n${body}\n49,${sum},${records + 1}/\n98,${sum},1,${records + 3}/\n99,${sum},1,${records + 5}/\n`;
}

describe('BAI2', () => {
  it('a continuation may cut a number, a reference and a word', async () => {
    const [line] = await linesOf(
      file({
        sum: 12_500_000,
        details: ['16,142,1250', '88,0000,Z,TRN2603', '88,02-0001,PMS26030', '88,20017,HHS'],
      }),
    );
    expect(line).toMatchObject({
      amountCents: 12_500_000,
      nativeId: 'TRN260302-0001',
      references: ['PMS2603020017'],
      counterparty: 'HHS',
    });
  });

  it('a text cut at the physical record length goes on in the same word', async () => {
    const start = '16,142,100,Z,A,B,FOUNDATION FOR THE ARTS AND HUMANITIES OF THE CO';
    const text = (physical: string) =>
      linesOf(file({ physical, sum: 100, details: [start, '88,UNTY OF MERCER'] }));
    expect((await text(String(start.length)))[0]?.description).toMatch(/OF THE COUNTY OF MERCER$/);
    expect((await text('80'))[0]?.description).toMatch(/OF THE CO UNTY OF MERCER$/);
  });

  it('a slash inside a text is a slash', async () => {
    const lines = await linesOf(
      file({
        sum: 300,
        details: ['16,142,100,,A/1,B/2,PAY 08/16,2023 IN/OUT', '16,142,200,,C,D,TEXT/'],
      }),
    );
    expect(lines.map((line) => [line.nativeId, line.description])).toEqual([
      ['A/1', 'PAY 08/16,2023 IN/OUT'],
      ['C', 'TEXT'],
    ]);
  });

  it.each([
    ['', '16,142,100,,B,C,T'],
    ['Z', '16,142,100,Z,B,C,T'],
    ['S', '16,142,100,S,10,20,70,B,C,T'],
    ['V', '16,142,100,V,260305,1200,B,C,T'],
    ['D', '16,142,100,D,2,0,40,1,60,B,C,T'],
  ])('funds type %j moves the references', async (funds, detail) => {
    const [line] = await linesOf(file({ sum: 100, details: [detail] }));
    expect(line).toMatchObject({ nativeId: 'B', references: ['C'], description: 'T' });
    expect(dayText(line?.valueDate)).toBe(funds === 'V' ? '2026-03-05' : undefined);
  });

  it('type codes say credit, debit, or nothing about money', async () => {
    const lines = await linesOf(
      file({
        sum: 1000,
        details: [
          '16,399,100,,/',
          '16,400,200,,/',
          '16,925,300,,/',
          '16,965,400,,/',
          '16,890,,,,,NOTE',
        ],
      }),
    );
    expect(lines.map((line) => (line.status === 'booked' ? signed(line) : line.status))).toEqual([
      100,
      -200,
      300,
      -400,
      'information',
    ]);
  });

  it('an account without lines may be a summary, which its totals must explain', async () => {
    const summary = (credits: number): string =>
      file({
        account: `03,1,USD,010,1000,,,015,1500,,,100,${credits},4,,400,200,1,/`,
        sum: 2700 + credits,
      });
    expect((await eventsOf(summary(700))).at(-2)).toMatchObject({
      proof: 'controlTotals',
      lines: 0,
    });
    expect((await refusalOf(summary(600))).code).toBe('FEED_INCONSISTENT');
  });

  it('empty balances are not balances of nought', async () => {
    const [statement] = await eventsOf(file({ account: '03,1,USD,010,,,,015,0,,/', sum: 0 }));
    expect(statement).toMatchObject({ opening: undefined, closing: { amountCents: 0 } });
  });

  it('a group says whether it is interim or a correction', async () => {
    const plain = file({ sum: 0 });
    expect((await eventsOf(plain))[0]).toMatchObject({
      isInterim: false,
      notice: undefined,
      currency: 'USD',
    });
    const other = plain
      .replace('02,R,S,1,260302,2359,,2/', '02,R,S,3,260302,2359,EUR,3/')
      .replace('03,1,USD', '03,1,');
    expect((await eventsOf(other))[0]).toMatchObject({
      isInterim: true,
      notice: 'correction',
      currency: 'EUR',
    });
  });

  const reco = fixture('reco-001.bai2.txt').toString();
  const one = file({ sum: 100, details: ['16,142,100,Z,A,B,TEXT'] });
  const REFUSED: readonly [string, string, number, string][] = [
    [
      'a wrong account sum',
      reco.replace('49,57500000,4/', '49,57500001,4/'),
      6,
      'as the sum of the account',
    ],
    [
      'a wrong account count',
      reco.replace('49,57500000,4/', '49,57500000,5/'),
      6,
      'as the number of records',
    ],
    [
      'a wrong group sum',
      reco.replace('98,57500000,1', '98,57500009,1'),
      7,
      'as the sum of the group',
    ],
    [
      'a wrong number of accounts',
      reco.replace('98,57500000,1,', '98,57500000,2,'),
      7,
      'number of parts',
    ],
    [
      'a wrong file sum',
      reco.replace('99,675992102', '99,675992103'),
      60,
      'as the sum of the file',
    ],
    [
      'a wrong number of groups',
      reco.replace('675992102,9', '675992102,8'),
      60,
      'number of parts of the file',
    ],
    ['a lost continuation', reco.replace('88,TRN 101036670000017\n', ''), 5, 'number of records'],
    ['a sign in a detail', one.replace('142,100,', '142,-100,'), 4, 'without a sign'],
    ['a decimal point', one.replace('142,100,', '142,1.00,'), 4, 'whole minor units'],
    ['an unknown type with money', one.replace('16,142', '16,701'), 4, 'neither'],
    ['an unknown funds type', one.replace('100,Z', '100,Q'), 4, 'funds type'],
    ['a record of no kind', one.replace('16,142', '17,142'), 4, 'a record code'],
    ['a detail outside an account', one.replace('03,1,USD,/\n', ''), 3, 'inside an account'],
    ['a test group', one.replace('02,R,S,1', '02,R,S,4'), 2, 'updates (1)'],
    ['version 3', one.replace(',,2/', ',,3/'), 1, 'BAI version 2'],
    ['no end', one.replace(/99,.*\n/, ''), 7, 'record 99'],
    ['two ends', `${one}99,100,1,7/\n`, 8, 'the end of the file'],
    ['a group after the end', `${one}02,R,S,1,260302,2359,,2/\n`, 8, 'a group between'],
  ];

  it.each(REFUSED)('refuses %s', async (_, feed, line, reason) => {
    const refusal = await refusalOf(feed, 'bai2');
    expect(refusal.message).toContain(reason);
    expect(refusal.details['line']).toBe(line);
  });
});
