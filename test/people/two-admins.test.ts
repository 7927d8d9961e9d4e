/** One administrator among several: what takes another one, and what the codes of an enrollment are good for. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import { ROLES } from '../../src/access/role.ts';
import type { Filewright } from '../../src/filewright.ts';
import { enrollUser } from '../../src/oversight/acts/user-keys.ts';
import { approveUser, refuseUser, userProposals } from '../../src/oversight/acts/user-proposals.ts';
import {
  addUser,
  changeRoles,
  disableUser,
  enableUser,
  foundUser,
  listUsers,
} from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, founders, prepared, sent, vouchedFor } from './firm.ts';

let firm: Firm;
let app: Filewright;
let ann: PersonActor;
let ben: PersonActor;

beforeAll(async () => {
  firm = await Firm.make();
});
afterAll(() => firm.close());
beforeEach(async () => {
  app = await firm.tenant();
  [ann, ben] = (await founders(app, 'Ann', 'Ben')) as [PersonActor, PersonActor];
});

async function proposed(roles = ROLES) {
  const asked = await addUser(app, ann, { name: 'Cleo', roles });
  if (asked.state !== 'waiting') throw new Error('it does not wait');
  return asked;
}

const code = (name: string) => ({ code: name });

describe('adding a person', () => {
  it('waits for another administrator, and changes nothing before', async () => {
    const asked = await proposed();
    expect((await listUsers(app, OPERATOR)).map(({ name }) => name)).toEqual(['Ann', 'Ben']);
    expect(await userProposals(app, OPERATOR, { all: false })).toMatchObject([
      { id: asked.proposal, act: 'add', name: 'Cleo', proposedBy: 'Ann', sha256: asked.sha256 },
    ]);
    const itself = { id: asked.proposal, sha256: asked.sha256 };
    await expect(approveUser(app, ann, itself)).rejects.toMatchObject(code('SELF_APPROVAL'));
    const another = { ...itself, sha256: '0'.repeat(64) };
    await expect(approveUser(app, ben, another)).rejects.toMatchObject(code('HASH_DIFFERS'));
    await refuseUser(app, ben, { id: asked.proposal, reason: 'nobody knows this person' });
    await expect(approveUser(app, ben, itself)).rejects.toMatchObject(code('NOT_FOUND'));
  });

  it('gives the key to neither of the two: it takes both codes, once', async () => {
    const asked = await proposed();
    const approved = await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
    const [first, second] = [asked.code ?? '', approved.code ?? ''];
    expect(approved).not.toHaveProperty('key');
    for (const codes of [
      [first],
      [second],
      [first, first],
      [second, second],
      [first, 'fwe_x'],
      [],
    ]) {
      await expect(enrollUser(app, OPERATOR, { name: 'Cleo', codes })).rejects.toMatchObject(
        code('BAD_CREDENTIAL'),
      );
    }
    await expect(
      enrollUser(app, OPERATOR, { name: 'Ann', codes: [first, second] }),
    ).rejects.toMatchObject(code('BAD_CREDENTIAL'));
    const { key } = await enrollUser(app, OPERATOR, { name: 'Cleo', codes: [second, first] });
    const cleo = await personOf(app, key);
    expect(cleo.party).toBe(cleo.id);
    await expect(
      enrollUser(app, OPERATOR, { name: 'Cleo', codes: [first, second] }),
    ).rejects.toMatchObject(code('BAD_CREDENTIAL'));
  });

  it('makes somebody who is a second person to both', async () => {
    const cleo = await vouchedFor(app, [ann, ben], 'Cleo');
    await sent(app, await prepared(app, ann.id), cleo.id);
    await sent(app, await prepared(app, cleo.id), ben.id);
  });

  it('without a key ends with the second founder', async () => {
    await expect(foundUser(app, OPERATOR, 'Dan')).rejects.toMatchObject(code('NO_CREDENTIAL'));
    const fresh = await firm.tenant();
    const keys = [await foundUser(fresh, OPERATOR, 'Ann'), await foundUser(fresh, OPERATOR, 'Ben')];
    await expect(foundUser(fresh, OPERATOR, 'Dan')).rejects.toMatchObject(code('NO_CREDENTIAL'));
    expect(keys).toHaveLength(2);
  });
});

describe('roles', () => {
  it('are given by two, to a third, and never to oneself', async () => {
    const cleo = await vouchedFor(app, [ann, ben], 'Cleo', ['viewer']);
    const asked = await changeRoles(app, ann, { name: 'Cleo', act: 'give', roles: ['admin'] });
    if (asked.state !== 'waiting') throw new Error('it does not wait');
    expect((await listUsers(app, OPERATOR)).find(({ id }) => id === cleo.id)?.roles).toEqual([
      'viewer',
    ]);
    await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
    expect((await listUsers(app, OPERATOR)).find(({ id }) => id === cleo.id)?.roles).toEqual([
      'admin',
      'viewer',
    ]);
    await expect(
      changeRoles(app, ann, { name: 'Ann', act: 'take', roles: ['viewer'] }),
    ).rejects.toMatchObject(code('NOT_PERMITTED'));
    const own = await changeRoles(app, ann, { name: 'Ben', act: 'take', roles: ['viewer'] });
    if (own.state !== 'waiting') throw new Error('it does not wait');
    // Nobody approves what is about their own roles.
    await expect(
      approveUser(app, ben, { id: own.proposal, sha256: own.sha256 }),
    ).rejects.toMatchObject(code('NOT_PERMITTED'));
  });

  it('of a viewer add nobody, and approve nothing', async () => {
    const cleo = await vouchedFor(app, [ann, ben], 'Cleo', ['viewer', 'approver']);
    await expect(addUser(app, cleo, { name: 'Dan', roles: [] })).rejects.toMatchObject(
      code('NOT_PERMITTED'),
    );
    const asked = await addUser(app, ann, { name: 'Dan', roles: ['viewer'] });
    if (asked.state !== 'waiting') throw new Error('it does not wait');
    await expect(
      approveUser(app, cleo, { id: asked.proposal, sha256: asked.sha256 }),
    ).rejects.toMatchObject(code('NOT_PERMITTED'));
  });
});

describe('leaving and coming back', () => {
  it('takes one to leave and two to come back', async () => {
    await vouchedFor(app, [ann, ben], 'Cleo');
    await disableUser(app, ann, 'Cleo');
    const asked = await enableUser(app, ann, { name: 'Cleo' });
    if (asked.state !== 'waiting') throw new Error('it does not wait');
    await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
    const cleo = (await listUsers(app, OPERATOR)).find(({ name }) => name === 'Cleo');
    expect(cleo).toMatchObject({ disabledAt: undefined, party: cleo?.id });
  });

  it('whoever disables the other administrators and enables one alone is one with them', async () => {
    await disableUser(app, ann, 'Ben');
    expect(await enableUser(app, ann, { name: 'Ben' })).toMatchObject({ state: 'done' });
    const subject = await prepared(app, ann.id);
    await expect(sent(app, subject, ben.id)).rejects.toMatchObject(code('SELF_APPROVAL'));
    await disableUser(app, ann, 'Ben');
    await expect(disableUser(app, ann, 'Ann')).rejects.toMatchObject(code('REFUSED_BY_RULE'));
  });

  it('keeps the name of who left', async () => {
    await vouchedFor(app, [ann, ben], 'Cleo');
    await disableUser(app, ann, 'Cleo');
    const asked = await addUser(app, ann, { name: 'CLEO', roles: ['viewer'] });
    if (asked.state !== 'waiting') throw new Error('it does not wait');
    await expect(
      approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 }),
    ).rejects.toMatchObject(code('REFUSED_BY_RULE'));
  });
});
