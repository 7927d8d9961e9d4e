/** A firm drawn from a seed: people with rights and absences, and a random sound matrix. */
import { addDays, formatDay } from '../../src/calendar/day.ts';
import { dateAtOffice } from '../../src/calendar/office-time.ts';
import type { Instant } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import type { People } from '../../src/dockets/rules/access/people.ts';
import { readPeople } from '../../src/dockets/rules/access/read-people.ts';
import { checkMatrix } from '../../src/dockets/rules/routing/check-matrix.ts';
import { readMatrix } from '../../src/dockets/rules/routing/read-matrix.ts';
import type { RoutingMatrix } from '../../src/dockets/rules/routing/matrix.ts';
import { type Tier, TIERS } from '../../src/dockets/rules/routing/tiers.ts';
import { Draw } from '../world/draw.ts';

export const CLIENTS = ['Northwind', 'Contoso', 'Fabrikam'] as const;
export const GROUPS = ['BIO', 'ELEC'] as const;
export const CLASSES = ['export-controlled', 'trade-secret'] as const;
export const ZONE = 'America/New_York';

export interface Firm {
  readonly matrix: RoutingMatrix;
  readonly people: People;
  /** The same people once the faults are over: the privileged person may see everything. */
  readonly healedPeople: People;
  /** A matrix with a planted circle, which the check must not let through. */
  readonly circular: RoutingMatrix;
}

type Json = Record<string, JsonValue>;

const PERSONS = 9;

export function firmOfSeed(seed: number, start: Instant): Firm {
  const draw = new Draw(seed, 'firm');
  const persons = personsOf(draw, new Draw(seed, 'walls'));
  const teams = teamsOf(draw);
  const absences = absencesOf(draw, start);
  const peopleText = (own: Json): string =>
    JSON.stringify({ kind: 'people', format: 1, zone: ZONE, persons: own, teams, absences });
  const boss = { name: 'p0', target: 'mail-p0', allow: ['client:*', 'class:*', 'privilege:*'] };
  const wall = draw.chance(0.2) ? { deny: [`client:${draw.pick(CLIENTS)}`] } : {};
  const people = readPeople({
    file: 'people',
    text: peopleText({ ...persons, p0: { ...boss, ...wall } }),
  });
  const healedPeople = readPeople({ file: 'people', text: peopleText({ ...persons, p0: boss }) });
  const nodes = nodesOf(draw);
  const matrix = matrixOf(draw, nodes);
  return { matrix, people, healedPeople, circular: circularOf(draw, nodes) };
}

/** Undefined where the check finds what it must find, and nothing else. */
export function faultOfCheck(firm: Firm): string | undefined {
  const faults = checkMatrix(firm.matrix, firm.people);
  if (faults.length > 0) return `a sound matrix is refused: ${faults[0]?.why}`;
  const circle = checkMatrix(firm.circular, firm.people).some(({ why }) =>
    why.includes('the nodes form a loop'),
  );
  return circle ? undefined : 'a matrix with a circle passes the check';
}

function personsOf(draw: Draw, walls: Draw): Json {
  const persons: Json = {};
  for (let index = 0; index < PERSONS; index += 1) {
    const allow = [
      draw.chance(0.9) ? 'client:*' : `client:${draw.pick(CLIENTS)}`,
      ...(draw.chance(0.3) ? [`group:${draw.pick(GROUPS)}`] : []),
      ...(draw.chance(0.95) ? ['privilege:attorney-client'] : []),
      ...(draw.chance(0.5) ? [`class:${draw.pick([...CLASSES, '*'])}`] : []),
    ];
    const deny = [
      ...(draw.chance(0.08) ? [`client:${draw.pick(CLIENTS)}`] : []),
      ...(walls.chance(0.06) ? [`matter:18/30010${walls.int(0, 4)}`] : []),
    ];
    persons[`p${index}`] = { name: `p${index}`, target: `mail-p${index}`, allow, deny };
  }
  return persons;
}

