import type { Command } from '../command.ts';
import { notFound } from '../../core/index.ts';
import type { FilingRule, ObligationAnswer } from '../../entities/index.ts';
import { answerLines } from '../answer-lines.ts';
import type { GlobalOptions } from '../context.ts';
import { createOutput, iso, table } from '../output.ts';
import { addRegisterCommands } from './obligation-register.ts';

interface ExplainOptions {
  readonly jurisdiction?: string;
  readonly kind?: string;
  readonly origin?: string;
  readonly rule?: string;
  readonly formed?: string;
  readonly fiscalYearEnd?: string;
  readonly taxClass?: string;
  readonly filingDateChoice?: string;
  readonly asOf?: string;
  readonly initial?: true;
  readonly stateRecordDue?: string;
  readonly noticeDate?: string;
  readonly precedingYearTax?: string;
}

/** A column of citations wider than this pushes the table off the screen. */
const CELL_CHARS_MAX = 48;

export function addCommands(obligation: Command): void {
  addRegisterCommands(obligation);
  addCompute(obligation);
  addExplain(obligation);
  addListRules(obligation);
}

function addCompute(obligation: Command): void {
  obligation
    .command('compute')
    .description(
      'NDJSON cases on stdin {id, jurisdiction, entity_kind, origin, formation_date, fiscal_year_end, as_of, filing, state_record_due, ...}, one answer per line; exit 1 if a line cannot be computed',
    )
    .action(async (_own: object, command: Command) => {
      const { answerObligation } = await import('../../entities/index.ts');
      const { registerLaw } = await import('../../entities/index.ts');
      const law = registerLaw();
      await answerLines({
        json: command.optsWithGlobals<GlobalOptions>().json === true,
        compute: (input) => answerObligation(input, law),
        show: oneLine,
      });
    });
}

function addExplain(obligation: Command): void {
  obligation
    .command('explain')
    .description('explain the next obligation of one entity, step by step')
    .option('--jurisdiction <code>', 'for instance US-DE')
    .option('--kind <kind>', 'corporation, llc or lp')
    .option('--origin <origin>', 'domestic or foreign')
    .option('--rule <id>', 'the rule itself, for instance US-DE.llc.domestic')
    .option(
      '--formed <date>',
      'formation date; for a foreign entity, the qualification date in that state',
    )
    .option('--fiscal-year-end <MM-DD>', 'if the due date depends on it')
    .option('--tax-class <class>', 'c or s (corporations of Alabama and South Carolina)')
    .option('--filing-date-choice <choice>', 'anniversary_month or january_31 (South Dakota)')
    .option('--as-of <date>', 'the next obligation on or after this day (default: today in UTC)')
    .option('--initial', 'the initial report instead of the periodic one')
    .option(
      '--state-record-due <date>',
      'the due date on the state’s record; it overrides the rule',
    )
    .option('--notice-date <date>', 'date of a notice of delinquency (California)')
    .option('--preceding-year-tax <amount>', 'for estimated payments (Delaware corporations)')
    .action(async (own: ExplainOptions, command: Command) => {
      const { answerObligation } = await import('../../entities/index.ts');
      const { registerLaw } = await import('../../entities/index.ts');
      const answer = answerObligation(caseOf(own), registerLaw());
      const out = createOutput(command.optsWithGlobals<GlobalOptions>().json === true);
      out.result('obligation explain', answer, () => explained(answer));
    });
}

