/** `npm start`: the whole job on this machine, against simulated portals that misbehave. */
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from '../command.ts';
import { readProfile } from '../../lanes/index.ts';
import {
  addProfile,
  approve,
  approveProfile,
  importFile,
  listFilings,
  listReviews,
  openReview,
  runBatch,
} from '../../filings/index.ts';
import { exportLedger, verifyLedger } from '../../oversight/index.ts';
import { opensslLines, signedLogs } from '../../ledger/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import type { PersonActor } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  type BatchId,
  EXIT,
  FilewrightError,
  openCsv,
  type Profile,
  quoteField,
} from '../../core/index.ts';
import { systemClock } from '../../system/index.ts';
import type { BehaviourChange } from '../../testing/index.ts';
import {
  asOperator,
  making,
  newDirectoryOf,
  type GlobalOptions,
  stopSignal,
  withApp,
  withOwnPortals,
} from '../context.ts';
import { stopHere } from '../ending.ts';
import { print, table } from '../output.ts';
import { Progress } from '../progress.ts';
import { countsTable } from './batch.ts';
import { describe } from './filing.ts';
import { nextCommand, shellWord } from './next-command.ts';
import { evidenceText } from './review.ts';
import { addDemoGrants } from './demo-grants.ts';
import { twoPeople } from './demo-people.ts';
import { addDemoPatent } from './demo-patent.ts';

const PEOPLE = ['Paula Preparer', 'Arthur Approver'] as const;
const STATES = ['us-de', 'us-ca', 'us-ny'];

/** Each portal in its own way: Delaware serial and quick to throttle, California strict, New York slow to decide. */
const BEHAVIOUR: Readonly<Record<string, BehaviourChange>> = {
  'US-DE': {
    seed: 1,
    latencyMs: { mean: 40, spread: 20 },
    faults: { throttle_403_reset: 0.05, accept_then_cut: 0.05 },
    timings: { throttleMs: 1_500 },
  },
  'US-CA': {
    seed: 2,
    latencyMs: { mean: 80, spread: 40 },
    faults: { accept_then_500: 0.08, truncated_json: 0.05 },
  },
  'US-NY': {
    seed: 3,
    latencyMs: { mean: 60, spread: 30 },
    faults: { received_202_then_accepted: 0.15 },
    timings: { processingMs: 1_000 },
  },
};

export function addCommands(group: Command): void {
  addDemoPatent(group);
  addDemoGrants(group);
  group.action(async (_own: object, command: Command) => {
    const given = command.optsWithGlobals<GlobalOptions>();
    const options = { ...given, tenant: given.tenant ?? 'demo' };
    const own = withOwnPortals(making(asOperator(options)), { [DEMO_VARIABLE]: 'demo' });
    await withApp(own, async ({ app, out }) =>
      demo(app, (text) => out.say(text), newDirectoryOf(options)),
    );
  });
}

