/** Whether a matrix does what it promises: no circle, no gap, no name that leads nowhere. All faults at once. */
import { formatDay } from '../../../calendar/index.ts';
import { FilewrightError } from '../../../core/index.ts';
import { type Absence, delegateCircle, type People } from '../access/people.ts';
import { grantDoubt } from '../access/rights.ts';
import { type Name, nameKey, nameOf, wordOf } from '../identity/names.ts';
import {
  exactness,
  type MatrixNode,
  type MatrixRow,
  reachable,
  type RoutingMatrix,
} from './matrix.ts';
import { rankOf } from './tiers.ts';

export interface MatrixFault {
  /** Place in the matrix or in the people file. */
  readonly where: string;
  readonly why: string;
  readonly remedy: string;
}

export function checkMatrix(matrix: RoutingMatrix, people: People): readonly MatrixFault[] {
  return [
    ...nameFaults(matrix, people),
    ...edgeFaults(matrix),
    ...circleFaults(matrix),
    ...gapFaults(matrix),
    ...rowFaults(matrix),
    ...tableFaults(matrix),
    ...doubtFaults(matrix, people),
    ...privilegedFaults(matrix, people),
    ...peopleFaults(matrix, people),
  ];
}

export function requireSoundMatrix(matrix: RoutingMatrix, people: People): void {
  const faults = checkMatrix(matrix, people);
  if (faults.length === 0) return;
  const lines = faults.map(({ where, why, remedy }) => `${where}: ${why}. ${remedy}.`);
  throw new FilewrightError('ROUTING_MATRIX_INVALID', lines.join('\n'), {
    details: { faults: faults.length },
  });
}

function nameFaults(matrix: RoutingMatrix, people: People): MatrixFault[] {
  const faults: MatrixFault[] = [];
  for (const target of matrix.targets.values()) {
    if (!people.parties.has(target.party)) {
      faults.push(
        fault(
          `targets/${target.id}`,
          `the party "${target.party}" is not known`,
          'Add it to the people file',
        ),
      );
    }
  }
  for (const node of matrix.nodes.values()) {
    if (!matrix.targets.has(node.target)) {
      faults.push(
        fault(`nodes/${node.id}`, `the target "${node.target}" does not exist`, 'Add the target'),
      );
    }
    for (const next of node.next.filter((id) => !matrix.nodes.has(id))) {
      faults.push(
        fault(`nodes/${node.id}`, `the next node "${next}" does not exist`, 'Add the node'),
      );
    }
  }
  for (const [index, { start }] of matrix.rows.entries()) {
    if (!matrix.nodes.has(start)) {
      faults.push(fault(`routes/${index}`, `the start "${start}" does not exist`, 'Add the node'));
    }
  }
  return faults;
}

function edgeFaults(matrix: RoutingMatrix): MatrixFault[] {
  return [...matrix.nodes.values()].flatMap((node) =>
    node.next.flatMap((id) => {
      const next = matrix.nodes.get(id);
      if (next === undefined || rankOf(next.tier) >= rankOf(node.tier)) return [];
      const why = `${node.tier} leads back to "${id}" of ${next.tier}`;
      return [fault(`nodes/${node.id}`, why, 'Escalation only goes down the tiers')];
    }),
  );
}

/** Depth first with the path in hand; each node is looked into once. */
function circleFaults(matrix: RoutingMatrix): MatrixFault[] {
  const faults: MatrixFault[] = [];
  const done = new Set<string>();
  const walk = (id: string, path: readonly string[]): void => {
    if (path.includes(id)) {
      const circle = [...path.slice(path.indexOf(id)), id].join(' → ');
      faults.push(
        fault(`nodes/${id}`, `the nodes form a loop: ${circle}`, 'Remove one of these steps'),
      );
      return;
    }
    if (done.has(id)) return;
    for (const next of matrix.nodes.get(id)?.next ?? []) walk(next, [...path, id]);
    done.add(id);
  };
  for (const id of matrix.nodes.keys()) walk(id, []);
  return faults;
}

/** A docket follows one node of each tier, whichever is free; so from every node there must be a way to MANUAL. */
function gapFaults(matrix: RoutingMatrix): MatrixFault[] {
  const endsAtManual = (node: MatrixNode): boolean =>
    reachable(matrix, node.id).some(({ tier }) => tier === 'MANUAL');
  return [...matrix.nodes.values()].flatMap((node) =>
    endsAtManual(node)
      ? []
      : [
          fault(
            `nodes/${node.id}`,
            'no path leads from here to MANUAL',
            'Give it a next node that leads there',
          ),
        ],
  );
}

function rowFaults(matrix: RoutingMatrix): MatrixFault[] {
  const faults: MatrixFault[] = [];
  const seen = new Map<string, number>();
  for (const [index, row] of matrix.rows.entries()) {
    const key = JSON.stringify([...placeKey(row), row.event ?? null]);
    const other = seen.get(key);
    if (other !== undefined) {
      faults.push(
        fault(
          `routes/${index}`,
          `repeats the combination of routes/${other}`,
          'Remove one of them',
        ),
      );
    }
    seen.set(key, index);
  }
  if (!matrix.rows.some((row) => exactness(row) === 0)) {
    const why =
      'no row is for any client, any group and any event, so a new client would have no route';
    faults.push(fault('routes', why, 'Add a row with * in all three places'));
  }
  return faults;
}

