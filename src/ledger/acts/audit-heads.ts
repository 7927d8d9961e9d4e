/** The logs with their signed heads and the keys that signed them: what it takes to hand the ledger out. */
import { type Actor, allow } from '../../access/index.ts';
import { LEDGER_BOUNDARIES, type LedgerBoundary, misuse, notFound } from '../../core/index.ts';
import type { Installation } from '../store/installation.ts';
import { logOrigin } from '../entry.ts';
import type { TrustedLog } from '../trust-policy.ts';
import { writeTrustPolicy } from '../trust-policy-file.ts';
import { latestCheckpoint, type StoredCheckpoint } from '../store/checkpoints.ts';
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
  return signedLogs(app, actor);
}

export async function signedLogs(app: Installation, actor: Actor): Promise<readonly SignedLog[]> {
  allow(actor, 'audit.heads');
  const logs: SignedLog[] = [];
  for (const head of await ledgerHeads(app.session, app.tenant)) {
    const boundary = readBoundary(head.boundary);
    const name = { tenant: app.tenant, boundary };
    const checkpoint = await latestCheckpoint(app.session, name);
    if (checkpoint === undefined) continue;
    logs.push({
      ...name,
      origin: logOrigin(app.instance, app.tenant, boundary),
      checkpoint,
      keys: await trustedLogs(app.session, name),
      unsigned: Math.max(0, head.size - checkpoint.size),
    });
  }
  return logs;
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
