/** The destinations that a proposal to send names, held against where its lanes lead now. */
import { FilewrightError, termText } from '../../core/index.ts';
import type { Destination } from '../../lanes/index.ts';
import { proposals } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';

interface ProposedLanes {
  readonly kind: 'batch' | 'release';
  readonly id: string;
  readonly n: number;
  readonly sha256: string;
  readonly proposedBy: string;
  readonly lanes: readonly Destination[];
  readonly count: number;
  /** Over the filings, as `batchHash` makes it. */
  readonly filings: string;
}

/** Of the proposal that waits, if any; one at most. */
export async function proposedLanes(
  run: Run,
  tenant: string,
  kinds: readonly ProposedLanes['kind'][],
  subject: string,
): Promise<readonly ProposedLanes[]> {
  return (await proposals(run, tenant, kinds, subject))
    .filter(({ state }) => state === 'open')
    .map(({ id, kind, n, sha256, proposedBy, terms }) => ({
      kind: kind === 'release' ? kind : 'batch',
      id,
      n,
      sha256,
      proposedBy,
      // Written by the proposals to send alone.
      lanes: (terms['lanes'] ?? []) as unknown as readonly Destination[],
      count: Number(terms['count']),
      filings: termText(terms, 'sha256'),
    }));
}

/** An approval is for the destinations that the second person saw. */
export function requireSameLanes(
  what: string,
  proposed: readonly Destination[],
  now: readonly Destination[],
): void {
  const changed = now.filter(
    ({ lane, profile_sha256 }) =>
      !proposed.some((one) => one.lane === lane && one.profile_sha256 === profile_sha256),
  );
  if (changed.length === 0 && proposed.length === now.length) return;
  const shown = changed.map(({ lane, origin }) => `${lane} now leads to ${origin}`).join(', ');
  throw new FilewrightError(
    'DESTINATION_CHANGED',
    `${what}: the profile of a lane has changed since it was proposed (${shown}); propose it again with batch propose`,
  );
}
