/** The watch reads the backlog page by page and keeps none of it: what it warns of is what a look at the whole says. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { forecastFilings } from '../../src/filings/acts/forecast.ts';
import { SlackLook } from '../../src/filings/rules/forecast-warnings.ts';
import { slackFigures, watchSlack } from '../../src/filings/watch/slack-watch.ts';
import { instant, toRfc3339 } from '../../src/core/time.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';
import { OPERATOR } from '../operator.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const THRESHOLDS_MS = [48 * HOUR_MS, 4 * HOUR_MS];
/** More than a page has. */
const MANY = 2_300;

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

it('a backlog of several pages and lanes is warned of as a whole, once', async () => {
  const slow = { ceiling: 4, expectedServiceMs: MINUTE_MS, slowStartStepMs: 0, personMs: HOUR_MS };
  stage = await Stage.set(server, [quickProfile('US-DE', slow), quickProfile('US-NY', slow)]);
  const now = instant(Math.floor(Date.now() / 1_000) * 1_000);
  const inHours = (hours: number): string => toRfc3339(instant(now + hours * HOUR_MS));
  // One minute each in four slots: nine hours of work, and eight until the last safe moment.
  await stage.feed('US-DE', MANY - 100, inHours(9));
  await stage.feed('US-DE', 100, inHours(300));
  await stage.feed('US-NY', 3, inHours(3));
  const parts = {
    ...stage.app,
    clock: { ...stage.app.clock, now: () => now },
    slackThresholdsMs: THRESHOLDS_MS,
  };

  const whole = new SlackLook(THRESHOLDS_MS);
  const { forecasts } = await forecastFilings(
    { ...stage.app, clock: parts.clock },
    OPERATOR,
    {},
    { levers: false },
  );
  for (const { lane, filings } of forecasts) {
    for (const filing of filings) whole.add({ batch: filing.batch, lane }, filing, undefined);
  }
  const expected = whole.warnings();
  expect(expected.map(({ lane, thresholdMs }) => [lane, thresholdMs])).toEqual([
    ['US-DE', 0],
    ['US-NY', 4 * HOUR_MS],
  ]);
  expect(expected[0]?.filings).toBe(MANY - 100);
  expect(expected[0]?.infeasible).toBeGreaterThan(0);

  const figures = await slackFigures(parts);
  expect(figures.infeasible).toBe(expected[0]?.infeasible);
  expect(figures.under.map(({ filings }) => filings)).toEqual([MANY - 100 + 3, expect.any(Number)]);
  expect(await watchSlack(parts)).toEqual(expected);
  expect(await watchSlack(parts)).toEqual([]);
});
