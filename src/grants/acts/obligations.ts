/** What awards bring with them, in the list and the calendars in which entities have theirs. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { IcsEntry } from '../../calendar/index.ts';
import { icsEntriesOf, type GrantObligation } from '../rules/obligations/award-obligations.ts';
import { type FiledDuty, lastDuties } from '../store/duties.ts';
import { latestEvaluation } from '../store/evaluations.ts';
import { StageStore } from '../store/stage.ts';
import type { ObligationState, StoredObligation } from '../../entities/index.ts';

type Common =
  | 'jurisdiction'
  | 'filingKind'
  | 'period'
  | 'state'
  | 'raw'
  | 'due'
  | 'confidence'
  | 'ruleVersion'
  | 'calendarVersion'
  | 'answer';

/** A row of the list, whatever pack it comes from; only what an entity owes has the other columns. */
export type ListedObligation = Pick<StoredObligation, Common> &
  Partial<Omit<StoredObligation, Common | 'id' | 'entity'>> & {
    readonly id: string;
    readonly entity: string;
    readonly pack: 'entity' | 'grants';
  };

interface ObligationQuestion {
  readonly states: readonly ObligationState[];
  readonly jurisdictions: readonly string[];
  readonly dueBefore?: string;
}

/** As the rules said when they were last asked; empty before. Read in the role of the rules, which alone may. */
export async function awardObligations(
  app: Installation,
  actor: Actor,
): Promise<readonly GrantObligation[]> {
  allow(actor, 'grants.obligations');
  await noteOpened(app, actor, 'grants.obligations', 'all');
  const store = new StageStore('rules', { ...app, now: () => app.clock.now() });
  return store.transaction(async (at) => {
    const ct = await latestEvaluation(at);
    if (ct === undefined) return [];
    const body = Buffer.from(await store.openBody(at, ct)).toString('utf8');
    // Written by the rules stage; what was undefined is absent, and so is what an older one did not say.
    const report = JSON.parse(body) as {
      readonly obligations: readonly GrantObligation[];
      readonly withdrawn?: readonly GrantObligation[];
    };
    const filed = await lastDuties(at);
    return [...report.obligations, ...(report.withdrawn ?? [])].map((one) =>
      withFiled(one, filed.get(one.id)),
    );
  });
}

/** What a person has filed is met, whatever the rules say of it when they are asked again. */
function withFiled(one: GrantObligation, filed: FiledDuty | undefined): GrantObligation {
  if (filed === undefined) return one;
  return { ...one, state: 'met', answer: { ...one.answer, filed_on: filed.filedOn } };
}

export function isAsked(one: GrantObligation, question: ObligationQuestion): boolean {
  const { states, jurisdictions, dueBefore } = question;
  return (
    states.includes(one.state) &&
    (jurisdictions.length === 0 || jurisdictions.includes(one.jurisdiction)) &&
    (one.due === undefined || dueBefore === undefined || one.due < dueBefore)
  );
}

/** First what has no date, then the earliest. */
export function oneList(
  entities: readonly StoredObligation[],
  awards: readonly GrantObligation[],
): readonly ListedObligation[] {
  return [
    ...entities.map((one) => ({ ...one, pack: 'entity' }) as const),
    ...awards.map((one) => ({ ...one, pack: 'grants' }) as const),
  ].sort((one, other) => compare(one.due ?? '', other.due ?? '') || compare(one.id, other.id));
}

/** Entries of a calendar: everything that is open in these jurisdictions; the feed itself knows what it has shown. */
export function awardEntries(
  awards: readonly GrantObligation[],
  jurisdictions: readonly string[],
): readonly IcsEntry[] {
  const question = { states: ['open'], jurisdictions } as const;
  return icsEntriesOf(awards.filter((one) => isAsked(one, question)));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
