import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf, signed } from './support.ts';

const message = (lines: string, closing = 'C260331USD100,00', number = '7/1'): string =>
  `:20:REF\n:25:BANKUS33/42\n:28C:${number}\n:60F:C260301USD100,00\n${lines}:62F:${closing}\n`;

describe('MT940', () => {
  it.each([
    [':61:2603020302C1,50NTRFA//B\n', 150, false],
    [':61:2603020302D1,50NTRFA//B\n', -150, false],
    [':61:2603020302RC1,50NTRFA//B\n', -150, true],
    [':61:2603020302RD1,50NTRFA//B\n', 150, true],
    [':61:2603020302CD1,50NTRFA//B\n', 150, false],
    [':61:260302C1,NMSCA\n', 100, false],
  ])('%j', async (field, cents, isReversal) => {
    const closing = `C260331USD${String((10_000 + cents) / 100).replace('.', ',')}${cents % 100 === 0 ? ',' : ''}`;
    const [line] = await linesOf(message(field, closing));
    expect(line).toMatchObject({ isReversal, references: ['A'], account: '42' });
    expect(line === undefined ? 0 : signed(line)).toBe(cents);
  });

  it('an entry date may lie in the next year', async () => {
    const text = message(':61:2512310102C1,00NTRFA-123\n', 'C260105USD101,00');
    const [line] = await linesOf(text);
    expect([dayText(line?.valueDate), dayText(line?.bookingDate)]).toEqual([
      '2025-12-31',
      '2026-01-02',
    ]);
  });

  it('narratives: free over lines, in ? fields, in / codes', async () => {
    const fields = `:61:2603020302C1,00NTRFNONREF//B1
:86:COUNTY TREA
SURER TRN 091000010000444
:61:2603020302C1,00NTRFNONREF//B2
SUPPLEMENT
:86:166?00CREDIT?20AWARD HCF-2026-?21014?30BANKUS33?32HILLCREST F?33OUNDATION
:61:2603020302C1,00NTRFNONREF//B3
:86:/TRTP/SEPA/IBAN/NL56AGDH9619008421/NAME/STICHTING X/REMI/USTD//Gift SX-5001
/EREF/E2E-77
`;
    const lines = await linesOf(message(fields, 'C260331USD103,00'));
    expect(lines.map((line) => [line.counterparty, line.trace, line.references])).toEqual([
      ['COUNTY TREA SURER', '091000010000444', []],
      ['HILLCREST FOUNDATION', undefined, ['HCF-2026', 'HCF-2026-014']],
      ['STICHTING X', undefined, ['E2E-77', 'SX-5001']],
    ]);
  });

  it('a narrative line of full length goes on in the same word', async () => {
    const full = 'GRANT OF THE FOUNDATION FOR THE ARTS AND HUMANITIES OF MERCER COU';
    expect(full).toHaveLength(65);
    const feed = message(`:61:2603020302C1,00NTRFA-1//B\n:86:${full}\nNTY\n`, 'C260331USD101,00');
    expect((await linesOf(feed))[0]?.description).toMatch(/OF MERCER COUNTY$/);
  });

  it('several messages, in envelopes or without; the last dash may be missing', async () => {
    const two = `{1:F01BANKUS33AXXX0000000000}{2:I940BANKUS33XXXXN}{4:\n${message('')}-}\n{1:F01BANKUS33AXXX0000000000}{2:I940BANKUS33XXXXN}{4:\n${message('', 'C260331USD100,00', '8/1')}-}{5:{CHK:123}}\n`;
    const events = await eventsOf(two);
    expect(events.map((event) => event.kind)).toEqual([
      'statement',
      'statementEnd',
      'statement',
      'statementEnd',
      'end',
    ]);
    expect(events[2]).toMatchObject({ number: 8, page: 1, bank: 'BANKUS33', statementId: 'REF' });
    expect(await eventsOf(message('') + message(''))).toHaveLength(5);
  });

  it('a text after the closing balance is of the statement, not of the last line', async () => {
    const feed = `${message(':61:2603020302C1,00NTRFA-1//B\n', 'C260331USD101,00')}:86:GOODBYE TO ALL\n-\n`;
    expect((await linesOf(feed))[0]?.description).toBe('');
  });

  const reco = fixture('reco-001.mt940.txt').toString();
  const line = ':61:2603020302C1,00NTRFA//B\n';
  const REFUSED: readonly [string, string, string][] = [
    [
      'a lost line',
      reco.replace(/:61:2603090309[^]*?(?=:61:)/, ''),
      'but the closing balance is 42575168',
    ],
    ['a point for a comma', message(line.replace('1,00', '1.00')), 'expected dates, mark'],
    ['an amount without a comma', message(line.replace('1,00', '100')), 'an amount with a comma'],
    ['three decimals', message(line.replace('1,00', '1,001')), 'at most 2 decimals'],
    [
      'a long reference',
      message(line.replace('RFA//', 'RFABCDEFGHIJKLMNOPQ//')),
      'at most 16 characters',
    ],
    ['a day that does not exist', message(line.replace('260302', '260230')), 'a valid date'],
    ['funds of another currency', message(line.replace('C1,00', 'CR1,00')), 'third letter of USD'],
    [
      'a closing balance in another currency',
      message('', 'C260331EUR100,00'),
      'the closing one in EUR',
    ],
    ['a line before the opening balance', `:20:R\n:25:1\n:28C:1\n${line}`, 'between the opening'],
    ['a line after the closing balance', message('') + line, 'between the opening'],
    ['no closing balance', message('').replace(/:62F:.*\n/, ''), 'without its closing balance'],
    ['no statement number', message('').replace(/:28C:.*\n/, ''), ':25: and :28C:'],
    ['two opening balances', message(':60F:C260301USD100,00\n'), 'a second :60F:'],
    ['a field of MT942', message(':34F:USD0,\n'), 'a field of MT940'],
    ['a line that is no field', message('').replace(':25:', '-25:'), 'expected a tag'],
    ['nothing', '\n\n', 'at least one MT940 message'],
  ];

  it.each(REFUSED)('refuses %s', async (_, feed, reason) => {
    expect((await refusalOf(feed, 'mt940')).message).toContain(reason);
  });
});
