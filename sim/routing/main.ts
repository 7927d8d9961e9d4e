/** `node main.js [--seeds N] [--from N] [--until INVARIANT]`: plays seeds and prints what broke, as JSON. */
import { parseArgs } from 'node:util';
import { runRoutingSeed } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    until: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const violations: Record<string, { seed: number; text: string }> = {};
const counts: Record<string, number> = {};
let played = 0;
for (let seed = Number(values.from); played < Number(values.seeds); seed += 1) {
  const result = runRoutingSeed(seed, { readable: values.trace });
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
