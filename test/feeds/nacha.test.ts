import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf } from './support.ts';

const reco = fixture('reco-001.nacha-ccdplus.ach').toString();

interface Entry {
  readonly code: string;
  readonly cents: number;
  readonly addenda?: readonly string[];
}

/** A file of one CCD batch; control records are computed. */
function file(entries: readonly Entry[], settlement = '   '): string {
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  const rows = entries.flatMap(({ code, cents, addenda = [] }, at) => {
    const trace = `10103667${digits(at + 1, 7)}`;
    return [
      `6${code}123456780${'42'.padEnd(17)}${digits(cents, 10)}${'ID'.padEnd(15)}${'NAME'.padEnd(22)}  ${addenda.length > 0 ? 1 : 0}${trace}`,
      ...addenda.map((text) =>
        text.startsWith('799') ? text : `705${text.padEnd(80)}0001${trace.slice(8)}`,
      ),
    ];
  });
  const sum = (isCredit: boolean): number =>
    entries
      .filter(({ code }) => Number(code[1]) <= 4 === isCredit)
      .reduce((total, { cents }) => total + cents, 0);
  const totals = `${digits(12_345_678 * entries.length, 10)}${digits(sum(false), 12)}${digits(sum(true), 12)}`;
  const records = [
    '101 123456780 1010366692603020830A094101GRANT BANK             US TREASURY 310                ',
    `5200HHS PMS                             9101036669CCDGRANT PAY 260302260302${settlement}1101036670000001`,
    ...rows,
    `8200${digits(rows.length, 6)}${totals}9101036669${' '.repeat(25)}101036670000001`,
  ];
  const blocks = Math.ceil((records.length + 1) / 10);
  records.push(`9000001${digits(blocks, 6)}${digits(rows.length, 8)}${totals}${' '.repeat(39)}`);
  while (records.length % 10 !== 0) records.push('9'.repeat(94));
  return `${records.join('\n')}\n`;
}

describe('NACHA', () => {
  it('records may stand in one row without line ends', async () => {
    const row = reco.replaceAll('\n', '');
    const without = (lines: Awaited<ReturnType<typeof linesOf>>) =>
      lines.map((line) => ({ ...line, place: undefined }));
    expect(without(await linesOf(row))).toEqual(without(await linesOf(reco)));
    expect((await linesOf(row))[1]?.place).toEqual({ line: 1, column: 94 * 4 + 1 });
  });

  it('a return takes back what it names, by the original trace', async () => {
    const addenda = `799R02101036670000808      12345678${' '.repeat(44)}123456780000001`;
    const [line] = await linesOf(file([{ code: '21', cents: 980_000, addenda: [addenda] }]));
    expect(line).toMatchObject({
      direction: 'debit',
      isReversal: true,
      trace: '101036670000808',
      nativeId: '101036670000001',
      amountCents: 980_000,
    });
  });

  it('a test of an account is no money', async () => {
    const [line] = await linesOf(file([{ code: '23', cents: 0 }]));
    expect(line?.status).toBe('information');
    expect((await refusalOf(file([{ code: '23', cents: 1 }]))).code).toBe('FEED_INCONSISTENT');
  });

  it('the settlement day of the operator wins over the effective one', async () => {
    const [line] = await linesOf(file([{ code: '22', cents: 1 }], '063'));
    expect(dayText(line?.bookingDate)).toBe('2026-03-04');
    expect(dayText(line?.valueDate)).toBe('2026-03-02');
  });

  it('a batch is no statement of an account, and comes again in one', async () => {
    const [batch, , , end] = await eventsOf(reco);
    expect(batch).toMatchObject({ kind: 'statement', account: undefined, isInterim: true });
    expect(end).toMatchObject({
      kind: 'statementEnd',
      proof: 'controlTotals',
      netCents: 13_750_075,
    });
  });

  const one = file([{ code: '22', cents: 100, addenda: ['RMT*IV*A-1\\'] }]);
  const REFUSED: readonly [string, string, string][] = [
    ['a short record', reco.replace('GRANTEE ORG INC ', 'GRANTEE ORG INC'), 'one of 93'],
    ['a long record', reco.replace('1101036670000017', '1101036670000017 '), 'the line is longer'],
    ['a letter beyond ASCII', reco.replace('GRANTEE ORG', 'GRANTÉE ORG'), 'expected ASCII'],
    ['another class', one.replace('CCDGRANT', 'PPDGRANT'), 'class CCD or CTX'],
    ['a missing addenda', one.replace(/^705.*\n/m, ''), '1 addenda, but 0 follow'],
    ['a second addenda in CCD', one.replace(/^(705.*\n)/m, '$1$1'), 'but found one more'],
    [
      'an addenda of another entry',
      one.replace(/00010000001$/m, '00010000009'),
      'addenda 1 of entry',
    ],
    [
      'a trace of another bank',
      one.replace(/1101036670000001\n705/, '1999999990000001\n705'),
      'does not begin with',
    ],
    ['a wrong number of batches', one.replace('9000001', '9000002'), '2 batches'],
    ['a wrong number of blocks', one.replace('9000001000001', '9000001000002'), '2 blocks'],
    ['a missing line of nines', one.replace(`${'9'.repeat(94)}\n`, ''), '1 blocks'],
    ['something after the end', `${one}${one}`, 'only lines of nines'],
    ['an unknown transaction code', one.replace('\n622', '\n699'), 'a transaction code'],
    [
      'a batch that ends as another',
      one.replace('9101036669                         1', '9101036668                         1'),
      'company id',
    ],
    ['an entry outside a batch', one.replace(/^5200.*\n/m, ''), 'a batch before its entries'],
    ['a letter in an amount', one.replace('0000000100ID', '00000001O0ID'), 'expected digits'],
  ];

  it.each(REFUSED)('refuses %s', async (_, feed, reason) => {
    expect((await refusalOf(feed, 'nacha')).message).toContain(reason);
  });
});
