/** Verifying the ledger: keys, chain, tree, signed heads, copies outside, state machine, and with `bodies` every sealed body. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  BodyCollector,
  countSetAside,
  type JudgedLedger,
  type JudgedLog,
  type JudgedStamps,
  judgeStamps,
  ledgerEntries,
  type LedgerTrust,
  ledgerWaiting,
  lookFirst,
  parseEntry,
  parseTrustPolicy,
  sequenceAll,
  shreddedByEntries,
  type StampTrust,
  verifyBody,
  verifyWholeLedger,
  writeLateCopies,
} from '../../ledger/index.ts';
import { authoritiesIn } from '../stamping.ts';
import { compareRows, type RowsReport } from './audit-rows.ts';
import { witnessFault } from './audit-witness.ts';

interface LogReport {
  readonly log: string;
  readonly entries: number;
  readonly root: string;
  readonly bodies: number;
  readonly ok: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly seq?: number;
}

export interface AuditReport {
  readonly ok: boolean;
  /** The rows of the database against the entries, where that was asked for. */
  readonly rows?: RowsReport;
  readonly logs: readonly LogReport[];
  /** Heads of the spine that an authority of time has stamped. */
  readonly stamps: Pick<JudgedStamps, 'count' | 'newest'>;
  /** What is wrong with the whole, beside what is said of each log. */
  readonly problems: JudgedLedger['problems'];
  /** What is not wrong, and a reader should know all the same. */
  readonly notices: readonly string[];
  /** Facts committed but not yet in the log. */
  readonly waiting: number;
  /** Facts that no entry could hold: the logs have their hashes. */
  readonly setAside: number;
}

/** What somebody kept outside the database, as the files say it. */
export interface GivenTrust {
  /** A C2SP `tlog-policy` with the keys to believe instead of those in the database. */
  readonly policy?: Uint8Array;
  readonly pinned?: LedgerTrust['pinned'];
  /** The PEM file of the authorities of time to believe. */
  readonly timestampCa?: string;
  /** Whether the ledger must have a recent stamp of one of these. */
  readonly mustBeStamped?: boolean;
}

