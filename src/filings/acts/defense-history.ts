/** Where the date comes from, and who had the filing in hand: automation, or a person. */
import { entityId, type JsonValue, toRfc3339 } from '../../core/index.ts';
import type { Installation, LedgerEntry } from '../../ledger/index.ts';
import { attemptWord, type AttemptWord } from '../rules/left.ts';
import type { FilingView } from '../store/filings.ts';
import { obligationsOf, type StoredObligation } from '../../entities/index.ts';

export interface Deadline {
  readonly due: string;
  readonly last_safe: string;
  readonly not_before: string;
  /** The date as it stood when the filing was admitted, and the entry that says so. */
  readonly recorded: { readonly due: JsonValue; readonly entry: number } | null;
  /** The obligation of the register with the steps by which its date was computed; null where none is known. */
  readonly derivation: StoredObligation | null;
}

export async function deadlineOf(
  app: Installation,
  filing: FilingView,
  entries: readonly LedgerEntry[],
): Promise<Deadline> {
  const admitted = entries.find(({ data }) => data['due'] !== undefined);
  const owed = await obligationsOf(
    (statement, values) => app.session.run(statement, values),
    app.tenant,
    [entityId(filing.entityId)],
  );
  const derivation = owed.find((each) => each.filing?.id === filing.id) ?? null;
  return {
    due: toRfc3339(filing.due),
    last_safe: toRfc3339(filing.lastSafe),
    not_before: toRfc3339(filing.notBefore),
    recorded:
      admitted === undefined ? null : { due: admitted.data['due'] ?? null, entry: admitted.seq },
    derivation,
  };
}

export interface TierChange {
  readonly at: string;
  readonly entry: number;
  readonly tier: string;
  readonly because: string;
}

/** Each change of hands, from the entries alone. An entry that names its tier is taken at its word. */
export function tiersOf(entries: readonly LedgerEntry[]): readonly TierChange[] {
  const changes: TierChange[] = [];
  const words = attemptWords(entries);
  const isByHand = [...words.values()].includes('by hand');
  for (const { at, seq, type, data } of entries) {
    const change = (tier: string, because: string): void => {
      if (changes.at(-1)?.tier !== tier) changes.push({ at, entry: seq, tier, because });
    };
    if (typeof data['tier'] === 'string') change(data['tier'], type);
    else if (type === 'dlq.enveloped') change('person', word(data['reason']));
    else if (data['action'] === 'file') change('person', 'taken to be filed by hand');
    else if (data['to'] === 'pending')
      change(
        isByHand ? 'queue of people' : 'automation',
        data['from'] === null ? 'admitted' : 'released by a person',
      );
    else if (type === 'filing.intent') {
      const isSent = words.get(JSON.stringify(data['attempt'])) === 'sent';
      change('automation', isSent ? 'sent to the portal' : 'checked once more, and not sent');
    }
  }
  return changes;
}

/** What each attempt was, by its number; an attempt without an entry of its own was a question. */
export function attemptWords(entries: readonly LedgerEntry[]): ReadonlyMap<string, AttemptWord> {
  const actions = new Map<string, string>();
  const verdicts = new Map<string, string>();
  for (const { type, data } of entries) {
    const attempt = JSON.stringify(data['attempt']);
    const { action, verdict } = data;
    if (typeof action === 'string' && type !== 'review.proposed') actions.set(attempt, action);
    if (type === 'filing.outcome' && typeof verdict === 'string') {
      verdicts.set(attempt, verdict);
      const isAsked = !actions.has(attempt);
      if (isAsked)
        actions.set(
          attempt,
          data['looked_at'] === undefined && data['place'] === undefined ? 'ask' : 'look',
        );
    }
  }
  return new Map(
    [...actions].map(([attempt, action]) => [attempt, attemptWord(action, verdicts.get(attempt))]),
  );
}

function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : 'no reason recorded';
}
