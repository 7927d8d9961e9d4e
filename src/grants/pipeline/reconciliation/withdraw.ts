/** Statements that were wrong leave before they are closed; two people agree to it, and the ledger has both. */
import { misuse, notFound } from '../../../core/index.ts';
import { readFeed } from '../../rules/feeds/read-feed.ts';
import {
  decideWithdrawal,
  feedsNamed,
  type NamedFeed,
  proposeWithdrawal,
  withdrawals,
} from '../../store/withdrawals.ts';
import { dropDraft, lockMatching } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import { hashOfSource, sameBytes } from '../bytes.ts';
import type { FeedSource, Withdrawals } from '../contracts.ts';
import type { ReconciliationDeps } from './deps.ts';

/** At least 8 digits of a feed's hash. */
const FEED_NAME = /^[0-9a-f]{8,64}$/;

export function withdrawalsOf(deps: ReconciliationDeps): Withdrawals {
  const { store } = deps;
  return {
    list: () => store.transaction((at) => withdrawals(at)),
    propose: async (proposal) => {
      const { statement, restores = false, reason, by } = proposal;
      const source = proposal.replacement;
      const replacement = source === undefined ? undefined : await readableFeed(source);
      return store.transaction(async (at) => {
        await lockMatching(at);
        const feed = await feedNamed(at, proposal.feed);
        if (statement !== undefined && statement > feed.statements) {
          throw notFound(`Feed ${feed.name} has ${feed.statements} statements, not ${statement}`);
        }
        const n = await proposeWithdrawal(at, {
          feed: feed.id,
          statement,
          restores,
          replacement,
          reason,
          by,
        });
        await store.record(at, {
          type: restores ? 'feed.restoration_proposed' : 'feed.withdrawal_proposed',
          actor: { kind: 'user', id: by },
          subject: { kind: 'grant_withdrawal', id: feed.id, ver: 2 * n - 1 },
          data: {
            ...(statement !== undefined && { statement }),
            ...(replacement !== undefined && { replacement }),
          },
        });
        return feed.id;
      });
    },
    decide: (name, { decision, reason, by }) =>
      store.transaction(async (at) => {
        await lockMatching(at);
        const { id } = await feedNamed(at, name);
        const approves = decision === 'approved';
        const n = await decideWithdrawal(at, id, { approves, reason, by });
        // What was matched with it is matched anew by the next run.
        if (approves) await dropDraft(at);
        await store.record(at, {
          type: `feed.withdrawal_${decision}`,
          actor: { kind: 'user', id: by },
          subject: { kind: 'grant_withdrawal', id, ver: 2 * n },
          data: { n },
        });
        return id;
      }),
  };
}

/** A replacement that would be refused is refused now, before anybody agrees to it. */
async function readableFeed(source: FeedSource): Promise<string> {
  const hash = await hashOfSource(source);
  for await (const event of readFeed(source.format, sameBytes(source, hash))) void event;
  return hash;
}

async function feedNamed(at: StageRun, name: string): Promise<NamedFeed> {
  if (!FEED_NAME.test(name)) {
    throw misuse(
      `Expected a feed, at least the first 8 digits of its id, found "${name}"; see grants statements`,
    );
  }
  const [feed, second] = await feedsNamed(at, name);
  if (feed === undefined) throw notFound(`No feed ${name}; see grants statements`);
  if (second !== undefined) throw misuse(`"${name}" matches several feeds; enter more digits`);
  return feed;
}
