/** Warnings about slack by hand: the same look that the background job takes every few minutes. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { misuse } from '../../core/index.ts';
import type { SlackWarning } from '../rules/forecast-warnings.ts';
import { unfiledSoon, unfiledText, watchUnfiled } from '../watch/unfiled-watch.ts';
import { watchSlack } from '../watch/slack-watch.ts';
import type { UnfiledGroup } from '../../entities/index.ts';

const THRESHOLDS_MAX = 10;
const YEAR_MS = 366 * 86_400_000;
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 };

/** Raises the alerts that are due now; they are told as every alert is, and acknowledged with `alert ack`. */
export async function warnOfSlack(
  app: Installation,
  actor: Actor,
  thresholdsMs?: readonly number[],
): Promise<readonly SlackWarning[]> {
  allow(actor, 'forecast.warn');
  return watchSlack({
    ...app,
    ...(thresholdsMs === undefined ? {} : { slackThresholdsMs: thresholdsMs }),
  });
}

/** The same for what is owed and has no filing. */
export async function warnOfUnfiled(
  app: Installation,
  actor: Actor,
  slackThresholdsMs: readonly number[],
): Promise<readonly UnfiledGroup[]> {
  allow(actor, 'forecast.warn-unfiled');
  return watchUnfiled({ ...app, slackThresholdsMs });
}

/** What is owed within the largest threshold and has no filing, with a line for each group. */
export async function unfiledOf(
  app: Installation,
  actor: Actor,
  slackThresholdsMs: readonly number[],
): Promise<readonly (UnfiledGroup & { readonly text: string })[]> {
  allow(actor, 'forecast.unfiled');
  const groups = await unfiledSoon({ ...app, slackThresholdsMs });
  return groups.map((group) => ({ ...group, text: unfiledText(group, app.clock.now()) }));
}

/** Reads `7d,2d,4h`. The order does not matter. */
export function readThresholds(text: string): readonly number[] {
  const thresholds = text.split(',').map((part) => readDuration(part.trim()));
  if (thresholds.length <= THRESHOLDS_MAX) return [...new Set(thresholds)].sort((a, b) => b - a);
  throw misuse(`Expected at most ${THRESHOLDS_MAX} slack thresholds, found ${thresholds.length}`);
}

/** Reads one duration like `90min`, `4h` or `7d`, in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})(d|h|min)$/.exec(text);
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN);
  if (ms > 0 && ms <= YEAR_MS) return ms;
  throw misuse(`Expected a duration like 90min, 4h or 7d, found "${text}"`);
}
