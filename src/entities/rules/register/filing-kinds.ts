/**
 * What a rule's filing is called in an obligation's identity, and for which period it is. Both must never change for a
 * filing that exists: another word for the same duty would be a second obligation, and so a second filing.
 */
import type { FilingSort } from '../law/filing-sort.ts';
import type { FilingRule } from '../law/filing-rule.ts';
import type { ObligationAnswer } from '../law/obligation-answer.ts';

/** The kind of a first filing in every jurisdiction, and the word for a periodic filing without a name. */
export const INITIAL_KIND = 'initial_report';
export const PUBLICATION_KIND = 'publication';
const PERIODIC_KIND = 'periodic_report';

/** Where only the record of the state can say for when a filing is. */
export const UNKNOWN_PERIOD = 'unknown';

export function filingKindOf(rule: FilingRule | undefined, sort: FilingSort): string {
  if (sort === 'initial') return INITIAL_KIND;
  if (sort === 'publication') return PUBLICATION_KIND;
  // "Annual report (LLC-50.1)", "Annual report / renewal": what follows the first name is a form or a second name.
  const name = (rule?.filing_name ?? '').split(/ \(| \/ /)[0] ?? '';
  if (name === '') return PERIODIC_KIND;
  // One tax with a report in it is filed as the tax, however the state words it.
  if (/\bfranchise tax\b/i.test(name)) return 'franchise_tax';
  if (/\bprivilege tax\b/i.test(name)) return 'privilege_tax';
  const head = name.split(/ and | inside /)[0] ?? name;
  return head
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

/** The tax year, the month where the filing belongs to a calendar month, otherwise the year of the date in the law. */
export function periodOf(
  rule: FilingRule,
  sort: FilingSort,
  answer: Pick<ObligationAnswer, 'next_due' | 'tax_year'>,
): string {
  const due = answer.next_due;
  if (due === null) return UNKNOWN_PERIOD;
  if (sort !== 'periodic') return due.slice(0, 4);
  if (answer.tax_year !== undefined) return String(answer.tax_year);
  const byMonth = rule.window_opens?.type === 'first_business_day_of_due_month';
  return due.slice(0, byMonth ? 7 : 4);
}
