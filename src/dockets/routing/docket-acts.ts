/**
 * What people see of dockets, and what they do with them. Every function asks for rights here, through `visible` and
 * `seen`, so that a hidden docket answers exactly like one that does not exist.
 */
import {
  type DocketId,
  type Instant,
  type PartyId,
  ruledOut,
  toRfc3339,
} from '../../core/index.ts';
import { formatDay } from '../../calendar/index.ts';
import { maySee, seen, unknownDocket, type Viewer } from '../rules/access/visible.ts';
import type { Party, People } from '../rules/access/people.ts';
import { blindDates, standingOfSecond } from '../rules/docket/second.ts';
import { type Closing, closingOf } from '../rules/docket/closing.ts';
import { datesOf } from '../rules/docket/dates.ts';
import type { OpenDocket } from '../rules/docket/report.ts';
import { type RoutingState, tierOf } from '../rules/routing/state.ts';
import { closeDocketRow, docketPages, docketPayloads, findDocket } from '../store/dockets.ts';
import { databaseNow, lockDockets } from '../store/steps.ts';
import type { DocketFilter, StoredDocket } from '../store/docket-rows.ts';
import { secondOf } from '../store/datings.ts';
import { handoffsOf } from '../store/handoffs.ts';
import { listDifferences } from '../store/differences.ts';
import { blindTo } from './blind.ts';
import { assignedTo } from './decide.ts';
import { trailOf } from './trail.ts';
import { factOf, stored } from './facts.ts';
import type { Actor, RoutingDeps } from './deps.ts';
import { stepTold } from './step.ts';
import type { Acknowledged, DocketClosed, DocketDetail, DocketView } from './views.ts';

/** Somebody who is not in the people file sees nothing. */
export function viewerOf(people: People, id: PartyId): Viewer {
  const stranger: Party = { kind: 'person', id, name: id, target: undefined, allow: [], deny: [] };
  return { party: people.parties.get(id) ?? stranger, people };
}

export async function docketsSeenBy(
  deps: RoutingDeps,
  viewer: Viewer,
  filter: DocketFilter = {},
): Promise<DocketView[]> {
  const { session, tenant } = deps;
  const { limit = Number.POSITIVE_INFINITY, ...rest } = filter;
  const now = await databaseNow(session);
  const views: DocketView[] = [];
  // The limit counts what is shown: a page that comes out shorter would tell that something is hidden.
  for await (const page of docketPages(session, tenant, rest)) {
    const blind = await blindTo(
      deps,
      viewer,
      page.filter((row) => maySee(row.docket, viewer)),
    );
    for (const row of page) {
      if (views.length >= limit) return views;
      if (maySee(row.docket, viewer)) {
        const view = viewOf(deps, row, now);
        views.push(blind.has(row.id) ? blindView(view) : view);
      }
    }
  }
  return views;
}

/** For the report and for the list of what a changed law moves; dates that may not be shown say so. */
export async function openDockets(deps: RoutingDeps, viewer: Viewer): Promise<OpenDocket[]> {
  const open: OpenDocket[] = [];
  for await (const page of docketPages(deps.session, deps.tenant)) {
    const seenRows = page.filter((row) => maySee(row.docket, viewer));
    const blind = await blindTo(deps, viewer, seenRows);
    for (const { id, docket, state } of seenRows) {
      const isBlind = blind.has(id);
      open.push({ docket, owner: ownerOf(state), state: standingOf(state), isBlind });
    }
  }
  return open;
}

/** Nothing of what the first one computed, or computed it from. */
function blindView(view: DocketView): DocketView {
  const { docket, dates } = view;
  const { also: _also, event, ...rest } = docket;
  const shown =
    event === undefined
      ? undefined
      : {
          ...event,
          eventDate: undefined,
          period: undefined,
          rule: undefined,
          inputs: {},
          stated: { due: undefined, final: undefined },
        };
  return {
    ...view,
    docket: { ...rest, event: shown },
    dates: blindDates(dates.asOf, dates.office),
    // Its moments follow from the date.
    state: { state: 'not_shown' },
    nextAt: undefined,
    isBlind: true,
  };
}

export async function docketSeenBy(
  deps: RoutingDeps,
  viewer: Viewer,
  id: DocketId,
  /** Awaited before anything is opened, and only then: of a docket that is hidden or not there nothing is. */
  opening?: () => Promise<void>,
): Promise<DocketDetail> {
  const { session, tenant, vault } = deps;
  const row = await requireSeen(deps, viewer, id);
  const isBlind = (await blindTo(deps, viewer, [row])).has(id);
  const payload = (await docketPayloads(session, tenant, [id])).get(id);
  if (payload !== undefined && !isBlind) await opening?.();
  const now = await databaseNow(session);
  const view = viewOf(deps, row, now);
  return {
    ...(isBlind ? blindView(view) : view),
    contentType: row.contentType,
    assignedTo: assignedTo(row),
    // The record holds the first reading.
    payload: payload === undefined || isBlind ? undefined : vault.open(payload),
    isDestroyed: payload === undefined,
    handoffs: await handoffsOf(session, tenant, id),
    differences: await listDifferences(session, tenant, { all: true, docket: id }),
    ...(isBlind ? {} : { trail: await trailOf(deps, viewer, row, now) }),
  };
}

