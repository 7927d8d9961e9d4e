/** The firm of the routing bench: many technology groups with endpoints of their own, of which a tenth fails. */

/** Technology groups, each with endpoints of its own; a tenth of them fails: 503, refused and stalled. */
const GROUPS = 200;
export const FAILING = 8;
export const STALLING = 6;
export const REFUSED = 6;

export function eventOf(n: number): object {
  return {
    application_number: `18/${n}`,
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    due_date: '2099-01-05',
    client: `client-${n % 50}`,
    technology_group: `g${n % GROUPS}`,
    title: 'Non-final rejection',
  };
}

export function firm(port: number, refusedPort: number) {
  const targets: Record<string, object> = {};
  const nodes: Record<string, object> = {};
  const routes: object[] = [];
  const add = (group: string, tier: string, of: string, next: readonly string[]): string => {
    const id = `${group}-${tier.toLowerCase()}`;
    const n = Number(group.slice(1));
    const isRefused =
      tier === 'PRIMARY' && n >= FAILING + STALLING && n < FAILING + STALLING + REFUSED;
    const path = `/${Number.isNaN(n) ? 'firm' : n}/${tier.toLowerCase()}`;
    const address = `http://127.0.0.1:${isRefused ? refusedPort : port}${path}`;
    targets[id] = { kind: 'http', address, party: of };
    nodes[id] = { tier, target: id, next };
    return id;
  };
  const desk = add('firm', 'MANUAL', 'desk', []);
  const supervisor = add('firm', 'TERTIARY', 'supervisor', [desk]);
  for (let n = 0; n < GROUPS; n += 1) {
    const lead = add(`g${n}`, 'SECONDARY', 'lead', [supervisor]);
    const start = add(`g${n}`, 'PRIMARY', 'team', [lead]);
    routes.push({ client: '*', technology_group: `g${n}`, event: '*', start });
  }
  routes.push({ client: '*', technology_group: '*', event: '*', start: supervisor });
  const allow = ['client:*', 'class:*', 'privilege:*'];
  const matrix = {
    kind: 'routing-matrix',
    format: 1,
    title: 'bench',
    targets,
    nodes,
    routes,
    privileged: ['desk'],
  };
  const people = {
    kind: 'people',
    format: 1,
    zone: 'America/New_York',
    persons: {
      lead: { name: 'Lead', target: 'g0-secondary', allow },
      supervisor: { name: 'Supervisor', target: supervisor, allow },
      desk: { name: 'Desk', target: desk, allow },
    },
    teams: { team: { name: 'Team', members: ['lead'] } },
  };
  return {
    matrix: { file: 'matrix', text: JSON.stringify(matrix) },
    people: { file: 'people', text: JSON.stringify(people) },
  };
}
