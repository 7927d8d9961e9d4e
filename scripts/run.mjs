// The one door into a clone: installs what is missing, builds what is stale, then runs the target.
// Plain JavaScript with no dependency, because it has to work before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How soon we notice that npm was ended. */
const PARENT_EVERY_MS = 200;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [target, ...args] = process.argv.slice(2);

requireNode(20, 19);
endWithNpm();
install();
await build();
if (target === 'vitest') {
  process.exitCode = await runBeside(process.execPath, [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...args,
  ]);
} else if (target !== 'build') {
  // In this process, so that signals and exit codes reach the product without a go-between.
  const file = join(root, 'dist', target);
  process.argv = [process.execPath, file, ...args];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(file).href);
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  fail(
    `Filewright needs Node ${major}.${minor} or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
}

/**
 * npm ends the shell that it has put between itself and us, and leaves us behind with our parent gone. A worker that nobody
 * can find any more is told what its npm was told.
 */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_EVERY_MS);
  watch.unref();
}

function install() {
  const installed = join(root, 'node_modules/.package-lock.json');
  const wanted = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  process.stderr.write('Installing dependencies (once)...\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  if (run(npm, ['ci', ...quiet], { stdio: ['ignore', 2, 2] }) === 0) return;
  // A registry that lacks a package for some other platform makes `ci` refuse the whole lock file; a plain install takes
  // the same versions for this one.
  const lock = readFileSync(wanted);
  const status = run(npm, ['install', ...quiet], { stdio: ['ignore', 2, 2] });
  writeFileSync(wanted, lock);
  if (status !== 0)
    fail('Installing failed; see above. Check the network and run the same command again.');
  const now = new Date();
  utimesSync(installed, now, now);
}

async function build() {
  const stamp = join(root, 'dist/.built');
  const newest = newestSource();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === newest) return;
  process.stderr.write('Building...\n');
  // Built beside and swapped in, so that a second command started meanwhile never sees half a build.
  const fresh = join(root, `dist.${process.pid}`);
  const status = run(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(root, 'tsconfig.build.json'),
      '--outDir',
      fresh,
    ],
    { stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    fail('The build failed; see above.');
  }
  // Loaded here, because there is nothing to load before the installation.
  const { bundle } = await import('./bundle.mjs');
  await bundle(fresh);
  writeFileSync(join(fresh, '.built'), newest);
  const old = join(root, `dist.${process.pid}.old`);
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
}

/** The newest change among the sources, and how many there are, so that a deleted file counts as a change too. */
function newestSource() {
  let newest = 0;
  let count = 0;
  const visit = (path) => {
    for (const item of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, item.name);
      if (item.isDirectory()) visit(child);
      else if (item.name.endsWith('.ts') && !item.name.endsWith('.test.ts')) {
        count += 1;
        newest = Math.max(newest, statSync(child).mtimeMs);
      }
    }
  };
  for (const folder of ['src', 'sim', 'bench']) {
    if (existsSync(join(root, folder))) visit(join(root, folder));
  }
  for (const file of ['tsconfig.build.json', 'scripts/bundle.mjs']) {
    newest = Math.max(newest, statSync(join(root, file)).mtimeMs);
  }
  return `${count} ${newest}`;
}

function run(command, argv, options = {}) {
  const child = spawnSync(command, argv, { cwd: root, stdio: 'inherit', ...options });
  if (child.error) fail(`Could not run ${command}: ${child.error.message}`);
  return child.status ?? 1;
}

/** Not waited for in a way that hears no signal: what ends us ends it, too. */
function runBeside(command, argv) {
  const child = spawn(command, argv, { cwd: root, stdio: 'inherit' });
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
