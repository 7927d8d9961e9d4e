import type { Command } from '../command.ts';
import { type LaneOutcome, laneOutcome, planRehearsal } from '../../oversight/index.ts';
import { readDuration } from '../../filings/index.ts';
import { EXIT, type Instant, misuse, parseRfc3339 } from '../../core/index.ts';
import type { Outage } from '../../testing/index.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { span, table } from '../output.ts';
import { moment } from '../shown.ts';

interface RehearseOptions {
  readonly dueBefore?: string;
  readonly outage: readonly string[];
  readonly faultRate: string;
  readonly seed: string;
}

export function addCommands(rehearse: Command): void {
  rehearse
    .option('--due-before <moment>', 'only filings due before this day or time (2026-03-01)')
    .option('--outage <lane:from:duration...>', 'simulate an outage; FROM is a delay like 2h', [])
    .option('--fault-rate <p>', 'share of requests that fail temporarily, 0 to 1', '0')
    .option('--seed <n>', 'the same seed gives the same rehearsal', '1')
    .action(async (batch: string | undefined, own: RehearseOptions, command: Command) =>
      rehearseAction(batch, own, command.optsWithGlobals()),
    );
}

async function rehearseAction(
  batch: string | undefined,
  own: RehearseOptions,
  options: GlobalOptions,
): Promise<void> {
  const dueBefore = own.dueBefore === undefined ? undefined : readMoment(own.dueBefore);
  const faultRate = readNumber('--fault-rate', own.faultRate, { max: 1, whole: false });
  const seed = readNumber('--seed', own.seed, { max: 2 ** 31, whole: true });
  await withApp(options, async ({ app, out, actor }) => {
    const plan = await planRehearsal(app, actor, {
      ...(batch === undefined ? {} : { batch }),
      ...(dueBefore === undefined ? {} : { dueBefore }),
    });
    const outages = own.outage.map((text) => readOutage(text, app.clock.now()));
    const stranger = outages.find(
      ({ lane }) => !plan.lanes.some(({ state }) => state.code === lane),
    );
    if (stranger !== undefined) {
      throw misuse(`--outage: lane ${stranger.lane} has no open filings; see forecast`);
    }
    const lanes: LaneOutcome[] = [];
    for (const lane of plan.lanes) {
      out.say(`${lane.state.code}: ${lane.filings.length} filings`);
      const mine = outages.filter((outage) => outage.lane === lane.state.code);
      // Loaded here: the other commands shall not wait for the simulated portals.
      const { rehearseLane } = await import('../../testing/index.ts');
      const { ends } = await rehearseLane({ ...lane, outages: mine, faultRate, seed });
      lanes.push(laneOutcome(plan, lane, ends));
    }
    out.result('rehearse', { batch: batch ?? null, seed, faultRate, lanes }, () =>
      rehearsalText(lanes),
    );
    if (lanes.some(({ late, open }) => late + open > 0)) process.exitCode = EXIT.late;
  });
}

function rehearsalText(lanes: readonly LaneOutcome[]): string {
  if (lanes.length === 0) return 'No filing is open.';
  const rows = table(
    ['lane', 'filings', 'accepted', 'people', 'late', 'clears', 'forecast', 'later by'],
    lanes.map((lane) => [
      lane.lane,
      lane.filings,
      lane.accepted,
      Object.values(lane.toPeople).reduce((all, count) => all + count, 0),
      lane.late + lane.open,
      moment(lane.clearsAt),
      moment(lane.forecastClearsAt),
      lane.clearsAt === undefined || lane.forecastClearsAt === undefined
        ? '-'
        : span(lane.clearsAt - lane.forecastClearsAt),
    ]),
  );
  const reasons = lanes.flatMap(({ lane, toPeople }) =>
    Object.entries(toPeople).map(([code, count]) => `${lane}: ${count} to people, ${code}`),
  );
  return [rows, ...reasons, 'Nothing was sent or changed.'].join('\n');
}

/** `US-DE:2h:90min`: from two hours after the start, for an hour and a half. `US-DE:0:3h` begins at once. */
function readOutage(text: string, now: Instant): Outage & { readonly lane: string } {
  const match = /^([^:]+):([^:]+):([^:]+)$/.exec(text);
  if (match === null) {
    throw misuse(`--outage: expected LANE:FROM:DURATION (US-DE:2h:90min), found "${text}"`);
  }
  const [, lane = '', from = '', duration = ''] = match;
  const fromMs = now + (from === '0' ? 0 : readDuration(from));
  return { lane, fromMs, untilMs: fromMs + readDuration(duration) };
}

function readMoment(text: string): Instant {
  const moment = parseRfc3339(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (moment !== undefined) return moment;
  throw misuse(
    `--due-before: expected a day like 2026-03-01 or a time with an offset, found "${text}"`,
  );
}

function readNumber(
  option: string,
  text: string,
  bound: { readonly max: number; readonly whole: boolean },
): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= bound.max && (!bound.whole || Number.isInteger(value))) return value;
  throw misuse(`${option}: expected a number from 0 to ${bound.max}, found "${text}"`);
}
