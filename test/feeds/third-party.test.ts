/** Files that others wrote: read, or refused with the line. */
import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf, signed } from './support.ts';

describe('third-party files that agree with themselves', () => {
  it('camt.053.001.02 with two statements', async () => {
    const events = await eventsOf(fixture('thirdparty-camt053.v2.multi.statement.xml'));
    expect(events.map((event) => event.kind)).toEqual([
      'statement',
      'line',
      'statementEnd',
      'statement',
      'line',
      'statementEnd',
      'end',
    ]);
    expect(events[0]).toMatchObject({ number: 12312, notice: 'duplicate', currency: 'EUR' });
    expect(events[1]).toMatchObject({
      amountCents: 885,
      direction: 'credit',
      counterparty: 'Company Name 1',
      references: ['000000001'],
      code: '544',
      place: { line: 66 },
    });
    expect(events[5]).toMatchObject({ proof: 'balances', netCents: -700 });
  });

  it('camt.052.001.08 with a batch that is not spelled out', async () => {
    const [line] = await linesOf(fixture('thirdparty-camt052.v8.xml'));
    expect(line).toMatchObject({
      amountCents: 20_000_000,
      currency: 'SEK',
      direction: 'debit',
      nativeId: 'AAAASESS-FP-ACCR-01',
      code: 'PMNT-ICDT-XBCT',
      details: [],
    });
    expect(dayText(line?.bookingDate)).toBe('2007-10-18');
  });

  it('BAI2 sample 1: value dates, continued account record', async () => {
    const lines = await linesOf(fixture('thirdparty-bai2-sample1.txt'));
    expect(lines).toHaveLength(17);
    expect(lines[0]).toMatchObject({ currency: 'CAD', amountCents: 2500, direction: 'debit' });
    expect(dayText(lines[0]?.valueDate)).toBe('2006-03-16');
    expect(dayText(lines[0]?.bookingDate)).toBe('2006-03-17');
    expect(lines.slice(0, 11).reduce((sum, line) => sum + signed(line), 0)).toBe(0);
  });

  it('BAI2 sample 2: funds types S, V and D, fields cut by continuations', async () => {
    const lines = await linesOf(fixture('thirdparty-bai2-sample2.txt'));
    expect(lines.map((line) => [line.amountCents, line.nativeId, line.references])).toEqual([
      [450000, undefined, []],
      [500000, undefined, ['NO.68751']],
      [20000000, 'SP4738', ['YRC065321']],
      [10000000, undefined, []],
    ]);
    expect(lines[2]?.description).toBe('PROCEEDS OF LETTER OF CREDIT FROM THE ARAMCO OIL CO');
  });

  it('BAI2 sample 3: several records on one line, a text broken without a record', async () => {
    const events = await eventsOf(fixture('thirdparty-bai2-sample3.txt'));
    expect(events.at(-1)).toMatchObject({ kind: 'end', statements: 15, lines: 26 });
    expect(
      events.every((event) => event.kind !== 'statementEnd' || event.proof === 'balances'),
    ).toBe(true);
  });

  it('NACHA CCD debits and CTX with two addenda', async () => {
    const ccd = await linesOf(fixture('thirdparty-ach-ccd-debit.ach'));
    expect(ccd.map((line) => [line.account, signed(line)])).toEqual([
      ['744-5678-99', -500_000],
      ['744-5678-99', -125],
    ]);
    const [ctx] = await linesOf(fixture('thirdparty-ach-ctx-debit.ach'));
    expect(ctx).toMatchObject({
      amountCents: 100_000_000,
      direction: 'debit',
      description: 'ACH CTX Debit First Account Debit Second Account',
    });
  });
});

describe('third-party files that do not', () => {
  const REFUSED = [
    {
      file: 'thirdparty-camt053.v2.wrong.xml',
      code: 'FEED_MALFORMED',
      line: 8,
      reason: 'at least one Stmt',
    },
    {
      file: 'thirdparty-camt053.v4.xml',
      code: 'FEED_INCONSISTENT',
      line: 74,
      reason: 'the account is in EUR, but its CLBD balance in SEK',
    },
    {
      file: 'thirdparty-camt053.v8.xml',
      code: 'FEED_INCONSISTENT',
      line: 74,
      reason: 'the account is in EUR, but its CLBD balance in SEK',
    },
    {
      file: 'thirdparty-camt054.v8.xml',
      code: 'FEED_INCONSISTENT',
      line: 89,
      reason: 'the batch (Btch) counts 2 payments, but the entry has 3',
    },
    {
      file: 'thirdparty-bai2-sample4-continuations-newline-delimited.txt',
      code: 'FEED_INCONSISTENT',
      line: 22,
      reason: 'record 49 gives -1260161341762',
    },
    {
      file: 'thirdparty-bai2-sample5-issue113.txt',
      code: 'FEED_INCONSISTENT',
      line: 22,
      reason: 'record 49 gives -1260161341762',
    },
  ] as const;

  it.each(REFUSED)('$file is refused at its line', async ({ file, code, line, reason }) => {
    const refusal = await refusalOf(fixture(file));
    expect(refusal.code).toBe(code);
    expect(refusal.details).toMatchObject({ line });
    expect(refusal.message).toContain(reason);
  });
});
