/**
 * The adversary: one human being who wants to be the second person of what they proposed. By the act, and by SQL past it:
 * the same person, with a second key, the twin, somebody whose role was taken away or who was disabled in between, with
 * another hash, or a second time.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import { type ActName, RIGHTS } from '../../src/access/rights.ts';
import { ROLES } from '../../src/access/role.ts';
import { ROLES_OF_ACTS } from '../../src/access/roles.ts';
import type { ProposalKind } from '../../src/core/approval.ts';
import type { Filewright } from '../../src/filewright.ts';
import { approveRouting } from '../../src/dockets/acts/routing-changes.ts';
import { approveProfile } from '../../src/filings/acts/lane-profiles.ts';
import { approveKeyRotation, proposeKeyRotation } from '../../src/oversight/acts/keys.ts';
import { holdData, releaseData } from '../../src/oversight/acts/retention.ts';
import { addOwnKey } from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import { changeRoles, disableUser } from '../../src/oversight/acts/users.ts';
import { approveWebhook } from '../../src/people/acts/events.ts';
import { approveMail } from '../../src/people/acts/mail.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { proposals, propose } from '../../src/people/store/proposals.ts';
import type { Run } from '../../src/postgres/index.ts';
import { ACT_FOR, Firm, founders, twinOf, vouchedFor } from './firm.ts';
import { ALONE, READS, TWO_PEOPLE } from './second-person.ts';

// Named once by `satisfies` in TWO_PEOPLE: it has every kind.
const KINDS = Object.keys(TWO_PEOPLE) as ProposalKind[];
const REASON = 'try the second person';

describe('the list of what needs a second person', () => {
  it('has every act in exactly one place', () => {
    const two = KINDS.flatMap((kind) => Object.values(TWO_PEOPLE[kind]).flat() as ActName[]);
    const listed = [...new Set(two), ...Object.values(ALONE).flat(), ...READS];
    expect(listed.toSorted()).toEqual(Object.keys(RIGHTS).toSorted());
  });
});

interface Made {
  readonly id: string;
  readonly subject: string;
  readonly sha256: string;
}

/** A house with what is proposed in it, once of each kind. */
class House {
  readonly app: Filewright;
  readonly made = new Map<ProposalKind, Made>();

  constructor(app: Filewright) {
    this.app = app;
  }

  run: Run = (statement, values) => this.app.session.run(statement, values);

  async proposeAll(by: PersonActor): Promise<void> {
    for (const kind of KINDS) this.made.set(kind, await this.#propose(kind, by));
  }

  async #propose(kind: ProposalKind, by: PersonActor): Promise<Made> {
    const { app } = this;
    if (kind === 'hold') {
      const { id } = await holdData(app, by, { subject: 'E-1', reason: REASON });
      return this.#found(kind, id);
    }
    if (kind === 'key') {
      const asked = { level: 'tenant', reason: REASON, environment: {} } as const;
      const done = await proposeKeyRotation(app, by, asked);
      if (!('hash' in done)) throw new Error('no rotation was proposed');
      return this.#found(kind, `tenant/${done.key}`);
    }
    const subject = kind === 'matrix' ? 'setup' : app.ids.next();
    const act = { person: 'enable', role: 'give' }[kind as 'person' | 'role'];
    const terms = { resolution: 'dismiss', act, name: 'Nobody', roles: ['viewer'] };
    await this.as(by, (run) =>
      propose(run, app.tenant, { kind, subject, terms, reason: REASON, by: by.id }),
    );
    return this.#found(kind, subject);
  }

  async #found(kind: ProposalKind, subject: string): Promise<Made> {
    const [one] = await proposals(this.run, this.app.tenant, [kind], subject);
    if (one === undefined) throw new Error(`no ${kind} was proposed`);
    return { id: one.id, subject, sha256: one.sha256 };
  }

  of(kind: ProposalKind): Made {
    const made = this.made.get(kind);
    if (made === undefined) throw new Error(`no ${kind} was proposed`);
    return made;
  }

  /** With the application's login, acting as that person. */
  as<T>(person: { readonly id: string }, work: (run: Run) => Promise<T>): Promise<T> {
    return this.app.session.transaction(async (run) => {
      await run(ACT_FOR, [person.id]);
      return work(run);
    });
  }

  /** Past every act. */
  bySql(
    kind: ProposalKind,
    decision: { acting: PersonActor; named?: PersonActor; state?: string; hash?: string },
  ): Promise<unknown> {
    const { acting, named = acting, state = 'approved', hash } = decision;
    const { id, sha256 } = this.of(kind);
    const text = `update proposal set state = $3, decided_by = $4, decided_at = now(), sha256 = decode($5, 'hex'),
      decision_reason = 'because it is so' where tenant = $1 and id = $2`;
    const values = [this.app.tenant, id, state, named.id, hash ?? sha256];
    return this.as(acting, (run) => run({ name: '', text }, values));
  }

  /** By the act that a person calls; undefined where the act needs more of a world than a proposal (tests of its own). */
  byAct(
    kind: ProposalKind,
    actor: PersonActor,
    hash = this.of(kind).sha256,
  ): Promise<unknown> | undefined {
    const { app } = this;
    const { id, subject } = this.of(kind);
    switch (kind) {
      case 'lane':
        return approveProfile(app, actor, { lane: subject, expectHash: hash });
      case 'webhook':
        return approveWebhook(app, actor, { id: subject, expectHash: hash });
      case 'recipient':
        return approveMail(app, actor, { subject, expectHash: hash });
      case 'matrix':
        return approveRouting(app, actor, hash);
      case 'person':
      case 'role':
        return approveUser(app, actor, { id, sha256: hash });
      case 'hold':
        return releaseData(app, actor, subject);
      case 'key':
        return approveKeyRotation(app, actor, { level: 'tenant', hash, environment: {} });
      case 'replay':
      case 'correct':
      case 'hand':
      case 'exception':
      case 'batch':
      case 'cancel':
      case 'release':
      case 'statement':
      case 'quarantine':
      case 'docket':
      case 'recovery':
        return undefined;
    }
  }
}