function teamsOf(draw: Draw): Json {
  const team = (index: number): Json => ({
    name: `t${index}`,
    members: draw.shuffled(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']).slice(0, draw.int(1, 2)),
  });
  return { t0: team(0), t1: team(1), t2: team(2) };
}

/** Delegates have larger numbers, so that there is no circle. */
function absencesOf(draw: Draw, start: Instant): Json[] {
  const today = dateAtOffice(start, ZONE);
  return Array.from({ length: PERSONS - 2 }, (_, index) => index + 1)
    .filter(() => draw.chance(0.3))
    .map((index) => {
      const from = addDays(today, draw.int(-3, 6));
      const delegate = draw.chance(0.7) ? { delegate: `p${draw.int(index + 1, PERSONS - 1)}` } : {};
      return {
        person: `p${index}`,
        from: formatDay(from),
        to: formatDay(addDays(from, draw.int(0, 8))),
        ...delegate,
      };
    });
}

interface DrawnNode {
  readonly tier: Tier;
  readonly target: string;
  readonly next: string[];
}

const TEAM_TARGETS = ['http-t0', 'http-t1', 'queue-t2'];

/** Edges go to later nodes only, and each node has one to a later tier: so there is no circle and no dead end. */
function nodesOf(draw: Draw): Map<string, DrawnNode> {
  const nodes = new Map<string, DrawnNode>();
  const tiers = TIERS.map((tier) => ({
    tier,
    ids: Array.from({ length: tier === 'MANUAL' ? 1 : draw.int(1, 3) }, (_, n) => `${tier}-${n}`),
  }));
  for (const [rank, { tier, ids }] of tiers.entries()) {
    for (const [place, id] of ids.entries()) {
      const target =
        tier === 'PRIMARY' || draw.chance(0.15)
          ? draw.pick(TEAM_TARGETS)
          : `mail-p${draw.int(1, PERSONS - 1)}`;
      const same = ids.slice(place + 1).filter(() => draw.chance(0.7));
      const below = tiers.slice(rank + 1);
      const later = below.flatMap((one, distance) =>
        one.ids.filter(() => draw.chance(distance === 0 ? 0.8 : 0.2)),
      );
      const must = below.length === 0 ? [] : draw.pick(below).ids.slice(0, 1);
      nodes.set(id, { tier, target, next: [...new Set([...same, ...later, ...must])] });
    }
  }
  return nodes;
}

function matrixOf(draw: Draw, nodes: ReadonlyMap<string, DrawnNode>): RoutingMatrix {
  const primaries = [...nodes].filter(([, { tier }]) => tier === 'PRIMARY').map(([id]) => id);
  const routes = [
    { client: '*', technology_group: '*', event: '*', start: draw.pick(primaries) },
    { client: 'Contoso', technology_group: '*', event: '*', start: draw.pick(primaries) },
    { client: '*', technology_group: 'BIO', event: 'CTNF', start: draw.pick([...nodes.keys()]) },
  ];
  return read(nodes, routes, draw.chance(0.5) ? ['p0'] : ['p0', 'p7']);
}

function circularOf(draw: Draw, nodes: ReadonlyMap<string, DrawnNode>): RoutingMatrix {
  const [from, to] = ['TERTIARY-0', 'TERTIARY-9'];
  const target = draw.pick(TEAM_TARGETS);
  const bent = new Map(nodes)
    .set(to, { tier: 'TERTIARY', target, next: [from, 'MANUAL-0'] })
    .set(from, { tier: 'TERTIARY', target, next: ['MANUAL-0', to] });
  const routes = [{ client: '*', technology_group: '*', event: '*', start: from }];
  return read(bent, routes, ['p0']);
}

function read(
  nodes: ReadonlyMap<string, DrawnNode>,
  routes: readonly Json[],
  privileged: readonly string[],
): RoutingMatrix {
  const targets: Json = {
    'http-t0': { kind: 'http', address: 'https://t0.example/', party: 't0' },
    'http-t1': { kind: 'http', address: 'https://t1.example/', party: 't1' },
    'queue-t2': { kind: 'rabbitmq', address: 't2', party: 't2' },
  };
  for (let index = 0; index < PERSONS; index += 1) {
    targets[`mail-p${index}`] = {
      kind: 'mail',
      address: `p${index}@x.example`,
      party: `p${index}`,
    };
  }
  const text = JSON.stringify({
    kind: 'routing-matrix',
    format: 1,
    title: 'drawn',
    targets,
    nodes: Object.fromEntries(nodes),
    routes,
    privileged,
  });
  return readMatrix({ file: 'matrix', text });
}
