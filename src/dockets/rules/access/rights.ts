/**
 * Who may see a docket. Deny beats allow, and a label without its own right is a refusal. Names and numbers are compared
 * by who is meant, never by how they are written: a wall holds for whatever may be behind it, a right for what it names.
 */
import type { PartyId } from '../../../core/index.ts';
import {
  type ApplicationNumber,
  isNumber,
  mayBeNumber,
  numberOf,
  referenceOf,
  statedNumberOf,
} from '../identity/numbers.ts';
import {
  isNamed,
  labelOf,
  mayBe,
  type Name,
  nameOf,
  remembered,
  wordOf,
} from '../identity/names.ts';
import { type Labels, UNREAD_LABEL } from './labels.ts';
import type { Grant, Party, People, Rights } from './people.ts';

/** What rights are asked about. */
export interface Guarded {
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly labels: Labels;
  /** Whose number it is, where that is known. */
  readonly office?: string | undefined;
  /** The firm's own reference: walls and rights name a matter by it, too. */
  readonly matter?: string | undefined;
  readonly event?:
    | { readonly matter?: string | undefined; readonly office?: string | undefined }
    | undefined;
  /** What is there and could not be read: it may be any client, any group. Absent where everything was read. */
  readonly unread?: readonly UnreadPart[];
}

export type UnreadPart = 'client' | 'technology_group';

/** The reason is for the ledger and for those who may see the docket; never for the one who was refused. */
type Access =
  | { readonly may: true }
  | { readonly may: false; readonly party: PartyId; readonly why: string };

export const GRANT_KINDS = ['client', 'group', 'matter', 'class', 'privilege'] as const;
type GrantKind = (typeof GRANT_KINDS)[number];
const ANY = '*';

/** Undefined when the text is no grant. */
export function parseGrant(text: Grant): { kind: GrantKind; value: string } | undefined {
  const at = text.indexOf(':');
  const kind = GRANT_KINDS.find((one) => one === text.slice(0, at));
  const value = text.slice(at + 1).trim();
  return kind === undefined || value === '' ? undefined : { kind, value };
}

/** Why nobody can tell whom a grant means; undefined where it is plain. */
export function grantDoubt(grant: Grant): string | undefined {
  const known = readGrant(grant);
  return known === undefined || known.isAny ? undefined : known.name.doubt;
}

/**
 * A team reads what is sent to it together, so it has a right only where each of its members has it: one member behind
 * an ethical wall closes the whole team's queue for that client.
 */
export function accessOf(guarded: Guarded, party: Party, people: People): Access {
  const matter = matterOf(guarded);
  if (matter.doubt !== undefined && !seesEverything(party)) return no(party.id, matter.doubt);
  if (party.kind === 'person') return ownAccess(matter, party, party.id);
  const denied = denyOf(matter, party);
  if (denied !== undefined) return no(party.id, `denied by ${denied}`);
  if (party.members.length === 0) return ownAccess(matter, party, party.id);
  for (const id of party.members) {
    const member = people.parties.get(id);
    if (member?.kind !== 'person') return no(party.id, `member ${id} is not known`);
    // What the team was given, each member has; what a member is denied, the team is.
    const access = ownAccess(matter, member, id, party);
    if (!access.may) return access;
  }
  return { may: true };
}

/** Whether nothing can ever be hidden from a person, whatever comes in: asked where a docket cannot be left out. */
export function seesEverything(party: Party): boolean {
  if (party.kind !== 'person' || party.deny.length > 0) return false;
  const any = rightsOf(party).allow.filter((grant) => grant.isAny);
  return ['client', 'class', 'privilege'].every((kind) => any.some((grant) => grant.kind === kind));
}

/**
 * Whether less than the whole firm may know which docket it is: it bears a label, a part of it could not be read or told
 * for certain, or somebody stands behind a wall. What leaves the firm's own pages then says neither number nor event.
 */
export function isConfidential(guarded: Guarded, people: People): boolean {
  const { classification, privilege } = guarded.labels;
  if (classification.length + privilege.length > 0) return true;
  const matter = matterOf(guarded);
  return (
    matter.doubt !== undefined ||
    (guarded.unread ?? []).length > 0 ||
    guarded.applicationNumber === undefined ||
    [...people.parties.values()].some((party) =>
      rightsOf(party).deny.some((grant) => isAround(grant, matter)),
    )
  );
}

/** Whether a wall is known to be around a matter; where nobody wrote the client, every wall would be. */
function isAround(grant: KnownGrant, matter: Matter): boolean {
  if (grant.kind === 'client' && matter.client === undefined) return false;
  if (grant.kind === 'group' && matter.group === undefined) return false;
  return refuses(grant, matter);
}

function ownAccess(matter: Matter, rights: Rights, party: PartyId, team?: Rights): Access {
  const denied = denyOf(matter, rights);
  if (denied !== undefined) return no(party, `denied by ${denied}`);
  const given = [rights, ...(team === undefined ? [] : [team])].map((one) => rightsOf(one).allow);
  const has = (fits: (grant: KnownGrant) => boolean): boolean =>
    given.some((allow) => allow.some(fits));
  if (!has((grant) => givesMatter(grant, matter))) {
    return no(party, 'no right to this client, group or matter');
  }
  const missing = matter.labels.find((label) => !has((grant) => givesLabel(grant, label)));
  return missing === undefined
    ? { may: true }
    : no(party, `no right for ${missing.kind}:${missing.written}`);
}

function denyOf(matter: Matter, rights: Rights): Grant | undefined {
  return rightsOf(rights).deny.find((grant) => refuses(grant, matter))?.written;
}

