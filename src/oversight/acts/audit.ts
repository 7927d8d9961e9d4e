/** Verifying the ledger: chain, tree, signed heads, state machine, and with `bodies` every sealed body. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError, type LedgerBoundary } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  BodyCollector,
  checkCheckpoint,
  countSetAside,
  findLogs,
  type FoundLog,
  ledgerEntries,
  ledgerWaiting,
  logOrigin,
  parseEntry,
  sequenceAll,
  trustedLogs,
  verifyBody,
  verifyEntries,
  type VerifyOutcome,
} from '../../ledger/index.ts';

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

interface AuditReport {
  readonly ok: boolean;
  readonly logs: readonly LogReport[];
  /** Facts committed but not yet in the log. */
  readonly waiting: number;
  /** Facts that no entry could hold: the logs have their hashes. */
  readonly setAside: number;
}

export async function verifyLedger(
  app: Filewright,
  actor: Actor,
  options: { readonly bodies: boolean },
): Promise<AuditReport> {
  allow(actor, 'audit.verify');
  const damage = await sequenceIfWhole(app);
  const logs: LogReport[] = [];
  for (const found of await findLogs(app.session, app.tenant)) {
    const { boundary } = found;
    // The database holds the column to the names of boundaries.
    const origin = logOrigin(app.instance, app.tenant, boundary as LedgerBoundary);
    const outcome = await verifyFound(app, found, origin);
    const { size, root } = found.head ?? { size: 0, root: new Uint8Array(0) };
    const report: LogReport = {
      log: origin,
      entries: size,
      root: Buffer.from(root).toString('hex'),
      bodies: 0,
      ok: outcome.ok,
    };
    if (!outcome.ok) {
      const { reason, message, seq } = outcome;
      logs.push({ ...report, reason, message, ...(seq === undefined ? {} : { seq }) });
    } else {
      logs.push(options.bodies ? await verifyBodies(app, boundary, report, size) : report);
    }
  }
  const ok = logs.every((log) => log.ok);
  // What the sequencer stumbled over must show in a log; if it does not, nobody may say that all is well.
  if (ok && damage !== undefined) throw damage;
  const { rows } = await ledgerWaiting(app.session, app.tenant);
  const { count: setAside } = await countSetAside(app.session, app.tenant);
  return { ok, logs, waiting: rows, setAside };
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

/**
 * The entries against the head of their log, and against the newest head that was signed: whoever can write the tables
 * can make entries and head anew, but not the signature.
 */
async function verifyFound(
  app: Filewright,
  { boundary, head, checkpoint }: FoundLog,
  origin: string,
): Promise<VerifyOutcome> {
  if (head === undefined) {
    const message = `Expected a head of ${origin}, which has entries or signed heads; it is missing or unreadable.`;
    return { ok: false, reason: 'ROOT_MISMATCH', message };
  }
  const logs = await trustedLogs(app.session, { tenant: app.tenant, boundary });
  const policy = { logs, witnesses: [], groups: [], quorum: 'none' };
  const signed = checkpoint && checkCheckpoint(checkpoint, { origin, policy });
  if (signed?.ok === false) return signed;
  return verifyEntries(ledgerEntries(app.session, app.tenant, boundary, head.size), {
    origin,
    head,
    ...(signed === undefined ? {} : { pinned: signed.checkpoint }),
    states: boundary === 'filing',
  });
}

async function verifyBodies(
  app: Filewright,
  boundary: string,
  report: LogReport,
  size: number,
): Promise<LogReport> {
  let bodies = 0;
  let failure: LogReport | undefined;
  const collector = new BodyCollector(app, boundary, async ({ entry, stored }) => {
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
  });
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
