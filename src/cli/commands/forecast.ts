import type { Command } from '../command.ts';
import {
  forecastFilings,
  type LaneForecast,
  readThresholds,
  SLACK_THRESHOLDS_MS,
  unfiledOf,
  warnOfSlack,
  warnOfUnfiled,
} from '../../filings/index.ts';
import { EXIT } from '../../core/index.ts';
import { environment, type GlobalOptions, withApp } from '../context.ts';
import { span, table } from '../output.ts';
import { moment } from '../shown.ts';

interface ForecastOptions {
  readonly lane?: string;
  readonly thresholds?: string;
  readonly alert?: boolean;
}

/** More would not be read; `--json` has them all. */
const MISSED_LISTED = 10;

export function addCommands(forecast: Command): void {
  forecast
    .option('--lane <code>', 'only this lane')
    .option('--thresholds <list>', 'slack thresholds (FILEWRIGHT_SLACK; default 7d,2d,4h)')
    .option('--alert', 'also raise the alerts that are due')
    .action(async (batch: string | undefined, own: ForecastOptions, command: Command) =>
      forecastAction(batch, own, command.optsWithGlobals()),
    );
}

/** From the option, or the environment; undefined: the defaults. */
function thresholdsFrom(option: string | undefined): readonly number[] | undefined {
  const text = option ?? environment['FILEWRIGHT_SLACK'];
  return text === undefined || text === '' ? undefined : readThresholds(text);
}

/** One lane in one line, for progress. */
export function forecastLine({ lane, clearsAt, leastSlackMs, infeasible }: LaneForecast): string {
  const trouble = infeasible === 0 ? '' : `, ${infeasible} cannot be sent in time (see forecast)`;
  const clears = clearsAt === undefined ? 'has no open filings' : `clears ${moment(clearsAt)}`;
  return `${lane} ${clears}, least slack ${span(leastSlackMs)}${trouble}`;
}

async function forecastAction(
  batch: string | undefined,
  own: ForecastOptions,
  options: GlobalOptions,
): Promise<void> {
  const thresholdsMs = thresholdsFrom(own.thresholds) ?? SLACK_THRESHOLDS_MS;
  await withApp(options, async ({ app, out, actor }) => {
    const scope = {
      ...(batch === undefined ? {} : { batch }),
      ...(own.lane === undefined ? {} : { lane: own.lane }),
    };
    const { forecasts, now } = await forecastFilings(app, actor, scope, { thresholdsMs });
    const isWhole = batch === undefined && own.lane === undefined;
    const unfiled = isWhole ? await unfiledOf(app, actor, thresholdsMs) : [];
    const raised = own.alert === true ? await warnOfSlack(app, actor, thresholdsMs) : [];
    const told = own.alert === true ? await warnOfUnfiled(app, actor, thresholdsMs) : [];
    const lanes = forecasts.map((lane) => ({
      ...lane,
      filings: undefined,
      missed: lane.filings.filter(({ startsAt }) => startsAt === undefined),
    }));
    out.result(
      'forecast',
      { now, batch: batch ?? null, thresholdsMs, lanes, unfiled, raised },
      () =>
        [
          forecastTable(forecasts, thresholdsMs),
          ...forecasts.flatMap(advice),
          ...unfiled.map(({ text }) => text),
        ].join('\n'),
    );
    if (own.alert === true) out.say(`${raised.length + told.length} alerts raised.`);
    if (forecasts.some(({ infeasible }) => infeasible > 0)) process.exitCode = EXIT.late;
  });
}

function forecastTable(
  forecasts: readonly LaneForecast[],
  thresholdsMs: readonly number[],
): string {
  if (forecasts.length === 0) return 'No filing is open.';
  return table(
    ['lane', 'open', 'people', 'slots', 'each', 'clears', 'least slack']
      .concat(thresholdsMs.map((ms) => `< ${span(ms)}`))
      .concat('cannot'),
    forecasts.map((lane) => [
      lane.lane,
      lane.open.queued + lane.open.approval + lane.open.in_flight,
      lane.open.person,
      lane.ceiling,
      span(lane.serviceMs),
      lane.byHand ? 'by hand' : moment(lane.clearsAt),
      lane.leastSlackMs === Number.NEGATIVE_INFINITY ? 'never' : span(lane.leastSlackMs),
      ...lane.atRisk.map(({ filings }) => filings),
      lane.infeasible,
    ]),
  );
}

/** What somebody should do about one lane, most pressing first. */
function advice(lane: LaneForecast): readonly string[] {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(`${lane.lane}: ${text}`);
  if (lane.held !== undefined) {
    say(`held (${lane.held}); the figures assume that it is resumed now`);
  }
  if (lane.startBy !== undefined) {
    const act = lane.held === undefined ? 'approve its batches' : 'resume it';
    say(`${act} by ${moment(lane.startBy)}, or a filing misses its last safe moment`);
  }
  const { levers } = lane;
  if (levers === undefined) return lines;
  say(`${lane.infeasible} cannot be sent before their last safe moment; to fix it:`);
  const { ceiling, openBy, people } = levers;
  if (ceiling !== undefined)
    say(`  slots: ${ceiling} instead of ${lane.ceiling} (if the portal allows it)`);
  if (openBy !== undefined) say(`  start: open by ${moment(openBy)}`);
  if (people.perHour !== undefined) {
    const crew = people.atOnce === undefined ? '' : `, ${people.atOnce} people at once`;
    say(`  people: ${people.filings - people.beyond} by hand, ${people.perHour} an hour${crew}`);
  }
  if (people.beyond > 0) say(`  ${people.beyond} are due sooner than a person can file them`);
  const missed = lane.filings.filter(({ startsAt }) => startsAt === undefined);
  for (const filing of missed.slice(0, MISSED_LISTED)) {
    say(`  filing ${filing.id}, last safe ${moment(filing.lastSafe)}`);
  }
  if (missed.length > MISSED_LISTED)
    say(`  and ${missed.length - MISSED_LISTED} more (--json lists them)`);
  return lines;
}
