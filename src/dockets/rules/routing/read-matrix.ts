/** Reads a routing matrix. Shape here, by line; sense in check-matrix.ts, all faults at once. */
import { type LawNode, readLawDocument } from '../../../calendar/index.ts';
import { canonicalText, partyId, sha256Of, targetId } from '../../../core/index.ts';
import { inFile, members } from '../access/read-people.ts';
import type { AssignmentTable } from './assignment-table.ts';
import type { MatrixNode, MatrixRow, RoutingMatrix, Target } from './matrix.ts';
import { policy } from './read-policy.ts';
import { TIERS } from './tiers.ts';

const ANY = '*';

export function readMatrix(source: {
  readonly file: string;
  readonly text: string;
}): RoutingMatrix {
  return inFile('ROUTING_MATRIX_INVALID', () => {
    const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
    root.object(
      ['kind', 'format', 'title', 'targets', 'nodes', 'routes', 'privileged'],
      ['notes', 'policy', 'assignment'],
    );
    root.field('kind').oneOf(['routing-matrix']);
    root.field('format').integer({ min: 1, max: 1 });
    return {
      title: root.field('title').text(),
      version: versionOf(root),
      targets: new Map(members(root.field('targets')).map(([id, node]) => [id, target(id, node)])),
      nodes: new Map(members(root.field('nodes')).map(([id, node]) => [id, matrixNode(id, node)])),
      rows: root.field('routes').items().map(row),
      privileged: root
        .field('privileged')
        .items()
        .map((node) => partyId(node.text())),
      assignment: root.optional('assignment')?.items().map(assignmentTable) ?? [],
      policy: policy(root.optional('policy')),
    };
  });
}

/** Numbers may be fractions in no field, so the ledger's own profile of canonical JSON fits. */
function versionOf(root: LawNode): RoutingMatrix['version'] {
  return sha256Of(canonicalText(root.value));
}

function target(id: string, node: LawNode): Target {
  node.object(['kind', 'address', 'party'], ['confirmed_by']);
  const kind = node.field('kind').oneOf(['http', 'mail', 'rabbitmq']);
  const stated = node.optional('confirmed_by')?.oneOf(['delivery', 'person']);
  if (kind === 'mail' && stated === 'delivery') {
    node.refuse('an accepted email shows only that it was sent; a person must confirm it');
  }
  return {
    id: targetId(id),
    kind,
    address: node.field('address').text(),
    party: partyId(node.field('party').text()),
    confirmedBy: stated ?? (kind === 'mail' ? 'person' : 'delivery'),
  };
}

function matrixNode(id: string, node: LawNode): MatrixNode {
  node.object(['tier', 'target'], ['next']);
  return {
    id,
    tier: node.field('tier').oneOf(TIERS),
    target: targetId(node.field('target').text()),
    next: (node.optional('next')?.items() ?? []).map((item) => item.text()),
  };
}

function row(node: LawNode): MatrixRow {
  node.object(['client', 'technology_group', 'event', 'start']);
  return {
    client: orAny(node.field('client')),
    technologyGroup: orAny(node.field('technology_group')),
    event: orAny(node.field('event')),
    start: node.field('start').text(),
  };
}

function orAny(node: LawNode): string | undefined {
  const text = node.text();
  return text === ANY ? undefined : text;
}

const REFERENCE = /^(env:[A-Za-z_]\w*|file:\/[^\p{Cc}]+)$/u;

function assignmentTable(node: LawNode): AssignmentTable {
  node.object(['client', 'technology_group', 'url'], ['credential']);
  const url = node.field('url');
  if (!isAddress(url.text())) {
    url.refuse('expected an address such as https://assignments.example/table, no password in it');
  }
  const credential = node.optional('credential');
  if (credential !== undefined && !REFERENCE.test(credential.text())) {
    // Not repeated: what is no reference may be the secret itself.
    credential.refuse('expected a reference: env:NAME or file:/path; a matrix holds no secrets');
  }
  return {
    client: orAny(node.field('client')),
    technologyGroup: orAny(node.field('technology_group')),
    url: url.text(),
    credential: credential?.text(),
  };
}

function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && url.hash === '';
}
