/** An installation of its own, for acts about people; a tenant for each test. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersonActor } from '../../src/access/actor.ts';
import { type Role, ROLES } from '../../src/access/role.ts';
import { createFilewright } from '../../src/app.ts';
import type { PersonId } from '../../src/core/ids.ts';
import type { Filewright } from '../../src/filewright.ts';
import { enrollUser } from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import { addUser, foundUser } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { decideProposal, propose } from '../../src/people/store/proposals.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';
import { OPERATOR } from '../operator.ts';

export class Firm {
  readonly #folder: string;
  readonly #open: Filewright[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<Firm> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-people-'));
    // For root the server runs as somebody else, who must be able to pass through.
    await chmod(folder, 0o711);
    copyPreparedCluster(join(folder, 'data'));
    return new Firm(folder);
  }

  async tenant(): Promise<Filewright> {
    const tenant = `t${this.#open.length}`;
    const app = await createFilewright({ dataDirectory: join(this.#folder, 'data'), tenant });
    this.#open.push(app);
    return app;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((app) => app.close()));
    await stopEmbedded(join(this.#folder, 'data'), { mode: 'immediate' });
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Both made before either key is used. */
export async function founders(
  app: Filewright,
  ...names: readonly string[]
): Promise<PersonActor[]> {
  const keys: string[] = [];
  for (const name of names) keys.push((await foundUser(app, OPERATOR, name)).key);
  const actors: PersonActor[] = [];
  for (const key of keys) actors.push(await personOf(app, key));
  return actors;
}

/** By one administrator alone: of the same party. */
export async function twinOf(
  app: Filewright,
  actor: PersonActor,
  name: string,
): Promise<PersonActor> {
  const added = await addUser(app, actor, { name, roles: ROLES });
  if (added.state !== 'added') throw new Error('another administrator is there');
  return personOf(app, added.key);
}

export async function vouchedFor(
  app: Filewright,
  [one, other]: readonly [PersonActor, PersonActor],
  name: string,
  roles: readonly Role[] = ROLES,
): Promise<PersonActor> {
  const asked = await addUser(app, one, { name, roles });
  if (asked.state !== 'waiting') throw new Error('nobody else is there');
  const { code } = await approveUser(app, other, { id: asked.proposal, sha256: asked.sha256 });
  const codes = [asked.code ?? '', code ?? ''];
  return personOf(app, (await enrollUser(app, OPERATOR, { name, codes })).key);
}

/** The person in whose name the rest of a transaction is. */
export const ACT_FOR = { name: '', text: `select set_config('fw.person', $1, true)` };

/** What somebody prepared, as a proposal of the kind that lets filings go. */
export async function prepared(app: Filewright, by: PersonId): Promise<string> {
  const subject = app.ids.next();
  const reason = 'send what was frozen';
  await app.session.transaction(async (run) => {
    await run(ACT_FOR, [by]);
    await propose(run, app.tenant, { kind: 'batch', subject, terms: { count: 1 }, reason, by });
  });
  return subject;
}

export async function sent(app: Filewright, subject: string, by: PersonId): Promise<void> {
  const about = { kinds: ['batch'], subject, what: 'The batch' } as const;
  await app.session.transaction(async (run) => {
    await run(ACT_FOR, [by]);
    await decideProposal(run, app.tenant, about, { approves: true, by });
  });
}