function trustOf({ policy, pinned }: GivenTrust): LedgerTrust {
  return {
    ...(policy === undefined ? {} : { policy: parseTrustPolicy(policy) }),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

/** The quorum is asked of the newest head of the spine that has it, and not of every newest head: those are seconds old. */
function unwitnessed({ policy, ...trust }: LedgerTrust): LedgerTrust {
  return policy === undefined ? trust : { ...trust, policy: { ...policy, quorum: 'none' } };
}

export async function verifyLedger(
  app: Filewright,
  actor: Actor,
  options: {
    readonly bodies: boolean;
    readonly rows?: boolean;
    readonly trust?: GivenTrust;
  },
): Promise<AuditReport> {
  allow(actor, 'audit.verify');
  const trust = trustOf(options.trust ?? {});
  const first = await lookFirst(app);
  const damage = await sequenceIfWhole(app);
  const judged = await verifyWholeLedger(app, first, unwitnessed(trust));
  const logs: LogReport[] = [];
  for (const log of judged.logs) {
    const report = reportOf(log);
    const hasBodies = options.bodies && report.ok;
    logs.push(hasBodies ? await verifyBodies(app, log.boundary, report, report.entries) : report);
  }
  const fault = trust.policy === undefined ? undefined : await witnessFault(app, trust.policy);
  const { problem, ...stamps } = await judgeStamps(app, stampTrustOf(options.trust ?? {}));
  const problems = [...judged.problems, fault, problem].filter((each) => each !== undefined);
  const isWhole = logs.every((log) => log.ok) && problems.length === 0;
  const rows =
    options.rows === true && isWhole ? await compareRows(app.session, app.tenant) : undefined;
  const ok = isWhole && rows?.ok !== false;
  // What the sequencer stumbled over must show in a log; if it does not, nobody may say that all is well.
  if (ok && damage !== undefined) throw damage;
  const notices = [
    ...judged.logs.flatMap(keyNotices),
    ...stampNotices(stamps, options.trust ?? {}),
    ...(ok ? await remember(app, judged) : []),
  ];
  const { rows: waiting } = await ledgerWaiting(app.session, app.tenant);
  const { count: setAside } = await countSetAside(app.session, app.tenant);
  return {
    ok,
    logs,
    stamps,
    problems,
    notices,
    ...(rows === undefined ? {} : { rows }),
    waiting,
    setAside,
  };
}

function stampTrustOf({ timestampCa, mustBeStamped = false }: GivenTrust): StampTrust {
  return {
    authorities: timestampCa === undefined ? [] : authoritiesIn('--timestamp-ca', timestampCa),
    isRequired: mustBeStamped,
  };
}

function stampNotices({ count }: AuditReport['stamps'], { timestampCa }: GivenTrust): string[] {
  if (count === 0 || timestampCa !== undefined) return [];
  return [
    'The time stamps hold by themselves; to hold them against an authority that you trust, name its certificate with --timestamp-ca.',
  ];
}

function reportOf({ origin, found, verdict }: JudgedLog): LogReport {
  const { size, root } = found?.head ?? { size: 0, root: new Uint8Array(0) };
  const hex = Buffer.from(root).toString('hex');
  const report: LogReport = { log: origin, entries: size, root: hex, bodies: 0, ok: verdict.ok };
  if (verdict.ok) return report;
  const { reason, message, seq } = verdict;
  return { ...report, reason, message, ...(seq === undefined ? {} : { seq }) };
}

function keyNotices({ origin, verdict }: JudgedLog): string[] {
  if (!verdict.ok) return [];
  return verdict.unsignedKeys.map(
    (vkey) =>
      `${origin} has a key that was set after a quarantine, without a signature of the earlier key: ${vkey}. Confirm it with the people who released the quarantine.`,
  );
}

/** Kept outside the database, so that the next verification notices a ledger that was made anew as a whole. */
async function remember(app: Filewright, { logs }: JudgedLedger): Promise<string[]> {
  const notices: string[] = [];
  for (const log of logs) {
    const { origin, verdict } = log;
    if (!verdict.ok || verdict.signed === undefined || verdict.firstKey === undefined) continue;
    const { size, root } = verdict.signed;
    const { firstKey } = verdict;
    try {
      // Before it is remembered: from then on a head without its copy is one whose copy was taken away.
      const late = await writeLateCopies(app, log);
      if (late !== undefined) notices.push(lateText(origin, late));
      const known = await app.known.read(origin);
      if (known?.size === size) continue;
      await app.known.remember(origin, {
        firstKey,
        size,
        root: Buffer.from(root).toString('base64'),
      });
      if (known !== undefined) continue;
      notices.push(
        `${origin} is remembered for the first time, with the key ${firstKey}. Compare this key with the one that you sent to your auditor.`,
      );
    } catch (error) {
      if (!(error instanceof FilewrightError)) throw error;
      notices.push(`${origin} could not be remembered: ${error.message}`);
    }
  }
  return notices;
}

function lateText(origin: string, size: number): string {
  return `${origin} had no copies outside the database from size ${size} on; they are written now. That is what a process leaves that was killed just after it signed, or another host that signs; if there was neither, ask who can write to the folder of the copies.`;
}

/** Takes what waits, so that it is verified too. A damaged log stops the sequencer, and must not stop the verifier. */
async function sequenceIfWhole(app: Filewright): Promise<FilewrightError | undefined> {
  try {
    await sequenceAll(app);
    return undefined;
  } catch (error) {
    const isDamage =
      error instanceof FilewrightError &&
      (error.code === 'BROKEN_INVARIANT' || error.code === 'LEDGER_BROKEN');
    if (!isDamage) throw error;
    return error;
  }
}

async function verifyBodies(
  app: Filewright,
  boundary: string,
  report: LogReport,
  size: number,
): Promise<LogReport> {
  let bodies = 0;
  let failure: LogReport | undefined;
  const collector = new BodyCollector(
    app,
    boundary,
    async ({ entry, stored }) => {
      const key = stored?.key;
      const outcome = await verifyBody({
        origin: report.log,
        entry,
        blob: stored?.blob,
        keyFor: () => (key === undefined ? 'shredded' : app.vault.dataKey(key)),
      });
      bodies += 1;
      if (outcome.state !== 'broken') return;
      const { reason, message } = outcome;
      failure ??= { ...report, bodies, ok: false, reason, message, seq: entry.seq };
    },
    shreddedByEntries(app),
  );
  try {
    for await (const bytes of ledgerEntries(app.session, app.tenant, boundary, size)) {
      await collector.add(parseEntry(bytes));
      if (failure !== undefined) return failure;
    }
    await collector.finish();
  } catch (error) {
    // A body that somebody took away is a verdict here, like one that was changed.
    if (!(error instanceof FilewrightError) || error.code !== 'LEDGER_BROKEN') throw error;
    const { message, details } = error;
    const { reason, seq } = details;
    if (typeof reason !== 'string' || typeof seq !== 'number') throw error;
    return { ...report, bodies, ok: false, reason, message, seq };
  }
  return failure ?? { ...report, bodies };
}
