/** Dockets that change hands by a person's word: one to a colleague, or all that somebody has who is away. */
import { type Actor, allow } from '../../access/index.ts';
import {
  checkReason,
  docketId,
  type DocketId,
  type PartyId,
  partyId,
  ruledOut,
} from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { presenceOf, todayAt } from '../rules/access/people.ts';
import { accessOf } from '../rules/access/rights.ts';
import { maySee, unknownDocket, type Viewer } from '../rules/access/visible.ts';
import type { Docket } from '../rules/docket/docket.ts';
import { wasSentTo } from '../rules/docket/second.ts';
import { isWith } from '../rules/routing/given.ts';
import { type ActiveRouting, loadRouting } from '../routing/setup.ts';
import { stepTold } from '../routing/step.ts';
import { docketPages, findDocket } from '../store/dockets.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { databaseNow } from '../store/steps.ts';
import { routingDeps } from './deps.ts';
import { isPrivileged } from './privilege.ts';
import { viewerFor } from './sight.ts';

export async function giveDocket(
  app: Installation,
  actor: Actor,
  id: string,
  gift: { readonly to: string; readonly reason: string },
): Promise<{ readonly docket: DocketId; readonly to: PartyId }> {
  allow(actor, 'docket.give');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, actor);
  const docket = docketId(id);
  const row = await findDocket(app.session, app.tenant, docket);
  if (row === undefined || !maySee(row.docket, viewer)) throw unknownDocket(docket);
  if (row.closed !== undefined) throw ruledOut(`Docket "${id}" is closed`);
  if (!wasSentTo(row.state, viewer) && !(await isPrivileged(app, actor))) {
    throw ruledOut(
      `Docket "${id}" was not handed off to you; its owner or a privileged person of the routing matrix can give it`,
    );
  }
  const reason = checkReason('--reason', gift.reason);
  const routing = await loadRouting(deps);
  const to = await personThere(app, routing, gift.to);
  requireReach(routing, to, row.docket);
  await tell(app, viewer, [{ row, to }], reason);
  return { docket, to };
}

async function personThere(
  app: Installation,
  { people }: ActiveRouting,
  named: string,
): Promise<PartyId> {
  const person = [...people.parties.values()].find(
    ({ kind, id, name }) => kind === 'person' && (id === named || name === named),
  );
  if (person?.kind !== 'person') {
    throw ruledOut(`"${named}" is not a person in the people file`);
  }
  const today = todayAt(people, await databaseNow(app.session));
  if (presenceOf(person, people, today).kind !== 'here') {
    throw ruledOut(`${person.name} is absent today; name someone who is there`);
  }
  return person.id;
}

/** To have a docket is to see it: nobody is given what they have no right to. */
function requireReach({ people, matrix }: ActiveRouting, to: PartyId, docket: Docket): void {
  const person = people.parties.get(to);
  if (person === undefined || !accessOf(docket, person, people).may) {
    throw ruledOut(
      `${person?.name ?? to} may not see docket "${docket.id}"; name someone with the right to see it`,
    );
  }
  if (person.kind !== 'person' || !matrix.targets.has(person.target ?? '')) {
    throw ruledOut(`${person.name} has no target in the routing matrix by which to be reached`);
  }
}

interface Gift {
  readonly row: StoredDocket;
  /** Undefined: whoever of its way is there. */
  readonly to: PartyId | undefined;
  readonly from?: PartyId;
}

/** In one transaction each hundred, so that locks are short; a crash in between leaves the rest as it was. */
const AT_ONCE = 100;

async function tell(
  app: Installation,
  viewer: Viewer,
  gifts: readonly Gift[],
  reason: string,
): Promise<void> {
  const actor = { kind: 'user', id: viewer.party.id } as const;
  for (let at = 0; at < gifts.length; at += AT_ONCE) {
    const tellings = gifts.slice(at, at + AT_ONCE).map(({ row, to, from = viewer.party.id }) => ({
      docket: row.id,
      happening: { kind: 'given', from, to, reason } as const,
      actor,
    }));
    await stepTold(routingDeps(app), app.session, tellings);
  }
  await sequenceAll(app);
}

export interface HandedOver {
  readonly docket: DocketId;
  readonly applicationNumber: string | undefined;
  /** Undefined: the delegate may not see it, or there is none; it goes on to whoever of its way is there. */
  readonly to: PartyId | undefined;
}

/** More at once is no person's desk. */
const DESK_MAX = 10_000;

/**
 * What an absent person has now: by name, all of it or only some. What the delegate may not see goes on down its own way, so
 * that nothing stays on an empty desk. Only what the person who notes it may see is listed.
 */
export async function handOverDesk(
  app: Installation,
  viewer: Viewer,
  absence: {
    readonly person: string;
    readonly delegate?: string | undefined;
    readonly only?: readonly string[] | undefined;
  },
): Promise<readonly HandedOver[]> {
  const deps = routingDeps(app);
  const routing = await loadRouting(deps);
  const from = partyId(absence.person);
  const delegate =
    absence.delegate === undefined ? undefined : routing.people.parties.get(absence.delegate);
  const gifts: Gift[] = [];
  for await (const page of docketPages(app.session, app.tenant)) {
    for (const row of page) {
      if (!isWith(row.state, from)) continue;
      if (absence.only !== undefined && !absence.only.includes(row.id)) continue;
      if (gifts.length >= DESK_MAX) break;
      const mayHave =
        delegate?.kind === 'person' &&
        routing.matrix.targets.has(delegate.target ?? '') &&
        accessOf(row.docket, delegate, routing.people).may;
      gifts.push({ row, from, to: mayHave ? delegate.id : undefined });
    }
  }
  const missing = absence.only?.filter((id) => !gifts.some(({ row }) => row.id === id)) ?? [];
  if (missing.length > 0) {
    throw ruledOut(`${absence.person} does not have docket ${missing.join(', ')}`);
  }
  await tell(app, viewer, gifts, `${absence.person} is absent`);
  return gifts
    .filter(({ row }) => maySee(row.docket, viewer))
    .map(({ row, to }) => ({
      docket: row.id,
      applicationNumber: row.docket.applicationNumber,
      to,
    }));
}
