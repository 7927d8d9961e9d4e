/** One chaos run: seeded events one after the other, then quiet, then the reckoning. */
import { Dice } from '../../src/testing/simulator/dice.ts';
import { type CrashRow, HIT, ROW_ORDER } from './crash-rows.ts';
import { type CrewMember, startCrew } from './crew.ts';
import { Evidence } from './evidence.ts';
import { HITS_MIN, type Options } from './options.ts';
import { PORTALS } from './portals.ts';
import { reckon, type Reckoning } from './reckoning.ts';
import type { Stage } from './stage.ts';

export interface ChaosReport extends Reckoning {
  readonly seed: number;
  /** Verified kills by row, and those that missed their row. */
  readonly kills: Readonly<Record<CrashRow, number>>;
  readonly missed: number;
  readonly imported: number;
  readonly elapsedMs: number;
}

const CREW = 2;
/** Below this a lane could run dry before the next kill finds anything in flight. */
const BACKLOG_MIN = 150;
/** A kill may fall beside its row; one run forgives that so often. */
const MISSES_MAX_SHARE = 0.5;
/** Everything is settled well before: the slowest wait is a breaker's recovery. */
const QUIET_MS_MAX = 180_000;
const POLL_MS = 250;

export async function runChaos(
  stage: Stage,
  options: Options,
  tell: (line: string) => void,
): Promise<ChaosReport> {
  const startedMs = performance.now();
  const dice = new Dice();
  dice.reseed(options.seed, 'chaos', 1);
  const evidence = new Evidence(stage.app.session);
  const deaths: string[] = [];
  await stage.feed(options.filings);
  const crew = await startCrew({ ...stage, count: CREW, deaths });
  const kills = { '1': 0, '2a': 0, '2b': 0, '3': 0, P: 0 };
  const violations: string[] = [];
  let missed = 0;
  try {
    const plan = planOf(options.kills, dice);
    while (plan.length > 0 && deaths.length === 0 && missed <= options.kills * MISSES_MAX_SHARE) {
      const short = shortLanes(await evidence.backlog());
      if (short.length > 0) await stage.feed(options.filings, short);
      await pause(200 + dice.next() * 700);
      const row = plan.shift() ?? 'P';
      const victim = pick(crew, dice);
      const hit = await HIT[row]({ stage, crew, victim, evidence });
      tell(`${row.padEnd(2)} ${hit.verified ? 'hit   ' : 'missed'} ${hit.detail}`);
      if (hit.verified) kills[row] += 1;
      else {
        missed += 1;
        plan.push(row);
      }
      await pause(50 + dice.next() * 350);
      hit.dead?.start();
    }
    tell('quiet: waiting for every filing to reach its end');
    await settle(evidence, deaths);
    for (const member of crew) {
      const code = await member.stop();
      if (code !== 0) violations.push(`worker ${member.name} drained with exit code ${code}`);
    }
  } finally {
    for (const member of crew) {
      await member.stop();
      await member.proxy.close();
    }
  }
  const reckoning = await reckon(stage, evidence);
  for (const row of ROW_ORDER) {
    if (kills[row] < HITS_MIN) violations.push(`row ${row} was hit ${kills[row]} times only`);
  }
  return {
    ...reckoning,
    violations: [...violations, ...deaths, ...reckoning.violations],
    seed: options.seed,
    kills,
    missed,
    imported: stage.imported(),
    elapsedMs: performance.now() - startedMs,
  };
}

function shortLanes(backlog: ReadonlyMap<string, number>): readonly string[] {
  return PORTALS.filter(
    ({ profile, share }) => (backlog.get(profile.code) ?? 0) < BACKLOG_MIN * share,
  ).map(({ profile }) => profile.code);
}

/** Each row as often as it must be hit, the rest by the dice, all of it shuffled. */
function planOf(kills: number, dice: Dice): CrashRow[] {
  const plan = ROW_ORDER.flatMap((row) => Array.from({ length: HITS_MIN }, () => row));
  while (plan.length < kills) plan.push(pick(ROW_ORDER, dice));
  for (let last = plan.length - 1; last > 0; last -= 1) {
    const other = Math.floor(dice.next() * (last + 1));
    const [a, b] = [plan[last], plan[other]];
    if (a !== undefined && b !== undefined) [plan[last], plan[other]] = [b, a];
  }
  return plan;
}

async function settle(evidence: Evidence, deaths: readonly string[]): Promise<void> {
  const untilMs = performance.now() + QUIET_MS_MAX;
  // What is still open then is told by the reckoning.
  while (performance.now() < untilMs && deaths.length === 0) {
    if ((await evidence.open()) === 0) return;
    await pause(POLL_MS);
  }
}

function pick<T extends CrewMember | CrashRow>(items: readonly T[], dice: Dice): T {
  const item = items[Math.floor(dice.next() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from');
  return item;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
