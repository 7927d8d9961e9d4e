/** Who gets what, as one person may see it. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Instant } from '../../core/index.ts';
import { formatDay } from '../../calendar/index.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import { NO_LABELS } from '../rules/access/labels.ts';
import { type MatrixRow, reachable } from '../rules/routing/matrix.ts';
import { loadRouting } from '../routing/setup.ts';
import { setupHistory } from '../store/setup.ts';
import { viewerFor } from './sight.ts';

export interface RoutingView {
  readonly n: number;
  readonly title: string;
  readonly matrixVersion: string;
  readonly peopleVersion: string;
  readonly activatedBy: string;
  readonly activatedAt: Instant;
  readonly targets: readonly {
    readonly id: string;
    readonly kind: string;
    readonly party: string;
    readonly confirmedBy: string;
  }[];
  readonly nodes: readonly {
    readonly id: string;
    readonly tier: string;
    readonly target: string;
    readonly next: readonly string[];
  }[];
  readonly routes: readonly MatrixRow[];
  readonly absences: readonly {
    readonly person: string;
    readonly from: string;
    readonly to: string;
    readonly delegate: string | undefined;
  }[];
  readonly history: readonly {
    readonly n: number;
    readonly matrix: string;
    readonly people: string;
    readonly activatedBy: string;
    readonly activatedAt: Instant;
  }[];
}

/**
 * Addresses stay out, since they hold tokens often enough, and so do the rights of people: "may not see matter 18/1" tells
 * that there is a matter 18/1. A row for a client is shown to who may see something of that client.
 */
export async function viewRouting(app: Installation, person: Actor): Promise<RoutingView> {
  allow(person, 'route.show');
  const active = await loadRouting(app);
  const viewer = await viewerFor(app, person);
  const { matrix, people } = active;
  const routes = matrix.rows.filter((row) => mayKnowRow(row, viewer));
  // A way that only hidden rows lead to often bears the name of their client.
  const nodes = new Set(routes.flatMap(({ start }) => reachable(matrix, start)));
  const persons = [...people.parties.values()].map((party) =>
    party.kind === 'person' ? party.target : undefined,
  );
  const targets = new Set([...[...nodes].map(({ target }) => target), ...persons]);
  return {
    n: active.n,
    title: matrix.title,
    matrixVersion: matrix.version,
    peopleVersion: active.peopleVersion,
    activatedBy: active.activatedBy,
    activatedAt: active.activatedAt,
    targets: [...matrix.targets.values()]
      .filter(({ id }) => targets.has(id))
      .map(({ address: _address, ...target }) => target),
    nodes: [...matrix.nodes.values()].filter((node) => nodes.has(node)),
    routes,
    absences: people.absences.map((absence) => ({
      ...absence,
      from: formatDay(absence.from),
      to: formatDay(absence.to),
    })),
    history: await setupHistory(app.session, app.tenant),
  };
}

function mayKnowRow(row: MatrixRow, viewer: Viewer): boolean {
  if (row.client === undefined) return true;
  const { client, technologyGroup } = row;
  return maySee(
    { applicationNumber: undefined, client, technologyGroup, labels: NO_LABELS },
    viewer,
  );
}