function addListRules(obligation: Command): void {
  obligation
    .command('list-rules')
    .description('list the rules with due date, window, fee, basis and citation')
    .option('--jurisdiction <code>', 'one jurisdiction only')
    .action(async (own: { jurisdiction?: string }, command: Command) => {
      const { registerLaw } = await import('../../entities/index.ts');
      const { rules } = registerLaw();
      const { cadenceWords, dueWords, windowWords } = await import('../../entities/index.ts');
      const found = [...rules.byId.values()].filter(
        (rule) => own.jurisdiction === undefined || rule.jurisdiction === own.jurisdiction,
      );
      if (found.length === 0) throw notFound(`No rule of ${own.jurisdiction} is loaded`);
      const row = (rule: FilingRule): string[] => [
        rule.id,
        [dueWords(rule.due_rule), cadenceWords(rule)].filter((one) => one !== '').join(', '),
        rule.window_opens === null
          ? ''
          : `${windowWords(rule.window_opens)}${rule.window_verified === true ? '' : ' (?)'}`,
        rule.fee_usd === null ? '' : `$${rule.fee_usd}`,
        `${rule.verified}/${rule.confidence}`,
        rule.citation === null
          ? ''
          : `${shortened(rule.citation)}${rule.citation_basis === 'memory' ? ' *' : ''}`,
      ];
      const out = createOutput(command.optsWithGlobals<GlobalOptions>().json === true);
      out.result('obligation list-rules', { version: rules.version, rules: found }, () =>
        [
          table(['rule', 'due', 'opens', 'fee', 'basis', 'citation'], found.map(row)),
          '* the section is cited from memory; (?) not verified',
        ].join('\n'),
      );
    });
}

function caseOf(own: ExplainOptions): Readonly<Record<string, unknown>> {
  return {
    jurisdiction: own.jurisdiction,
    entity_kind: own.kind,
    origin: own.origin,
    rule_id: own.rule,
    formation_date: own.formed,
    fiscal_year_end: own.fiscalYearEnd,
    tax_class: own.taxClass,
    filing_date_choice: own.filingDateChoice,
    as_of: own.asOf ?? iso(Date.now()).slice(0, 10),
    filing: own.initial === true ? 'initial' : 'periodic',
    state_record_due: own.stateRecordDue,
    delinquency_notice_date: own.noticeDate,
    preceding_year_tax: own.precedingYearTax,
  };
}

function oneLine(id: string, answer: ObligationAnswer): string {
  const alarms = (answer.alarms ?? []).map((alarm) => alarm.code);
  return [
    id,
    answer.rule_id,
    answer.next_due === null ? 'nothing is owed' : `due ${answer.due}`,
    ...(answer.cutoff === undefined ? [] : [`cut-off ${answer.cutoff}`]),
    ...(answer.not_before === undefined ? [] : [`not before ${answer.not_before}`]),
    ...(answer.fee === undefined ? [] : [`$${answer.fee}`]),
    `confidence ${answer.confidence}`,
    ...(alarms.length === 0 ? [] : [`ALARM ${alarms.join(', ')}`]),
  ].join('  ');
}

function explained(answer: ObligationAnswer): string {
  const facts: [string, string | undefined][] = [
    ['due', answer.due ?? 'nothing is owed'],
    ['statute date', answer.next_due === answer.due ? undefined : (answer.next_due ?? undefined)],
    ['plan for', answer.schedule_by],
    ['cut-off', answer.cutoff],
    ['not before', answer.not_before],
    ['opens (?)', answer.window_opens_unverified],
    ['no penalty', answer.penalty_free_until],
    ['notice ends', answer.notice_due],
    ['final', answer.final],
    ['tax year', answer.tax_year?.toString()],
    ['fee', answer.fee === undefined ? undefined : `$${answer.fee}`],
    ['fee note', answer.fee_note],
    ['late', answer.late],
    ['note', answer.note],
    ['confidence', `${answer.confidence} (basis: ${answer.verified})`],
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

function estimates(answer: ObligationAnswer): string[] {
  const plan = answer.estimated_payments;
  if (plan === undefined) return [];
  const when = plan.required === undefined ? `when the tax is $${plan.threshold} or more` : '';
  return [
    `  estimated payments ${when}`.trimEnd(),
    ...plan.payments.map(
      (payment) =>
        `    ${payment.due}  ${payment.share}${payment.amount === undefined ? '' : `  $${payment.amount}`}`,
    ),
  ];
}

function shortened(text: string): string {
  return text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX - 1)}…` : text;
}
