/** Verifying the ledger: chain, tree, state machine, and with `bodies` every sealed body. */
import { FilewrightError } from '../core/index.ts';
import type { Filewright } from '../app.ts';
import {
  type LedgerBoundary,
  logOrigin,
  parseEntry,
  verifyBody,
  verifyEntries,
} from '../ledger/index.ts';
import { ledgerEntries, ledgerHeads, ledgerWaiting } from '../store/index.ts';
import { BodyCollector } from './audit-bodies.ts';
import { sequenceAll } from './batches.ts';

export interface LogReport {
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
  readonly logs: readonly LogReport[];
  /** Facts committed but not yet in the log. */
  readonly waiting: number;
}

export async function verifyLedger(
  app: Filewright,
  options: { readonly bodies: boolean },
): Promise<AuditReport> {
  await sequenceAll(app);
  const logs: LogReport[] = [];
  for (const head of await ledgerHeads(app.session, app.tenant)) {
    // The database holds the column to the names of boundaries.
    const origin = logOrigin(app.instance, app.tenant, head.boundary as LedgerBoundary);
    const entries = ledgerEntries(app.session, app.tenant, head.boundary, head.size);
    const outcome = await verifyEntries(entries, {
      origin,
      head,
      states: head.boundary === 'filing',
    });
    const root = Buffer.from(head.root).toString('hex');
    const report: LogReport = { log: origin, entries: head.size, root, bodies: 0, ok: outcome.ok };
    if (!outcome.ok) {
      const { reason, message, seq } = outcome;
      logs.push({ ...report, reason, message, ...(seq === undefined ? {} : { seq }) });
    } else {
      logs.push(
        options.bodies ? await verifyBodies(app, head.boundary, report, head.size) : report,
      );
    }
  }
  const { rows } = await ledgerWaiting(app.session, app.tenant);
  return { ok: logs.every((log) => log.ok), logs, waiting: rows };
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
