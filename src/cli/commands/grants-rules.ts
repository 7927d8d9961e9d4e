/** Asking the rules about a year: thresholds that its money crossed, and what the awards bring with them. */
import type { Command } from '../command.ts';
import type { AwardHolder, RulesReport } from '../../grants/index.ts';
import type { Day } from '../../calendar/index.ts';
import { misuse } from '../../core/index.ts';
import { readNamedFile } from '../arguments.ts';
import { table } from '../output.ts';
import {
  actorOf,
  dollars,
  type OrganizationOptions,
  PERIOD_FORM,
  readOrganization,
  readPeriod,
  STATES_OPTION,
  YEAR_END_OPTION,
} from './grants-arguments.ts';
import { acting } from './grants-reconcile.ts';

interface RulesOptions extends OrganizationOptions {
  readonly return?: string;
  readonly extended?: true;
  readonly registration?: readonly string[];
  readonly spent?: string;
  readonly subawards?: string;
}

const RETURNS = ['990-N', '990-EZ', '990', '990-PF'] as const;
const REGISTRATION_FORM = 'PA, FL@2024-03-01 or NY:eptlOnly';

export function addGrantsRules(grants: Command): void {
  grants
    .command('rules <year>')
    .description(
      `evaluate thresholds and obligations of released periods (${PERIOD_FORM}); obligation list then shows them`,
    )
    .requiredOption(...STATES_OPTION)
    .option(...YEAR_END_OPTION)
    .option('--return <form>', `the tax return that you file: ${RETURNS.join(', ')}`)
    .option('--extended', 'its due date was extended')
    .option(
      '--registration <states...>',
      `states where you are registered as a charity, like ${REGISTRATION_FORM}; with day or type where the state needs it`,
    )
    .option(
      '--spent <file>',
      'federal money spent, as CSV; without it the single audit is not evaluated',
    )
    .option(
      '--subawards <file>',
      'subawards, as CSV; checked against the limits in the award terms',
    )
    .action(async (year: string, own: RulesOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const request = {
          ...readOrganization(own),
          ...readPeriod(year),
          holder: await holderOf(own),
          ...(own.spent === undefined ? {} : { expenditures: await measured(own.spent) }),
          ...(own.subawards === undefined ? {} : { subawards: await passedOn(own.subawards) }),
        };
        const report = await pipeline.evaluateRules(request, actorOf(person));
        out.result('grants rules', plain(report), () => rulesWords(report).join('\n'));
      }),
    );
}

async function measured(file: string) {
  const { readFederalSpending } = await import('../../grants/index.ts');
  readNamedFile('table', file);
  return (await readFederalSpending(file)).measured;
}

async function passedOn(file: string) {
  const { readSubawards } = await import('../../grants/index.ts');
  readNamedFile('table', file);
  return readSubawards(file);
}

async function holderOf(own: RulesOptions): Promise<AwardHolder> {
  // Loaded here: it brings time zones along, and other commands shall not wait for them.
  const { parseDay } = await import('../../calendar/index.ts');
  const form = RETURNS.find((one) => one === own.return);
  if (own.return !== undefined && form === undefined) {
    throw misuse(`--return: expected one of ${RETURNS.join(', ')}, found "${own.return}"`);
  }
  if (own.extended === true && form === undefined) {
    throw misuse('--extended needs --return: say which form');
  }
  const charityStates = (own.registration ?? []).map((text) => registrationOf(text, parseDay));
  return {
    ...(form === undefined ? {} : { return990: { form, extended: own.extended === true } }),
    ...(charityStates.length === 0 ? {} : { charityStates }),
  };
}

function registrationOf(text: string, parseDay: (text: string) => Day | undefined) {
  const [, state, type, day] = /^([A-Z]{2})(?::([^@]+))?(?:@(.+))?$/.exec(text) ?? [];
  const date = day === undefined ? undefined : parseDay(day);
  if (state === undefined || (day !== undefined && date === undefined)) {
    throw misuse(`--registration: expected a state like ${REGISTRATION_FORM}, found "${text}"`);
  }
  return {
    state,
    ...(type === undefined ? {} : { registrationType: type }),
    ...(date === undefined ? {} : { registrationDate: date }),
  };
}

/** Without the steps of the crossings and limits, which the ledger has. */
function plain({ crossings, subawards, obligations, tasks }: RulesReport) {
  return {
    subawards: subawards.map(({ evaluation, ...judged }) => ({
      ...judged,
      confidence: evaluation.confidence,
    })),
    crossings: crossings.map(({ evaluation, ...crossing }) => ({
      ...crossing,
      confidence: evaluation.confidence,
    })),
    obligations,
    tasks,
  };
}

function rulesWords({ crossings, subawards, obligations, tasks }: RulesReport): string[] {
  return [
    ...crossings.map(
      ({ jurisdiction, on, measure, thresholdDollars, obligation, due }) =>
        `CROSSED ${jurisdiction} on ${on}: ${measure} exceeded $${thresholdDollars}. ${obligation}${due === undefined ? '' : `, due ${due}`}.`,
    ),
    ...(crossings.length === 0 ? ['No threshold was crossed.'] : []),
    ...subawards.map(
      ({ award, isAllowed, totalCents, indirectBaseCents }) =>
        `${isAllowed ? 'Within' : 'BEYOND'} the limits of award ${award}: ${dollars(totalCents)} in subawards, ${dollars(indirectBaseCents)} of it in the indirect cost base.`,
    ),
    table(
      ['due', 'kind', 'jurisdiction', 'of', 'period', 'confidence'],
      obligations.map((one) => [
        one.due ?? 'ask the state',
        one.filingKind,
        one.jurisdiction,
        one.entity,
        one.period,
        one.confidence,
      ]),
    ),
    ...tasks.map((task) => `first: ${task}`),
  ];
}
