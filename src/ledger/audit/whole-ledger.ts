/**
 * All logs of a tenant, verified together. Which logs there must be is not asked of the tables that are checked: the spine
 * says it, the copies outside, what was remembered when it was last verified, and the policy that somebody gives.
 */
import { LEDGER_BOUNDARIES, type LedgerBoundary } from '../../core/index.ts';
import { checkPinned, type TreeHead } from '../checkpoint.ts';
import { logOrigin } from '../entry.ts';
import { SpineHeads } from '../spine-heads.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import { copyFrom } from '../store/checkpoints.ts';
import type { Installation } from '../store/installation.ts';
import { findLogs, type FoundLog, ledgerWaiting } from '../store/ledger-entries.ts';
import { ledgerOutline, type LogOutline } from '../store/ledger-outline.ts';
import { waitingLogs } from '../store/log-work.ts';
import type { PinnedHead } from './log-heads.ts';
import { type StoredVerdict, verifyStoredLog } from './stored-log.ts';

/** A fact whose predecessor never came is held back; after this long nobody is still on the way (ledger format 1, § 7). */
const INTAKE_SECONDS_MAX = 60;

/** Whom and what to believe, from outside the database. */
export interface LedgerTrust {
  readonly policy?: TrustPolicy;
  /** Checkpoints that somebody kept, each with the name of its file. */
  readonly pinned?: readonly { readonly path: string; readonly note: Uint8Array }[];
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface JudgedLog {
  readonly boundary: LedgerBoundary;
  readonly origin: string;
  readonly found: FoundLog | undefined;
  readonly verdict: StoredVerdict;
}

export interface JudgedLedger {
  readonly logs: readonly JudgedLog[];
  /** What is wrong with the whole of it, and belongs to no log that is there. */
  readonly problems: readonly Problem[];
}

/** What was seen before anything was done: a sequencer that starts makes up for some losses, and would hide them. */
interface FirstLook {
  readonly outline: ReadonlyMap<string, LogOutline>;
  readonly copies: ReadonlyMap<string, readonly number[]>;
  /** Up to which size each log is known to have had its copies. */
  readonly copiedUpTo: ReadonlyMap<string, number>;
  /** Logs of which the newest copy was taken away. */
  readonly uncopied: ReadonlySet<string>;
}

export async function lookFirst(app: Installation): Promise<FirstLook> {
  const outline = await ledgerOutline(app.session, app.tenant);
  const copies = new Map<string, readonly number[]>();
  const copiedUpTo = new Map<string, number>();
  const uncopied = new Set<string>();
  for (const boundary of LEDGER_BOUNDARIES) {
    const origin = logOrigin(app.instance, app.tenant, boundary);
    const { signedSize = 0, signedTimes = 0 } = outline.get(boundary) ?? {};
    const known = await app.known.read(origin);
    const reached = Math.max(await app.copies.reached(origin), known?.size ?? 0);
    // Where nothing outside says how far it was copied, only the very first head may be one that was never copied.
    const upTo = reached === 0 && signedTimes > 1 ? signedSize : reached;
    const isDue = signedSize > 0 && signedSize <= upTo;
    if (isDue && (await app.copies.read(origin, signedSize)) === undefined) uncopied.add(origin);
    copies.set(origin, await app.copies.sizes(origin));
    copiedUpTo.set(origin, upTo);
  }
  return { outline, copies, copiedUpTo, uncopied };
}

/** To be called after what waits was sequenced, so that it is verified too. */
export async function verifyWholeLedger(
  app: Installation,
  first: FirstLook,
  trust: LedgerTrust,
): Promise<JudgedLedger> {
  const [hasHeadsOnTheirWay] = await waitingLogs(app.session, app.tenant, ['spine'], {
    signs: false,
  });
  const found = new Map(
    (await findLogs(app.session, app.tenant)).map((log) => [log.boundary, log]),
  );
  const problems: Problem[] = [];
  const pinned = readPinned(app, trust, problems);
  const spine = new SpineHeads();
  const judge = async (boundary: LedgerBoundary, log: FoundLog): Promise<JudgedLog> => {
    const origin = logOrigin(app.instance, app.tenant, boundary);
    const mustBeInSpine = boundary !== 'spine' && hasHeadsOnTheirWay === undefined;
    const verdict = await judgeLog(app, first, trust, {
      boundary,
      origin,
      found: log,
      spine,
      mustBeInSpine,
      pinned: pinned.get(origin) ?? [],
    });
    return { boundary, origin, found: log, verdict };
  };
  // The spine first: what it says of the others is held against them.
  const order = ['spine', ...LEDGER_BOUNDARIES.filter((each) => each !== 'spine')] as const;
  const logs: JudgedLog[] = [];
  for (const boundary of order) {
    const log = found.get(boundary);
    if (log !== undefined) logs.push(await judge(boundary, log));
  }
  logs.push(...(await missingLogs(app, spine, trust, { logs, pinned: [...pinned.keys()] })));
  if (logs.length === 0) {
    const message = `Expected the logs of ${app.instance}/${app.tenant}; there is none. A ledger without logs proves nothing.`;
    problems.push({ reason: 'NO_LOGS', message });
  }
  problems.push(...(await intakeProblems(app)));
  return { logs: logs.sort((a, b) => (a.origin < b.origin ? -1 : 1)), problems };
}

/**
 * Writes the copies that a killed process, or another host, never wrote here: of a log that was found to hold, from the
 * newest copy on. Gives the size that it began with.
 */
export async function writeLateCopies(
  app: Installation,
  { boundary, origin, verdict }: JudgedLog,
): Promise<number | undefined> {
  if (!verdict.ok || verdict.uncopied === undefined) return undefined;
  const log = { tenant: app.tenant, boundary, origin };
  await copyFrom(app.session, log, app.copies, verdict.uncopied);
  return verdict.uncopied;
}

async function judgeLog(
  app: Installation,
  first: FirstLook,
  trust: LedgerTrust,
  log: {
    readonly boundary: LedgerBoundary;
    readonly origin: string;
    readonly found: FoundLog;
    readonly spine: SpineHeads;
    readonly mustBeInSpine: boolean;
    readonly pinned: readonly PinnedHead[];
  },
): Promise<StoredVerdict> {
  const { boundary, origin, found, spine, mustBeInSpine } = log;
  const known = await app.known.read(origin);
  const remembered: PinnedHead[] =
    known === undefined
      ? []
      : [
          {
            size: known.size,
            root: Buffer.from(known.root, 'base64'),
            from: 'the remembered head',
          },
        ];
  const isSpine = boundary === 'spine';
  const verdict = await verifyStoredLog(
    {
      session: app.session,
      tenantKey: app.tenantKey,
      archive: app.copies,
      entry: (entry) => {
        if (isSpine) spine.push(entry);
      },
    },
    {
      tenant: app.tenant,
      boundary,
      origin,
      found,
      before: first.outline.get(boundary),
      copies: first.copies.get(origin) ?? [],
      copiedUpTo: first.copiedUpTo.get(origin) ?? 0,
      spine: isSpine ? [] : spine.of(origin),
      mustBeInSpine,
      pinned: [...log.pinned, ...remembered],
      policy: trust.policy,
    },
  );
  if (!verdict.ok) return verdict;
  if (known !== undefined && known.firstKey !== verdict.firstKey) {
    const message = `Expected the first key of ${origin} to be ${known.firstKey}, as remembered; found ${verdict.firstKey ?? 'none'}.`;
    return { ok: false, reason: 'FIRST_KEY_CHANGED', message };
  }
  if (first.uncopied.has(origin)) {
    const message = `Expected the copy of the newest checkpoint of ${origin} outside the database; it was taken away. Compare the log with a checkpoint that you kept elsewhere; audit checkpoint writes the newest copy again.`;
    return { ok: false, reason: 'COPY_MISSING', message };
  }
  if (isSpine && spine.fault !== undefined) {
    return { ok: false, reason: 'SPINE_MISMATCH', ...spine.fault };
  }
  return verdict;
}

/** Logs that somebody outside the tables knows of, and that are not there. */
async function missingLogs(
  app: Installation,
  spine: SpineHeads,
  trust: LedgerTrust,
  known: { readonly logs: readonly JudgedLog[]; readonly pinned: readonly string[] },
): Promise<readonly JudgedLog[]> {
  const name = `${app.instance}/${app.tenant}`;
  const there = new Set(known.logs.map(({ origin }) => origin));
  const named = new Map<string, string>();
  const say = (who: string, origins: readonly string[]): void => {
    for (const origin of origins) if (!named.has(origin)) named.set(origin, who);
  };
  say('the spine names it', spine.origins);
  say('copies of its checkpoints are kept outside', await app.copies.logs(name));
  say('it was verified here before', await app.known.logs(name));
  say('the policy names it', trust.policy?.logs.map(({ key }) => key.name) ?? []);
  say('a checkpoint of it was given', known.pinned);
  if (known.logs.some(({ found }) => found?.checkpoint !== undefined)) {
    say('every signed head is an entry of it', [logOrigin(app.instance, app.tenant, 'spine')]);
  }
  const missing: JudgedLog[] = [];
  for (const boundary of LEDGER_BOUNDARIES) {
    const origin = logOrigin(app.instance, app.tenant, boundary);
    const who = named.get(origin);
    if (who === undefined || there.has(origin)) continue;
    const message = `Expected the log ${origin}: ${who}. It is not in the database.`;
    const verdict = { ok: false, reason: 'LOG_MISSING', message } as const;
    missing.push({ boundary, origin, found: undefined, verdict });
  }
  return missing;
}

/** The checkpoints that somebody gives, by the log that each is of. */
function readPinned(
  app: Installation,
  { pinned = [] }: LedgerTrust,
  problems: Problem[],
): ReadonlyMap<string, readonly PinnedHead[]> {
  const heads = new Map<string, PinnedHead[]>();
  for (const { path, note } of pinned) {
    const [origin = ''] = Buffer.from(note).toString('utf8').split('\n');
    const read = checkPinned(note, { origin, verifierKeys: [] });
    if (!read.ok) {
      problems.push({ reason: read.reason, message: `${path}: ${read.message}` });
    } else if (origin.startsWith(`${app.instance}/${app.tenant}/`)) {
      const { size, root }: TreeHead = read.checkpoint;
      heads.set(origin, [...(heads.get(origin) ?? []), { size, root, from: path }]);
    } else {
      const message = `${path} is a checkpoint of ${origin}, which is no log of ${app.instance}/${app.tenant}.`;
      problems.push({ reason: 'ORIGIN_MISMATCH', message });
    }
  }
  return heads;
}

/** Facts are safe in the log within a second; what stays longer can still be changed, and somebody may want that. */
async function intakeProblems(app: Installation): Promise<readonly Problem[]> {
  const { rows, oldestSeconds } = await ledgerWaiting(app.session, app.tenant);
  if (rows === 0 || oldestSeconds <= INTAKE_SECONDS_MAX) return [];
  const message = `Expected no fact to wait longer than ${INTAKE_SECONDS_MAX} s for its log; ${rows} wait, the oldest for ${Math.round(oldestSeconds)} s.`;
  return [{ reason: 'INTAKE_STUCK', message }];
}
