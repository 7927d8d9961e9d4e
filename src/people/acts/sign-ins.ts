/** Signing in over the wire: with a key or a link, into a session that can be listed and ended. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { FilewrightError, isUuid, notFound, ruledOut, userFact } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { actForNow } from '../../postgres/index.ts';
import {
  addLink,
  addSession,
  endSession,
  findKey,
  findLink,
  listSessions,
  markUsed,
  ownerOfSession,
  SESSION_HOURS,
  type SignedIn,
  type SignInSession,
  useSession,
} from '../store/sign-ins.ts';
import { personNamed, recordOfPerson } from '../store/people.ts';
import { useToken } from '../store/tokens.ts';
import { keyHash } from './people.ts';

const LINK_PREFIX = 'fwl_';
const SESSION_PREFIX = 'fws_';
/** Sent in a header by programs, so it is told apart from a session's at a glance. */
export const TOKEN_PREFIX = 'fwt_';

/** A secret of 256 bits, under a prefix that says in a leaked text what it is. */
export function makeSecret(app: Installation, prefix: string): string {
  return `${prefix}${Buffer.from(app.random.bytes(32)).toString('base64url')}`;
}

/** Lets its holder in once, within ten minutes: for oneself, or for somebody who counts as the same person. */
export async function makeLink(
  app: Installation,
  actor: Actor,
  name?: string,
): Promise<{ readonly link: string; readonly name: string; readonly expiresAt: number }> {
  allow(actor, 'user.link', name);
  const link = makeSecret(app, LINK_PREFIX);
  const id = app.ids.next();
  const sha256 = keyHash(link);
  const made = await app.session.transaction(async (run) => {
    const person = name === undefined ? actor : await personNamed(run, app.tenant, name);
    if ('disabledAt' in person && person.disabledAt !== undefined) {
      throw ruledOut(`${person.name} is disabled; use user enable first`);
    }
    if (person.party !== actor.party) {
      throw new FilewrightError(
        'NOT_PERMITTED',
        `A link signs in anyone who has it, so only ${person.name} can make one for ${person.name}`,
        { details: { act: 'user.link' } },
      );
    }
    const expiresAt = await addLink(run, app.tenant, {
      id,
      person: person.id,
      sha256,
      by: actor.id,
    });
    const data = { link: id, link_sha256: Buffer.from(sha256).toString('hex'), made_by: actor.id };
    await recordOfPerson(run, app.tenant, person.id, userFact(app, 'link.made', actor, data));
    return { name: person.name, expiresAt };
  });
  await app.sequencer.sequence();
  return { link, ...made };
}

interface NewSession {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: number;
}

/** The reason for a refusal never tells what is wrong with the key or the link. */
export async function signIn(
  app: Installation,
  shown: { readonly key: string } | { readonly link: string },
  address: string,
): Promise<NewSession> {
  const token = makeSecret(app, SESSION_PREFIX);
  const id = app.ids.next();
  const sha256 = keyHash(token);
  const way = 'key' in shown ? 'key' : 'link';
  const secret = keyHash(('key' in shown ? shown.key : shown.link).trim());
  const started = await app.session.transaction(async (run) => {
    const find = way === 'key' ? findKey : findLink;
    const found = await find(run, app.tenant, secret);
    if (found === undefined) {
      throw new FilewrightError(
        'BAD_CREDENTIAL',
        `The ${way === 'key' ? 'personal key' : 'link'} is unknown, expired, used or revoked`,
      );
    }
    const { person, id: credential } = found;
    // The key or the link is the proof of who this is.
    await actForNow(run, person);
    await markUsed(run, app.tenant, { way, id: credential });
    const at = await addSession(run, app.tenant, { id, person, sha256, way, credential });
    const data = {
      session: id,
      session_sha256: Buffer.from(sha256).toString('hex'),
      way,
      credential,
      hours: SESSION_HOURS,
      address,
    };
    const fact = userFact(app, 'session.started', { id: person }, data);
    await recordOfPerson(run, app.tenant, person, fact);
    return at;
  });
  await app.sequencer.sequence();
  return { id, token, expiresAt: started.expiresAt };
}

/** Who comes with this session or token; refused alike, whatever is wrong with it. */
export async function enter(app: Installation, secret: string): Promise<SignedIn> {
  const use = secret.startsWith(TOKEN_PREFIX) ? useToken : useSession;
  const found = await use(app.session, app.tenant, keyHash(secret));
  if (found !== undefined) return found;
  throw new FilewrightError(
    'BAD_CREDENTIAL',
    'The session or token is unknown, expired or revoked, or its person is disabled',
  );
}

/** One's own; those of everybody for an administrator. */
export function listSignIns(
  app: Installation,
  actor: Actor,
  options: { readonly all: boolean } = { all: false },
): Promise<readonly SignInSession[]> {
  allow(actor, 'session.list');
  const person = actor.roles.includes('admin') ? undefined : actor.id;
  return listSessions(app.session.run.bind(app.session), app.tenant, { person, ...options });
}

/** At once: one's own, or by an administrator anybody's. Somebody else's is not there for whoever may not see it. */
export async function revokeSignIn(app: Installation, actor: Actor, id: string): Promise<void> {
  allow(actor, 'session.revoke', id);
  await app.session.transaction(async (run) => {
    const owner = isUuid(id) ? await ownerOfSession(run, app.tenant, id) : undefined;
    if (owner === undefined || !mayEnd(actor, owner)) {
      throw notFound(`No session has the id ${id}; see session list`);
    }
    const ended = await endSession(run, app.tenant, { id, by: actor.id });
    if (ended === undefined) return;
    const data = { session: id, session_sha256: ended.sha256 };
    await recordOfPerson(run, app.tenant, owner, userFact(app, 'session.ended', actor, data));
  });
  await app.sequencer.sequence();
}

export function mayEnd(actor: PersonActor, owner: PersonActor['id']): boolean {
  return owner === actor.id || actor.roles.includes('admin');
}
