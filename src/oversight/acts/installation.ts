/** What `doctor` asks of an installation: database, clock, key, lanes, batches, ledger. */
import { type Actor, allow } from '../../access/index.ts';
import { isOpen, lanes, nextOpening, waitsForPerson, wordNeeded } from '../../lanes/index.ts';
import { toRfc3339 } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import type { Environment } from '../../wire/index.ts';
import { describeServer, mayAllMakeTemporary } from '../../postgres/index.ts';
import { ledgerWaiting } from '../../ledger/index.ts';
import { unfinishedBatches } from '../../filings/index.ts';
import { verifyLedger } from './audit.ts';
import { edgeFindings } from './installation-edges.ts';
import {
  type Finding,
  ledgerFindings,
  rootKeyFindings,
  unreachableCopies,
} from './installation-ledger.ts';

const SKEW_MS_MAX = 2_000;
/** Readiness turns red here (facts of the ledger): the sequencer is not running, or too slow. */
const WAITING_SECONDS_MAX = 5;

interface InstallationQuestion {
  /** Also open every sealed body. */
  readonly bodies: boolean;
  /** A copy of the root key to compare, and to remember that there is one. */
  readonly rootKeyBackup: string | undefined;
  readonly environment: Environment;
}

/** Everything that can be wrong with an installation whose database answers; each finding says what to do. */
export async function inspectInstallation(
  app: Filewright,
  actor: Actor,
  question: InstallationQuestion,
): Promise<readonly Finding[]> {
  allow(actor, 'installation.inspect');
  const server = await describeServer(app.session);
  const durable = server.fsync === 'on' && server.synchronousCommit !== 'off';
  const skewMs = app.clock.now() - server.now;
  const waiting = await ledgerWaiting(app.session, app.tenant);
  const keyFindings = rootKeyFindings(app, question.environment, question.rootKeyBackup);
  return [
    finding('database', true, server.version, ''),
    ...(await edgeFindings(app, question.environment)),
    finding(
      'durability',
      durable,
      `fsync ${server.fsync}, synchronous_commit ${server.synchronousCommit}`,
      'Turn both on; without them a crash can lose recorded data.',
    ),
    finding(
      'clock',
      Math.abs(skewMs) <= SKEW_MS_MAX,
      `${Math.round(skewMs)} ms from the database`,
      'Correct this machine’s clock; a worker that is more than 2 s off sends nothing.',
    ),
    ...(await temporaryFindings(app)),
    ...keyFindings,
    ...(await laneFindings(app)),
    ...(await batchFindings(app)),
    finding(
      'ledger intake',
      waiting.oldestSeconds <= WAITING_SECONDS_MAX,
      `${waiting.rows} facts waiting, the oldest for ${waiting.oldestSeconds.toFixed(1)} s`,
      'Start a worker; it sequences the ledger.',
    ),
    ...(await ledgerInside(app, actor, question)),
  ];
}

/** Looking at the ledger brings it up to date first, which signs, which needs the folder of copies. */
async function ledgerInside(
  app: Filewright,
  actor: Actor,
  { bodies, environment }: InstallationQuestion,
): Promise<Finding[]> {
  const unreachable = await unreachableCopies(app);
  if (unreachable !== undefined) return [unreachable];
  const report = await verifyLedger(app, actor, { bodies });
  return [
    finding(
      'ledger',
      report.ok,
      report.logs
        .map((log) => `${log.log}: ${log.entries} entries${log.ok ? '' : ` ${log.reason}`}`)
        .join('; ') || 'empty',
      'Stop sending, change nothing, and run audit verify.',
    ),
    ...(await ledgerFindings(app, actor, environment)),
  ];
}

/** Only the owner of a database can take the right away, and it may not be ours. */
async function temporaryFindings({ session }: Filewright): Promise<Finding[]> {
  if (!(await mayAllMakeTemporary(session))) return [];
  return [
    {
      check: 'temporary tables',
      state: 'warning',
      found: 'every login of the server may create them in this database',
      remedy:
        'As the owner of the database, run REVOKE TEMPORARY ON DATABASE name FROM PUBLIC, if nothing else there needs them.',
    },
  ];
}

async function batchFindings(app: Filewright): Promise<Finding[]> {
  const unfinished = await unfinishedBatches(app.session, app.tenant);
  return unfinished.map(({ batch, source, filings }) => ({
    check: 'batch',
    state: 'warning',
    found: `${batch} (${source}) holds ${filings} filings, and its import has not finished`,
    remedy: `None of them is sent. If it is not still running, run the same batch import or batch create with --resume ${batch}.`,
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
        remedy: waitsForPerson(state)
          ? `Find the cause, then ${wordNeeded(state)}.`
          : 'It is checked and resumes on its own; see recovery status.',
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
    const opening = nextOpening(profile.hours, now);
    const until = opening === undefined ? 'further notice' : toRfc3339(opening);
    const found = isOpen(profile.hours, now) ? 'open' : `closed until ${until}`;
    return { check, state: 'good', found, remedy: '' };
  });
}

function finding(check: string, good: boolean, found: string, remedy: string): Finding {
  return { check, state: good ? 'good' : 'bad', found, remedy };
}
