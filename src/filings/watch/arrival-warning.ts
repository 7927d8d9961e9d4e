/**
 * Filings that come when the next look of the watch may be too late: somebody is told in the transaction that lets them
 * in, so that none is late of which nobody was told.
 */
import { type Clock, type Instant, instant, toRfc3339 } from '../../core/index.ts';
import { LOOK_AHEAD_MS } from '../rules/forecast-warnings.ts';
import { filingsNear, type NearFiling, rememberWarned } from '../store/warned.ts';
import type { Run } from '../../postgres/index.ts';
import { raiseAlertIn, type NotifyDeps } from '../../people/index.ts';

interface ArrivalDeps extends NotifyDeps {
  readonly clock: Clock;
}

type Arrival = Omit<NearFiling, 'toldMs'>;

/** To be called where filings are admitted, with those that are new. */
export async function warnOnArrival(
  run: Run,
  deps: ArrivalDeps,
  filings: readonly Arrival[],
): Promise<void> {
  const until = deps.clock.now() + LOOK_AHEAD_MS;
  const near = filings.filter(({ lastSafe }) => lastSafe < until);
  if (near.length > 0) await warn(run, deps, near, 'arrived');
}

/** To be called where a batch is approved: it may have waited for long, and nobody may have looked meanwhile. */
export async function warnOnApproval(run: Run, deps: ArrivalDeps, batch: string): Promise<void> {
  const now = deps.clock.now();
  const near = await filingsNear(run, deps.tenant, batch, instant(now + LOOK_AHEAD_MS));
  const news = near.filter(({ lastSafe, toldMs }) => boundOf(lastSafe, now) < toldMs);
  if (news.length > 0) await warn(run, deps, news, 'approved');
}

async function warn(
  run: Run,
  deps: ArrivalDeps,
  filings: readonly Arrival[],
  act: 'arrived' | 'approved',
): Promise<void> {
  const now = deps.clock.now();
  // One for a batch and lane, unlike those of the watch: a catch-up of years must not need a thousand alerts at once.
  for (const group of groupsOf(filings)) {
    const { batch, lane } = group[0];
    await raiseAlertIn(run, deps, {
      kind: 'slack_low',
      subject: `batch ${batch} on ${lane}`.slice(0, 200),
      severity: 'critical',
      text: `${wordsOf(group, act, now)} File manually what cannot wait; see the others with: filewright forecast ${batch} --lane ${lane}`,
      dedup: `slack/${batch}/${lane}/${act.replace(' ', '_')}`,
      hasNews: true,
    });
  }
  await rememberWarned(
    run,
    deps.tenant,
    new Map(filings.map(({ id, lastSafe }) => [id, boundOf(lastSafe, now)])),
  );
}

/** Under which threshold it is remembered: under this one it is not told of again before its moment is past. */
function boundOf(lastSafe: Instant, now: Instant): number {
  return lastSafe <= now ? 0 : LOOK_AHEAD_MS;
}

function wordsOf(group: Group, act: 'arrived' | 'approved', now: Instant): string {
  const past = group.filter(({ lastSafe }) => lastSafe <= now).length;
  const one = group.length === 1;
  const did = act === 'arrived' ? act : `${one ? 'was' : 'were'} approved`;
  const first = group.reduce((a, { lastSafe }) => Math.min(a, lastSafe), Number.POSITIVE_INFINITY);
  const minutes = LOOK_AHEAD_MS / 60_000;
  const gone = past === 0 ? '' : one ? '; it is past' : `; for ${past} of them it is past`;
  return `${group.length} ${one ? 'filing' : 'filings'} ${did} less than ${minutes} minutes before ${one ? 'its' : 'their'} last safe moment (the first is ${toRfc3339(instant(first))})${gone}.`;
}

type Group = readonly [Arrival, ...Arrival[]];

function groupsOf(filings: readonly Arrival[]): readonly Group[] {
  const groups = new Map<string, [Arrival, ...Arrival[]]>();
  for (const filing of filings) {
    const name = `${filing.batch}/${filing.lane}`;
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [filing]);
    else known.push(filing);
  }
  return [...groups.values()];
}