/** The row, for who may see the docket and its dates. */
export async function requireDated(
  deps: RoutingDeps,
  viewer: Viewer,
  id: DocketId,
): Promise<StoredDocket> {
  const row = await requireSeen(deps, viewer, id);
  if (!(await blindTo(deps, viewer, [row])).has(id)) return row;
  throw ruledOut(
    `The dates of docket "${id}" are not shown to you, because it waits for its second docketing: give that with docket second, or see them with docket reveal`,
  );
}

async function requireSeen(
  { session, tenant }: RoutingDeps,
  viewer: Viewer,
  id: DocketId,
): Promise<StoredDocket> {
  const row = await findDocket(session, tenant, id);
  seen(id, row === undefined ? undefined : row.docket, viewer);
  if (row === undefined) throw unknownDocket(id);
  return row;
}

export function viewOf(deps: RoutingDeps, row: StoredDocket, now: Instant): DocketView {
  const docket = row.docket;
  const state = row.state;
  return {
    docket,
    source: row.source,
    receivedAt: row.receivedAt,
    dates: datesOf(docket, deps.law(), now),
    state,
    standing: row.closed === undefined ? standingOf(state) : 'closed',
    owner: ownerOf(state),
    nextAt: row.nextAt,
    closed: row.closed === undefined ? undefined : { at: row.closed.at, by: row.closed.by },
  };
}

function standingOf(state: RoutingState): string {
  return state.state === 'confirmed' ? 'confirmed' : tierOf(state);
}

function ownerOf(state: RoutingState): string | undefined {
  return state.state === 'confirmed' ? state.by : state.handed.at(-1)?.party;
}

/** The first acknowledgement wins, over all processes. */
export async function acknowledgeAs(
  deps: RoutingDeps,
  viewer: Viewer,
  id: DocketId,
): Promise<Acknowledged> {
  await requireSeen(deps, viewer, id);
  return acknowledge(deps, id, viewer.party.id);
}

export async function acknowledge(
  deps: RoutingDeps,
  docket: DocketId,
  by: PartyId,
): Promise<Acknowledged> {
  const actor: Actor = { kind: 'user', id: by };
  const happening = { kind: 'acknowledged', by } as const;
  const { results } = await stepTold(deps, deps.session, [{ docket, happening, actor }]);
  const [result] = results;
  // A docket that is closed takes no step any more, but may have been confirmed before.
  const row =
    result === undefined ? await findDocket(deps.session, deps.tenant, docket) : undefined;
  const state = result?.decision.state ?? (row === undefined ? undefined : row.state);
  if (state?.state !== 'confirmed') {
    return row?.closed === undefined
      ? { kind: 'not_given' }
      : { kind: 'closed', at: row.closed.at, by: row.closed.by };
  }
  const isFirst = result?.decision.outcome === 'done';
  return { kind: isFirst ? 'acknowledged' : 'already', at: state.at, by: state.by };
}

export type CloseRequest =
  | { readonly kind: 'proof'; readonly receipt: string; readonly filedAt: Instant }
  | { readonly kind: 'override'; readonly reason: string }
  | { readonly kind: 'seen' };

/** Throws PROOF_NEEDED with what is missing. Closing twice changes nothing, and tells what was recorded the first time. */
export async function closeAs(
  deps: RoutingDeps,
  viewer: Viewer,
  id: DocketId,
  request: CloseRequest,
): Promise<DocketClosed> {
  const { session, tenant, ids } = deps;
  await requireSeen(deps, viewer, id);
  const by = viewer.party.id;
  const closing: Closing = request.kind === 'proof' ? request : { ...request, by };
  return session.transaction(async (run) => {
    const { dockets, now } = await lockDockets(run, tenant, [id]);
    const [row] = dockets;
    if (row === undefined) throw unknownDocket(id);
    if (row.closed !== undefined) {
      // Written below.
      const { how, inTime } = row.closed.closing;
      return { how, inTime, isFirst: false, at: row.closed.at, by: row.closed.by };
    }
    const docket = row.docket;
    const law = deps.law();
    const dates = datesOf(docket, law, now);
    const second = await secondOf({ run }, tenant, id);
    const standing = second && standingOfSecond(docket, second, law, now);
    if (standing?.kind === 'blocked' && closing.kind !== 'proof') {
      throw ruledOut(
        `The two docketings of "${id}" differ: a third person decides with docket decide first, or it is closed with proof of filing`,
      );
    }
    const closed = closingOf(docket, closing, { dates, law, now });
    const due = dates.kind === 'dated' ? formatDay(dates.due) : undefined;
    const actor: Actor = { kind: 'user', id: by };
    const fact = factOf(ids, 'docket.closed', actor, {
      how: closed.how,
      ...(closing.kind === 'proof'
        ? { receipt: closing.receipt, filed_at: toRfc3339(closing.filedAt) }
        : { by: closing.by }),
      reason: closing.kind === 'override' ? closing.reason : undefined,
      in_time: closed.inTime,
      due,
    });
    const written = { by, closing: stored({ ...closing, ...closed }) as object, fact };
    return { ...closed, isFirst: await closeDocketRow(run, tenant, id, written), at: now, by };
  });
}
