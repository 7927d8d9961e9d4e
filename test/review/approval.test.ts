/** The one kernel of the second person, against people with SQL in their hands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approveReview,
  proposeReplay,
  withdrawReview,
} from '../../src/filings/acts/reviews-proposals.ts';
import { ReviewWorld } from './world.ts';

const reason = 'the portal was wrong';

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.make();
});
afterAll(() => world.close());

async function proposed(): Promise<{ id: string; sha256: string; filing: string }> {
  const { filing } = await world.refused();
  const act = { id: filing.id, reason, notFiled: undefined };
  return { ...(await proposeReplay(world.app, world.paula, act)), filing: filing.id };
}

const decide = (id: string, set: string): Promise<unknown> =>
  world.sql(`update proposal set decided_at = now(), ${set} where id = $1`, [id]);

describe('a proposal', () => {
  it('is decided once, though two people decide at the same moment', async () => {
    const { app, paula, arthur } = world;
    const { id, sha256 } = await proposed();
    const both = await Promise.allSettled([
      approveReview(app, arthur, { id, expectHash: sha256 }),
      withdrawReview(app, paula, { id, reason: 'on second thoughts' }),
    ]);
    const lost = both.filter((one) => one.status === 'rejected');
    expect(lost).toMatchObject([{ reason: { code: 'REFUSED_BY_RULE' } }]);
  });

  it.each([
    ['what runs', `terms = '{"other":1}'`],
    ['who proposed', `proposed_by = (select id from person where name like 'Arthur%')`],
    ['the reason', `reason = 'quite another reason'`],
    ['the kind', `kind = 'correct'`],
  ])('keeps %s between the two people', async (_, change) => {
    const { id } = await proposed();
    const by = `state = 'approved', decided_by = '${world.arthur.id}'`;
    for (const set of [change, `${change}, ${by}`]) {
      await expect(
        world.sql(`update proposal set ${set} where id = $1`, [id]),
      ).rejects.toMatchObject({ code: '23001' });
    }
  });

  it('is refused or approved by another person, and withdrawn only by the person who made it', async () => {
    const { id } = await proposed();
    const why = `decision_reason = 'for no reason'`;
    for (const [state, by] of [
      ['approved', world.paula],
      ['refused', world.paula],
      ['withdrawn', world.arthur],
    ] as const) {
      const set = `state = '${state}', decided_by = '${by.id}', ${why}`;
      await expect(decide(id, set), state).rejects.toMatchObject({
        constraint: 'proposal_second_person',
      });
    }
  });

  it('that is decided takes no further filing, and no other decision', async () => {
    const { app, arthur } = world;
    const { id, sha256 } = await proposed();
    const { filing } = await world.refused();
    await approveReview(app, arthur, { id, expectHash: sha256 });
    await expect(
      world.sql(
        `insert into review_item select e.tenant, $1, e.id, 1, 'send', e.revision, e.key, e.payload_sha256, e.payload_ct
         from envelope e where e.id = $2`,
        [id, filing.id],
      ),
    ).rejects.toMatchObject({ constraint: 'review_item_open' });
    await expect(
      decide(
        id,
        `state = 'refused', decided_by = '${arthur.id}', decision_reason = 'too late now'`,
      ),
    ).rejects.toMatchObject({ constraint: 'proposal_decided_once' });
    await expect(world.sql('delete from proposal')).rejects.toMatchObject({ code: '23001' });
  });
});
