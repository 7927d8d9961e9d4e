/** `grants evaluate`: one case, one answer; every kind that the rules can answer stands in the table below. */
import { formatDay } from '../../calendar/index.ts';
import {
  badCase,
  caseFields,
  FilewrightError,
  type JsonValue,
  refuseUnknown,
} from '../../core/index.ts';
import { deMinimisMax, samRenewalDue, subawardDue } from './award-duties.ts';
import { CaseInput } from './case-input.ts';
import { charityRenewalDue } from './charity-renewal.ts';
import { charityFinancialStatements, charityRegistration } from './charity.ts';
import {
  checkIdentifier,
  retentionUntil,
  sf425Due,
  singleAuditDue,
  singleAuditRequired,
} from './federal.ts';
import { form990Due, isNormally50k, selectForm990 } from './form990.ts';
import { mapContributions, scheduleIRows } from './form990-lines.ts';
import {
  estimateDates,
  form4720Due,
  form8868Act,
  form990TDue,
  informationReturnDue,
  informationReturnRequired,
} from './irs-duties.ts';
import type { GrantsLaw } from './law.ts';
import type { DatasetLibrary } from './matching/dataset.ts';
import { evaluateMatch, MATCH_KIND } from './matching/evaluate-match.ts';
import type { Evaluation, Reason } from './reasoning.ts';

type Evaluator = (input: CaseInput, law: GrantsLaw) => Evaluation;

const EVALUATORS: ReadonlyMap<string, Evaluator> = new Map([
  ['form990.select', selectForm990],
  ['form990.normally50k', isNormally50k],
  ['form990.due', form990Due],
  ['form990.map', mapContributions],
  ['form990.scheduleIRows', scheduleIRows],
  ['sf425.due', sf425Due],
  ['singleAudit.due', singleAuditDue],
  ['singleAudit.required', singleAuditRequired],
  ['retention.until', retentionUntil],
  ['charity.registration', charityRegistration],
  ['charity.financialStatements', charityFinancialStatements],
  ['charity.renewalDue', charityRenewalDue],
  ['sam.renewalDue', samRenewalDue],
  ['ffata.subawardDue', subawardDue],
  ['deMinimis.max', deMinimisMax],
  ['form990T.due', form990TDue],
  ['form4720.due', form4720Due],
  ['estimates.dates', estimateDates],
  ['form8868.act', form8868Act],
  ['info1099.required', informationReturnRequired],
  ['info1099.due', informationReturnDue],
  ['id.uei', (input, law) => checkIdentifier(input, 'uei', law)],
  ['id.aln', (input, law) => checkIdentifier(input, 'aln', law)],
]);

export const GRANTS_KINDS: readonly string[] = [...EVALUATORS.keys()];

/** Matching is no rule of law: it is answered only where data sets can be read. */
function evaluatorOf(kind: string, datasets: DatasetLibrary | undefined): Evaluator {
  if (kind === MATCH_KIND && datasets !== undefined) {
    return (input, law) => evaluateMatch(input, law, datasets);
  }
  const evaluator = EVALUATORS.get(kind);
  if (evaluator !== undefined) return evaluator;
  const why =
    kind === MATCH_KIND
      ? 'matching bank events needs the statements, and no data sets are available here'
      : `known are ${[...GRANTS_KINDS, MATCH_KIND].join(', ')}`;
  throw new FilewrightError(
    'RULE_UNKNOWN',
    `kind: no grants rule for ${JSON.stringify(kind)}; ${why}`,
  );
}

const FIELDS = caseFields(['kind', 'input']);

/** Evaluates one case `{kind, input}`; throws CASE_INVALID, RULE_UNKNOWN and the like where there is no answer. */
export function evaluateGrantsCase(
  given: Readonly<Record<string, unknown>>,
  law: GrantsLaw,
  datasets?: DatasetLibrary,
): Evaluation {
  refuseUnknown(given, FIELDS);
  const { kind } = given;
  if (typeof kind !== 'string') {
    throw badCase(
      `kind: expected one of ${GRANTS_KINDS.join(', ')}, found ${JSON.stringify(kind) ?? 'nothing'}`,
      { details: { field: 'kind' } },
    );
  }
  const evaluator = evaluatorOf(kind, datasets);
  const input = new CaseInput(given['input'], 'input');
  const evaluation = evaluator(input, law);
  input.refuseMisspelled();
  const unread = input.unread();
  if (unread.length === 0) return evaluation;
  const warnings = [...evaluation.warnings, `not used by this rule: ${unread.join(', ')}`];
  return { ...evaluation, warnings };
}

export interface GrantsAnswer {
  readonly result: JsonValue;
  readonly steps: readonly {
    readonly n: number;
    readonly text: string;
    readonly citation?: string;
    readonly date?: string;
  }[];
  readonly confidence: string;
  /** False: a person must do the task first; the result then informs, it does not decide. */
  readonly decides: boolean;
  readonly task?: string;
  readonly rule_version: string;
  readonly calendar_version: string | null;
  readonly warnings?: readonly string[];
  readonly [besides: string]: JsonValue | undefined | GrantsAnswer['steps'];
}

/** The evaluation as it leaves the program. */
export function answerOf(evaluation: Evaluation): GrantsAnswer {
  const { tasks, warnings, besides } = evaluation;
  return {
    result: evaluation.result,
    steps: numberedSteps(evaluation.reasons),
    confidence: evaluation.confidence,
    decides: tasks.length === 0,
    ...(tasks.length > 0 && { task: tasks.join('. ') }),
    ...Object.fromEntries(Object.entries(besides).map(([name, day]) => [name, formatDay(day)])),
    rule_version: evaluation.ruleVersion,
    calendar_version: evaluation.calendarVersion ?? null,
    ...(warnings.length > 0 && { warnings }),
  };
}

function numberedSteps(reasons: readonly Reason[]): GrantsAnswer['steps'] {
  return reasons.map((reason, index) => ({
    n: index + 1,
    text: reason.text,
    ...(reason.citation !== undefined && { citation: reason.citation }),
    ...('day' in reason && { date: formatDay(reason.day) }),
  }));
}
