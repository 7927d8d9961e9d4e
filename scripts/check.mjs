// The one gate: format, lint, types, tests, simulation seeds. `--full` adds the full figures.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const full = process.argv.includes('--full');
// CI has just run the tests by the README's own command; twice would only cost time.
const noTests = process.argv.includes('--no-tests');
const node = process.execPath;
const run = join(root, 'scripts/run.mjs');
const bin = (name) => join(root, 'node_modules/.bin', name);

const steps = [
  ['build', node, [run, 'build']],
  ['format', bin('biome'), ['format', '.']],
  ['lint', bin('oxlint'), ['--type-aware', 'src', 'sim', 'bench', 'test']],
  ['types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']],
  ...(noTests ? [] : [['tests', node, [run, 'vitest']]]),
  ['simulation', node, [run, 'sim/main.js', '--seeds', full ? '2000' : '300']],
  ...(full
    ? [
        ['chaos', node, [run, 'sim/chaos/main.js', '--kills', '20']],
        ['bench', node, [run, 'bench/main.js']],
      ]
    : []),
];

const times = [];
for (const [name, command, args] of steps) {
  process.stderr.write(`\n== ${name}\n`);
  const startedMs = performance.now();
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  times.push(`${name} ${seconds} s`);
  if (error || status !== 0) {
    process.stderr.write(`\ncheck failed at ${name}${error ? `: ${error.message}` : ''}\n`);
    process.exit(status || 1);
  }
}
process.stderr.write(`\ncheck passed: ${times.join(', ')}\n`);
