/** Where the date comes from, and who had the filing in hand: automation, or a person. */
import { entityId, type JsonValue, toRfc3339 } from '../../core/index.ts';
import type { Installation, LedgerEntry } from '../../ledger/index.ts';
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
  for (const { at, seq, type, data } of entries) {
    const change = (tier: string, because: string): void => {
      if (changes.at(-1)?.tier !== tier) changes.push({ at, entry: seq, tier, because });
    };
    if (typeof data['tier'] === 'string') change(data['tier'], type);
    else if (type === 'dlq.enveloped') change('person', word(data['reason']));
    else if (data['to'] === 'pending')
      change('automation', data['from'] === null ? 'admitted' : 'released by a person');
    else if (type === 'filing.intent') change('automation', 'sent to the portal');
  }
  return changes;
}

function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : 'no reason recorded';
}
