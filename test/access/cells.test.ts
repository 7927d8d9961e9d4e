/**
 * A request for every cell of the table of roles and acts, through the acts themselves, by people whose keys and roles are in a
 * real database. A cell that is flipped and an act that forgets to ask are found here; keys that are nobody's: people/keys.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, localOperator, type PersonActor } from '../../src/access/actor.ts';
import { RIGHTS } from '../../src/access/rights.ts';
import { type Role, ROLES } from '../../src/access/role.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { Filewright } from '../../src/filewright.ts';
import { addOwnKey } from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import { changeRoles } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, founders, vouchedFor } from '../people/firm.ts';
import { CELLS } from './cells.ts';
import {
  exportedFunctions,
  grantSteps,
  NOT_ACTS,
  refusal,
  STRANGER,
  Touched,
  UNTOUCHABLE,
} from './doors.ts';

const PROGRAM: Actor = { kind: 'program', id: 'crm', name: 'CRM' };

const acts = await Promise.all(
  [...(await exportedFunctions()), ...grantSteps()]
    .filter(([name]) => !NOT_ACTS.includes(name))
    .map(async ([name, call]) => {
      const asked = await refusal(() => call(UNTOUCHABLE, STRANGER, {}, {}, {}));
      return { name, call, act: String(asked.details['act']) };
    }),
);

let firm: Firm;
let app: Filewright;
let two: readonly [PersonActor, PersonActor];
const people = new Map<Role | 'none', PersonActor>();

beforeAll(async () => {
  firm = await Firm.make();
  app = await firm.tenant();
  const [ann, ben] = await founders(app, 'Ann', 'Ben');
  if (ann === undefined || ben === undefined) throw new Error('nobody was founded');
  two = [ann, ben];
  for (const role of ROLES) people.set(role, await vouchedFor(app, two, `The ${role}`, [role]));
  people.set('none', await withoutRoles());
}, 120_000);
afterAll(() => firm.close());

async function withoutRoles(): Promise<PersonActor> {
  const [ann, ben] = two;
  const person = await vouchedFor(app, two, 'Nora None', ['viewer']);
  const asked = await changeRoles(app, ann, { name: 'Nora None', act: 'take', roles: ['viewer'] });
  if (asked.state !== 'waiting') throw new Error('nobody else is there');
  await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
  // A key of their own from before; its roles are read now.
  const { key } = await addOwnKey(app, person, { name: 'another' });
  return personOf(app, key);
}

/** Undefined where the door was passed, whatever came of it behind. */
async function refusedAs(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const isRefusal =
      error instanceof FilewrightError && ['NOT_PERMITTED', 'NO_CREDENTIAL'].includes(error.code);
    if (isRefusal) return String(error.details['act']);
    return error instanceof Touched || error instanceof Error ? undefined : 'no error';
  }
}

describe('every cell', () => {
  it('is written down', () => {
    expect([...CELLS.keys()].toSorted()).toEqual(Object.keys(RIGHTS).toSorted());
    for (const { act } of acts) expect(CELLS.has(act), act).toBe(true);
  });

  it.each(acts)('$act by $name', async ({ act, call }) => {
    const cell = CELLS.get(act);
    const expected = new Map<Actor, boolean>([
      [OPERATOR, cell?.isForMachine === true],
      [localOperator('root'), cell?.isForMachine === true],
      [PROGRAM, cell?.isForProgram === true],
      ...two.map((founder) => [founder, true] as const),
      ...[...people].map(
        ([role, person]) => [person, cell?.roles.includes(role) === true] as const,
      ),
    ]);
    for (const [actor, isAllowed] of expected) {
      // Whoever is let in touches nothing: some acts would stop the database that the others need.
      const at = isAllowed ? UNTOUCHABLE : app;
      const refused = await refusedAs(() => call(at, actor, {}, {}, {}));
      expect(refused, `${act} by ${actor.name}`).toBe(isAllowed ? undefined : act);
    }
  });
});
