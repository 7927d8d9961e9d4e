/** The way of one docket through the matrix, as of now: who is there, who may see it, in which order. */
import type { Day } from '../../../calendar/index.ts';
import {
  FilewrightError,
  type Instant,
  type PartyId,
  type Sha256Hex,
  type TargetId,
} from '../../../core/index.ts';
import { accessOf, type Guarded } from '../access/rights.ts';
import { inherit, type Labels } from '../access/labels.ts';
import { type Party, type People, presenceOf, type Team, todayAt } from '../access/people.ts';
import { type MatrixNode, reachable, type RoutingMatrix, rowFor, type Target } from './matrix.ts';
import type { Hop } from './state.ts';
import { type Tier, TIERS } from './tiers.ts';

export interface Candidate {
  readonly hop: Hop;
  readonly target: Target;
}

interface RouteTier {
  readonly tier: Tier;
  /** In order of preference; empty where nobody of the tier is there or has the right. */
  readonly candidates: readonly Candidate[];
}

interface RouteSkip {
  readonly tier: Tier;
  readonly node: string;
  readonly target: TargetId;
  readonly reason: 'no_right' | 'absent' | 'no_target';
  readonly why: string;
}

export interface Route {
  readonly matrixVersion: Sha256Hex;
  /** Every tier inherits them. */
  readonly labels: Labels;
  /** PRIMARY to MANUAL, all four. */
  readonly tiers: readonly RouteTier[];
  /** Each is an entry in the ledger. */
  readonly skips: readonly RouteSkip[];
}

/** `docket` needs no more than what rights and rows are asked about. */
export function routeOf(
  docket: Guarded & { readonly eventCode: string },
  matrix: RoutingMatrix,
  people: People,
  now: Instant,
): Route {
  const row = rowFor(matrix, docket);
  if (row === undefined) {
    throw new FilewrightError(
      'ROUTING_MATRIX_INVALID',
      'routes: no row fits this combination. Run route check.',
    );
  }
  const nodes = reachable(matrix, row.start);
  const today = todayAt(people, now);
  const skips: RouteSkip[] = [];
  const tiers = TIERS.map((tier): RouteTier => {
    const own = nodes
      .filter((node) => node.tier === tier)
      .flatMap((node) => candidateOf(node, { docket, matrix, people, today, skips }));
    const candidates =
      tier === 'MANUAL'
        ? [...own, ...privileged(own, { docket, matrix, people, today, skips })]
        : own;
    return { tier, candidates };
  });
  return { matrixVersion: matrix.version, labels: inherit(docket.labels), tiers, skips };
}

interface Search {
  readonly docket: Guarded;
  readonly matrix: RoutingMatrix;
  readonly people: People;
  readonly today: Day;
  readonly skips: RouteSkip[];
}

function candidateOf(node: MatrixNode, search: Search): Candidate[] {
  const { matrix, people, skips } = search;
  const target = matrix.targets.get(node.target);
  const party = target === undefined ? undefined : people.parties.get(target.party);
  const place = { tier: node.tier, node: node.id, target: node.target };
  if (target === undefined || party === undefined) {
    skips.push({ ...place, reason: 'no_target', why: 'the target or its party does not exist' });
    return [];
  }
  return candidate(place, { target, party }, search);
}

/** Whoever is named privileged comes after the desk, and takes its place where the desk may not see the docket. */
function privileged(own: readonly Candidate[], search: Search): Candidate[] {
  const { matrix, people } = search;
  const known = new Set(own.map(({ hop }) => hop.target));
  return matrix.privileged.flatMap((id) => {
    const party = people.parties.get(id);
    const target = party?.kind === 'person' ? matrix.targets.get(party.target ?? '') : undefined;
    if (party === undefined || target === undefined || known.has(target.id)) return [];
    const place = { tier: 'MANUAL', node: 'privileged', target: target.id } as const;
    return candidate(place, { target, party }, search);
  });
}

/** The party if it is there, or who stands in; then the rights of whoever would really read it. */
function candidate(
  place: Pick<RouteSkip, 'tier' | 'node' | 'target'>,
  asked: { readonly target: Target; readonly party: Party },
  { docket, matrix, people, today, skips }: Search,
): Candidate[] {
  let { target, party } = asked;
  let standsInFor: readonly PartyId[] = [];
  if (party.kind === 'person') {
    const presence = presenceOf(party, people, today);
    if (presence.kind === 'nobody') {
      skips.push({ ...place, reason: 'absent', why: `absent: ${presence.from.join(', ')}` });
      return [];
    }
    if (presence.kind === 'delegated') {
      const own = matrix.targets.get(presence.person.target ?? '');
      if (own === undefined) {
        const why = `the delegate ${presence.person.id} has no target`;
        skips.push({ ...place, reason: 'no_target', why });
        return [];
      }
      target = own;
      party = presence.person;
      standsInFor = presence.from;
    }
  }
  if (party.kind === 'team' && isEmpty(party, people, today)) {
    skips.push({ ...place, reason: 'absent', why: `absent: ${party.members.join(', ')}` });
    return [];
  }
  const access = accessOf(docket, party, people);
  if (!access.may) {
    const why = `${access.party}: ${access.why}`;
    skips.push({ ...place, target: target.id, reason: 'no_right', why });
    return [];
  }
  const { tier, node } = place;
  return [{ hop: { tier, node, target: target.id, party: party.id, standsInFor }, target }];
}

/** A team of which nobody is there today. Its queue would take the docket, and nobody would read it. */
function isEmpty(team: Team, people: People, today: Day): boolean {
  const members = team.members.flatMap((id) => people.parties.get(id) ?? []);
  return (
    members.length > 0 &&
    members.every((one) => one.kind === 'person' && presenceOf(one, people, today).kind !== 'here')
  );
}
