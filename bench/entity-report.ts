/** The entity figure as the table and the details of the results page. */
import type { EntityResults, EntityRun } from './entity.ts';
import { atMost, type Figure } from './report.ts';

export function entityFigures({ peace, trouble }: EntityResults): readonly Figure[] {
  const heapMb = Math.max(
    ...[peace, trouble].flatMap((run) => [run.importHeapMb, ...run.workerHeapMb]),
  );
  const isHeld = peace.isHeld && trouble.isHeld;
  return [
    atMost('entity, 51 lanes, no faults, makespan to the ideal', peace.ratio, 1.05, '×', 3),
    atMost(
      'entity, 2 % faults, a block, a worker killed, makespan to the recomputed ideal',
      trouble.ratio,
      1.15,
      '×',
      3,
    ),
    atMost('entity, peak V8 heap of any process', heapMb, 100, 'MB', 1),
    {
      name: 'entity, every ceiling held, every filing accepted once',
      measured: isHeld ? 'yes' : 'no',
      limit: 'yes',
      met: isHeld,
    },
  ];
}

export function entityDetails(results: EntityResults): readonly string[] {
  const { lanes, filings, idealMs, peace, trouble, naive } = results;
  const latencies = lanes.map((lane) => lane.latencyMs);
  const slots = lanes.reduce((sum, lane) => sum + lane.ceiling, 0);
  return [
    '',
    `## Entity: ${filings} filings, ${lanes.length} lanes`,
    '',
    `Ceilings ${Math.min(...lanes.map((lane) => lane.ceiling))} to ${Math.max(...lanes.map((lane) => lane.ceiling))} (${slots} slots in all), mean service times ${Math.min(...latencies)} to ${Math.max(...latencies)} ms, so many filings in each lane that its ideal (n × mean ÷ ceiling) is about ${(idealMs / 1000).toFixed(1)} s. The recomputed ideal is what the portal really worked on, the rest of slots after a fault or a death, the block and its slow start.`,
    '',
    '| run | ideal s | makespan s | ratio | worst lane to its own ideal | accepted | repeats of a key | faults | refused while blocked | import heap MB | worker heap MB |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    runRow(peace),
    runRow(trouble),
    '',
    'The naive way (one task for each record, a semaphore in each process, gathered at the end), same faults and block, nobody killed:',
    '',
    '| run | s | accepted | given up | lost as exceptions | portals that blocked it | requests refused while blocked | heap MB |',
    '|---|---|---|---|---|---|---|---|',
    ...naive.map(
      (row) =>
        `| ${row.name} | ${row.seconds.toFixed(1)} | ${row.accepted} | ${row.fallout} | ${row.lost} | ${row.blockedPortals} of ${lanes.length} | ${row.refusedBlocked} | ${row.heapMb.toFixed(1)} |`,
    ),
  ];
}

function runRow(run: EntityRun): string {
  const heaps = run.workerHeapMb.map((mb) => mb.toFixed(1)).join(', ');
  return `| ${run.name} | ${(run.idealMs / 1000).toFixed(2)} | ${(run.makespanMs / 1000).toFixed(2)} | ${run.ratio.toFixed(3)} | ${run.worstLaneRatio.toFixed(3)} (${run.worstLane}) | ${run.accepted} | ${run.repeats} | ${run.faults} | ${run.blockedRequests} | ${run.importHeapMb.toFixed(1)} | ${heaps} |`;
}
