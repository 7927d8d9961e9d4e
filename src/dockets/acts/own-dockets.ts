/** What one person has: dockets that were handed to them and that they have not acknowledged. */
import { formatDay } from '../../calendar/index.ts';
import { type Actor, allow } from '../../access/index.ts';
import type { DocketId } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { docketsSeenBy } from '../routing/docket-acts.ts';
import { activeRouting } from '../routing/setup.ts';
import { routingDeps } from './deps.ts';
import { viewerNamed } from './sight.ts';

interface OwnDocket {
  readonly id: DocketId;
  readonly eventCode: string;
  readonly matter: string | undefined;
  readonly due: string | undefined;
  readonly standing: string;
}

/** Empty for who is not in the people file: nothing is with them, and nothing may be shown to them. */
export async function ownDockets(app: Installation, person: Actor): Promise<readonly OwnDocket[]> {
  allow(person, 'docket.list');
  const active = await activeRouting(app, app.session);
  if (active === undefined) return [];
  const viewer = viewerNamed(active.people, person);
  const seen = await docketsSeenBy(routingDeps(app), viewer, { closed: 'no' });
  return seen
    .filter(({ owner, state }) => owner === viewer.party.id && state.state !== 'confirmed')
    .map(({ docket, dates, standing }) => ({
      id: docket.id,
      eventCode: docket.eventCode,
      matter: docket.event?.matter ?? docket.matter,
      due: dates.kind === 'dated' ? formatDay(dates.due) : undefined,
      standing,
    }));
}
