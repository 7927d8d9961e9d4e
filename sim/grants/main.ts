/**
 * `node main.js [--seeds N] [--from N] [--until INVARIANT] [--trace]`: plays seeds and prints what broke, as JSON. The
 * database comes as JSON in FILEWRIGHT_SIM_DATABASE: {target, schema}; without it an embedded one is started for the run.
 */
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { runGrantsSeed } from './run-seed.ts';
import type { Place } from './stand.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '30' },
    from: { type: 'string', default: '1' },
    until: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const given = process.env['FILEWRIGHT_SIM_DATABASE'];
if (given === undefined) {
  const root = mkdtempSync(join(tmpdir(), 'fw-grants-sim-'));
  // For root the server runs as somebody else, who must be able to pass through.
  chmodSync(root, 0o711);
  const dataDirectory = join(root, 'data');
  const reachableDirectory = join(root, 'reachable');
  try {
    const { connection } = await ensureEmbedded({ dataDirectory, reachableDirectory });
    await play({ target: connection, schema: 'filewright' });
  } finally {
    await stopEmbedded(dataDirectory, { mode: 'immediate' });
    rmSync(root, { recursive: true, force: true });
  }
} else {
  // Written by the test, a few files away.
  await play(JSON.parse(given) as Place);
}

async function play(place: Place): Promise<void> {
  const violations: Record<string, { seed: number; text: string }> = {};
  const counts: Record<string, number> = {};
  let played = 0;
  for (let seed = Number(values.from); played < Number(values.seeds); seed += 1) {
    const tenant = `sim-${process.pid}-${seed}`;
    const result = await runGrantsSeed(seed, place, { tenant, readable: values.trace });
    played += 1;
    if (result.lines !== undefined) process.stderr.write(`${result.lines.join('\n')}\n`);
    for (const [name, count] of Object.entries(result.counts))
      counts[name] = (counts[name] ?? 0) + count;
    for (const { invariant, text } of result.violations) violations[invariant] ??= { seed, text };
    if (values.until !== undefined && violations[values.until] !== undefined) break;
  }
  const hit = values.until === undefined ? undefined : violations[values.until]?.seed;
  process.stdout.write(`${JSON.stringify({ seeds: played, hit, violations, counts })}\n`);
  process.exitCode = Object.keys(violations).length === 0 ? 0 : 1;
}
