/**
 * Warns of what is owed and has no filing: an obligation that nobody has put into a batch, or that no gate let through.
 * No forecast shows it, because forecasts are about filings. Told in groups of one jurisdiction and due day, remembered
 * one by one: each once for each threshold, also when the group was acknowledged before it joined.
 */
import { SLACK_THRESHOLDS_MS } from '../rules/forecast.ts';
import {
  rememberUnfiled,
  unfiledBefore,
  type UnfiledGroup,
  type UnfiledNews,
  unfiledNews,
} from '../../entities/index.ts';
import { raiseAlert } from '../../people/index.ts';
import type { SlackWatchDeps } from './slack-watch.ts';

const DAY_MS = 86_400_000;

/** What is late within the largest threshold, the most urgent first. */
export function unfiledSoon(deps: SlackWatchDeps): Promise<readonly UnfiledGroup[]> {
  const largest = Math.max(...(deps.slackThresholdsMs ?? SLACK_THRESHOLDS_MS));
  const { session, tenant, clock } = deps;
  return unfiledBefore(session.run.bind(session), tenant, clock.now() + largest);
}

/** Looks once and raises what has to be raised. Returns the groups that were told of. */
export async function watchUnfiled(deps: SlackWatchDeps): Promise<readonly UnfiledNews[]> {
  const { session, tenant, clock, slackThresholdsMs } = deps;
  const run = session.run.bind(session);
  const thresholdsMs = [...new Set([...(slackThresholdsMs ?? SLACK_THRESHOLDS_MS), 0])].sort(
    (a, b) => a - b,
  );
  const look = { now: clock.now(), thresholdsMs };
  const news = await unfiledNews(run, tenant, look);
  for (const group of news) {
    const { jurisdiction, due, thresholdMs } = group;
    await raiseAlert(deps, {
      kind: 'obligation_unfiled',
      subject: `${jurisdiction}, due ${due}`,
      severity: thresholdMs <= (thresholdsMs[1] ?? 0) ? 'critical' : 'warning',
      text: unfiledText(group, look.now),
      dedup: `unfiled/${jurisdiction}/${due}/${thresholdMs}`,
      hasNews: true,
    });
    // After it: a crash between the two leads to the same alert once more, which is counted.
    await rememberUnfiled(run, tenant, look, group);
  }
  return news;
}

/** One line for a person: what, since when or until when, and what to do. */
export function unfiledText(group: UnfiledGroup, now: number): string {
  const { jurisdiction, due, obligations } = group;
  const isOne = obligations === 1;
  const what = isOne ? '1 obligation has' : `${obligations} obligations have`;
  const late = group.lateAt > now ? '' : isOne ? ' and is late' : ' and are late';
  const next = new Date(Date.parse(due) + DAY_MS).toISOString().slice(0, 10);
  return `${what} no filing (${jurisdiction}, due ${due})${late}. Create a batch: filewright batch create --due-before ${next} --jurisdiction ${jurisdiction}`;
}
