/** Matrix and people files: read from disk and checked together; and who is absent. */
import { type Actor, allow } from '../../access/index.ts';
import { readFile } from 'node:fs/promises';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { parseDay } from '../../calendar/index.ts';
import {
  FilewrightError,
  type Instant,
  type JsonValue,
  misuse,
  parseStrictJson,
  ruledOut,
} from '../../core/index.ts';
import { presenceOf, todayAt } from '../rules/access/people.ts';
import { readPeople } from '../rules/access/read-people.ts';
import { checkMatrix, type MatrixFault } from '../rules/routing/check-matrix.ts';
import { readMatrix } from '../rules/routing/read-matrix.ts';
import { type ActiveRouting, activeRouting, setAbsence } from '../routing/setup.ts';
import { findRoutingDocument } from '../store/setup.ts';
import { unreadableFile } from '../../intake/index.ts';
import { raiseTrustAlert } from '../../people/index.ts';
import { databaseNow } from '../store/steps.ts';
import { actorOf, routingDeps } from './deps.ts';
import { type HandedOver, handOverDesk } from './give.ts';
import { requireKnown, requirePrivilege } from './privilege.ts';
import { viewerFor } from './sight.ts';

interface NamedText {
  readonly file: string;
  readonly text: string;
}

interface Documents {
  readonly matrix: NamedText;
  readonly people: NamedText;
}

export interface RoutingCheck {
  readonly matrix: { readonly title: string; readonly version: string };
  readonly targets: number;
  readonly routes: number;
  readonly parties: number;
  readonly absences: number;
  readonly faults: readonly MatrixFault[];
}

/** All faults at once. Which file is which, its `kind` says; one that is not given is the one that holds now. */
export async function checkRoutingFiles(
  app: Installation,
  actor: Actor,
  files: readonly string[],
): Promise<RoutingCheck> {
  allow(actor, 'route.check');
  const documents = await documentsOf(app, files);
  const matrix = readMatrix(documents.matrix);
  const people = readPeople(documents.people);
  return {
    matrix: { title: matrix.title, version: matrix.version },
    targets: matrix.targets.size,
    routes: matrix.rows.length,
    parties: people.parties.size,
    absences: people.absences.length,
    faults: checkMatrix(matrix, people),
  };
}

export async function documentsOf(app: Installation, files: readonly string[]): Promise<Documents> {
  const found: { matrix?: NamedText; people?: NamedText } = {};
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw unreadableFile(file, error);
    });
    const name = nameOf(file, text);
    if (found[name] !== undefined) {
      throw misuse(`${found[name].file} and ${file} are both a ${name} file`);
    }
    found[name] = { file, text };
  }
  const { matrix, people } = found;
  if (matrix !== undefined && people !== undefined) return { matrix, people };
  const active = await activeRouting(app, app.session);
  if (active === undefined) {
    throw misuse('The first import needs two files: a routing matrix and a people file');
  }
  const kept = async (kind: 'matrix' | 'people', version: string): Promise<NamedText> => {
    const { body } = await findRoutingDocument(app.session, app.tenant, kind, version);
    return { file: `the active ${kind} file`, text: body };
  };
  return {
    matrix: matrix ?? (await kept('matrix', active.matrix.version)),
    people: people ?? (await kept('people', active.peopleVersion)),
  };
}

function nameOf(file: string, text: string): 'matrix' | 'people' {
  const kind = kindIn(file, text);
  if (kind === 'routing-matrix') return 'matrix';
  if (kind === 'people') return 'people';
  throw new FilewrightError(
    'ROUTING_MATRIX_INVALID',
    `${file}: expected a "kind" of routing-matrix or people`,
  );
}

function kindIn(file: string, text: string): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const message = `${file}: ${error.message}`;
    throw new FilewrightError('ROUTING_MATRIX_INVALID', message, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, JsonValue>(Object.entries(value)).get('kind');
}

/** A year away is a sabbatical; what is longer is a typing mistake, or somebody who is to get nothing any more. */
const ABSENCE_DAYS_MAX = 366;

function requireShort({ from, to }: { readonly from: string; readonly to: string }): void {
  const [first, last] = [parseDay(from), parseDay(to)];
  // What is no day is refused by the reader of people files, with its place.
  if (first === undefined || last === undefined || last - first < ABSENCE_DAYS_MAX) return;
  throw ruledOut(
    `Expected an absence of at most ${ABSENCE_DAYS_MAX} days, found ${from} to ${to}; record it again when it is over, or import a people file without that person`,
  );
}

export async function noteAbsence(
  app: Installation,
  person: Actor,
  absence: {
    readonly person: string;
    readonly from: string;
    readonly to: string;
    readonly delegate?: string;
  },
  /** What the person has now: all of it where they are absent today, some dockets, or nothing. */
  desk: 'all' | 'nothing' | readonly string[] = 'all',
): Promise<ActiveRouting & { readonly handedOver: readonly HandedOver[] }> {
  allow(person, 'route.absent');
  await requireKnown(app, person, 'Recording an absence');
  requireShort(absence);
  const viewer = await viewerFor(app, person);
  const { party } = viewer;
  // Whoever is noted as absent gets no dockets: that is for the person, and for who may change the file.
  if (party.id !== absence.person) {
    await requirePrivilege(app, person, 'Recording the absence of someone else');
  }
  const done = await setAbsence(routingDeps(app), absence, actorOf(person));
  if (party.id !== absence.person) await tellOfAbsence(app, person, absence);
  await sequenceAll(app);
  const isToday = isAbsentToday(done, absence.person, await databaseNow(app.session));
  if (desk === 'nothing' || (desk === 'all' && !isToday)) return { ...done, handedOver: [] };
  const only = desk === 'all' ? undefined : desk;
  const handedOver = await handOverDesk(app, viewer, { ...absence, only });
  return { ...done, handedOver };
}

function isAbsentToday({ people }: ActiveRouting, id: string, now: Instant): boolean {
  const party = people.parties.get(id);
  if (party?.kind !== 'person') return false;
  return presenceOf(party, people, todayAt(people, now)).kind !== 'here';
}

/** Somebody is ill, and cannot be asked for a second word; but the others hear of it. */
async function tellOfAbsence(
  app: Installation,
  actor: Actor,
  { person, from, to, delegate }: { person: string; from: string; to: string; delegate?: string },
): Promise<void> {
  const instead = delegate === undefined ? '' : `; ${delegate} gets the dockets`;
  await app.session.transaction((run) =>
    raiseTrustAlert(run, app, actor, {
      kind: 'routing_changed',
      subject: person,
      did: `recorded that ${person} is absent from ${from} to ${to}${instead}`,
    }),
  );
}
