/** Thresholds that released money crossed, and the obligations that awards bring with them. */
import { formatDay, parseDay, sameNumberDay } from '../../../calendar/index.ts';
import {
  type ActorRef,
  canonicalBytes,
  type Instant,
  invariant,
  type JsonValue,
  misuse,
} from '../../../core/index.ts';
import type { Award } from '../../rules/award.ts';
import { awardOf, missingForCalendar } from '../../rules/obligations/award-terms.ts';
import {
  type Crossing,
  type MeasuredAmount,
  MONTHS_BEFORE_YEAR,
  registrationCrossing,
  registrationTasks,
  singleAuditCrossing,
} from '../../rules/crossings.ts';
import type { FiscalYear } from '../../rules/fiscal-year.ts';
import {
  type GrantObligation,
  grantObligations,
  inOrderOfDates,
  registrationObligations,
  type WithdrawnAward,
  withdrawnObligations,
  withoutMetConditions,
} from '../../rules/obligations/award-obligations.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import { addEvaluation } from '../../store/results.ts';
import { passedAwards } from '../../store/awards.ts';
import { receivedBetween } from '../../store/releases.ts';
import type { StageStore, StageRun } from '../../store/stage.ts';
import { awardEnds } from '../../store/award-ends.ts';
import { sha256OfJson } from '../bytes.ts';
import type { RulesReport, RulesRequest } from '../contracts.ts';
import { fiscalYears } from '../fiscal-years.ts';
import { passedAward } from '../passed-award.ts';
import { SubawardLimits } from './judge-subawards.ts';

interface RulesDeps {
  readonly store: StageStore;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
}

/** Tasks that are told; more of the same kind help nobody. */
const TASKS_MAX = 200;
const REVENUE_MEASURES = [
  'grossRevenue',
  'grossSupportAndRevenue',
  'totalRevenue',
  'totalRevenueAndSupport',
] as const;

export async function evaluateRules(
  deps: RulesDeps,
  request: RulesRequest,
  actor: ActorRef,
): Promise<RulesReport> {
  const year = yearOf(request);
  return deps.store.transaction(async (at) => {
    const limits = new SubawardLimits(request.subawards ?? []);
    const { awards, tasks, services, gone } = await awardsOf(deps, at, request.holder, limits);
    const subawards = limits.judge(deps.law);
    const crossings = await crossingsOf(deps, at, request, { year, services });
    const obligations = inOrderOfDates([
      ...withoutMetConditions(grantObligations(at.tenant, awards, deps.law), crossings, year),
      ...registrationsOwed(at.tenant, request, { year, awards, crossings }),
    ]);
    const quiet = request.states.filter(
      (state) => !crossings.some(({ jurisdiction }) => jurisdiction === state),
    );
    const report: RulesReport = {
      crossings,
      subawards: subawards.judged,
      obligations,
      withdrawn: withdrawnObligations(at.tenant, gone, obligations, deps.law),
      tasks: [
        ...crossings.flatMap(({ evaluation }) => evaluation.tasks),
        ...quiet.flatMap((state) => registrationTasks(state, deps.law)),
        ...subawards.tasks,
        ...tasks,
      ],
    };
    const id = deps.store.ids.next();
    // Facts about dates and totals, all of them JSON; undefined members are left out by the copy.
    const document = JSON.parse(JSON.stringify(report)) as JsonValue;
    const sha256 = sha256OfJson(document);
    const counts = { crossings: crossings.length, obligations: obligations.length };
    const ct = await deps.store.record(at, {
      type: 'rules.evaluated',
      actor,
      subject: { kind: 'grant_evaluation', id, ver: 1 },
      data: { ...counts, from: request.from, to: request.to, sha256 },
      body: { about: 'evaluations', canonical: canonicalBytes(document, { numbers: 'any' }) },
    });
    await addEvaluation(at, { id, ...counts, sha256, ct: ct ?? '' });
    return report;
  });
}

/** Where the organisation said that it is registered, only the renewals are owed. */
function registrationsOwed(
  tenant: string,
  { holder }: RulesRequest,
  found: {
    readonly year: FiscalYear;
    readonly awards: readonly Award[];
    readonly crossings: readonly Crossing[];
  },
): readonly GrantObligation[] {
  const registered = new Set((holder?.charityStates ?? []).map(({ state }) => state));
  // A tenant is one organisation; its awards know it by its number.
  const organization = found.awards[0]?.organization ?? tenant;
  return registrationObligations(
    tenant,
    { organization, fiscalYearEnd: found.year.end },
    found.crossings.filter(({ jurisdiction }) => !registered.has(jurisdiction)),
  );
}

