/** The logs with their signed heads and the keys that signed them: what it takes to hand the ledger out. */
import { type Actor, allow } from '../../access/index.ts';
import { LEDGER_BOUNDARIES, type LedgerBoundary, misuse, notFound } from '../../core/index.ts';
import type { Installation } from '../store/installation.ts';
import { logOrigin } from '../entry.ts';
import type { TrustedLog } from '../trust-policy.ts';
import { writeTrustPolicy } from '../trust-policy-file.ts';
import { copyFrom, latestCheckpoint, type StoredCheckpoint } from '../store/checkpoints.ts';
import { ledgerHeads } from '../store/ledger-entries.ts';
import { readQuarantine } from '../store/quarantine.ts';
import { trustedLogs } from '../store/signing-keys.ts';

/** One log with the head that vouches for what is handed out, and the keys that signed it. */
export interface SignedLog {
  readonly tenant: string;
  readonly boundary: LedgerBoundary;
  readonly origin: string;
  readonly checkpoint: StoredCheckpoint;
  readonly keys: readonly TrustedLog[];
  /** Entries after the signed head; they can be proven once a later head is signed. */
  readonly unsigned: number;
}

/** Takes what waits, signs every log that has grown, and gives the signed logs. */
export async function signNow(app: Installation, actor: Actor): Promise<readonly SignedLog[]> {
  allow(actor, 'audit.checkpoint');
  await app.sequencer.checkpoint();
  const logs = await signedLogs(app, actor);
  for (const log of logs) {
    const kept = await app.copies.newest(log.origin);
    const copied = kept?.size ?? 0;
    // What a crash, or another host, left without a copy here. A copy that is ahead is the quarantine's affair.
    if (copied < log.checkpoint.size) await copyFrom(app.session, log, app.copies, copied);
  }
  return logs;
}

export async function signedLogs(app: Installation, actor: Actor): Promise<readonly SignedLog[]> {
  allow(actor, 'audit.heads');
  const logs: SignedLog[] = [];
  const heads = await ledgerHeads(app.session, app.tenant);
  // The spine first, so that no head that it names is newer than the ones found after it.
  const order = [...heads].sort(
    (a, b) => Number(b.boundary === 'spine') - Number(a.boundary === 'spine'),
  );
  for (const head of order) {
    const boundary = readBoundary(head.boundary);
    const origin = logOrigin(app.instance, app.tenant, boundary);
    const name = { tenant: app.tenant, boundary, origin };
    const checkpoint = await latestCheckpoint(app.session, name);
    if (checkpoint === undefined) continue;
    logs.push({
      ...name,
      checkpoint,
      keys: await trustedLogs(app.session, name, app.tenantKey),
      unsigned: Math.max(0, head.size - checkpoint.size),
    });
  }
  return logs.sort((a, b) => (a.boundary < b.boundary ? -1 : 1));
}

/** The one log of a boundary; says what to do when it has no signed head. */
export async function signedLog(
  app: Installation,
  logs: readonly SignedLog[],
  boundary: LedgerBoundary,
): Promise<SignedLog> {
  const log = logs.find((each) => each.boundary === boundary);
  if (log !== undefined) return log;
  const { state } = await readQuarantine(app.session, app.tenant);
  throw notFound(
    state === 'in'
      ? `The log ${boundary} has no signed head, and nothing is signed in quarantine; see audit quarantine status`
      : `The log ${boundary} has no entries yet`,
  );
}

export function readBoundary(text: string): LedgerBoundary {
  const found = LEDGER_BOUNDARIES.find((boundary) => boundary === text);
  if (found !== undefined) return found;
  throw misuse(`Expected a log (${LEDGER_BOUNDARIES.join(', ')}), found "${text}"`);
}

/** Whom to believe about a log, as the file that goes with an export. */
export function policyText(log: SignedLog): string {
  return writeTrustPolicy({ logs: log.keys, witnesses: [], groups: [], quorum: 'none' });
}
