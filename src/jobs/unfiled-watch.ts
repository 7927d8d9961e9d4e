/**
 * Warns of what is owed and has no filing: an obligation that nobody has put into a batch, or that no gate let through.
 * No forecast shows it, because forecasts are about filings. Told once for each jurisdiction, due day and threshold.
 */
import { SLACK_THRESHOLDS_MS } from '../core/index.ts';
import { raisedBefore } from '../store/index.ts';
import { unfiledBefore, type UnfiledGroup } from '../store/register/index.ts';
import { raiseAlert } from './alerts.ts';
import type { SlackWatchParts } from './slack-watch.ts';

const DAY_MS = 86_400_000;

/** What is late within the largest threshold, the most urgent first. */
export function unfiledSoon(parts: SlackWatchParts): Promise<readonly UnfiledGroup[]> {
  const largest = Math.max(...(parts.slackThresholdsMs ?? SLACK_THRESHOLDS_MS));
  const { session, tenant, clock } = parts;
  return unfiledBefore(session.run.bind(session), tenant, clock.now() + largest);
}

/** Looks once and raises what has to be raised. Returns the groups that were told of. */
export async function watchUnfiled(parts: SlackWatchParts): Promise<readonly UnfiledGroup[]> {
  const given = parts.slackThresholdsMs ?? SLACK_THRESHOLDS_MS;
  const thresholds = [...new Set([...given, 0])].sort((a, b) => a - b);
  const now = parts.clock.now();
  const { session, tenant } = parts;
  const run = session.run.bind(session);
  const told: UnfiledGroup[] = [];
  for (const group of await unfiledSoon(parts)) {
    const bound = thresholds.find((one) => group.lateAt - now <= one);
    if (bound === undefined) continue;
    const key = (threshold: number): string =>
      `unfiled/${group.jurisdiction}/${group.due}/${threshold}`;
    // A lower threshold covers the higher ones.
    const covering = thresholds.filter((one) => one <= bound).map(key);
    if ((await raisedBefore(run, tenant, covering)).size > 0) continue;
    await raiseAlert(parts, {
      kind: 'obligation_unfiled',
      subject: `${group.jurisdiction}, due ${group.due}`,
      severity: bound <= (thresholds[1] ?? 0) ? 'critical' : 'warning',
      text: unfiledText(group, now),
      dedup: key(bound),
    });
    told.push(group);
  }
  return told;
}

/** One line for a person: what, since when or until when, and what to do. */
export function unfiledText(group: UnfiledGroup, now: number): string {
  const { jurisdiction, due, obligations } = group;
  const isOne = obligations === 1;
  const what = isOne ? '1 obligation has' : `${obligations} obligations have`;
  const late = group.lateAt > now ? '' : isOne ? ' and is late' : ' and are late';
  const next = new Date(Date.parse(due) + DAY_MS).toISOString().slice(0, 10);
  return `${what} no filing (${jurisdiction}, due ${due})${late}. Put what is owed into a batch: filewright batch create --due-before ${next} --jurisdiction ${jurisdiction}`;
}
