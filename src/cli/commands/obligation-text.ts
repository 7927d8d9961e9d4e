/** An obligation in words: one line of many, or with every step. */
import type { ObligationAnswer } from '../../entities/index.ts';

export function oneLine(id: string, answer: ObligationAnswer): string {
  const alarms = (answer.alarms ?? []).map((alarm) => alarm.code);
  return [
    id,
    answer.rule_id,
    answer.next_due === null ? 'nothing is owed' : `due ${answer.due}`,
    ...(answer.cutoff === undefined ? [] : [`cut-off ${answer.cutoff}`]),
    ...(answer.not_before === undefined ? [] : [`not before ${answer.not_before}`]),
    ...(answer.fee === undefined ? [] : [money(answer.fee)]),
    `confidence ${answer.confidence}`,
    ...(alarms.length === 0 ? [] : [`ALARM ${alarms.join(', ')}`]),
  ].join('  ');
}

export function explained(answer: ObligationAnswer): string {
  const facts: [string, string | undefined][] = [
    ['due', answer.due === undefined ? 'nothing is owed' : withWeekday(answer, answer.due)],
    ['statute date', answer.next_due === answer.due ? undefined : (answer.next_due ?? undefined)],
    ['plan for', answer.schedule_by],
    ['roll rule', rollWords(answer)],
    [
      'cut-off',
      answer.cutoff === undefined ? undefined : `${answer.cutoff} (${answer.cutoff_zone})`,
    ],
    ['not before', answer.not_before],
    ['opens (?)', answer.window_opens_unverified],
    ['no penalty', answer.penalty_free_until],
    ['notice ends', answer.notice_due],
    ['begin by', answer.start_by],
    ['final', answer.final],
    ['tax year', answer.tax_year?.toString()],
    ['fee', feeWords(answer)],
    ['fee note', answer.fee_note],
    ['late', answer.late],
    ['note', answer.note],
    ['confidence', `${answer.confidence} (basis: ${answer.verified})`],
    ['decides', answer.decides ? undefined : 'no; a person must confirm it first'],
    [
      'citation',
      answer.citation_basis === 'memory' ? 'from memory; look up the section' : undefined,
    ],
    ['versions', `rules ${answer.rule_version}, calendar ${answer.calendar_version}`],
  ];
  const lines = [
    `${answer.filing_name ?? 'Periodic filing'}, ${answer.filed_with} (${answer.rule_id})`,
    '',
    ...answer.steps.map((step) => {
      const citation = step.citation === undefined ? '' : ` [${step.citation}]`;
      return `  ${step.n}. ${step.date}  ${step.text}${citation}`;
    }),
    '',
    ...facts.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(13)}${value}`],
    ),
    ...Object.entries(answer.reasons ?? {}).map(
      ([name, { text, citation }]) =>
        `  ${name}: ${text}${citation === undefined ? '' : ` [${citation}]`}`,
    ),
    ...estimates(answer),
    ...(answer.alarms ?? []).map((alarm) => `  ALARM ${alarm.code}: ${alarm.message}`),
  ];
  return lines.join('\n');
}

/** The weekday is that of the date in the law; of a moved or an earlier one the closed days say it. */
function withWeekday(answer: ObligationAnswer, due: string): string {
  const closed = answer.closed_days?.find(({ date }) => date === due);
  const weekday = due === answer.next_due ? answer.weekday : closed?.weekday;
  return weekday === undefined ? due : `${due} (${weekday})`;
}

function rollWords({ roll_rule: rule }: ObligationAnswer): string | undefined {
  if (rule === undefined) return undefined;
  const what = {
    next_business_day: 'a closed day moves the date to the next business day',
    none: 'the date does not move',
    unknown: 'none was read, so the date stands',
  }[rule.rule];
  return rule.note === undefined || rule.note === 'no roll rule read'
    ? what
    : `${what} [${rule.note}]`;
}

function feeWords({
  fee,
  fee_basis: basis,
  fee_as_of: asOf,
}: ObligationAnswer): string | undefined {
  if (fee === undefined) return undefined;
  if (basis === 'memory') return `${money(fee)} (from memory; do not pay from it)`;
  return asOf === undefined ? money(fee) : `${money(fee)} (${asOf})`;
}

function estimates(answer: ObligationAnswer): string[] {
  const plan = answer.estimated_payments;
  if (plan === undefined) return [];
  const when =
    plan.required === undefined ? `when the tax is ${money(plan.threshold)} or more` : '';
  return [
    `  estimated payments ${when}`.trimEnd(),
    ...plan.payments.map(
      (payment) =>
        `    ${payment.due}  ${payment.share}${payment.amount === undefined ? '' : `  ${money(payment.amount)}`}`,
    ),
  ];
}

/** Dollars and cents as JSON has them, with the separators that a person reads. */
function money(text: string): string {
  const [dollars = '0', cents = '00'] = text.split('.');
  return `$${BigInt(dollars).toLocaleString('en-US')}.${cents}`;
}
