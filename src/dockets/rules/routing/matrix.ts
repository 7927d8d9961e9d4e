/** A routing matrix: who gets which docket, and who gets it when that one does not. */
import type { PartyId, Sha256Hex, TargetId } from '../../../core/index.ts';
import { isNamed, nameOf, wordOf } from '../identity/names.ts';
import type { AssignmentTable } from './assignment-table.ts';
import type { RoutingPolicy } from './policy.ts';
import type { Tier } from './tiers.ts';

export interface Target {
  readonly id: TargetId;
  readonly kind: 'http' | 'mail' | 'rabbitmq';
  readonly address: string;
  /** The person or team that reads what arrives there; rights are asked of it. */
  readonly party: PartyId;
  /**
   * `delivery`: the receipt of the endpoint or the confirm of the broker is the confirmation. `person`: somebody must
   * acknowledge. An accepted e-mail is only sent, so mail is always `person`.
   */
  readonly confirmedBy: 'delivery' | 'person';
}

export interface MatrixNode {
  readonly id: string;
  readonly tier: Tier;
  readonly target: TargetId;
  /** In order of preference; of the same tier (who else could take it) or of a later one. */
  readonly next: readonly string[];
}

/** `undefined` stands for any. */
export interface MatrixRow {
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly event: string | undefined;
  readonly start: string;
}

export interface RoutingMatrix {
  readonly title: string;
  /** SHA-256 of the document's canonical JSON: the same rules are the same version, however they are laid out. */
  readonly version: Sha256Hex;
  readonly targets: ReadonlyMap<string, Target>;
  readonly nodes: ReadonlyMap<string, MatrixNode>;
  readonly rows: readonly MatrixRow[];
  /** Persons who get what nobody else may see, in order. */
  readonly privileged: readonly PartyId[];
  /** Asked who has a matter, before its first handoff. Often empty. */
  readonly assignment: readonly AssignmentTable[];
  readonly policy: RoutingPolicy;
}

/**
 * The row with the most exact client wins, then technology group, then event: a client's own arrangement goes before
 * a group's, and that before one for an event. Undefined where no row fits, which a sound matrix excludes.
 */
export function rowFor(
  matrix: RoutingMatrix,
  docket: {
    readonly client: string | undefined;
    readonly technologyGroup: string | undefined;
    readonly eventCode: string;
  },
): MatrixRow | undefined {
  const isFor = placeOf(docket);
  const fits = matrix.rows.filter(
    (row) => isFor(row) && (row.event === undefined || row.event === docket.eventCode),
  );
  return fits.reduce<MatrixRow | undefined>(
    (best, row) => (best === undefined || exactness(row) > exactness(best) ? row : best),
    undefined,
  );
}

/** Whether a row or a table is for a docket: by who is meant, however the two spell it. */
export function placeOf(docket: {
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
}): (row: Pick<MatrixRow, 'client' | 'technologyGroup'>) => boolean {
  const client = docket.client === undefined ? undefined : nameOf(docket.client);
  const { technologyGroup } = docket;
  const group = technologyGroup === undefined ? undefined : wordOf(technologyGroup);
  return (row) =>
    (row.client === undefined || (client !== undefined && isNamed(nameOf(row.client), client))) &&
    (row.technologyGroup === undefined ||
      (group !== undefined && isNamed(wordOf(row.technologyGroup), group)));
}

export function exactness(row: MatrixRow): number {
  return (
    4 * clientExactness(row) +
    (row.technologyGroup === undefined ? 0 : 2) +
    (row.event === undefined ? 0 : 1)
  );
}

/** A client with its legal form is more exact than one for any form. */
export function clientExactness({ client }: Pick<MatrixRow, 'client'>): number {
  return client === undefined ? 0 : nameOf(client).form === '' ? 1 : 2;
}

/** Every node that can be reached, nearest first and in order of preference. A circle is walked once. */
export function reachable(matrix: RoutingMatrix, start: string): MatrixNode[] {
  const found = new Map<string, MatrixNode>();
  const waiting = [start];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const node = matrix.nodes.get(id);
    if (node === undefined || found.has(id)) continue;
    found.set(id, node);
    waiting.push(...node.next);
  }
  return [...found.values()];
}
