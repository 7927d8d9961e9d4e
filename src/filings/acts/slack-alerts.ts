/** Warnings about slack by hand: the same look that the background job takes every few minutes. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { SlackWarning } from '../rules/forecast-warnings.ts';
import { unfiledSoon, unfiledText, watchUnfiled } from '../watch/unfiled-watch.ts';
import { watchSlack } from '../watch/slack-watch.ts';
import type { UnfiledGroup } from '../../entities/index.ts';

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
