/** Puts a bench on stage: a fresh data directory, lanes that lead to the bench portal, an imported and approved batch. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addPortal } from '../src/lanes/acts/lanes.ts';
import { foundUser } from '../src/oversight/acts/users.ts';
import { approve, importFile } from '../src/filings/acts/batches.ts';
import { personOf } from '../src/people/acts/people.ts';
import { createFilewright, type Filewright } from '../src/app.ts';
import { readProfile } from '../src/lanes/profile/read-profile.ts';
import { packageRoot } from '../src/postgres/package-root.ts';
import { stopEmbedded } from '../src/postgres/embedded/stop.ts';
import type { BenchLane } from './shape.ts';
import { localOperator } from '../src/access/actor.ts';

export interface Stage {
  readonly dataDirectory: string;
  close(): Promise<void>;
}

export function newStage(): Stage {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'filewright-bench-'));
  // Where the server's own user may not enter, its cluster lies elsewhere and would stay there.
  chmodSync(dataDirectory, 0o711);
  return {
    dataDirectory,
    close: async () => {
      await stopEmbedded(dataDirectory);
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Roles that stand for the product; the others are what it is compared with. */
const PRODUCT_ROLES: ReadonlySet<string> = new Set([
  'worker',
  'import',
  'verify',
  'router',
  'grants',
]);

/** As the product's own door starts it. */
function productFlags(): string[] {
  const door = readFileSync(join(packageRoot(), 'dist/cli/main.js'), 'utf8');
  return /^#!.* node (.*)/.exec(door)?.[1]?.split(' ') ?? [];
}

/** Starts a role in its own process and waits for its first message. */
export async function startRole(
  role: string,
  args: readonly string[] = [],
  first: 'speaks' | 'silent' = 'speaks',
): Promise<{ child: ChildProcess; port: number }> {
  const file = fileURLToPath(new URL(`./roles/${role}.js`, import.meta.url));
  const child = fork(file, [...args], {
    execArgv: PRODUCT_ROLES.has(role) ? productFlags() : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  if (first === 'silent') return { child, port: 0 };
  const { port = 0 } = await nextMessage<{ port?: number }>(child);
  return { child, port };
}

export function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void =>
      reject(new Error(`A bench process ended with code ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      // The roles and this file agree on the messages; both are only here.
      resolve(message as T);
    });
  });
}

/** A CSV file with the rows of all lanes, written as a stream. */
export async function writeRows(path: string, lanes: readonly BenchLane[]): Promise<void> {
  const file = createWriteStream(path);
  file.write(
    'jurisdiction,registry_number,entity_name,filing_kind,period,due,fee,agent,principal_office,signatory,filler\n',
  );
  for (const lane of lanes) {
    for (let n = 0; n < lane.filings; n += 1) {
      const row = `${lane.code},R${n},"Bench Holdings ${n}, Inc.",annual_report,2027,2030-03-01,225.00,"Registered Agent Services, Inc.","1209 Orange Street, Wilmington, DE 19801",Ana María Peña,${'x'.repeat(120)}\n`;
      if (!file.write(row)) await once(file, 'drain');
    }
  }
  await new Promise<void>((resolve, reject) =>
    file.end((error?: Error | null) => (error ? reject(error) : resolve())),
  );
}

/** A fresh tenant with two people and lanes that lead to the bench portal. */
export async function addLanes(
  stage: Stage,
  tenant: string,
  lanes: readonly BenchLane[],
  port: number,
  longestServiceMs: number,
): Promise<{ app: Filewright; keys: readonly [string, string] }> {
  const app = await createFilewright({ dataDirectory: stage.dataDirectory, tenant });
  const first = await foundUser(app, localOperator('bench'), 'preparer');
  const second = await foundUser(app, localOperator('bench'), 'approver');
  const preparer = await personOf(app, first.key);
  const path = join(packageRoot(), 'profiles', 'us-ca.json');
  // Open at all hours and without the state's own limits: the rows are the bench's, not California's.
  const {
    hours: _hours,
    limits: _limits,
    registry: _registry,
    ...base
  } = readProfile(readFileSync(path), path);
  for (const lane of lanes) {
    const profile = {
      ...base,
      code: lane.code,
      jurisdiction: lane.code,
      title: 'bench',
      automation: 'allowed' as const,
      baseUrl: `http://127.0.0.1:${port}/${lane.code}`,
      allowPrivateAddresses: true,
      ceiling: lane.ceiling,
      longestServiceMs,
      idempotency: { ...base.idempotency, honouredMs: 3_600_000 },
    };
    await addPortal(app, preparer, profile);
  }
  return { app, keys: [first.key, second.key] };
}

/** The same with one approved batch of the given lanes. */
export async function prepare(
  stage: Stage,
  tenant: string,
  lanes: readonly BenchLane[],
  port: number,
  longestServiceMs = 1_000,
): Promise<{ app: Filewright; importMs: number; approveMs: number }> {
  const { app, keys } = await addLanes(stage, tenant, lanes, port, longestServiceMs);
  const file = join(stage.dataDirectory, `${tenant}.csv`);
  await writeRows(file, lanes);
  const importFrom = performance.now();
  const person = await personOf(app, keys[0]);
  const report = await importFile(app, person, {
    path: file,
    dryRun: false,
    choices: { extra: ['filler'] },
  });
  const approveFrom = performance.now();
  if (report.batch === undefined || report.refused > 0) {
    throw new Error(`The bench batch was refused: ${JSON.stringify(report.errors[0])}`);
  }
  await approve(app, await personOf(app, keys[1]), report.batch);
  rmSync(file);
  return { app, importMs: approveFrom - importFrom, approveMs: performance.now() - approveFrom };
}
