/** What players do with recovery runs and with what those found. */
import {
  addDifferences,
  lastSuccessBefore,
  listDifferences,
  overdueDifferences,
  passedDockets,
  passedEvent,
  reviewDifferences,
} from '../../../src/dockets/store/differences.ts';
import {
  evidenceOf,
  leaseDueRuns,
  listRuns,
  lockRun,
  openRun,
  startRun,
  writeRun,
} from '../../../src/dockets/store/recovery.ts';
import { addMs, instant } from '../../../src/core/time.ts';
import { DOCKETS, moment, over, type Stage, TARGETS } from './acts.ts';
import type { Act } from './player.ts';

/** One after the other: whichever is open, a test wants to meet it again. */
const runs = new WeakMap<Stage, string[]>();

export function startOf(stage: Stage): Act {
  const [start] = recoveryActs(stage);
  if (start === undefined) throw new Error('a start is the first of the acts');
  return start;
}

export function recoveryActs(stage: Stage): readonly Act[] {
  const { draw, tenant, base } = stage;
  const known = runs.get(stage) ?? [];
  runs.set(stage, known);
  const target = draw.pick(TARGETS);
  const id = stage.nextId();
  const run = known.length === 0 ? id : draw.pick(known);
  const docket = draw.pick(DOCKETS);
  const since = addMs(base, -draw.pick([1, 500]) * 60_000);
  const reviewBy = moment(stage);
  const phase = draw.pick([
    'probing',
    'checking',
    'awaiting_approval',
    'closed',
    'abandoned',
  ] as const);
  const nextAt = phase === 'closed' || phase === 'abandoned' ? undefined : moment(stage);
  const nextRun = {
    id,
    target,
    mode: 'automatic',
    phase: 'probing',
    baseline: { openedAt: 1, queues: [] },
    state: { state: 'probing', good: 0 },
    nextAt: moment(stage),
  } as const;
  const kind = draw.pick(['missing', 'twice'] as const);
  const wanted = draw.pick([{}, { run }, { docket, all: true }, { kind }, { target }]);
  const only = draw.pick([{}, { kind }, { target }]);
  const found = [{ docket, kind, evidence: { x: 1 } }];
  return [
    {
      name: `start ${target}`,
      play: async (query) => {
        const isStarted = await startRun(query, tenant, nextRun);
        if (isStarted && !known.includes(id)) known.push(id);
        return isStarted;
      },
    },
    {
      name: 'lease',
      play: (query) => leaseDueRuns(over(query), tenant, { leaseMs: 600_000, count: 100 }),
    },
    { name: 'lock run', play: (query) => lockRun(query, tenant, run) },
    {
      name: `write run ${phase}`,
      play: async (query) => {
        const locked = await lockRun(query, tenant, run);
        const ver = locked.run.ver + 1;
        const next = {
          id: run,
          state: { state: phase },
          phase,
          mode: 'by_hand',
          nextAt,
          ver,
        } as const;
        const evidence = {
          step: 'health',
          verdict: 'good',
          by: 'router',
          evidence: { b: 1 },
        } as const;
        await writeRun(query, tenant, next, evidence);
        return locked;
      },
    },
    { name: `open ${target}`, play: (query) => openRun(over(query), tenant, target) },
    { name: 'runs', play: (query) => listRuns(over(query), tenant) },
    { name: 'evidence', play: (query) => evidenceOf(over(query), tenant, run) },
    {
      name: `add difference ${docket}`,
      play: (query) => addDifferences(query, tenant, { run, reviewBy }, found),
    },
    { name: 'differences', play: (query) => listDifferences(over(query), tenant, wanted) },
    {
      name: `review ${docket}`,
      isMany: true,
      play: (query) => reviewDifferences(query, tenant, docket, 'hart', only),
    },
    {
      name: 'overdue',
      isMany: true,
      play: (query) => overdueDifferences(query, tenant, { clockMs: 3_600_000, count: 100 }),
    },
    {
      name: `passed ${target}`,
      play: (query) => passedDockets(over(query), tenant, { target, since, after: '', count: 100 }),
    },
    {
      name: `passed event ${target}`,
      play: (query) => passedEvent(over(query), tenant, { target, since }),
    },
    {
      name: `last success ${target}`,
      play: (query) => lastSuccessBefore(over(query), tenant, target, instant(base + 600_000)),
    },
  ];
}
