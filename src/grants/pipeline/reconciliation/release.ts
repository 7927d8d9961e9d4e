/** From a closed period to the rules: only when every state's threshold that was crossed has its registration check. */
import { formatDay, sameNumberDay } from '../../../calendar/index.ts';
import {
  type ActorRef,
  misuse,
  notFound,
  type PeriodId,
  sha256Hex,
  toRfc3339,
} from '../../../core/index.ts';
import {
  appendMetadata,
  type ComplianceMetadata,
  metadataHash,
} from '../../rules/intake/metadata.ts';
import {
  type Crossing,
  releaseAfter,
  type MeasuredAmount,
  MONTHS_BEFORE_YEAR,
  registrationCrossing,
} from '../../rules/crossings.ts';
import { retainedUntil } from '../../rules/award-retention.ts';
import {
  addCheck,
  addCrossing,
  addRelease,
  addReceived,
  attachedChecks,
  crossingsUntil,
  feedsOfAwards,
  released,
  hasLongerKeptAwards,
  measuredMoney,
  receivedKeys,
} from '../../store/releases.ts';
import { appendMetadataRows } from '../../store/metadata.ts';
import { type AwardStamp, awardStamps, passedAwards } from '../../store/awards.ts';
import { closedPeriods, lockMatching, type StoredPeriod } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import type { AttachedCheck, ReleaseReport, Organization } from '../contracts.ts';
import { fiscalYears } from '../fiscal-years.ts';
import { passedAward } from '../passed-award.ts';
import { dayOfText } from './day-of-text.ts';
import type { ReconciliationDeps } from './deps.ts';

/**
 * Measures of which matched money is a part. Where a state leaves some of it out, a crossing comes too early rather than
 * too late: the person who checks says so. Averages over years cannot be told from one year.
 */
const MEASURES = [
  'contributions',
  'grossRevenue',
  'grossSupportAndRevenue',
  'totalRevenue',
  'totalRevenueAndSupport',
] as const;

export async function releasePeriod(
  deps: ReconciliationDeps,
  id: PeriodId,
  organization: Organization,
  actor: ActorRef,
): Promise<ReleaseReport> {
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const [period] = await closedPeriods(at, id);
    if (period === undefined) throw notFound(`No closed period ${id}`);
    const before = await released(at, id);
    if (before !== undefined) return { kind: 'passed', period: id, received: before };
    const crossings = await watchThresholds(deps, at, period, organization, actor);
    const checks = (await attachedChecks(at)).map((check) => ({
      ...check,
      checkedOn: dayOfText(check.checkedOn, 'the check'),
    }));
    const decision = releaseAfter(crossings, checks);
    if (decision.kind === 'blocked') {
      return { kind: 'blocked', period: id, reasons: decision.reasons, crossings };
    }
    const { received, cents } = await addReceived(at, id);
    for await (const keys of receivedKeys(at, id)) await stampReconciled(at, keys);
    await keepProof(deps, at, id);
    // The database asks for the checks once more.
    await addRelease(at, { period: id, received, cents });
    await deps.store.record(at, {
      type: 'period.released',
      actor,
      subject: { kind: 'grant_period', id, ver: 2 },
      data: { received, cents: String(cents), totals_hash: period.totalsSha256 },
    });
    return { kind: 'passed', period: id, received };
  });
}

// 2 CFR 200.334: records of an award are kept, and what the bank said of its money is one of them.
async function keepProof(deps: ReconciliationDeps, at: StageRun, period: PeriodId): Promise<void> {
  if (!(await hasLongerKeptAwards(at))) return;
  const feeds = await feedsOfAwards(at, period);
  const untilOf = new Map<string, string>();
  for await (const group of passedAwards(deps.store, at)) {
    for (const { payload, metadata } of group.map(passedAward)) {
      const until = retainedUntil(payload, deps.law);
      if (until === undefined) continue;
      for (const feed of feeds.get(metadata.idempotency_key) ?? []) {
        const known = untilOf.get(feed);
        if (known === undefined || known < until) untilOf.set(feed, until);
      }
    }
  }
  for (const [feed, until] of untilOf) {
    await deps.store.retain(at, ['reconciliation'], feed, until);
  }
}

