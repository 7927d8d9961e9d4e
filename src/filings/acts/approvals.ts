/** What a second person approves, three things at once: the frozen hash, the count, and the fees by payment rail. */
import { type Actor, allow } from '../../access/index.ts';
import { createHash } from 'node:crypto';
import {
  type BatchId,
  FilewrightError,
  type JsonValue,
  laneCode,
  parseStrictJson,
  ruledOut,
  sha256Of,
  termText,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { RailShare } from '../../entities/index.ts';
import { type ApprovalTerms, batchPayloads, findBatch, type RailTotal } from '../store/batches.ts';
import { proposedLanes } from '../store/destinations.ts';
import { batchDestinations } from '../store/intake-store.ts';
import type { Run } from '../../postgres/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { noteOpened, proposals } from '../../people/index.ts';
import { allowOnDesk } from './desk.ts';

/** What a person typed in advance; anything else than found refuses the approval. */
export interface Expectation {
  readonly sha256?: string;
  readonly count?: number;
  readonly totalCents?: number;
  /** The hash of the proposal, over the filings and where they will be sent. */
  readonly proposal?: string;
}

const PAGE_ROWS = 500;
const PAYLOAD_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Computed from the frozen bytes themselves, which are opened, hashed again and read: a total from anywhere else could
 * speak of other payloads than the hash does.
 */
export async function approvalTerms(
  app: Installation,
  actor: Actor,
  id: BatchId,
  /** Left out of what is approved: the hash is over all of it, the fees are those of the rest. */
  without: ReadonlySet<string> = new Set(),
): Promise<ApprovalTerms> {
  allow(actor, 'batch.terms');
  await findBatch(app.session, app.tenant, id);
  await allowOnDesk(app, actor, 'batch.terms', { kind: 'batch', id });
  await noteOpened(app, actor, 'batch.terms', id);
  return termsOf(app, id, { without });
}

/** One frozen payload, opened, with what is paid for it and how. */
interface OpenedPayload {
  readonly id: string;
  readonly json: JsonValue;
  readonly share: RailShare;
}

/** The terms by themselves; whoever asks has asked for leave. `visit` sees each payload while it is open. */
export async function termsOf(
  app: Installation,
  id: BatchId,
  {
    without = new Set(),
    visit,
  }: {
    readonly without?: ReadonlySet<string>;
    readonly visit?: (payload: OpenedPayload) => void;
  },
): Promise<ApprovalTerms> {
  const batch = await findBatch(app.session, app.tenant, id);
  const run: Run = (statement, values) => app.session.run(statement, values);
  const [proposal] = await proposedLanes(run, app.tenant, ['batch', 'release'], id);
  const isRelease = proposal?.kind === 'release';
  // Loaded with the law, which commands that approve nothing need not wait for.
  const { railShare } = await import('../../entities/index.ts');
  const profiles = await profilesByLane(app);
  const totals = new Map<string, { filings: number; cents: number }>();
  const digest = createHash('sha256');
  let count = 0;
  let after = '';
  for (;;) {
    const page = await batchPayloads(app.session, app.tenant, {
      batch: id,
      after,
      limit: PAGE_ROWS,
      only: isRelease ? 'unapproved' : 'all',
    });
    for (const payload of page) {
      const bytes = app.vault.open(payload.sealed);
      const sha256 = sha256Of(bytes);
      if (sha256 !== payload.payloadSha256) throw notFrozen(id, payload.key);
      digest.update(`${payload.key} ${sha256}\n`);
      if (without.has(payload.id)) continue;
      const json = parseStrictJson(bytes, { bytesMax: PAYLOAD_BYTES_MAX });
      const share = railShare(profiles.get(laneCode(payload.lane)), json);
      visit?.({ id: payload.id, json, share });
      const { rail, cents } = share;
      const before = totals.get(rail) ?? { filings: 0, cents: 0 };
      totals.set(rail, { filings: before.filings + 1, cents: before.cents + cents });
    }
    count += page.length;
    after = page.at(-1)?.key ?? after;
    if (page.length < PAGE_ROWS) break;
  }
  const sha256 = digest.digest('hex');
  // A correction changes what a batch holds after its approval; then that was approved, and nothing waits any more.
  const frozen = isRelease ? proposal.filings : batch.sha256;
  const isBinding = isRelease || batch.state === 'frozen';
  if (isBinding && (frozen !== sha256 || (isRelease ? proposal.count : batch.count) !== count)) {
    throw ruledOut(
      isRelease
        ? `The filings of batch ${id} that wait for approval have changed since it was proposed; use batch propose again`
        : `Batch ${id} has changed since it was frozen; do not approve it`,
    );
  }
  const lanes = await batchDestinations(run, app.tenant, id);
  const fees: RailTotal[] = [...totals]
    .map(([rail, total]) => ({ rail, ...total }))
    .sort((a, b) => (a.rail < b.rail ? -1 : 1));
  return { sha256, count, fees, lanes: proposal?.lanes ?? lanes, proposal };
}

export function totalCents(fees: readonly RailTotal[]): number {
  return fees.reduce((sum, { cents }) => sum + cents, 0);
}

export function assertExpected(id: BatchId, terms: ApprovalTerms, expected: Expectation): void {
  const total = totalCents(terms.fees);
  const differences = [
    differs('hash', expected.sha256, terms.sha256),
    differs('proposal', expected.proposal, terms.proposal?.sha256 ?? 'none'),
    differs('count', expected.count, terms.count),
    differs('total of fees in cents', expected.totalCents, total),
  ].filter((text) => text !== undefined);
  if (differences.length === 0) return;
  throw new FilewrightError('APPROVAL_MISMATCH', `Batch ${id}: ${differences.join('; ')}`, {
    details: { batch: id },
  });
}

/**
 * What its preparer changed since it was first proposed may not be approved by its name alone: who looked before the change would
 * approve what they never saw.
 */
export async function requireSeen(
  run: Run,
  tenant: string,
  id: BatchId,
  { terms, expected }: { readonly terms: ApprovalTerms; readonly expected: Expectation },
): Promise<void> {
  if (expected.sha256 !== undefined || expected.proposal !== undefined) return;
  const former = await proposals(run, tenant, ['batch'], id);
  const isChanged = former.some((one) => termText(one.terms, 'sha256') !== terms.sha256);
  if (!isChanged || terms.proposal?.kind !== 'batch') return;
  throw new FilewrightError(
    'APPROVAL_MISMATCH',
    `Batch ${id} was changed since it was first proposed. Look at it with batch show ${id}, then approve exactly that with --expect-hash ${terms.sha256}`,
    { details: { batch: id } },
  );
}

function differs(
  what: string,
  expected: string | number | undefined,
  found: string | number,
): string | undefined {
  if (expected === undefined || expected === found) return undefined;
  return `expected ${what} ${expected}, found ${found}`;
}

function notFrozen(id: BatchId, key: string): FilewrightError {
  return new FilewrightError(
    'SEAL_BROKEN',
    `The payload of the filing with key ${key} in batch ${id} has changed since it was frozen; do not approve the batch`,
    { details: { batch: id, key } },
  );
}
