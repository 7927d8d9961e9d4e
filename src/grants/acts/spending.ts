/** What was spent: of federal money for the SEFA and the single audit, and by line of the SF-425. */
import { parseDay } from '../../calendar/index.ts';
import type { FederalExpenditure } from '../rules/reporting/sefa.ts';
import type { FigurePart } from '../rules/reporting/figure.ts';
import type { MeasuredAmount } from '../rules/crossings.ts';
import type { Sf425Input } from '../rules/reporting/sf425.ts';
import type { SubawardOfAward } from '../pipeline/contracts.ts';
import { cellOf, centsOf, readBookRows } from './book-rows.ts';

interface FederalSpending {
  readonly expenditures: readonly FederalExpenditure[];
  /** The same amounts on their days, for the threshold of the single audit. */
  readonly measured: readonly MeasuredAmount[];
}

export async function readFederalSpending(path: string): Promise<FederalSpending> {
  const rows = await readBookRows(path, {
    id: 'id',
    day: 'spent_on',
    others: ['assistance_listing'],
    optional: ['cluster', 'agency', 'pass_through', 'pass_through_number', 'award_id'],
    cents: ['to_subrecipients'],
  });
  return {
    expenditures: rows.map(({ cells, part }) => ({
      part,
      assistanceListing: cells['assistance_listing'] ?? '',
      cluster: cellOf(cells, 'cluster'),
      agency: cellOf(cells, 'agency'),
      passThrough: cellOf(cells, 'pass_through'),
      passThroughNumber: cellOf(cells, 'pass_through_number'),
      awardId: cellOf(cells, 'award_id'),
      toSubrecipientsCents: centsOf(cells, 'to_subrecipients'),
    })),
    measured: rows.flatMap(({ cells, part }) => {
      const on = parseDay(cells['spent_on'] ?? '');
      return on === undefined ? [] : [{ id: part.id, on, cents: part.cents }];
    }),
  };
}

/** Money of awards that was passed on, with whether the grantor had approved it before. */
export async function readSubawards(path: string): Promise<readonly SubawardOfAward[]> {
  const rows = await readBookRows(path, {
    id: 'id',
    day: 'paid_on',
    others: ['award_id', 'recipient'],
    optional: ['prior_approval'],
    cents: [],
    check: ({ prior_approval: approval = '' }) =>
      ['', 'yes', 'no'].includes(approval)
        ? []
        : [`prior_approval: expected yes or no, found ${JSON.stringify(approval)}`],
  });
  return rows.map(({ cells, part }) => ({
    id: part.id,
    awardId: cells['award_id'] ?? '',
    recipient: cells['recipient'] ?? '',
    cents: part.cents,
    hasPriorApproval: cells['prior_approval'] === 'yes',
  }));
}

type SpentLines = Omit<Sf425Input, 'cashReceipts' | 'federalFundsAuthorized' | 'indirectRate'>;

/** Lines of the SF-425 that the books know; 10a and 10d come from the bank and the award. */
const LINES: Readonly<Record<string, keyof SpentLines>> = {
  '10b': 'cashDisbursements',
  '10e': 'federalExpenditures',
  '10f': 'unliquidatedObligations',
  '10i': 'recipientShareRequired',
  '10j': 'recipientExpenditures',
  '10l': 'programIncomeEarned',
  '10m': 'programIncomeDeducted',
  '10n': 'programIncomeAdded',
  '11d': 'indirectBase',
  '11f': 'indirectFederalShare',
};

export async function readAwardSpending(path: string): Promise<Partial<SpentLines>> {
  const rows = await readBookRows(path, {
    id: 'id',
    day: 'spent_on',
    others: ['line'],
    optional: [],
    cents: [],
    check: ({ line = '' }) =>
      line === '' || Object.hasOwn(LINES, line)
        ? []
        : [`line: expected one of ${Object.keys(LINES).join(', ')}, found ${JSON.stringify(line)}`],
  });
  const spent: Partial<Record<keyof SpentLines, FigurePart[]>> = {};
  for (const { cells, part } of rows) {
    const name = LINES[cells['line'] ?? ''];
    if (name !== undefined) (spent[name] ??= []).push(part);
  }
  return spent;
}