let firm: Firm;
let house: House;
let lone: House;
let [ann, ben, cy, dee]: PersonActor[] = [];
let annAgain: PersonActor;
let bess: PersonActor;

beforeAll(async () => {
  firm = await Firm.make();
  house = new House(await firm.tenant());
  const { app } = house;
  [ann, ben] = await founders(app, 'Ann', 'Ben');
  cy = await vouchedFor(app, [given(ann), given(ben)], 'Cy');
  dee = await vouchedFor(app, [given(ann), given(ben)], 'Dee');
  const { key } = await addOwnKey(app, given(ann), { name: 'another machine' });
  annAgain = await personOf(app, key);
  await house.proposeAll(given(ann));
  // In between.
  const taken = await changeRoles(app, given(ann), { name: 'Cy', act: 'take', roles: ROLES });
  if (taken.state !== 'waiting') throw new Error('nobody else is there');
  await approveUser(app, given(ben), { id: taken.proposal, sha256: taken.sha256 });
  await disableUser(app, given(ann), 'Dee');

  lone = new House(await firm.tenant());
  const [only] = await founders(lone.app, 'Ann');
  bess = await twinOf(lone.app, given(only), 'Bess');
  await lone.proposeAll(given(only));
}, 120_000);
afterAll(() => firm.close());

function given(person: PersonActor | undefined): PersonActor {
  if (person === undefined) throw new Error('nobody is there');
  return person;
}

const SECOND = 'proposal_second_person';

describe.each(KINDS)('a proposal of kind %s', (kind) => {
  const rejects = (constraint: string, decision: Parameters<House['bySql']>[1], at = house) =>
    expect(at.bySql(kind, decision)).rejects.toMatchObject({ code: '23001', constraint });
  const refused = async (
    codes: readonly string[],
    actor: PersonActor,
    at = house,
    hash?: string,
  ) => {
    const answer = at.byAct(kind, actor, hash);
    if (answer === undefined) return;
    const code = await answer.then(
      () => 'was approved',
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    expect(codes).toContain(code);
  };

  it('asks in SQL for the roles of its acts', async () => {
    const acts = TWO_PEOPLE[kind];
    for (const act of ['propose', 'approve', 'refuse'] as const) {
      const names = acts[act] ?? acts.approve;
      const roles = ROLES.filter((role) =>
        names.some((name) => (ROLES_OF_ACTS[name] as readonly string[]).includes(role)),
      );
      const text = `select proposal_roles($1, $2) as roles`;
      const [row] = await house.run({ name: '', text }, [kind, act]);
      expect(new Set(row?.['roles'] as string[]), act).toEqual(new Set(roles));
    }
  });

  it('is not approved by who proposed it, whatever the key and whomever they name', async () => {
    await rejects(SECOND, { acting: given(ann) });
    await rejects(SECOND, { acting: annAgain });
    await rejects('acting_person', { acting: given(ann), named: given(ben) });
    for (const self of [given(ann), annAgain]) await refused(['SELF_APPROVAL'], self);
  });

  it('is not approved by their twin', async () => {
    await rejects(SECOND, { acting: bess }, lone);
    await refused(['SELF_APPROVAL'], bess, lone);
  });

  it('is not approved by somebody whose role was taken away in between', async () => {
    await rejects('proposal_role', { acting: given(cy) });
    await rejects('proposal_role', { acting: given(cy), state: 'refused' });
    // With the session of before, in which the role was still there; and signed in anew.
    await refused(['NOT_PERMITTED'], given(cy));
    await refused(['NOT_PERMITTED'], { ...given(cy), roles: [] });
  });

  it('is not approved by somebody who was disabled in between', async () => {
    await rejects(SECOND, { acting: given(dee) });
    await refused(['SELF_APPROVAL'], given(dee));
  });

  it('is not proposed by somebody without a role, or disabled', async () => {
    for (const by of [given(cy), given(dee)]) {
      const terms = { resolution: 'dismiss' };
      const made = house.as(by, (run) =>
        propose(run, house.app.tenant, {
          kind,
          subject: 'other',
          terms,
          reason: REASON,
          by: by.id,
        }),
      );
      await expect(made).rejects.toMatchObject({ code: 'NOT_PERMITTED' });
    }
  });

  it('is not approved under another hash', async () => {
    await rejects('proposal_same_hash', { acting: given(ben), hash: '0'.repeat(64) });
    // A hold is released by its id: it has no hash that a person would see.
    if (kind !== 'hold') await refused(['HASH_DIFFERS'], given(ben), house, '0'.repeat(64));
  });

  it('is approved once by another person, and then by nobody again', async () => {
    await house.bySql(kind, { acting: given(ben) });
    await rejects('proposal_decided_once', { acting: given(ben) });
    await refused(['REFUSED_BY_RULE', 'NOT_FOUND'], given(ben));
  });
});