function tableFaults({ assignment }: RoutingMatrix): MatrixFault[] {
  const seen = new Map<string, number>();
  return assignment.flatMap((table, index) => {
    const key = JSON.stringify(placeKey(table));
    const other = seen.get(key);
    seen.set(key, index);
    if (other === undefined) return [];
    const why = `is for the same client and group as assignment/${other}`;
    return [fault(`assignment/${index}`, why, 'Remove one of them')];
  });
}

/** Two spellings of one client are one combination. */
function placeKey({
  client,
  technologyGroup,
}: Pick<MatrixRow, 'client' | 'technologyGroup'>): readonly (string | null)[] {
  return [
    client === undefined ? null : nameKey(nameOf(client)),
    technologyGroup === undefined ? null : nameKey(wordOf(technologyGroup)),
  ];
}

/** A name that could be several would be a row that never fits, a right that nobody has, a wall around everything. */
function doubtFaults(matrix: RoutingMatrix, people: People): MatrixFault[] {
  const remedy = 'Write it in the letters of one script, as they are on the keyboard';
  const faults: MatrixFault[] = [];
  const look = (where: string, names: readonly (Name | undefined)[]): void => {
    const doubt = names.find((name) => name?.doubt !== undefined)?.doubt;
    if (doubt !== undefined)
      faults.push(fault(where, `it is unclear who is meant: ${doubt}`, remedy));
  };
  const places = [
    ...matrix.rows.map((row, index) => [`routes/${index}`, row] as const),
    ...matrix.assignment.map((table, index) => [`assignment/${index}`, table] as const),
  ];
  for (const [where, { client, technologyGroup }] of places) {
    look(where, [
      client === undefined ? undefined : nameOf(client),
      technologyGroup === undefined ? undefined : wordOf(technologyGroup),
    ]);
  }
  for (const { kind, id, allow, deny } of people.parties.values()) {
    for (const grant of [...allow, ...deny]) {
      const doubt = grantDoubt(grant);
      if (doubt === undefined) continue;
      const why = `it is unclear whom "${grant}" means: ${doubt}`;
      faults.push(fault(`${kind}s/${id}`, why, remedy));
    }
  }
  return faults;
}

function privilegedFaults(matrix: RoutingMatrix, people: People): MatrixFault[] {
  if (matrix.privileged.length === 0) {
    return [
      fault(
        'privileged',
        'no one is named',
        'Name the person who gets dockets that no one else may see',
      ),
    ];
  }
  return matrix.privileged.flatMap((id) => {
    const party = people.parties.get(id);
    if (party?.kind !== 'person') {
      return [fault('privileged', `"${id}" is not a person in the people file`, 'Name a person')];
    }
    return party.target !== undefined && matrix.targets.has(party.target)
      ? []
      : [
          fault(
            'privileged',
            `"${id}" cannot be reached by any target`,
            'Give the person a target',
          ),
        ];
  });
}

function peopleFaults(matrix: RoutingMatrix, people: People): MatrixFault[] {
  const faults: MatrixFault[] = [];
  for (const party of people.parties.values()) {
    if (party.kind === 'team') {
      for (const id of party.members) {
        if (people.parties.get(id)?.kind === 'person') continue;
        faults.push(
          fault(`teams/${party.id}`, `the member "${id}" is not a person`, 'Add the person'),
        );
      }
    } else if (party.target !== undefined && !matrix.targets.has(party.target)) {
      faults.push(
        fault(
          `persons/${party.id}`,
          `the target "${party.target}" does not exist`,
          'Add the target',
        ),
      );
    } else if (party.target !== undefined && matrix.targets.get(party.target)?.party !== party.id) {
      // Rights are asked of the target's party; a delegate would otherwise be asked for, and somebody else served.
      faults.push(
        fault(
          `persons/${party.id}`,
          `the target "${party.target}" belongs to another party`,
          'Give the person a target of their own',
        ),
      );
    }
  }
  for (const [index, absence] of people.absences.entries()) {
    const where = `absences/${index}`;
    if (people.parties.get(absence.person)?.kind !== 'person') {
      faults.push(fault(where, `"${absence.person}" is not a person`, 'Correct the name'));
    }
    if (absence.delegate !== undefined) {
      const delegate = people.parties.get(absence.delegate);
      if (delegate?.kind !== 'person') {
        faults.push(
          fault(where, `the delegate "${absence.delegate}" is not a person`, 'Correct the name'),
        );
      } else if (delegate.target === undefined) {
        faults.push(
          fault(where, `the delegate "${absence.delegate}" has no target`, 'Give the delegate one'),
        );
      }
    }
    // Two delegates on one day would leave it to chance who gets the docket.
    const overlap = people.absences.findIndex(
      (other, at) =>
        at > index &&
        other.person === absence.person &&
        other.from <= absence.to &&
        absence.from <= other.to,
    );
    const other = people.absences[overlap];
    if (other !== undefined) {
      const why = `"${absence.person}" is absent twice: ${daysOf(absence)} and ${daysOf(other)} (absences/${overlap})`;
      faults.push(fault(where, why, ONE_ABSENCE));
    }
  }
  const circle = delegateCircle(people);
  if (circle !== undefined) {
    const why = `the delegates form a loop: ${[...circle, circle[0]].join(' → ')}`;
    faults.push(fault('absences', why, 'Name a delegate who is present'));
  }
  return faults;
}

const ONE_ABSENCE =
  'Make it one absence with one delegate, or leave out the days that are already recorded; an absence with the same first day replaces the earlier one';

function daysOf({ from, to }: Absence): string {
  return `${formatDay(from)} to ${formatDay(to)}`;
}

function fault(where: string, why: string, remedy: string): MatrixFault {
  return { where, why, remedy };
}
