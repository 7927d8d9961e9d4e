/** `reconcile.match`: where one bank event of a data set ended, and why. */
import type { CaseInput } from '../case-input.ts';
import type { GrantsLaw } from '../law.ts';
import { type Evaluation, Reasoning } from '../reasoning.ts';
import { type DatasetLibrary, datesOf, type MatchDataset, outcomeOf } from './dataset.ts';

export const MATCH_KIND = 'reconcile.match';

/** Changes with every change of the rules in this folder. */
const MATCHING_VERSION = '2026-11-15.2';

/** A data set by its name, or `ledger` and `bank` as files; `bank` is one file or a list of them. */
export function evaluateMatch(
  input: CaseInput,
  law: GrantsLaw,
  datasets: DatasetLibrary,
): Evaluation {
  const dataset = datasetOf(input, datasets);
  // Money moves on days on which the Federal Reserve banks work, which keep the federal holidays.
  const calendar = law.calendarOf(law.federal.singleAudit.calendar);
  const outcome = outcomeOf(
    dataset,
    input.text('bankEvent'),
    (day) => calendar.closedOn(day) === undefined,
  );
  const { rule, status, bank, ledger, reason } = outcome;
  const reasoning = new Reasoning(MATCHING_VERSION)
    .say(`${rule}: ${reason.text}`)
    .say(`${reason.currency} cents: bank ${reason.bankCents}, ledger ${reason.ledgerCents}.`)
    .say(`Dates: ${datesOf(outcome)}.`);
  if (outcome.of !== undefined) reasoning.say(`It repeats ${outcome.of}.`);
  if (status === 'manual' || status === 'review') {
    reasoning.task(`Decide about ${bank.join(', ')}: ${reason.text}`);
  }
  return reasoning.end({ rule, status, bank, ledger });
}

function datasetOf(input: CaseInput, datasets: DatasetLibrary): MatchDataset {
  if (!input.has('ledger')) return datasets.named(input.text('dataset'));
  // Read although the files decide: a name beside them is no mistake.
  input.optionalText('dataset');
  return datasets.fromFiles({ ledger: input.text('ledger'), bank: input.texts('bank') });
}
