/** The obligations of a list as a calendar that remembers, in the database, what it said before. */
import { type Actor, allow } from '../../access/index.ts';
import {
  type IcsCalendar,
  icsCalendar,
  type IcsEntry,
  type IcsState,
  formatDay,
  parseDay,
  readIcsState,
} from '../../calendar/index.ts';
import { type Instant, invariant, overLimit } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Run } from '../../postgres/index.ts';
import { type StoredObligation, storedObligations } from '../store/obligations.ts';
import { laterRecord } from '../rules/register/later-record.ts';
import { readIcs, writeIcs } from '../../people/index.ts';

export interface IssuedIcs extends Pick<IcsCalendar, 'text' | 'counts'> {
  readonly name: string;
}

interface IcsQuestion {
  readonly dueBefore?: string;
  readonly jurisdictions: readonly string[];
  /** Feeds of different lists need different names; one for each choice of jurisdictions unless given. */
  readonly name?: string;
  /** What awards bring with them, all of it that is owed; `dueBefore` is asked here. */
  readonly awards?: readonly IcsEntry[];
}

const PAGE_ROWS = 1_000;
/** As with the command for any dates: calendar programs give up long before. */
const OBLIGATIONS_MAX = 50_000;

/**
 * What the calendar has shown stays in it while it is owed, even where `dueBefore` is moved back: an event is cancelled only
 * when nothing is owed any more. State and sequences are committed before the text is handed out; a crash in between
 * makes the next issue repeat the very same.
 */
export async function issueIcs(
  app: Installation,
  actor: Actor,
  question: IcsQuestion,
): Promise<IssuedIcs> {
  allow(actor, 'obligation.ics');
  const jurisdictions = [...question.jurisdictions].sort();
  const name = question.name ?? ['Filewright obligations', ...jurisdictions].join(' ');
  return app.session.transaction(async (run) => {
    const kept = await readIcs(run, app.tenant, name);
    const owed = await allOwed(run, app.tenant, { ...question, name });
    const stamp = app.clock.now();
    const previous = kept === undefined ? undefined : readIcsState(kept);
    const awards = (question.awards ?? []).filter(
      (entry) =>
        question.dueBefore === undefined ||
        formatDay(entry.day) < question.dueBefore ||
        wasShown(entry, previous, stamp),
    );
    const ics = icsCalendar({
      name,
      entries: [...owed.flatMap(entriesOf), ...awards],
      stamp,
      ...(previous === undefined ? {} : { previous }),
    });
    const obligations = owed.map((one) => one.id);
    await writeIcs(run, app.tenant, { name, state: ics.state, obligations });
    return { name, text: ics.text, counts: ics.counts };
  });
}

/** Asked of a calendar with this entry alone: how an event is named is the calendar's affair. */
function wasShown(entry: IcsEntry, previous: IcsState | undefined, stamp: Instant): boolean {
  if (previous === undefined) return false;
  const alone = icsCalendar({ name: 'one', entries: [entry], stamp }).state.events;
  return Object.keys(alone).some((uid) => Object.hasOwn(previous.events, uid));
}

async function allOwed(
  run: Run,
  tenant: string,
  question: IcsQuestion & { readonly name: string },
): Promise<StoredObligation[]> {
  const all: StoredObligation[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await storedObligations(run, tenant, {
      states: ['open'],
      jurisdictions: question.jurisdictions,
      unfiled: false,
      ics: question.name,
      limit: PAGE_ROWS,
      ...(question.dueBefore === undefined ? {} : { dueBefore: question.dueBefore }),
      ...(last === undefined ? {} : { after: { due: last.due, id: last.id } }),
    });
    all.push(...page);
    if (all.length > OBLIGATIONS_MAX) {
      throw overLimit(
        `At most ${OBLIGATIONS_MAX} obligations make one calendar; narrow the list with --due-before or --jurisdiction`,
      );
    }
    if (page.length < PAGE_ROWS) return all;
  }
}

/** No name: a calendar is read over shoulders. The entity's id says which one it is to whoever may know. */
function entriesOf(one: StoredObligation): IcsEntry[] {
  const common = {
    identity: one.id,
    kind: `${one.filingKind.replaceAll('_', ' ')} ${one.period}`,
    jurisdiction: one.jurisdiction,
    reference: one.entity,
    cls: 'ordinary' as const,
  };
  const later = laterRecord(one.answer['alarms'], one.raw);
  const law = later === undefined ? undefined : parseDay(later.law);
  if (law !== undefined) {
    // By the law it is due before the date that the calendar goes by: both are shown, and each says so.
    const due = { ...common, kind: `${common.kind} (record later than the law)` };
    const byLaw = { ...common, kind: `${common.kind} (the law's date)`, identity: `${one.id}/law` };
    return [{ ...byLaw, date: 'due' as const, day: law }, ...datesOf(one, due)];
  }
  return datesOf(one, common);
}

function datesOf(one: StoredObligation, common: Omit<IcsEntry, 'date' | 'day'>): IcsEntry[] {
  return (['due', 'final'] as const).flatMap((date) => {
    const text = one[date];
    if (text === undefined) return [];
    const day = parseDay(text);
    invariant(day !== undefined, 'Expected a stored day to be a day.', { obligation: one.id });
    return [{ ...common, date, day }];
  });
}
