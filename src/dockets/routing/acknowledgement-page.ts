/**
 * What the page behind a link shows and does. A link is a capability: mail scanners open it, people forward it. It lets its
 * holder acknowledge, and tells which docket it is only where the whole firm may know; otherwise who signs in is told.
 */
import { asParty } from '../../access/index.ts';
import { formatDay } from '../../calendar/index.ts';
import { isConfidential } from '../rules/access/rights.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import type { People } from '../rules/access/people.ts';
import { databaseNow } from '../store/steps.ts';
import { findDocket } from '../store/dockets.ts';
import { findLink, type LinkTicket, markLinkUsed } from '../store/handoffs.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { acknowledge, viewerOf, viewOf } from './docket-acts.ts';
import type { RoutingDeps } from './deps.ts';
import { loadRouting } from './setup.ts';

/** Who the owner of a personal key is to the dockets; undefined for a key that is not known. */
type SignIn = (key: string, people: People) => Promise<Viewer | undefined>;

interface Found {
  readonly link: LinkTicket;
  readonly row: StoredDocket;
  /** Who was sent the link. */
  readonly viewer: Viewer;
}

/** Fits `AcknowledgementPage` of web/. */
export function acknowledgementPage(deps: RoutingDeps, signIn?: SignIn) {
  const find = async (reference: string): Promise<Found | undefined> => {
    const link = await findLink(deps.session, deps.tenant, reference);
    const row =
      link === undefined ? undefined : await findDocket(deps.session, deps.tenant, link.docket);
    if (link === undefined || row === undefined) return undefined;
    const { people } = await loadRouting(deps);
    const viewer = viewerOf(people, link.party);
    // Rights may have been taken away since the link was sent.
    return maySee(row.docket, viewer) ? { link, row, viewer } : undefined;
  };
  const look = async (found: Found, reader: Viewer | undefined) => {
    const { row, viewer } = found;
    const state = row.state;
    if (state.state === 'confirmed') {
      return { kind: 'acknowledged', at: state.at, by: state.by } as const;
    }
    // The button would lead nowhere.
    if (row.closed !== undefined) {
      return { kind: 'closed', at: row.closed.at, by: row.closed.by } as const;
    }
    const { docket, dates } = viewOf(deps, row, await databaseNow(deps.session));
    const due = dates.kind === 'dated' ? `Due ${formatDay(dates.due)}` : 'No date is known';
    const open = { kind: 'open', reader: viewer.party.name } as const;
    if (reader === undefined && isConfidential(docket, viewer.people)) {
      return { ...open, title: 'A docket event', lines: [due], needsSignIn: true };
    }
    const number = docket.applicationNumber ?? 'a record that could not be read';
    const lines = [due, `Docket ${docket.id}`];
    return { ...open, title: `${docket.eventCode} in ${number}`, lines };
  };
  return {
    look: async (reference: string) => {
      const found = await find(reference);
      return found === undefined ? undefined : look(found, undefined);
    },
    signIn: async (reference: string, key: string) => {
      const found = await find(reference);
      const reader = found && (await signIn?.(key, found.viewer.people));
      if (found === undefined || reader === undefined) return undefined;
      return maySee(found.row.docket, reader) ? look(found, reader) : undefined;
    },
    acknowledge: async (reference: string) => {
      const found = await find(reference);
      if (found === undefined) return undefined;
      const { link, row, viewer } = found;
      // Whoever holds the link acts as the one to whom it was sent, and as nobody else.
      const { id } = viewer.party;
      const done = await asParty(id, () => acknowledge(deps, row.id, id));
      if (done.kind === 'not_given' || done.kind === 'closed') return undefined;
      await deps.session.transaction((run) =>
        markLinkUsed(run, deps.tenant, link.reference, done.by),
      );
      return { at: done.at, by: done.by, isFirst: done.kind === 'acknowledged' };
    },
  };
}
