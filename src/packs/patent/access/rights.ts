/** Who may see a docket. Deny beats allow, and a label without its own right is a refusal. */
import { type Labels, UNREAD_LABEL } from './labels.ts';
import type { Grant, Party, People, Rights } from './people.ts';

/** What rights are asked about. */
export interface Guarded {
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly labels: Labels;
  /** What is there and could not be read: it may be any client, any group. Absent where everything was read. */
  readonly unread?: readonly UnreadPart[];
}

export type UnreadPart = 'client' | 'technology_group';

/** The reason is for the ledger and for those who may see the docket; never for the one who was refused. */
export type Access =
  | { readonly may: true }
  | { readonly may: false; readonly party: string; readonly why: string };

export const GRANT_KINDS = ['client', 'group', 'matter', 'class', 'privilege'] as const;
type GrantKind = (typeof GRANT_KINDS)[number];

/** Undefined when the text is no grant. */
export function parseGrant(text: Grant): { kind: GrantKind; value: string } | undefined {
  const at = text.indexOf(':');
  const kind = GRANT_KINDS.find((one) => one === text.slice(0, at));
  const value = text.slice(at + 1);
  return kind === undefined || value === '' ? undefined : { kind, value };
}

/**
 * A team reads what is sent to it together, so it has a right only where each of its members has it: one member behind
 * an ethical wall closes the whole team's queue for that client.
 */
export function accessOf(guarded: Guarded, party: Party, people: People): Access {
  if (party.kind === 'person') return ownAccess(guarded, party, party.id);
  const denied = denyOf(guarded, party);
  if (denied !== undefined) return no(party.id, `denied by ${denied}`);
  if (party.members.length === 0) return ownAccess(guarded, party, party.id);
  for (const id of party.members) {
    const member = people.parties.get(id);
    if (member?.kind !== 'person') return no(party.id, `member ${id} is not known`);
    // What the team was given, each member has; what a member is denied, the team is.
    const rights = { allow: [...party.allow, ...member.allow], deny: member.deny };
    const access = ownAccess(guarded, rights, id);
    if (!access.may) return access;
  }
  return { may: true };
}

/** Whether nothing can ever be hidden from a person, whatever comes in: asked where a docket cannot be left out. */
export function seesEverything(party: Party): boolean {
  if (party.kind !== 'person' || party.deny.length > 0) return false;
  return ['client:*', 'class:*', 'privilege:*'].every((grant) => party.allow.includes(grant));
}

function ownAccess(guarded: Guarded, rights: Rights, party: string): Access {
  const denied = denyOf(guarded, rights);
  if (denied !== undefined) return no(party, `denied by ${denied}`);
  if (!matterTokens(guarded).some(([kind, value]) => fits(rights.allow, kind, value))) {
    return no(party, 'no right to this client, group or matter');
  }
  const missing = labelTokens(guarded.labels).find(
    ([kind, value]) => !fits(rights.allow, kind, value),
  );
  return missing === undefined
    ? { may: true }
    : no(party, `no right for ${missing[0]}:${missing[1]}`);
}

function denyOf(guarded: Guarded, rights: Rights): Grant | undefined {
  const tokens = [...matterTokens(guarded), ...labelTokens(guarded.labels)];
  return rights.deny.find((grant) => tokens.some(([kind, value]) => refuses(grant, kind, value)));
}

/** What nobody could read may be just what the deny is about. */
function refuses(grant: Grant, kind: GrantKind, value: string): boolean {
  return value === UNREAD_LABEL ? grant.startsWith(`${kind}:`) : fits([grant], kind, value);
}

type Token = readonly [GrantKind, string];

/** A matter that has no client has the empty text for it, which only `client:*` fits. Every matter has a number. */
function matterTokens({
  client,
  technologyGroup,
  applicationNumber,
  unread = [],
}: Guarded): Token[] {
  const without = (part: UnreadPart): string => (unread.includes(part) ? UNREAD_LABEL : '');
  return [
    ['client', client ?? without('client')],
    ['group', technologyGroup ?? without('technology_group')],
    ['matter', applicationNumber ?? UNREAD_LABEL],
  ];
}

function labelTokens(labels: Labels): Token[] {
  return [
    ...labels.classification.map((label): Token => ['class', label]),
    ...labels.privilege.map((label): Token => ['privilege', label]),
  ];
}

function fits(grants: readonly Grant[], kind: GrantKind, value: string): boolean {
  return (
    grants.includes(`${kind}:*`) ||
    // What nobody could read may be anything at all.
    (value !== UNREAD_LABEL && value !== '' && grants.includes(`${kind}:${value}`))
  );
}

function no(party: string, why: string): Access {
  return { may: false, party, why };
}
