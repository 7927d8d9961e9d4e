import type { ProposalKind, ReviewItem } from '../store/index.ts';
import { sha256Of } from '../core/index.ts';

/**
 * SHA-256 over what will run, one line for each filing in the order of their ids. The database composes the same bytes by
 * itself (review_hash in sql/0005_reviews.sql) and compares.
 */
export function proposalHash(
  kind: ProposalKind,
  reason: string,
  items: readonly ReviewItem[],
): string {
  const lines = [...items]
    .sort((a, b) => (a.filing < b.filing ? -1 : 1))
    .map((item) =>
      [
        item.filing,
        item.n,
        item.action,
        item.revision,
        item.key,
        item.payloadSha256,
        item.notFiled === undefined ? '-' : sha256(item.notFiled),
      ].join(' '),
    );
  const head = ['filewright review 1', `${kind} ${items.length} ${sha256(reason)}`];
  return sha256([...head, ...lines, ''].join('\n'));
}

export function sha256(content: string | Uint8Array): string {
  return sha256Of(content);
}
