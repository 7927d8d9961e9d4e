/** The world's own opinion on dates and rights, written a second time and in another way than the code under test. */
import { type Day, formatDay } from '../../src/calendar/day.ts';
import { endOfDay } from '../../src/calendar/office-time.ts';
import { addMs, type Instant } from '../../src/core/time.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { Party, People } from '../../src/dockets/rules/access/people.ts';
import type { Docket } from '../../src/dockets/rules/docket/docket.ts';
import { computeDeadline } from '../../src/dockets/rules/compute.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import type { MatrixNode } from '../../src/dockets/rules/routing/matrix.ts';
import { subjectOf } from './dockets-of-seed.ts';
import type { Evidence } from './evidence.ts';

export interface DueTruth {
  readonly day: Day;
  readonly moment: Instant;
  readonly zone: string;
}

const dues = new WeakMap<PatentLaw, Map<Docket, DueTruth | undefined>>();

/** The earliest day that anybody names; undefined where nobody names one. */
export function dueOf(docket: Docket, law: PatentLaw): DueTruth | undefined {
  const known = dues.get(law) ?? new Map<Docket, DueTruth | undefined>();
  dues.set(law, known);
  if (!known.has(docket)) known.set(docket, computeDue(docket, law));
  return known.get(docket);
}

function computeDue({ event }: Docket, law: PatentLaw): DueTruth | undefined {
  if (event === undefined) return undefined;
  const days: Day[] = [event.stated.due, event.stated.final].flatMap((day) => day ?? []);
  let zone = 'Etc/GMT-14';
  try {
    const one = readPatentCase({
      office: event.office,
      event_code: event.eventCode,
      rule: event.rule,
      period: event.period,
      trigger_date: event.eventDate,
    });
    const deadline = computeDeadline(one, law, { explain: false });
    days.push(deadline.due);
    zone = deadline.matter.calendar.zone;
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
  }
  const [first, ...rest] = days;
  if (first === undefined) return undefined;
  const day = rest.reduce((least, one) => (one < least ? one : least), first);
  return { day, moment: endOfDay(day, zone), zone };
}

/** Each label and the client must be allowed to each reader, and nothing denied to any. */
export function mayRead(docket: Docket, party: Party, people: People): boolean {
  const { client, number } = subjectOf(docket);
  const readers =
    party.kind === 'team'
      ? party.members.map((id) => people.parties.get(id)).filter((one) => one !== undefined)
      : [party];
  return readers.every(({ allow, deny }) => {
    const has = (list: readonly string[], grant: string): boolean =>
      list.includes(grant) || list.includes(`${grant.split(':')[0]}:*`);
    // It may be anybody's: only a person who is denied nothing, and may see everything.
    if (client.disguise === 'disguised') {
      const everything = ['client:*', 'class:*', 'privilege:*'].every((one) => allow.includes(one));
      return party.kind === 'person' && everything && deny.length === 0;
    }
    const named = client.disguise === 'same' ? client.name : 'nobody';
    const matter = [`client:${named}`, `group:${docket.technologyGroup}`, `matter:${number}`];
    const labels = [
      ...docket.labels.classification.map((label) => `class:${label}`),
      ...docket.labels.privilege.map((label) => `privilege:${label}`),
    ];
    const walls = [...matter, ...labels, `client:${client.name}`];
    const isUnknown = client.disguise === 'absent' && deny.some((one) => one.startsWith('client:'));
    return (
      matter.some((grant) => has(allow, grant)) &&
      labels.every((grant) => has(allow, grant)) &&
      !isUnknown &&
      !walls.some((grant) => has(deny, grant))
    );
  });
}

/** Whether somebody is away on the day that it is at the firm at that moment. A team is when all of its members are. */
export function isAway(party: Party, people: People, at: Instant): boolean {
  if (party.kind === 'team') {
    return party.members.every((id) => {
      const member = people.parties.get(id);
      return member === undefined || isAway(member, people, at);
    });
  }
  const own = people.absences.filter(({ person }) => person === party.id);
  if (own.length === 0) return false;
  const day = dayFormat(people.zone).format(at);
  return own.some(({ from, to }) => formatDay(from) <= day && day <= formatDay(to));
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Kept, because making one takes longer than all else that is asked of it. */
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone });
  dayFormats.set(timeZone, known);
  return known;
}

/** Nodes that the docket's row can lead to. */
export function nodesFor(docket: Docket, { matrix }: Evidence): MatrixNode[] {
  const fits = (wanted: string | undefined, found: string | undefined): boolean =>
    wanted === undefined || wanted === found;
  const { name, disguise } = subjectOf(docket).client;
  const known = disguise === 'same' ? name : undefined;
  const rows = matrix.rows.filter(
    ({ client, technologyGroup, event }) =>
      fits(client, known) &&
      fits(technologyGroup, docket.technologyGroup) &&
      fits(event, docket.eventCode),
  );
  const weight = (text: string | undefined, value: number): number =>
    text === undefined ? 0 : value;
  const [best] = rows.toSorted(
    (a, b) =>
      weight(b.client, 4) +
      weight(b.technologyGroup, 2) +
      weight(b.event, 1) -
      (weight(a.client, 4) + weight(a.technologyGroup, 2) + weight(a.event, 1)),
  );
  const open = new Set(best === undefined ? [] : [best.start]);
  // A set that grows while it is walked is walked to its end.
  for (const id of open) for (const next of matrix.nodes.get(id)?.next ?? []) open.add(next);
  return [...open].flatMap((id) => matrix.nodes.get(id) ?? []);
}

/** The first moment at or after `at` at which our processes ran. */
export function runningAt(at: Instant, { down }: Evidence): Instant {
  return down.find(({ from, to }) => at >= from && at < to)?.to ?? at;
}

/** The first moment from `since` on at which `momentOf(law)` had passed under the law of that moment. */
export function firstPassed(
  evidence: Evidence,
  since: Instant,
  momentOf: (law: PatentLaw) => Instant | undefined,
): Instant | undefined {
  for (const [index, { from, law }] of evidence.laws.entries()) {
    const until = evidence.laws[index + 1]?.from ?? addMs(evidence.endAt, 1);
    const moment = momentOf(law);
    if (moment === undefined) continue;
    const at = [from, since, moment].reduce((latest, one) => (one > latest ? one : latest));
    // A law that held for moments only, or while nothing of ours ran, may have been over before anybody looked.
    if (addMs(runningAt(at, evidence), SHORT_MS) < until) return at;
  }
  return undefined;
}

const SHORT_MS = 20_000;