/** All crossings up to the period's end; new ones are recorded, whether or not the release passes. */
async function watchThresholds(
  deps: ReconciliationDeps,
  at: StageRun,
  period: StoredPeriod,
  organization: Organization,
  actor: ActorRef,
): Promise<readonly Crossing[]> {
  const first = dayOfText(period.from, 'the period');
  const last = dayOfText(period.to, 'the period');
  const isWatched = organization.states.length > 0;
  const found: Crossing[] = [];
  for (const year of isWatched ? fiscalYears(organization, first, last) : []) {
    const days = { from: formatDay(year.start), to: formatDay(year.end) };
    const earliest = sameNumberDay(year.start, -MONTHS_BEFORE_YEAR);
    const money = await measuredMoney(at, { ...days, from: formatDay(earliest) });
    const amounts = money.map(
      ({ award, receivedOn, cents }): MeasuredAmount => ({
        id: award,
        on: dayOfText(receivedOn, 'the receipt'),
        cents: BigInt(cents),
      }),
    );
    const amountsOf = Object.fromEntries(MEASURES.map((measure) => [measure, amounts]));
    for (const state of organization.states) {
      const crossing = registrationCrossing(state, amountsOf, deps.law, year.start);
      if (crossing === undefined) continue;
      found.push(crossing);
      const { jurisdiction, measure, on, by } = crossing;
      const place = { jurisdiction, fiscalYearEnd: days.to, measure, on, by };
      const isNew = await addCrossing(at, { ...place, document: crossing });
      if (!isNew) continue;
      await deps.store.record(at, {
        type: 'threshold.crossed',
        actor,
        subject: { kind: 'grant_crossing', id: `${jurisdiction}/${days.to}`, ver: 1 },
        data: { measure, on, by, total_cents: crossing.totalCents },
      });
    }
  }
  const recorded = await crossingsUntil<Crossing>(at, period.to);
  // What is on record may lie later: an account that is closed after the others can move the day forward.
  const earlier = found.filter(
    ({ jurisdiction, on }) =>
      on <= period.to && !recorded.some((one) => one.jurisdiction === jurisdiction),
  );
  return [...recorded, ...earlier];
}

async function stampReconciled(at: StageRun, keys: readonly string[]): Promise<void> {
  const stamps = await awardStamps(at, keys);
  await appendMetadataRows(
    at,
    keys.flatMap((key) => {
      const stamp = stamps.get(key);
      if (stamp === undefined) return [];
      const before = firstMetadata(stamp);
      const after = appendMetadata(before, {
        boundary: 'reconciliation',
        compliance_state: 'reconciled',
        attempt_count: before.attempt_count,
      });
      return [
        {
          key,
          n: 2,
          complianceState: after.compliance_state,
          attemptCount: after.attempt_count,
          hash: metadataHash(after),
          previousHash: metadataHash(before),
        },
      ];
    }),
  );
}

/** The stamp as ingestion made it, from the columns that hold it. */
function firstMetadata(stamp: AwardStamp): ComplianceMetadata {
  const { key, payloadSha256, mappingSha256, ingestedAt, replaces } = stamp;
  return {
    idempotency_key: key,
    payload_hash: sha256Hex(payloadSha256),
    ingestion_timestamp: toRfc3339(ingestedAt),
    boundary: 'ingestion',
    compliance_state: 'validated_transient_retry_eligible',
    attempt_count: 0,
    mapping_hash: mappingSha256 === undefined ? null : sha256Hex(mappingSha256),
    previous_hash: null,
    replaces: replaces ?? null,
  };
}

export async function attachCheck(deps: ReconciliationDeps, check: AttachedCheck): Promise<void> {
  dayOfText(check.checkedOn, 'the day of the check');
  if (check.evidence.trim() === '') {
    throw misuse('The check needs evidence: a registration number, or why none is needed');
  }
  await deps.store.transaction(async (at) => {
    const id = deps.store.ids.next();
    await addCheck(at, { ...check, id });
    await deps.store.record(at, {
      type: 'registration.checked',
      actor: { kind: 'user', id: check.by },
      subject: { kind: 'grant_check', id, ver: 1 },
      data: { jurisdiction: check.jurisdiction, checked_on: check.checkedOn },
    });
  });
}