interface KnownRights {
  readonly allow: readonly KnownGrant[];
  readonly deny: readonly KnownGrant[];
}

const rightsRead = new WeakMap<Rights, KnownRights>();

/** Read once for each person and team. */
function rightsOf(rights: Rights): KnownRights {
  const found = rightsRead.get(rights);
  if (found !== undefined) return found;
  const read = {
    allow: rights.allow.flatMap((grant) => readGrant(grant) ?? []),
    deny: rights.deny.flatMap((grant) => readGrant(grant) ?? []),
  };
  rightsRead.set(rights, read);
  return read;
}

/** A docket as rights see it, made once for each. */
interface Matter {
  readonly client: Name | undefined;
  readonly group: Name | undefined;
  readonly number: ApplicationNumber | undefined;
  readonly reference: ApplicationNumber | undefined;
  /** All that could be numbers of an office: some write them into the reference. */
  readonly numbers: readonly ApplicationNumber[];
  readonly labels: readonly Label[];
  /** Why nobody can tell whose docket it is. It may be anybody's then, so only who is denied nothing may see it. */
  readonly doubt: string | undefined;
}

interface Label {
  readonly kind: 'class' | 'privilege';
  readonly written: string;
  /** Undefined where it could not be read. */
  readonly name: Name | undefined;
}

const matters = new WeakMap<Guarded, Matter>();

function matterOf(guarded: Guarded): Matter {
  const known = matters.get(guarded) ?? readMatter(guarded);
  matters.set(guarded, known);
  return known;
}

function readMatter(guarded: Guarded): Matter {
  const { client, technologyGroup, applicationNumber, labels } = guarded;
  const office = guarded.office ?? guarded.event?.office;
  const reference = guarded.matter ?? guarded.event?.matter;
  const read = {
    client: client === undefined ? undefined : nameOf(client),
    group: technologyGroup === undefined ? undefined : wordOf(technologyGroup),
    number: applicationNumber === undefined ? undefined : statedNumberOf(applicationNumber, office),
    reference: reference === undefined ? undefined : referenceOf(reference),
  };
  const numbers = [read.number ?? [], reference === undefined ? [] : numberOf(reference)].flat();
  const [field, doubtful] = Object.entries(read).find(([, one]) => one?.doubt !== undefined) ?? [];
  return {
    ...read,
    numbers,
    labels: [
      ...labels.classification.map((one) => readLabel('class', one)),
      ...labels.privilege.map((one) => readLabel('privilege', one)),
    ],
    doubt:
      doubtful === undefined ? undefined : `its ${field} cannot be identified: ${doubtful.doubt}`,
  };
}

function readLabel(kind: Label['kind'], written: string): Label {
  const name = written === UNREAD_LABEL ? undefined : labelOf(written);
  return { kind, written, name: name?.doubt === undefined ? name : undefined };
}

interface KnownGrant {
  readonly written: Grant;
  readonly kind: GrantKind;
  readonly isAny: boolean;
  readonly name: Name;
  /** Of a grant by matter: it may name the number of the office or the firm's own reference. */
  readonly number: ApplicationNumber;
  readonly reference: ApplicationNumber;
}

const readGrant = remembered(knownGrant);

function knownGrant(text: Grant): KnownGrant | undefined {
  const parsed = parseGrant(text);
  if (parsed === undefined) return undefined;
  const { kind, value } = parsed;
  const number = numberOf(value);
  const name =
    kind === 'client' ? nameOf(value) : isLabelKind(kind) ? labelOf(value) : wordOf(value);
  const doubt = kind === 'matter' ? number.doubt : name.doubt;
  const reference = referenceOf(value);
  const isAny = value === ANY;
  return { written: text, kind, isAny, name: { ...name, doubt }, number, reference };
}

function isLabelKind(kind: GrantKind): kind is Label['kind'] {
  return kind === 'class' || kind === 'privilege';
}

/** What nobody could read, or nobody wrote, may be just what the wall is about. */
function refuses(grant: KnownGrant, matter: Matter): boolean {
  const { kind, name, number, reference, isAny } = grant;
  switch (kind) {
    case 'client':
      return isAny || matter.client === undefined || mayBe(name, matter.client);
    case 'group':
      return isAny || matter.group === undefined || mayBe(name, matter.group);
    case 'matter':
      return (
        isAny ||
        matter.number === undefined ||
        matter.numbers.some((one) => mayBeNumber(number, one)) ||
        (matter.reference !== undefined && mayBeNumber(reference, matter.reference))
      );
    case 'class':
    case 'privilege':
      return matter.labels.some(
        (label) =>
          label.kind === kind && (isAny || label.name === undefined || mayBe(name, label.name)),
      );
  }
}

function givesMatter(grant: KnownGrant, { client, group, ...matter }: Matter): boolean {
  const { kind, name, isAny } = grant;
  if (kind === 'client') return isAny || (client !== undefined && isNamed(name, client));
  if (kind === 'group') return isAny || (group !== undefined && isNamed(name, group));
  if (kind !== 'matter') return false;
  return (
    isAny ||
    (matter.number !== undefined && isNumber(grant.number, matter.number)) ||
    (matter.reference !== undefined && isNumber(grant.reference, matter.reference))
  );
}

function givesLabel({ kind, name, isAny }: KnownGrant, label: Label): boolean {
  if (kind !== label.kind) return false;
  // What nobody could read may be anything at all.
  return isAny || (label.name !== undefined && isNamed(name, label.name));
}

function no(party: PartyId, why: string): Access {
  return { may: false, party, why };
}