async function demo(
  app: Filewright,
  say: (text: string) => void,
  dataDirectory: string,
): Promise<void> {
  const signal = stopSignal();
  const folder = join(dataDirectory, 'demo');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  say('1. The embedded PostgreSQL is running; two people exist: one prepares, the other approves.');
  const [preparer, approver] = await twoPeople(app, folder, PEOPLE);

  const profiles = STATES.map(simulatedProfile);
  // Loaded here: the other commands shall not wait for the simulated portals.
  const { startSimulator } = await import('../../testing/index.ts');
  const simulator = await startSimulator({
    profiles,
    port: 0,
    clock: systemClock,
    behaviour: BEHAVIOUR,
  });
  try {
    for (const { code } of profiles) {
      const done = await addProfile(app, preparer, simulator.profile(code));
      // A second run has portals on another port, which is another destination.
      if (done.state === 'proposed') {
        await approveProfile(app, approver, { lane: code, expectHash: done.sha256 });
      }
    }
    say(
      `2. Simulated portals on port ${simulator.port}: ${profiles.map((p) => `${p.code} (ceiling ${p.ceiling})`).join(', ')}. They drop connections, throttle, stall and refuse.`,
    );

    const batch = await prepareBatch(app, say, { folder, preparer, approver });

    // One California filing is refused, so that there is an exception to look at.
    const [refused] = await listFilings(app, preparer, {
      batch,
      lane: 'US-CA',
      limit: 1,
    });
    simulator.behave('US-CA', {
      schedule: refused === undefined ? [] : [{ fault: 'rejected_422', key: refused.key }],
    });
    const progress = new Progress();
    const { counts } = await runBatch(app, preparer, batch, {
      signal,
      onProgress: (lanes) => progress.show(lanes),
    });

    stopHere('To see the whole demo, start it again.');
    print(`\n5. Outcome per lane\n${countsTable(counts)}`);
    await showException(app, preparer, batch);
    showTruth(
      counts.map((lane) => lane.lane),
      (lane) => simulator.truth(lane),
    );
    await showLedger(app, preparer);
    const open = counts.reduce((sum, lane) => sum + lane.pending + lane.submitted, 0);
    if (open > 0) process.exitCode = EXIT.tryLater;
    await proveOne(app, preparer, { batch, folder });
    sayNext(folder, dataDirectory);
  } finally {
    await simulator.close();
  }
}

async function prepareBatch(
  app: Filewright,
  say: (text: string) => void,
  { folder, preparer, approver }: { folder: string; preparer: PersonActor; approver: PersonActor },
): Promise<BatchId> {
  const file = await writeSampleBatch(folder);
  const report = await importFile(app, preparer, {
    path: file,
    dryRun: false,
    errorFile: join(folder, 'batch.errors.csv'),
  });
  if (report.batch === undefined)
    throw new FilewrightError('BROKEN_INVARIANT', 'The sample batch holds no filing');
  say(
    `3. Imported ${report.created} filings from ${file}; frozen as ${report.sha256?.slice(0, 16)}...`,
  );
  await approve(app, approver, report.batch);
  say(`4. ${approver.name} approved what ${preparer.name} had prepared. Sending:`);
  return report.batch;
}

/** The shipped profile with what the simulator plays: open all day, quick, and with automation allowed. */
/** A reference like any other; the simulated portal takes whatever it leads to. */
const DEMO_VARIABLE = 'DEMO_CREDENTIAL';
const DEMO_CREDENTIAL = `env:${DEMO_VARIABLE}`;

function simulatedProfile(name: string): Profile {
  const path = join(packageRoot(), 'profiles', `${name}.json`);
  const {
    hours: _always,
    limits: _limits,
    registry: _registry,
    ...profile
  } = readProfile(readFileSync(path), path);
  const { session } = profile;
  return {
    ...profile,
    ...(session?.login === undefined
      ? {}
      : {
          session: {
            ...session,
            login: {
              ...session.login,
              fields: session.login.fields.map(({ name }) => ({ name, value: DEMO_CREDENTIAL })),
            },
          },
        }),
    title: `${profile.title} (simulated)`,
    automation: 'allowed',
    timeoutMs: 5_000,
    longestServiceMs: 1_500,
    slowStartStepMs: 500,
    ...(profile.status === undefined
      ? {}
      : { status: { ...profile.status, visibilityLagMs: 500 } }),
    received: { ...profile.received, pollMs: 500, boundMs: 60_000 },
    retry: { ...profile.retry, delayMsMin: 200, delayMsMax: 2_000 },
    breaker: { ...profile.breaker, coolDownMs: 1_000, probeSpacingMs: 500 },
  };
}

