/** Patent deadlines from cases. Nothing here opens a database; the law is loaded only when one of these commands runs. */
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import type { Command } from '../command.ts';
import { badCase, misuse } from '../../core/index.ts';
import { answerLines } from '../answer-lines.ts';
import { parseJsonFile, readNamedFile } from '../arguments.ts';
import type { GlobalOptions } from '../context.ts';
import { createOutput } from '../output.ts';
import type { LawOptions } from '../patent-law.ts';

interface ExplainOptions extends LawOptions {
  readonly case?: string;
  readonly office?: string;
  readonly filingCountry?: string;
  readonly eventCode?: string;
  readonly rule?: string;
  readonly trigger?: string;
  readonly period?: string;
  readonly delivered?: string;
  readonly ptaDays?: string;
  readonly disclaimedTo?: string;
  readonly input: readonly string[];
}

export function addCommands(deadline: Command): void {
  addCompute(deadline);
  addExplain(deadline);
}

function addCompute(deadline: Command): void {
  withLaw(deadline.command('compute'))
    .description('compute cases from standard input, one JSON object per line')
    .option('--no-steps', 'omit the steps')
    .action(
      async (own: LawOptions & { readonly steps: boolean }, command: Command): Promise<void> => {
        const { computeDeadline, deadlineAnswer, readPatentCase } = await import(
          '../../dockets/index.ts'
        );
        const { patentLaw } = await import('../patent-law.ts');
        const law = patentLaw(own);
        await answerLines({
          json: command.optsWithGlobals<GlobalOptions>().json === true,
          compute: (input) =>
            deadlineAnswer(
              computeDeadline(readPatentCase(input), law, { explain: own.steps }),
              law.rules.version,
            ),
          show: (id, answer) =>
            [
              id.padEnd(14),
              answer.rule.padEnd(24),
              `raw ${answer.raw}`,
              answer.as_of === undefined ? `due ${answer.due}` : `as of ${answer.as_of}`,
              answer.final === undefined ? ' '.repeat(16) : `final ${answer.final}`,
              answer.confidence.padEnd(6),
              answer.projected_due === undefined ? '' : `projected ${answer.projected_due}`,
            ]
              .join('  ')
              .trimEnd(),
        });
      },
    );
}

function addExplain(deadline: Command): void {
  withLaw(deadline.command('explain'))
    .description('explain one deadline step by step')
    .option('--case <file>', 'the case as a JSON object; - reads standard input')
    .option('--office <code>', 'US, EP, WO, JP, GB, DE, CN, KR or CA')
    .option('--filing-country <code>', 'instead of the office')
    .option('--event-code <code>', 'instead of the office, and of the rule if the code has one')
    .option('--rule <name>', 'see rules list')
    .option('--trigger <day>', 'the day that starts the period; an instant for receipt rules')
    .option(
      '--period <period>',
      'P3M, P3M+P1M, P31M then P6M, third year, later(P16M from trigger; P4M from filing_date)',
    )
    .option('--delivered <day>', 'when the document was delivered')
    .option('--pta-days <n>', 'days of patent term adjustment')
    .option('--disclaimed-to <day>', 'last day of a terminally disclaimed term')
    .addOption(
      new Option(
        '--input <name=value...>',
        'a further input of the rule, such as priority_date=DAY',
      ).default([]),
    )
    .action(async (own: ExplainOptions, command: Command): Promise<void> => {
      const {
        computeDeadline,
        cutoffOf,
        deadlineAnswer,
        explanation,
        INPUT_NAMES,
        readPatentCase,
      } = await import('../../dockets/index.ts');
      const { patentLaw } = await import('../patent-law.ts');
      const law = patentLaw(own);
      const input = own.case === undefined ? caseOfOptions(own, INPUT_NAMES) : caseOfFile(own.case);
      if (own.case !== undefined) refuseBeside(own);
      const found = computeDeadline(readPatentCase(input), law, { explain: true });
      const { version } = law.rules;
      const cutoff = cutoffOf(found);
      createOutput(command.optsWithGlobals<GlobalOptions>().json === true).result(
        'deadline explain',
        {
          id: input['id'] ?? null,
          ...deadlineAnswer(found, version),
          // Nobody works towards a date on which nothing can be done.
          ...(cutoff === undefined ? {} : { work_target: deadlineAnswer(found, version).raw }),
        },
        () => explanation(found, version),
      );
    });
}

function withLaw(command: Command): Command {
  const files = (option: string, about: string): Option =>
    new Option(`${option} <file...>`, about).default([]);
  return command
    .addOption(files('--calendar', 'calendar files that replace or extend the shipped ones'))
    .addOption(files('--rules', 'patent rule files that add to the shipped rules'))
    .addOption(files('--relief', 'files with exceptional relief, approved by two people'));
}

type Fields = Readonly<Record<string, unknown>>;

/** A flag beside a file would be read by nobody; which of the two is meant, only the caller knows. */
function refuseBeside(own: ExplainOptions): void {
  const { case: _case, calendar: _calendar, rules: _rules, relief: _relief, ...flags } = own;
  const given = Object.entries(flags).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  const [first] = given;
  if (first === undefined) return;
  throw misuse(
    `--case is the whole case; ${first[0]} was given too. Put it in the file, or omit --case`,
  );
}

function caseOfOptions(own: ExplainOptions, known: readonly string[]): Fields {
  return {
    office: own.office,
    filing_country: own.filingCountry,
    event_code: own.eventCode,
    rule: own.rule,
    trigger_date: own.trigger,
    period: own.period,
    inputs: {
      ...(own.delivered === undefined ? {} : { delivered_date: own.delivered }),
      ...(own.ptaDays === undefined ? {} : { pta_days: Number(own.ptaDays) }),
      ...(own.disclaimedTo === undefined ? {} : { disclaimed_to: own.disclaimedTo }),
      ...Object.fromEntries(own.input.map((text) => inputOf(text, known))),
    },
  };
}

const WHOLE = /^\d{1,6}$/;

/** Days and words stay text; numbers and yes or no are what the case has in JSON. An input that no rule knows is refused here. */
function inputOf(text: string, known: readonly string[]): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw misuse(`--input: expected name=value, found "${text}"`);
  const name = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (!known.includes(name)) {
    throw misuse(`--input: expected one of ${known.join(', ')}, found "${name}"`);
  }
  if (value === 'true' || value === 'false') return [name, value === 'true'];
  return [name, WHOLE.test(value) ? Number(value) : value];
}

/** Standard input has the file descriptor 0. */
const STANDARD_INPUT = 0;

function caseOfFile(file: string): Fields {
  const bytes = file === '-' ? readFileSync(STANDARD_INPUT) : readNamedFile('case', file);
  const value = parseJsonFile(file, bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badCase(`${file}: expected one JSON object`);
  }
  // Neither null nor an array: a plain object.
  return value as Fields;
}
