/**
 * Everything that waits for one person, in one list, and who that person is here. What they may not do, or not see, is not in it;
 * what is about a docket passes the walls of dockets.
 */
import { type Actor, allow, may, type PersonActor } from '../../access/index.ts';
import { docketId, laneCode, type ProposalKind } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { docketSight, firstShown, hasDockets, ownDockets } from '../../dockets/index.ts';
import {
  batchesComeBack,
  batchesToApprove,
  type BatchToApprove,
  listHand,
  openQuestions,
} from '../../filings/index.ts';
import { partiesOf } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { alertPages, proposals } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { deskExceptions, grantExceptions } from './inbox-exceptions.ts';
import type { InboxItem } from './inbox-item.ts';
import { DECISIONS } from './inbox-decisions.ts';

interface Inbox {
  readonly items: readonly InboxItem[];
  readonly total: number;
}

/** The first due first; what has no day comes after what has one. */
export async function listInbox(app: Filewright, actor: Actor, limit: number): Promise<Inbox> {
  allow(actor, 'inbox.list');
  // Nothing waits for who is nobody here.
  if (actor.kind !== 'person') return { items: [], total: 0 };
  const run: Run = (statement, values) => app.session.run(statement, values);
  const profiles = await profilesByLane(app);
  const zoneOf = (lane: string | undefined): string =>
    (lane === undefined ? undefined : profiles.get(laneCode(lane))?.hours?.zone) ?? 'UTC';
  const items = [
    ...(await approvals(run, app, actor, zoneOf)),
    ...(await decisions(run, app, actor)),
    ...(await ownBatches(run, app, actor, zoneOf)),
    ...(await questions(run, app, actor)),
    ...(await deskExceptions(run, app, actor, zoneOf)),
    ...(await byHand(app, actor)),
    ...(await dockets(app, actor)),
    ...(await grantExceptions(app, actor)),
    ...(await alerts(app, actor)),
  ].sort(byDue);
  return { items: items.slice(0, limit), total: items.length };
}

type ZoneOf = (lane: string | undefined) => string;

