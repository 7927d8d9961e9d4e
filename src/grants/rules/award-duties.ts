/** What an award brings with it beside its reports: the registration at SAM.gov, subaward reports, the indirect cost rate. */
import { addDays, civilOf, formatDay, lastDayOfMonth, monthAfter } from '../../calendar/index.ts';
import type { CaseInput } from './case-input.ts';
import { usd } from './dollars.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

// 2 CFR 25.200, 25.205: renewed within 365 days, which over a February 29 is a day before the anniversary.
export function samRenewalDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const { sam, version } = law.duties;
  const submitted = input.optionalDay('submitted');
  const shown = input.optionalDay('expirationDate');
  if (submitted === undefined && shown === undefined) input.day('submitted');
  const reasoning = new Reasoning(version).rely(sam, 'the renewal at SAM.gov');
  const counted = submitted === undefined ? undefined : addDays(submitted, sam.days);
  if (submitted !== undefined) {
    if (shown !== undefined && shown < submitted) {
      input.refuse('expirationDate', `a day after the submission of ${formatDay(submitted)}`);
    }
    reasoning
      .start(submitted, `Submitted on ${formatDay(submitted)}.`)
      .addDays(sam.days, `${sam.days} days later, which is not always a year.`, sam.source);
  }
  if (shown !== undefined) {
    reasoning.set(shown, 'SAM.gov shows this expiration date, and it wins.', sam.source);
    if (counted !== undefined && counted !== shown) {
      reasoning.warn(`the count gives ${formatDay(counted)}; check the day of submission`);
    }
  } else reasoning.rely(sam.anchor, 'the expiration date that SAM.gov shows');
  return reasoning
    .beside('start_by', addDays(reasoning.day, -sam.startDaysBefore))
    .say('While the registration is inactive there is no new award and no payment.', sam.source)
    .endWithDay();
}

// 2 CFR part 170, appendix A: by the last day of the month after the month of issue, or of the modification that reaches it.
export function subawardDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const { ffata, version } = law.duties;
  const issued = input.day('issued');
  const amount = input.amount('amount');
  const modified = input.optionalDay('modified');
  const total = modified === undefined ? undefined : input.amount('modifiedTotal');
  if (modified === undefined && input.has('modifiedTotal')) input.day('modified');
  if (modified !== undefined && modified < issued) {
    input.refuse('modified', `a day on or after the issue of ${formatDay(issued)}`);
  }
  const reasoning = new Reasoning(version).rely(ffata, 'the report of subawards');
  if (input.flag('toIndividual') === true) {
    return reasoning
      .say('Awards to natural persons are not reported.', ffata.individuals.source)
      .end('none');
  }
  const income = input.optionalAmount('recipientGrossIncome');
  if (income !== undefined && income < ffata.smallIncome.below) {
    return reasoning
      .rely(ffata.smallIncome, 'the exemption of recipients with a small income')
      .say(
        `Gross income of ${usd(income)} in the previous tax year is under ${usd(ffata.smallIncome.below)}.`,
        ffata.smallIncome.source,
      )
      .end('none');
  }
  const reached = amount >= ffata.threshold ? issued : modified;
  const counts = amount >= ffata.threshold ? amount : (total ?? amount);
  if (reached === undefined || counts < ffata.threshold) {
    return reasoning
      .say(`${usd(counts)} is below ${usd(ffata.threshold)}; nothing is reported.`, ffata.source)
      .end('none');
  }
  const { year, month } = civilOf(reached);
  const next = monthAfter(year, month, 1);
  const what = reached === issued && amount >= ffata.threshold ? 'Issued' : 'Modified';
  return reasoning
    .start(
      reached,
      `${what} on ${formatDay(reached)} with a total of ${usd(counts)}, which is ${usd(ffata.threshold)} or more.`,
    )
    .set(
      lastDayOfMonth(next.year, next.month),
      'The last day of the month after that month, in SAM.gov; no roll was read.',
      ffata.source,
    )
    .aimBefore(law.calendarOf(law.federal.singleAudit.calendar))
    .endWithDay();
}

// 2 CFR 200.414(f): up to 15 percent for awards issued from October 1, 2024 or amended to the 2024 text; older ones 10.
export function deMinimisMax(input: CaseInput, law: GrantsLaw): Evaluation {
  const { deMinimis, version } = law.duties;
  const issued = input.day('awardIssued');
  const amended = input.flag('amendedTo2024') === true;
  // Below an award that has not adopted the text, a newer subaward may not use it either.
  const isBelowOld = input.flag('awardAboveAdopted2024') === false;
  const isNew = (issued >= deMinimis.from || amended) && !isBelowOld;
  const percent = isNew ? deMinimis.after : deMinimis.before;
  const why = isBelowOld
    ? 'the award above has not adopted the 2024 text, and a pass-through may not use it below'
    : amended
      ? 'amended to adopt the 2024 text'
      : `issued on ${formatDay(issued)}, ${isNew ? 'not before' : 'before'} ${formatDay(deMinimis.from)}`;
  return new Reasoning(version)
    .rely(deMinimis, 'the indirect cost rate')
    .say(`Up to ${percent} percent: ${why}.`, deMinimis.source)
    .end(percent);
}