async function awardsOf(
  deps: RulesDeps,
  at: StageRun,
  holder: RulesRequest['holder'],
  limits: SubawardLimits,
): Promise<{
  readonly awards: readonly Award[];
  readonly tasks: readonly string[];
  /** Keys of awards that pay for a service to the one who pays: no contribution. */
  readonly services: ReadonlySet<string>;
  /** Amended or cancelled, with what they owed. */
  readonly gone: readonly WithdrawnAward[];
}> {
  const awards: Award[] = [];
  const tasks: string[] = [];
  const services = new Set<string>();
  const gone: WithdrawnAward[] = [];
  const withdrawn = await awardEnds(at);
  for await (const group of passedAwards(deps.store, at, 'all')) {
    for (const item of group) {
      const award = passedAward(item);
      const { payload, metadata } = award;
      if (payload['benefit'] === 'grantor') services.add(metadata.idempotency_key);
      const missing = missingForCalendar(award);
      const withdrawal = withdrawn.get(metadata.idempotency_key);
      if (withdrawal !== undefined) {
        const { exception, by } = withdrawal;
        if (missing.length === 0) gone.push({ award: awardOf(award, holder), exception, by });
        continue;
      }
      limits.look(award);
      if (missing.length === 0) awards.push(awardOf(award, holder));
      // Only an award with terms of reporting has a calendar at all.
      else if (payload['reporting_frequency'] !== undefined && tasks.length < TASKS_MAX) {
        tasks.push(
          `Look up ${missing.join(', ')} of award ${typeof payload['award_id'] === 'string' ? payload['award_id'] : metadata.idempotency_key}: without it the reports have no due dates`,
        );
      }
    }
  }
  return { awards, tasks, services, gone };
}

async function crossingsOf(
  deps: RulesDeps,
  at: StageRun,
  request: RulesRequest,
  { year, services }: { readonly year: FiscalYear; readonly services: ReadonlySet<string> },
): Promise<readonly Crossing[]> {
  const contributions: MeasuredAmount[] = [];
  const revenue: MeasuredAmount[] = [];
  // What was received before the days that were asked for counts as well; in some states also what the year before brought.
  const earliest = sameNumberDay(year.start, -MONTHS_BEFORE_YEAR);
  const days = { from: formatDay(earliest), to: request.to };
  for await (const page of receivedBetween(at, days)) {
    for (const { award, receivedOn, cents } of page) {
      const on = parseDay(receivedOn);
      if (on === undefined) continue;
      const amount = { id: award, on, cents: BigInt(cents) };
      revenue.push(amount);
      if (!services.has(award)) contributions.push(amount);
    }
  }
  const amountsOf = {
    contributions,
    ...Object.fromEntries(REVENUE_MEASURES.map((measure) => [measure, revenue])),
  };
  const { expenditures } = request;
  const audit =
    expenditures === undefined ? undefined : singleAuditCrossing(year, expenditures, deps.law);
  return [
    ...request.states.flatMap(
      (state) => registrationCrossing(state, amountsOf, deps.law, year.start) ?? [],
    ),
    ...(audit === undefined ? [] : [audit]),
  ];
}

/** The one fiscal year in which the days lie: thresholds are of a year, never of parts of two. */
function yearOf(request: RulesRequest): FiscalYear {
  const first = parseDay(request.from);
  const last = parseDay(request.to);
  if (first === undefined || last === undefined || last < first) {
    throw misuse(`Expected a fiscal year, found "${request.from}" to "${request.to}"`);
  }
  const [year, next] = fiscalYears(request, first, last);
  invariant(year !== undefined, 'every day lies in a fiscal year');
  if (next === undefined) return year;
  throw misuse(
    `${request.from} to ${request.to} spans the end of a fiscal year on ${formatDay(year.end)}: use ${daysOf(year)} or ${daysOf(next)}, or set another --fiscal-year-end`,
  );
}

function daysOf({ start, end }: FiscalYear): string {
  return `${formatDay(start)}..${formatDay(end)}`;
}
