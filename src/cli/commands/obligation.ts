import type { Command } from '../command.ts';
import { misuse, notFound } from '../../core/index.ts';
import type { FilingRule } from '../../entities/index.ts';
import { answerLines } from '../answer-lines.ts';
import type { GlobalOptions } from '../context.ts';
import { createOutput, iso, table } from '../output.ts';
import { addRegisterCommands } from './obligation-register.ts';
import { explained, oneLine } from './obligation-text.ts';

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
  readonly publication?: true;
  readonly officeNotice?: string;
  readonly firstReportFiled?: string;
  readonly reinstatedOn?: string;
  readonly agentCountyOver800k?: true;
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
    .option('--kind <kind>', 'corporation, llc, lp, llp, nonprofit, pc or pllc')
    .option('--origin <origin>', 'domestic or foreign (South Carolina: also unqualified)')
    .option('--rule <id>', 'the rule itself, for instance US-DE.llc.domestic')
    .option(
      '--formed <date>',
      'formation date; for a foreign entity, the qualification date in that state',
    )
    .option('--fiscal-year-end <MM-DD>', 'if the due date depends on it')
    .option(
      '--tax-class <class>',
      'c or s (Alabama and South Carolina; LLCs of Alabama also partnership or disregarded)',
    )
    .option('--filing-date-choice <choice>', 'anniversary_month or january_31 (South Dakota)')
    .option('--as-of <date>', 'the next obligation on or after this day (default: today in UTC)')
    .option('--initial', 'the initial report instead of the periodic one')
    .option(
      '--publication',
      'the newspaper publication after formation (Arizona, Georgia, New York)',
    )
    .option(
      '--state-record-due <date>',
      'the due date on the state’s record; it overrides the rule',
    )
    .option('--notice-date <date>', 'date of a notice of delinquency (California)')
    .option('--office-notice <date>', 'day of the office’s notice (Texas nonprofits)')
    .option(
      '--first-report-filed <date>',
      'day on which the first report was filed (Connecticut nonprofits)',
    )
    .option('--reinstated-on <date>', 'day of a reinstatement, which can restart the time')
    .option('--agent-county-over-800k', 'the statutory agent is in a large county (Arizona LLCs)')
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
      if (found.length === 0) {
        const known = [...rules.jurisdictions].join(', ');
        throw notFound(`No rule of ${own.jurisdiction} is loaded; there are rules of ${known}`);
      }
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
      const firsts = rules.initialFilings.filter(
        (one) => own.jurisdiction === undefined || one.jurisdiction === own.jurisdiction,
      );
      const shown = { version: rules.version, rules: found, initial_filings: firsts };
      out.result('obligation list-rules', shown, () =>
        [
          table(['rule', 'due', 'opens', 'fee', 'basis', 'citation'], found.map(row)),
          ...(firsts.length === 0
            ? []
            : [
                table(
                  ['first filing', 'what', 'of whom', 'basis', 'citation'],
                  firsts.map((one) => [
                    one.id,
                    shortened(one.filing_name),
                    `${one.origins.join(', ')} ${one.entity_kinds.join(', ')}`,
                    `${one.verified}/${one.confidence}`,
                    shortened(one.citation ?? ''),
                  ]),
                ),
              ]),
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
    filing: filingOf(own),
    office_notice_date: own.officeNotice,
    first_report_filed: own.firstReportFiled,
    reinstated_on: own.reinstatedOn,
    agent_county_over_800k: own.agentCountyOver800k,
    state_record_due: own.stateRecordDue,
    delinquency_notice_date: own.noticeDate,
    preceding_year_tax: own.precedingYearTax,
  };
}

function filingOf({ initial, publication }: ExplainOptions): string {
  if (initial === true && publication === true) {
    throw misuse('--initial and --publication are two filings; give one of them');
  }
  if (publication === true) return 'publication';
  return initial === true ? 'initial' : 'periodic';
}

function shortened(text: string): string {
  return text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX - 1)}…` : text;
}
