/** Reads a people file. What it says about others (delegates, members, targets) is checked with the matrix. */
import { isZone, type LawNode, readLawDocument } from '../../../calendar/index.ts';
import { FilewrightError, partyId, targetId } from '../../../core/index.ts';
import type { Absence, Grant, Party, People } from './people.ts';
import { GRANT_KINDS, parseGrant } from './rights.ts';

export function readPeople(source: { readonly file: string; readonly text: string }): People {
  return inFile('PEOPLE_FILE_INVALID', () => {
    const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
    root.object(['kind', 'format', 'zone', 'persons'], ['teams', 'absences', 'notes']);
    root.field('kind').oneOf(['people']);
    root.field('format').integer({ min: 1, max: 1 });
    const zone = root.field('zone');
    if (!isZone(zone.text())) zone.refuse('expected an IANA zone such as America/New_York');
    const parties = new Map<string, Party>();
    for (const [id, node] of members(root.field('persons'))) {
      node.object(['name'], ['target', 'allow', 'deny']);
      const target = node.optional('target')?.text();
      parties.set(id, {
        kind: 'person',
        id: partyId(id),
        name: node.field('name').text(),
        target: target === undefined ? undefined : targetId(target),
        ...rights(node),
      });
    }
    for (const [id, node] of members(root.optional('teams'))) {
      node.object(['name', 'members'], ['allow', 'deny']);
      if (parties.has(id)) node.refuse(`"${id}" is already the id of a person`);
      const ids = node
        .field('members')
        .items()
        .map((item) => partyId(item.text()));
      parties.set(id, {
        kind: 'team',
        id: partyId(id),
        name: node.field('name').text(),
        members: ids,
        ...rights(node),
      });
    }
    const absences = root.optional('absences')?.items().map(absence) ?? [];
    return { zone: zone.text(), parties, absences };
  });
}

function absence(node: LawNode): Absence {
  node.object(['person', 'from', 'to'], ['delegate']);
  const [from, to] = [node.field('from').day(), node.field('to').day()];
  const delegate = node.optional('delegate')?.text();
  if (to < from) node.refuse('"to" is before "from"');
  return {
    person: partyId(node.field('person').text()),
    from,
    to,
    delegate: delegate === undefined ? undefined : partyId(delegate),
  };
}

function rights(node: LawNode): { readonly allow: Grant[]; readonly deny: Grant[] } {
  return { allow: grants(node.optional('allow')), deny: grants(node.optional('deny')) };
}

function grants(node: LawNode | undefined): Grant[] {
  return (node?.items() ?? []).map((item) => {
    if (parseGrant(item.text()) === undefined) {
      item.refuse(`expected one of ${GRANT_KINDS.map((kind) => `${kind}:…`).join(', ')}`);
    }
    return item.text();
  });
}

export function members(node: LawNode | undefined): [string, LawNode][] {
  return node === undefined ? [] : node.keys().map((name) => [name, node.field(name)]);
}

/** The document reader knows law files only; the fault of another file gets that file's own code. */
export function inFile<Value>(
  code: 'PEOPLE_FILE_INVALID' | 'ROUTING_MATRIX_INVALID',
  read: () => Value,
): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'RULE_FILE_INVALID') throw error;
    throw new FilewrightError(code, error.message, { cause: error, details: error.details });
  }
}
