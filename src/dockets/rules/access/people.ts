/** The people of a firm: who exists, who may see what, who is away and who stands in. */
import { dateAtOffice, type Day } from '../../../calendar/index.ts';
import type { Instant, PartyId, TargetId } from '../../../core/index.ts';

/**
 * `kind:value`, where the kind is client, group, matter, class or privilege, and the value may be `*`. A matter needs
 * one allow by client, group or matter, and one allow for each of its labels. Any deny that fits refuses.
 */
export type Grant = string;

export interface Rights {
  readonly allow: readonly Grant[];
  readonly deny: readonly Grant[];
}

interface Person extends Rights {
  readonly kind: 'person';
  readonly id: PartyId;
  readonly name: string;
  /** The target of the matrix by which this person is reached. */
  readonly target: TargetId | undefined;
}

export interface Team extends Rights {
  readonly kind: 'team';
  readonly id: PartyId;
  readonly name: string;
  readonly members: readonly PartyId[];
}

export type Party = Person | Team;

export interface Absence {
  readonly person: PartyId;
  /** Both days are days of absence. */
  readonly from: Day;
  readonly to: Day;
  readonly delegate: PartyId | undefined;
}

export interface People {
  /** Where the days of absences begin and end. */
  readonly zone: string;
  readonly parties: ReadonlyMap<string, Party>;
  readonly absences: readonly Absence[];
}

type Presence =
  | { readonly kind: 'here'; readonly person: Person }
  /** `person` stands in for the others, in this order. */
  | { readonly kind: 'delegated'; readonly person: Person; readonly from: readonly PartyId[] }
  | { readonly kind: 'nobody'; readonly from: readonly PartyId[] };

/** The day as the firm counts it. Zone arithmetic is slow: who asks about many people asks for it once. */
export function todayAt(people: People, now: Instant): Day {
  return dateAtOffice(now, people.zone);
}

/** Who is there for a person. Ends even where the directory holds a circle: nobody is asked twice. */
export function presenceOf(person: Person, people: People, today: Day): Presence {
  const from: PartyId[] = [];
  let current: Person = person;
  for (;;) {
    const absence = absenceOn(current.id, people, today);
    if (absence === undefined) {
      return from.length === 0
        ? { kind: 'here', person: current }
        : { kind: 'delegated', person: current, from };
    }
    from.push(current.id);
    const next = absence.delegate === undefined ? undefined : people.parties.get(absence.delegate);
    if (next?.kind !== 'person' || from.includes(next.id)) return { kind: 'nobody', from };
    current = next;
  }
}

function absenceOn(person: PartyId, people: People, day: Day): Absence | undefined {
  return people.absences.find(
    (absence) => absence.person === person && absence.from <= day && day <= absence.to,
  );
}

/**
 * The first circle of delegates, as the people in it. A circle needs all of them absent on one day, and the first such
 * day is the first day of one of the absences; so looking at those days finds every circle.
 */
export function delegateCircle(people: People): readonly PartyId[] | undefined {
  for (const { from: day } of people.absences) {
    for (const { person } of people.absences) {
      const seen: PartyId[] = [];
      let at: PartyId | undefined = person;
      while (at !== undefined && !seen.includes(at)) {
        seen.push(at);
        at = absenceOn(at, people, day)?.delegate;
      }
      if (at !== undefined) return seen.slice(seen.indexOf(at));
    }
  }
  return undefined;
}