function byDue(one: InboxItem, other: InboxItem): number {
  const at = (item: InboxItem): number =>
    item.due ??
    (item.day === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${item.day}T23:59:59Z`));
  const [first, second] = [at(one), at(other)];
  return first === second ? 0 : first < second ? -1 : 1;
}

const NO_DAY = { due: undefined, zone: 'UTC', day: undefined } as const;

/** Batches that another party prepared and proposed. */
async function approvals(
  run: Run,
  { tenant }: Filewright,
  actor: PersonActor,
  zoneOf: ZoneOf,
): Promise<readonly InboxItem[]> {
  if (!may(actor, 'batch.approve').allowed) return [];
  const waiting = await batchesToApprove(run, tenant);
  const people = waiting.flatMap((one) => [one.preparedById, one.proposedById]);
  const parties = await partiesOf(run, tenant, people);
  const isOthers = ({ preparedById, proposedById }: BatchToApprove): boolean =>
    parties.get(preparedById) !== actor.party && parties.get(proposedById) !== actor.party;
  return waiting.filter(isOthers).map((one) => ({
    kind: 'approval',
    id: one.batch,
    what: `approve ${several(one.filings)} of ${one.source}${one.kind === 'release' ? ' again' : ''}`,
    why: `prepared by ${one.preparedBy}; you may approve`,
    due: one.due,
    zone: zoneOf(one.lane),
    day: undefined,
    next: `batch show ${one.batch}`,
  }));
}

/** Proposals of every other kind that this person may decide. */
async function decisions(
  run: Run,
  app: Filewright,
  actor: PersonActor,
): Promise<readonly InboxItem[]> {
  const { tenant } = app;
  // The keys of an object that is typed by them.
  const kinds = (Object.keys(DECISIONS) as (keyof typeof DECISIONS)[]).filter(
    (kind) => may(actor, DECISIONS[kind].act).allowed,
  );
  if (kinds.length === 0) return [];
  const open = (await proposals(run, tenant, kinds)).filter(({ state }) => state === 'open');
  const parties = await partiesOf(
    run,
    tenant,
    open.map(({ proposedBy }) => proposedBy),
  );
  const sight = docketSight(app, actor);
  const others: typeof open = [];
  for (const one of open) {
    if (parties.get(one.proposedBy) === actor.party) continue;
    // The reason for a date tells of the date: it is for who may see that.
    if (one.kind === 'docket' && !(await sight.mayKnowDates(docketId(one.subject)))) continue;
    others.push(one);
  }
  return others.map((one) => {
    const { what, next } = DECISIONS[one.kind as Exclude<ProposalKind, 'batch' | 'release'>];
    const about = what.includes('%') ? what.replace('%', one.subject) : what;
    const why = `proposed by another person: ${one.reason}`;
    return {
      kind: 'proposal',
      id: one.id,
      what: about,
      why,
      ...NO_DAY,
      next: next(one),
    } as const;
  });
}

/** What this person prepared and somebody sent back, or what did not finish. */
async function ownBatches(
  run: Run,
  { tenant }: Filewright,
  actor: PersonActor,
  zoneOf: ZoneOf,
): Promise<readonly InboxItem[]> {
  if (!may(actor, 'batch.propose').allowed) return [];
  const words = { refused: 'refused', held_back: 'held back', unfinished: 'not finished' };
  return (await batchesComeBack(run, tenant, actor.id)).map((one) => ({
    kind: 'batch',
    id: one.batch,
    what: `${several(one.filings)} of ${one.source}: ${words[one.kind]}`,
    why:
      one.kind === 'unfinished'
        ? 'you began the import'
        : `you prepared it; ${one.by ?? 'someone'}: ${one.reason ?? 'no reason was given'}`,
    due: one.due,
    zone: zoneOf(one.lane),
    day: undefined,
    next:
      one.kind === 'unfinished'
        ? `batch import FILE --resume ${one.batch}`
        : `batch show ${one.batch}`,
  }));
}

async function questions(
  run: Run,
  { tenant }: Filewright,
  actor: PersonActor,
): Promise<readonly InboxItem[]> {
  if (!may(actor, 'batch.answer').allowed) return [];
  return (await openQuestions(run, tenant, actor.id)).map((one) => ({
    kind: 'question',
    id: one.batch,
    what: `question ${one.n}: ${one.question}`,
    why: `${one.askedBy} asks about a batch that you prepared`,
    ...NO_DAY,
    next: `batch answer ${one.batch} ${one.n} "ANSWER"`,
  }));
}

/** What this person has in hand, what nobody knows the fate of, and how much is free: one line for all of that. */
async function byHand(app: Filewright, actor: PersonActor): Promise<readonly InboxItem[]> {
  if (!may(actor, 'hand.take').allowed) return [];
  const mine = (await listHand(app, actor, { mine: true, limit: BY_HAND_MAX })).filings;
  const { filings, counts } = await listHand(app, actor, { limit: BY_HAND_MAX });
  const items = [...mine, ...filings.filter(({ state }) => state.kind === 'look')].map(
    ({ filing, state, zone }): InboxItem => ({
      kind: 'by_hand',
      id: filing.id,
      what: `${filing.entityId}, ${filing.jurisdiction}, ${filing.filingKind} ${filing.period}`,
      why: state.kind === 'look' ? 'taken without an outcome: look first' : 'you have taken it',
      due: filing.due,
      zone,
      day: undefined,
      next: state.kind === 'look' ? `filing show ${filing.id}` : `hand sheet ${filing.id}`,
    }),
  );
  const first = filings.find(({ state }) => state.kind === 'free');
  if (first === undefined) return items;
  const free: InboxItem = {
    kind: 'by_hand',
    id: first.filing.id,
    what: `${several(counts.free)} to file by hand, free to take`,
    why: 'you may file by hand',
    due: first.filing.due,
    zone: first.zone,
    day: undefined,
    next: 'hand take',
  };
  return [...items, free];
}

const BY_HAND_MAX = 200;

/** Dockets that are with this person. A person who is not in the people file sees none. */
async function dockets(app: Filewright, actor: PersonActor): Promise<readonly InboxItem[]> {
  if (!may(actor, 'docket.list').allowed) return [];
  if (!(await hasDockets(app.session, app.tenant))) return [];
  return (await ownDockets(app, actor)).map((one) => ({
    kind: 'docket',
    id: one.id,
    what: [one.eventCode, one.matter].filter(Boolean).join(', '),
    why: 'it was handed to you and is not acknowledged',
    due: undefined,
    zone: 'UTC',
    day: one.due,
    next: `docket show ${one.id}`,
  }));
}

async function alerts(app: Filewright, actor: PersonActor): Promise<readonly InboxItem[]> {
  if (!may(actor, 'alert.ack').allowed) return [];
  const run: Run = (statement, values) => app.session.run(statement, values);
  const pages = alertPages(run, app.tenant, { all: false });
  const shown = await firstShown(pages, docketSight(app, actor), ALERTS_MAX);
  const causes = shown.flatMap(({ causedBy }) => (causedBy === undefined ? [] : [causedBy]));
  const parties = await partiesOf(run, app.tenant, causes);
  return shown
    .filter(({ causedBy }) => causedBy === undefined || parties.get(causedBy) !== actor.party)
    .map((one) => ({
      kind: 'alert',
      id: one.id,
      what: `[${one.severity}] ${one.subject}: ${one.text}`,
      why: 'no one has acknowledged it',
      ...NO_DAY,
      next: `alert ack ${one.id}`,
    }));
}

const ALERTS_MAX = 200;

function several(count: number): string {
  return count === 1 ? '1 filing' : `${count} filings`;
}
