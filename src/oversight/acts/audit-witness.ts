/** Whether enough witnesses stand behind the ledger, as a trust policy from outside the database asks for. */
import { parseRfc3339 } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  afterHead,
  logOrigin,
  trustedLogs,
  type TrustPolicy,
  witnessedHead,
} from '../../ledger/index.ts';

/**
 * How old the first entry after the newest witnessed head may be. Witnesses are asked every ten seconds; an hour outlasts
 * the restart of a witness, and bounds what could be cut off or rewritten without anybody outside having seen it.
 */
const UNWITNESSED_MS_MAX = 3_600_000;

interface WitnessFault {
  readonly reason: 'UNTRUSTED_SIGNATURE' | 'INCONSISTENT_WITH_PINNED';
  readonly message: string;
}

/** The spine stands for every log. Undefined when the quorum is met, or none is asked for. */
export async function witnessFault(
  app: Filewright,
  policy: TrustPolicy,
): Promise<WitnessFault | undefined> {
  if (policy.quorum === 'none') return undefined;
  const origin = logOrigin(app.instance, app.tenant, 'spine');
  const log = { tenant: app.tenant, boundary: 'spine', origin };
  // A policy may name witnesses alone; then the log's keys are those that the installation knows.
  const hasLog = policy.logs.some(({ key }) => key.name === origin);
  const logs = hasLog ? policy.logs : await trustedLogs(app.session, log, app.tenantKey);
  const head = await witnessedHead(app.session, log, { ...policy, logs });
  if (head === undefined) {
    const message = `Expected a head of ${origin} that the quorum ${policy.quorum} has cosigned, found none. Run audit checkpoint with FILEWRIGHT_POLICY set; it asks the witnesses.`;
    return { reason: 'UNTRUSTED_SIGNATURE', message };
  }
  const { root, next } = await afterHead(app.session, log, head.size);
  if (Buffer.compare(root, head.root) !== 0) {
    const message = `The first ${head.size} entries of ${origin} are not those that its witnesses have cosigned.`;
    return { reason: 'INCONSISTENT_WITH_PINNED', message };
  }
  const since = next === undefined ? undefined : parseRfc3339(next);
  if (since === undefined || app.clock.now() - since <= UNWITNESSED_MS_MAX) return undefined;
  const message = `The quorum ${policy.quorum} has cosigned ${head.size} entries of ${origin}; the next one is from ${next}, more than an hour ago. Run audit checkpoint with FILEWRIGHT_POLICY set.`;
  return { reason: 'UNTRUSTED_SIGNATURE', message };
}
