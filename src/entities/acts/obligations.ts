/** What entities owe, as it is stored. */
import { type Actor, allow } from '../../access/index.ts';
import { overLimit } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  type ObligationState,
  type StoredObligation,
  storedObligations,
} from '../store/obligations.ts';

const PAGE_ROWS = 1_000;
const LISTED_MAX = 200_000;

interface ObligationFilter {
  readonly states: readonly ObligationState[];
  readonly jurisdictions: readonly string[];
  readonly dueBefore?: string;
}

/** All of them, in the order of their dates. */
export async function listObligations(
  app: Installation,
  actor: Actor,
  filter: ObligationFilter,
): Promise<readonly StoredObligation[]> {
  allow(actor, 'obligation.list');
  const all: StoredObligation[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await storedObligations(
      (statement, values) => app.session.run(statement, values),
      app.tenant,
      {
        ...filter,
        unfiled: false,
        limit: PAGE_ROWS,
        ...(last === undefined ? {} : { after: { due: last.due, id: last.id } }),
      },
    );
    all.push(...page);
    if (page.length < PAGE_ROWS) return all;
    if (all.length > LISTED_MAX) {
      throw overLimit(
        `At most ${LISTED_MAX} obligations are listed at once; narrow the list with --due-before or --jurisdiction`,
      );
    }
  }
}
