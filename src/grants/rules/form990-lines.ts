/** Money received and money passed on, as lines of Form 990 and rows of Schedule I. */
import type { JsonValue } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

/** USAmountType: a whole number of at most 15 digits. */
const DOLLARS_LIMIT = 999_999_999_999_999n;

// Form 990 instructions on rounding: under 50 cents is dropped, 50 and more is raised; a line is added with its cents
// and rounded once. A negative amount is rounded by its size, as it would be written in brackets.
export function wholeDollars(cents: bigint): bigint {
  const size = cents < 0n ? -cents : cents;
  const dollars = (size + 50n) / 100n;
  return cents < 0n ? -dollars : dollars;
}

export function mapContributions(input: CaseInput, law: GrantsLaw): Evaluation {
  const { contributionLines, contributionMapping: mapping, version } = law.form990;
  const funders = input.object('centsByFunder');
  const known = contributionLines.flatMap((line) => line.funderTypes);
  for (const funder of funders.keys()) {
    if (!known.includes(funder)) {
      funders.refuse(
        funder,
        `one of the funder types ${known.join(', ')} (a payment for services to the government is not a contribution)`,
      );
    }
  }
  const reasoning = new Reasoning(version).rely(mapping, 'the lines');
  const emitted: Record<string, JsonValue> = {};
  let total = 0n;
  let totalCents = 0n;
  for (const line of contributionLines) {
    const given = line.funderTypes.filter((type) => funders.has(type));
    if (given.length === 0) continue;
    const cents = given.reduce((sum, type) => sum + funders.cents(type), 0n);
    const dollars = wholeDollars(cents);
    emitted[line.element] = amountOf(dollars, input, 'centsByFunder');
    total += dollars;
    totalCents += cents;
    reasoning.say(
      `${line.line} ${line.element}: ${given.join(' + ')}, ${cents} cents, is ${dollars}.`,
      mapping.source,
    );
  }
  const noncash = input.has('noncashCents') ? wholeDollars(input.cents('noncashCents')) : 0n;
  if (!input.has('noncashCents')) reasoning.warn('noncashCents is absent: assumed to be zero');
  emitted[mapping.noncashElement] = amountOf(noncash, input, 'noncashCents');
  for (const element of mapping.totalElements)
    emitted[element] = amountOf(total, input, 'centsByFunder');
  reasoning.say(
    `${mapping.totalElements.join(' and ')}: the lines as reported add up to ${total}; the non-cash memo is inside them.`,
    mapping.source,
  );
  const difference = total - wholeDollars(totalCents);
  if (difference !== 0n) {
    reasoning.warn(
      `the lines add up to ${difference} more than the rounded sum of cents: keep this with the return`,
    );
  }
  if (noncash > total) {
    reasoning.task(
      `Correct the amounts: non-cash ${noncash} is more than all contributions, ${total}`,
    );
  }
  return reasoning.end(emitted);
}

// Schedule I Part II: recipients of more than 5,000 in total; Part IX line 1 takes all of them.
export function scheduleIRows(input: CaseInput, law: GrantsLaw): Evaluation {
  const { scheduleI, version } = law.form990;
  const totals = new Map<string, bigint>();
  let sum = 0n;
  let unnamed = 0;
  for (const row of input.list('subawards')) {
    const cents = row.cents('cents');
    sum += cents;
    const ein = row.optionalText('recipientEin');
    if (ein === undefined) {
      unnamed += 1;
      continue;
    }
    if (!law.federal.identifiers.ein.pattern.test(ein)) {
      row.refuse('recipientEin', 'nine digits without a hyphen');
    }
    totals.set(ein, (totals.get(ein) ?? 0n) + cents);
  }
  const limit = BigInt(scheduleI.listedAboveCents);
  const listed = [...totals].filter(([, cents]) => cents > limit).map(([ein]) => ein);
  const reasoning = new Reasoning(version)
    .rely(scheduleI, 'the amount above which a recipient is listed')
    .say(
      `${listed.length} of ${totals.size} recipients got more than ${limit} cents in total.`,
      scheduleI.source,
    )
    .say(
      `All ${sum} cents count for Part IX line 1, rounded once.`,
      law.form990.contributionMapping.source,
    );
  if (unnamed > 0) {
    reasoning.task(
      `Name the recipients of ${unnamed} subawards without EIN: they are in the total, but cannot be listed`,
    );
  }
  return reasoning.end({
    listed,
    GrantsToDomesticOrgsTotal: amountOf(wholeDollars(sum), input, 'subawards'),
  });
}

function amountOf(dollars: bigint, input: CaseInput, field: string): number {
  if (dollars > DOLLARS_LIMIT || dollars < -DOLLARS_LIMIT) {
    input.refuse(field, 'a line of at most 15 digits');
  }
  return Number(dollars);
}
