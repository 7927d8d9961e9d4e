import { existsSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { lanes, verifyLedger } from '../../acts/index.ts';
import type { Filewright } from '../../filewright.ts';
import { EXIT, FilewrightError, isOpen, nextOpening } from '../../core/index.ts';
import { describeServer, ledgerWaiting, unfinishedBatches } from '../../store/index.ts';
import { environment, type GlobalOptions, withApp } from '../context.ts';
import { createOutput, iso, table } from '../output.ts';
import {
  type Finding,
  ledgerFindings,
  rootKeyFindings,
  unreachableCopies,
} from './doctor-ledger.ts';

const DISK_BYTES_MIN = 1024 ** 3;
const SKEW_MS_MAX = 2_000;
/** Readiness turns red here (facts of the ledger): the sequencer is not running, or too slow. */
const WAITING_SECONDS_MAX = 5;

interface DoctorOptions {
  readonly bodies?: boolean;
  readonly rootKeyBackup?: string;
}

export function addDoctorCommand(doctor: Command): void {
  doctor
    .option('--bodies', 'also open every sealed body')
    .option(
      '--root-key-backup <file>',
      'compare a copy of the root key, and remember that there is one',
    )
    .action(async (own: DoctorOptions, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const findings = [node(), disk(options)];
      try {
        await withApp(options, async ({ app }) => {
          findings.push(...(await inside(app, own)));
        });
      } catch (error) {
        if (!(error instanceof FilewrightError)) throw error;
        // What is wrong with the given copy is an answer to a question, not a state of the installation.
        if (own.rootKeyBackup !== undefined) throw error;
        findings.push({
          check: 'database',
          state: 'bad',
          found: error.message,
          remedy: error.remedy,
        });
      }
      const bad = findings.some((finding) => finding.state === 'bad');
      createOutput(options.json === true).result('doctor', { healthy: !bad, findings }, () =>
        table(
          ['check', 'state', 'found', 'remedy'],
          findings.map((f) => [f.check, f.state, f.found, f.state === 'good' ? '' : f.remedy]),
        ),
      );
      if (bad) process.exitCode = EXIT.failed;
    });
}

async function inside(app: Filewright, own: DoctorOptions): Promise<Finding[]> {
  const server = await describeServer(app.session);
  const durable = server.fsync === 'on' && server.synchronousCommit !== 'off';
  const skewMs = app.clock.now() - server.now;
  const waiting = await ledgerWaiting(app.session, app.tenant);
  const keyFindings = rootKeyFindings(app, own.rootKeyBackup);
  return [
    finding('database', true, server.version, ''),
    finding(
      'durability',
      durable,
      `fsync ${server.fsync}, synchronous_commit ${server.synchronousCommit}`,
      'Turn both on; without them a crash can lose what was recorded.',
    ),
    finding(
      'clock',
      Math.abs(skewMs) <= SKEW_MS_MAX,
      `${Math.round(skewMs)} ms from the database`,
      'Correct this machine’s clock; a worker that is more than 2 s off sends nothing.',
    ),
    ...keyFindings,
    ...(await laneFindings(app)),
    ...(await batchFindings(app)),
    finding(
      'ledger intake',
      waiting.oldestSeconds <= WAITING_SECONDS_MAX,
      `${waiting.rows} facts waiting, the oldest for ${waiting.oldestSeconds.toFixed(1)} s`,
      'Start a worker; it sequences the ledger.',
    ),
    ...(await ledgerInside(app, own)),
  ];
}

/** Looking at the ledger brings it up to date first, which signs, which needs the folder of copies. */
async function ledgerInside(app: Filewright, own: DoctorOptions): Promise<Finding[]> {
  const unreachable = await unreachableCopies(app);
  if (unreachable !== undefined) return [unreachable];
  const report = await verifyLedger(app, { bodies: own.bodies === true });
  return [
    finding(
      'ledger',
      report.ok,
      report.logs
        .map((log) => `${log.log}: ${log.entries} entries${log.ok ? '' : ` ${log.reason}`}`)
        .join('; ') || 'empty',
      'Stop sending and keep everything; see audit verify.',
    ),
    ...(await ledgerFindings(app)),
  ];
}

async function batchFindings(app: Filewright): Promise<Finding[]> {
  const unfinished = await unfinishedBatches(app.session, app.tenant);
  return unfinished.map(({ batch, source, filings }) => ({
    check: 'batch',
    state: 'warning',
    found: `${batch} (${source}) holds ${filings} filings, and its import has not finished`,
    remedy: `None of them is sent. Unless it still runs, run the same batch import or batch create with --resume ${batch}.`,
  }));
}

async function laneFindings(app: Filewright): Promise<Finding[]> {
  const all = await lanes(app);
  if (all.length === 0)
    return [
      {
        check: 'lanes',
        state: 'warning',
        found: 'none',
        remedy: 'Add a portal with lane add PROFILE.',
      },
    ];
  const now = app.clock.now();
  return all.map(({ state, profile }): Finding => {
    const check = `lane ${state.code}`;
    if (state.pause.kind === 'held') {
      return {
        check,
        state: 'warning',
        found: `held: ${state.pause.reason}`,
        remedy: `Find out why, then lane resume ${state.code}.`,
      };
    }
    if (profile.automation !== 'allowed') {
      return {
        check,
        state: 'warning',
        found: `automation ${profile.automation}`,
        remedy:
          'Filings go to a person; set automation to allowed once the portal’s terms permit it.',
      };
    }
    const open = isOpen(profile.hours, now);
    return {
      check,
      state: 'good',
      found: open ? 'open' : `closed until ${iso(nextOpening(profile.hours, now))}`,
      remedy: '',
    };
  });
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return finding(
    'node',
    major > 20 || (major === 20 && minor >= 19),
    process.versions.node,
    'Install Node 20.19 or newer.',
  );
}

function disk(options: GlobalOptions): Finding {
  const path = resolve(options.dataDir ?? environment['FILEWRIGHT_DATA'] ?? '.filewright');
  const known = existsSync(path) ? path : '.';
  const { bavail, bsize } = statfsSync(known);
  const free = bavail * bsize;
  return finding(
    'disk',
    free >= DISK_BYTES_MIN,
    `${(free / 1024 ** 3).toFixed(1)} GiB free at ${path}`,
    'Free some space; the database stops when the disk is full.',
  );
}

function finding(check: string, good: boolean, found: string, remedy: string): Finding {
  return { check, state: good ? 'good' : 'bad', found, remedy };
}
