/** Tokens of programs: made by a person for themselves, for some acts, and revoked at once. */
import { type ActName, type Actor, allow, isDelegable, RIGHTS } from '../../access/index.ts';
import { isUuid, misuse, notFound, userFact } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { recordOfPerson } from '../store/people.ts';
import { addToken, listTokens, type ProgramToken, revokeToken } from '../store/tokens.ts';
import { raiseTrustAlert } from '../trust-alerts.ts';
import { keyHash } from './people.ts';
import { makeSecret, mayEnd, TOKEN_PREFIX } from './sign-ins.ts';

const DAYS_DEFAULT = 90;
const DAYS_MAX = 366;
const NAME_CHARACTERS_MAX = 100;
/** Each is one more that can leak. */
const TOKENS_MAX = 20;

interface WantedToken {
  readonly name: string;
  readonly acts: readonly string[];
  readonly days?: number;
}

/** Shown once. What it can do is what its owner may do then, in these acts alone. */
export async function makeToken(
  app: Installation,
  actor: Actor,
  wanted: WantedToken,
): Promise<{ readonly id: string; readonly token: string; readonly expiresAt: number }> {
  allow(actor, 'token.add');
  const { name, acts, days } = readToken(wanted);
  const token = makeSecret(app, TOKEN_PREFIX);
  const id = app.ids.next();
  const sha256 = keyHash(token);
  const expiresAt = await app.session.transaction(async (run) => {
    const working = (await listTokens(run, app.tenant, actor.id)).filter(
      ({ revokedAt, expiresAt: end }) => revokedAt === undefined && end > app.clock.now(),
    );
    if (working.length >= TOKENS_MAX) {
      throw misuse(`Expected at most ${TOKENS_MAX} tokens of one person; revoke one first`);
    }
    const end = await addToken(run, app.tenant, { id, owner: actor.id, name, acts, sha256, days });
    const hash = Buffer.from(sha256).toString('hex');
    const data = { token: id, name, token_sha256: hash, acts, days };
    await recordOfPerson(run, app.tenant, actor.id, userFact(app, 'token.added', actor, data));
    const did = `made the token "${name}", with which a program acts for them (${acts.join(', ')})`;
    await raiseTrustAlert(run, app, actor, { kind: 'token_changed', subject: actor.id, did });
    return end;
  });
  await app.sequencer.sequence();
  return { id, token, expiresAt };
}

/** One's own; those of everybody for an administrator. */
export function listProgramTokens(
  app: Installation,
  actor: Actor,
): Promise<readonly ProgramToken[]> {
  allow(actor, 'token.list');
  const owner = actor.roles.includes('admin') ? undefined : actor.id;
  return listTokens(app.session.run.bind(app.session), app.tenant, owner);
}

/** At once: one's own, or by an administrator anybody's. */
export async function revokeProgramToken(
  app: Installation,
  actor: Actor,
  id: string,
): Promise<void> {
  allow(actor, 'token.revoke', id);
  await app.session.transaction(async (run) => {
    const all = isUuid(id) ? await listTokens(run, app.tenant, undefined) : [];
    const token = all.find((one) => one.id === id);
    if (token === undefined || !mayEnd(actor, token.owner)) {
      throw notFound(`No token has the id ${id}; see token list`);
    }
    if (!(await revokeToken(run, app.tenant, { id, by: actor.id }))) return;
    const data = { token: id, name: token.name, token_sha256: token.sha256 };
    await recordOfPerson(run, app.tenant, token.owner, userFact(app, 'token.revoked', actor, data));
  });
  await app.sequencer.sequence();
}

function readToken({ name, acts, days = DAYS_DEFAULT }: WantedToken) {
  const isPlain = name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
  if (!isPlain || name === '' || name.length > NAME_CHARACTERS_MAX) {
    throw misuse(`--name: expected 1 to ${NAME_CHARACTERS_MAX} visible characters`);
  }
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX) {
    throw misuse(`--days: expected a whole number from 1 to ${DAYS_MAX}`);
  }
  if (acts.length === 0) throw misuse('--act: expected at least one act');
  for (const act of acts) {
    if (!isAct(act)) throw misuse(`--act: no act is named "${act}"; see docs/reference/api.md`);
    // What only somebody at the machine does has nobody's name, and so no program of theirs.
    if (!RIGHTS[act].some((kind) => kind === 'person') || !isDelegable(act)) {
      throw misuse(`--act: ${act} is done by a person themselves, and by no program for them`);
    }
  }
  return { name, acts: [...new Set(acts)].toSorted(), days };
}

function isAct(text: string): text is ActName {
  return Object.hasOwn(RIGHTS, text);
}