/** The sample with registry numbers of its own for each run: the same ones again would be "unchanged", and rightly so. */
async function writeSampleBatch(folder: string): Promise<string> {
  const sample = createReadStream(join(packageRoot(), 'samples', 'entities.csv'));
  const { header, rows } = await openCsv(sample);
  const run = Date.now().toString(36).toUpperCase();
  const lines = [header.theirs.map((name) => quoteField(name, ',')).join(',')];
  for await (const each of rows) {
    if (each.kind !== 'row') continue;
    const cells = header.theirs.map((name) => {
      const value = each.row[name];
      const cell = typeof value === 'string' ? value : '';
      if (name === 'registry_number') return `${cell}-${run}`;
      // The sample's filings open in 2028, by its own word or by the law; the simulated portals take them today.
      return name === 'not_before' || name === 'origin' ? '' : cell;
    });
    lines.push(cells.map((cell) => quoteField(cell, ',')).join(','));
  }
  const file = join(folder, 'batch.csv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

async function showException(app: Filewright, by: PersonActor, batch: string): Promise<void> {
  const [first] = await listReviews(app, by, { batch, limit: 1 });
  print('\n6. One exception with its evidence');
  if (first === undefined) {
    print('   None this time: every filing was accepted.');
    return;
  }
  const { envelope } = await openReview(app, by, first.filing.id);
  print(evidenceText(describe(first.filing, 'UTC'), envelope));
}

function showTruth(
  lanes: readonly string[],
  truthOf: (lane: string) => {
    summary(): { keysAccepted: number; keysAcceptedTwice: number; inFlightMax: number };
  },
): void {
  const rows = lanes.map((lane) => {
    const truth = truthOf(lane).summary();
    return [lane, truth.keysAccepted, truth.keysAcceptedTwice, truth.inFlightMax];
  });
  print(
    `\n7. What the portals themselves say\n${table(['portal', 'accepted', 'accepted twice', 'most at once'], rows)}`,
  );
}

async function showLedger(app: Filewright, by: PersonActor): Promise<void> {
  const report = await verifyLedger(app, by, { bodies: true });
  const rows = report.logs.map((log) => [
    log.log,
    log.entries,
    log.bodies,
    log.ok ? 'verified' : String(log.reason),
  ]);
  print(`\n8. The ledger\n${table(['log', 'entries', 'bodies', 'verdict'], rows)}`);
  if (!report.ok) process.exitCode = EXIT.verification;
}

/** One accepted filing, provable to a stranger: the lines below work without this program. */
async function proveOne(
  app: Filewright,
  by: PersonActor,
  { batch, folder }: { readonly batch: string; readonly folder: string },
): Promise<void> {
  const [filing] = await listFilings(app, by, {
    batch,
    status: 'accepted',
    limit: 1,
  });
  if (filing === undefined) return;
  const place = resolve(folder, `proof-${filing.id}`);
  const report = await exportLedger(app, by, {
    folder: place,
    scope: { kind: 'filing', filing: filing.id },
    bodies: false,
    format: 'tiles',
  });
  const log = (await signedLogs(app, by)).find(({ boundary }) => boundary === 'filing');
  const [written] = report.logs;
  if (log === undefined || written === undefined) return;
  print(`
9. Proof of one filing
   ${written.entries} entries about ${filing.id} (receipt ${filing.receipt ?? '-'}), under a signed head of ${written.size} entries.
   Check it without Filewright. All of it, with Python:

python3 ${shellWord(join(place, 'verify.py'))} ${shellWord(place)}

   The signature of the head alone, with openssl:

${opensslLines(log, shellWord(join(place, 'checkpoint'))).join('\n')}`);
}

function sayNext(folder: string, dataDirectory: string): void {
  const key = `--key-file ${shellWord(join(folder, 'paula.key'))}`;
  const run = nextCommand(dataDirectory, 'demo');
  print(`
Next commands
  ${run} review list                  # exceptions, the most urgent first
  ${run} ${key} review show FILING    # one of them with everything
  ${run} filing list --status accepted
  ${run} audit verify --bodies        # chain, tree, states and every sealed body
  ${run} ${key} filing defend FILING DIR    # one filing for a court: payload, answers, date, proofs
  ${run} doctor                       # this installation: disk, clock, key, lanes, ledger
  ${nextCommand('.filewright')} --help
  ${nextCommand(dataDirectory)} db stop     # stop the embedded database`);
}
