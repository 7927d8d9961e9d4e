/** The fiscal years of an organisation, from the word that a person gave. */
import type { Day } from '../../calendar/index.ts';
import { misuse } from '../../core/index.ts';
import { type FiscalYear, fiscalYearsBetween, readYearEnd } from '../rules/fiscal-year.ts';
import type { Organization } from './contracts.ts';

/** Those of which a day lies between these two. */
export function fiscalYears(
  { fiscalYearEnd }: Pick<Organization, 'fiscalYearEnd'>,
  first: Day,
  last: Day,
): readonly FiscalYear[] {
  const yearEnd = readYearEnd(fiscalYearEnd);
  if (yearEnd === undefined) {
    throw misuse(`Enter the end of the fiscal year like 06-30, not "${fiscalYearEnd}"`);
  }
  return fiscalYearsBetween(yearEnd, first, last);
}
