/**
 * The assignment table: who has a matter, as another system of the firm knows it. It is asked before the first handoff and
 * only ever says where a docket starts; who gets it after that, and whether, stays with the matrix. Pure.
 */
import {
  invariant,
  isPlainText,
  type JsonValue,
  partyId,
  type PartyId,
} from '../../../core/index.ts';
import type { DocketColumn } from '../docket/columns.ts';
import { type DriftChange, driftOf } from '../docket/drift.ts';
import type { AssignmentTable } from './assignment-table.ts';
import { clientExactness, placeOf, type RoutingMatrix } from './matrix.ts';
import type { Observation } from './triggers.ts';

/** What a table is asked about. */
interface AssignmentQuestion {
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly eventCode: string;
}

const ASSIGNMENT_TABLE = 'assignment_table';

/** The table of the client goes before that of the group, and that before the one for all. */
export function tableFor(
  { assignment }: Pick<RoutingMatrix, 'assignment'>,
  docket: Pick<AssignmentQuestion, 'client' | 'technologyGroup'>,
): AssignmentTable | undefined {
  const exactness = (table: AssignmentTable): number =>
    2 * clientExactness(table) + (table.technologyGroup === undefined ? 0 : 1);
  return assignment.filter(placeOf(docket)).toSorted((a, b) => exactness(b) - exactness(a))[0];
}

/** What is asked for, as the query of the table's address. */
export function questionUrl(table: AssignmentTable, question: AssignmentQuestion): URL {
  const url = new URL(table.url);
  const { applicationNumber, client, technologyGroup, eventCode } = question;
  const fields = {
    application_number: applicationNumber,
    client,
    technology_group: technologyGroup,
    event_code: eventCode,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

type AssignmentAnswer =
  | { readonly kind: 'assigned'; readonly party: PartyId }
  /** The table knows of nobody. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'drift'; readonly changes: readonly DriftChange[] };

const ASSIGNED: DocketColumn = {
  name: 'assigned_to',
  meaning: 'the person or team that has the matter',
  needed: true,
  shape: 'text',
  alsoCalled: ['assignee', 'assignedteam', 'owner', 'team'],
};

/** `{"assigned_to": "bio-team"}`; null where nobody is. Undefined is what is no JSON. */
export function readAssignment(value: JsonValue | undefined): AssignmentAnswer {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const fields = isObject ? (value as Readonly<Record<string, JsonValue>>) : {};
  const { assigned_to: assigned, ...others } = fields;
  if (assigned === null) return { kind: 'nobody' };
  const change = driftOf(ASSIGNED, assigned, others);
  if (change !== undefined) return { kind: 'drift', changes: [change] };
  invariant(typeof assigned === 'string', 'Expected a value without drift to be a text.');
  const party = assigned.trim();
  if (isPlainText(party)) return { kind: 'assigned', party: partyId(party) };
  // Whatever it is, it is no name: nobody is called so, and the ledger could not keep it.
  const found = 'a text that is longer, or has control characters';
  const { name: field, needed: mandatory } = ASSIGNED;
  const expected = 'a name of at most 500 characters';
  return { kind: 'drift', changes: [{ field, mandatory, change: 'retyped', expected, found }] };
}

/** What became of a question, in the words of the triggers; undefined where it is nothing that one could look at. */
export function observationOf(
  seen:
    | { readonly kind: 'answer'; readonly status: number; readonly answer: AssignmentAnswer }
    | { readonly kind: 'failed'; readonly tlsHandshakeMs: number | undefined },
): Observation | undefined {
  if (seen.kind === 'failed') {
    const { tlsHandshakeMs: handshakeMs } = seen;
    return handshakeMs === undefined
      ? undefined
      : { kind: 'tls', target: ASSIGNMENT_TABLE, handshakeMs };
  }
  const { status, answer } = seen;
  if (status !== 200) return { kind: 'lookup', resource: ASSIGNMENT_TABLE, status };
  if (answer.kind !== 'drift') return undefined;
  return { kind: 'record', source: ASSIGNMENT_TABLE, changes: answer.changes };
}

/**
 * The matrix as it is for a docket whose party is known: it starts at that party's own place in the primary tier. Where
 * the party has none, the rows decide as they would without a table.
 */
export function assignedMatrix(matrix: RoutingMatrix, party: PartyId | undefined): RoutingMatrix {
  if (party === undefined) return matrix;
  const start = [...matrix.nodes.values()].find(
    ({ tier, target }) => tier === 'PRIMARY' && matrix.targets.get(target)?.party === party,
  );
  if (start === undefined) return matrix;
  const any = { client: undefined, technologyGroup: undefined, event: undefined };
  return { ...matrix, rows: [{ ...any, start: start.id }] };
}
