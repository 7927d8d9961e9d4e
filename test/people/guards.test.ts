/** Somebody with the database login and no key: what the guards of the tables refuse by themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import type { Filewright } from '../../src/filewright.ts';
import { ACT_FOR, Firm, founders, prepared, twinOf } from './firm.ts';

let firm: Firm;
let lone: Filewright;
let house: Filewright;
let people: readonly PersonActor[];
let twins: readonly PersonActor[];

beforeAll(async () => {
  firm = await Firm.make();
  house = await firm.tenant();
  people = await founders(house, 'Ann', 'Ben');
  lone = await firm.tenant();
  const [ann] = await founders(lone, 'Ann');
  if (ann === undefined) throw new Error('nobody was founded');
  twins = [ann, await twinOf(lone, ann, 'Bess')];
});
afterAll(() => firm.close());

const NEW_PERSON = `insert into person (tenant, id, name, skeleton, party)`;
const NEW_KEY = `insert into person_key (tenant, id, person, name, sha256, issued_by, expires_at)`;
const KEY_VALUES = `gen_random_uuid(), $2, 'made up', sha256('made up'), `;

/** $1 the tenant, $2 the first person, $3 the second. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    'a third founder',
    `${NEW_PERSON} select $1, id, 'Cy', 'cy', id from gen_random_uuid() id`,
    'person_vouched',
  ],
  [
    'a third person of an existing party, with two administrators there',
    `${NEW_PERSON} values ($1, gen_random_uuid(), 'Cy', 'cy', $2)`,
    'person_vouched',
  ],
  [
    'another name',
    `update person set name = 'Cy', skeleton = 'cy' where tenant = $1 and id = $2`,
    'person_stays',
  ],
  ['another party', `update person set party = $3 where tenant = $1 and id = $2`, 'person_vouched'],
  [
    'a key for somebody else',
    `${NEW_KEY} values ($1, ${KEY_VALUES} $3, now() + interval '1 day')`,
    'person_key_issued',
  ],
  [
    'a key from nobody',
    `${NEW_KEY} values ($1, ${KEY_VALUES} null, now() + interval '1 day')`,
    'person_key_issued',
  ],
  [
    'another hash under a key',
    `update person_key set sha256 = sha256('mine') where tenant = $1 and person = $2`,
    'person_key_stays',
  ],
  [
    'a longer life of a key',
    `update person_key set expires_at = 'infinity' where tenant = $1 and person = $2`,
    'person_key_stays',
  ],
  [
    'a role from somebody else without a proposal',
    `insert into person_role (tenant, person, role, n, given_by) values ($1, $2, 'viewer', 9, $3)`,
    'person_role_given',
  ],
  [
    'a role from nobody',
    `insert into person_role (tenant, person, role, n) values ($1, $2, 'viewer', 9)`,
    'person_role_given',
  ],
  [
    'a role taken by oneself',
    `update person_role set taken_by = $2, taken_at = now() where tenant = $1 and person = $2 and role = 'viewer'`,
    'person_role_given',
  ],
];

describe('by the database alone is refused', () => {
  it.each(REFUSED)('%s', async (_what, text, constraint) => {
    const values = [house.tenant, people[0]?.id, people[1]?.id].slice(
      0,
      text.includes('$3') ? 3 : text.includes('$2') ? 2 : 1,
    );
    await expect(house.session.run({ name: '', text }, values)).rejects.toMatchObject({
      code: '23001',
      constraint,
    });
  });

  it.each(['person', 'person_key', 'person_role', 'person_enrollment'])(
    'the removal of a %s',
    async (table) => {
      const text = `truncate ${table} cascade`;
      await expect(house.session.run({ name: '', text })).rejects.toMatchObject({ code: '23001' });
    },
  );

  it('the approval by a twin, whatever it calls itself', async () => {
    const [ann, bess] = twins;
    if (ann === undefined || bess === undefined) throw new Error('nobody is there');
    expect(bess.party).toBe(ann.party);
    const subject = await prepared(lone, ann.id);
    const text = `update proposal set state = 'approved', decided_by = $2, decided_at = now() where tenant = $1 and subject = $3`;
    const approved = lone.session.transaction(async (run) => {
      await run(ACT_FOR, [bess.id]);
      await run({ name: '', text }, [lone.tenant, bess.id, subject]);
    });
    await expect(approved).rejects.toMatchObject({
      code: '23001',
      constraint: 'proposal_second_person',
    });
  });

  it('a twin that leaves its party, or a lone administrator who takes their own role', async () => {
    const [ann, bess] = twins;
    const part = `update person set party = id where tenant = $1 and id = $2`;
    await expect(
      lone.session.run({ name: '', text: part }, [lone.tenant, bess?.id]),
    ).rejects.toMatchObject({ constraint: 'person_vouched' });
    const give = `insert into person_role (tenant, person, role, n, given_by) values ($1, $2, 'viewer', 9, $2)`;
    await expect(
      lone.session.run({ name: '', text: give }, [lone.tenant, ann?.id]),
    ).rejects.toMatchObject({ constraint: 'person_role_given' });
  });
});
