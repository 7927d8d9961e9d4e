/** Filing by hand over a real database. The adversary: two people on one filing, and one who goes home with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFilewright } from '../../src/app.ts';
import { defendFiling } from '../../src/filings/acts/defense.ts';
import { listHand, renewTaking, takeFiling } from '../../src/filings/acts/hand.ts';
import { openEvidence } from '../../src/filings/acts/hand-evidence.ts';
import { handSheet } from '../../src/filings/acts/hand-sheet.ts';
import { logOrigin } from '../../src/ledger/entry.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { approveKeyRotation, proposeKeyRotation } from '../../src/oversight/acts/keys.ts';
import { proposeAgain } from '../../src/filings/acts/batches.ts';
import { addMs } from '../../src/core/time.ts';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import { batchStatus } from '../../src/filings/acts/batches.ts';
import { missing, verify } from '../verify-py/python.ts';
import { HandWorld, PDF } from './world.ts';

let world: HandWorld;
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
}, 60_000);
afterAll(() => world?.close());

const take = (who: 0 | 1, name: string) => takeFiling(world.app, world.people[who], { name });
const REFUSED = { code: 'REFUSED_BY_RULE' };
const LOOK = { code: 'MAY_BE_FILED' };
const reason = 'the portal was closed for the day';

describe('a filing that people file', () => {
  it('is taken by nobody before two people agreed to it, whatever runs around the rules', async () => {
    const { filings } = await world.batch(1, { isApproved: false });
    const id = filings[0]?.id ?? '';
    await expect(take(0, id)).rejects.toMatchObject(REFUSED);
    const tried = world.app.session.transaction(async (run) => {
      await run(
        {
          name: '',
          text: `insert into taking (tenant, filing, no, by_person, taken_at, expires_at)
          values ($1, $2, 1, $3, now(), now() + interval '1 hour')`,
        },
        [world.app.tenant, id, world.paula.id],
      );
    });
    await expect(tried).rejects.toMatchObject({ constraint: 'taking_free' });
    await expect(
      world.sql(
        `update filing set status = 'submitted', attempt = 1, next_at = null where id = $1`,
        [id],
      ),
    ).rejects.toThrow();
    expect((await world.filing(id)).status).toBe('pending');
  });

  it('is one person’s until they say what has come of it', async () => {
    const filing = await world.one();
    await expect(world.say(world.paula, filing, world.filed(filing))).rejects.toMatchObject(
      REFUSED,
    );
    const taken = await take(0, filing.id);
    expect(taken?.filing.status).toBe('submitted');
    await expect(take(1, filing.id)).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('Paula Preparer has this filing') as string,
    });
    await expect(renewTaking(world.app, world.arthur, filing.id)).rejects.toMatchObject(REFUSED);
    await expect(world.say(world.arthur, filing, world.filed(filing))).rejects.toMatchObject(
      REFUSED,
    );
    const renewed = await renewTaking(world.app, world.paula, filing.id);
    expect(renewed.until).toBeGreaterThanOrEqual(taken?.until ?? Number.POSITIVE_INFINITY);
    const { filings } = await listHand(world.app, world.arthur, { limit: 500 });
    expect(filings.find((one) => one.filing.id === filing.id)?.state).toMatchObject({
      kind: 'taken',
      name: 'Paula Preparer',
    });
    // Nobody is asked for an approval of what is in a person's hands.
    expect((await batchStatus(world.app, world.paula, filing.batch)).lanes[0]?.unapproved).toBe(0);
    await expect(proposeAgain(world.app, world.paula, filing.batch)).rejects.toThrow();

    await world.say(world.paula, filing, world.filed(filing));
    expect(await world.filing(filing.id)).toMatchObject({
      status: 'accepted',
      verdict: 'accepted',
      code: 'FILED_BY_HAND',
      receipt: `NV-${filing.id.slice(-8)}`,
    });
    await expect(take(1, filing.id)).rejects.toMatchObject(REFUSED);
    expect(await world.ledgerStands()).toBe(true);
  });

  it('is refused with what the office said, which a person then reviews', async () => {
    const filing = await world.one();
    await take(0, filing.id);
    await world.say(world.paula, filing, {
      kind: 'refused',
      code: 'NAME_MISMATCH',
      words: 'The name is not the one on record.',
    });
    expect(await world.filing(filing.id)).toMatchObject({
      status: 'rejected',
      code: 'NAME_MISMATCH',
    });
    const { openReview } = await import('../../src/filings/acts/reviews.ts');
    const review = await openReview(world.app, world.paula, filing.id);
    expect(review.attempts.map(({ action, verdict }) => [action, verdict])).toEqual([
      ['file', 'rejected'],
    ]);
    expect(review.attempts[0]?.exchange).toMatchObject({
      words: 'The name is not the one on record.',
    });
    expect(await world.ledgerStands()).toBe(true);
  });

  it('goes back to the queue by the word of the person who has it', async () => {
    const filing = await world.one();
    await take(0, filing.id);
    await world.say(world.paula, filing, { kind: 'not_filed', reason });
    expect(await take(1, filing.id)).toMatchObject({ filing: { attempt: 2 } });
    await world.say(world.arthur, filing, world.filed(filing));
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted', attempt: 2 });
  });

  it('that somebody went home with is looked for before anybody files it again', async () => {
    const filing = await world.one();
    await take(0, filing.id);
    await world.expire(filing.id);
    await expect(take(1, filing.id)).rejects.toMatchObject(LOOK);
    // Nor does the person who had it know better from memory.
    await expect(take(0, filing.id)).rejects.toMatchObject(LOOK);
    await expect(
      world.say(world.paula, filing, { kind: 'not_filed', reason }),
    ).rejects.toMatchObject(REFUSED);
    const now = world.app.clock.now();
    const place = 'the entity search of the office';
    await expect(
      world.say(world.arthur, filing, { kind: 'absent', place, lookedAt: addMs(now, -3_600_000) }),
    ).rejects.toMatchObject(LOOK);
    expect((await world.filing(filing.id)).status).toBe('submitted');
    await world.say(world.arthur, filing, { kind: 'absent', place, lookedAt: now });
    expect(await world.filing(filing.id)).toMatchObject({ status: 'pending', attempt: 2 });
    await take(1, filing.id);
    await world.say(world.arthur, filing, world.filed(filing));
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted', attempt: 3 });
    expect(await world.ledgerStands()).toBe(true);
  });

  it('of unknown outcome is accepted with what was found, and its folder convinces a stranger', async () => {
    const filing = await world.one();
    await take(0, filing.id);
    await world.say(world.paula, filing, {
      kind: 'unsure',
      reason: 'the page broke off after paying',
    });
    await expect(take(1, filing.id)).rejects.toMatchObject(LOOK);
    await world.say(world.arthur, filing, {
      ...world.filed(filing),
      kind: 'filed',
      place: 'the entity search of the office',
    } as Parameters<typeof world.say>[2]);
    const folder = join(world.folder, 'pack');
    await defendFiling(world.app, world.paula, { filing: filing.id, folder });
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(found.filter((name) => /^evidence\/entry-\d+\.pdf$/.test(name))).toHaveLength(1);
    const court = readFileSync(join(folder, 'README.txt'), 'utf8');
    expect(court).toContain('filed by a person, by hand');
    expect(court).not.toContain('Sent to');
    expect(readFileSync(join(folder, 'tiers.json'), 'utf8')).not.toContain('sent to the portal');
    expect(await verifyFolder(folder, {})).toMatchObject({ ok: true });
    if (!missing) expect(verify(folder)).toMatchObject({ ok: true, code: 0 });
    expect(await world.ledgerStands()).toBe(true);
  });

  it('has a sheet and a confirmation that open after another process has turned the tenant key', async () => {
    const { app, paula, arthur } = world;
    const [filed, waits] = [await world.one(), await world.one()];
    await take(0, filed.id);
    await world.say(paula, filed, world.filed(filed));
    const sheet = await handSheet(app, paula, waits.id);
    const dataDirectory = join(world.folder, 'data');
    const other = await createFilewright({ dataDirectory });
    try {
      const asked = { level: 'tenant', environment: {} } as const;
      const proposed = await proposeKeyRotation(other, paula, {
        ...asked,
        reason: 'yearly rotation of the key',
      });
      if (!('hash' in proposed)) throw new Error('expected a proposal');
      await approveKeyRotation(other, arthur, { ...asked, hash: proposed.hash });
    } finally {
      await other.close();
    }
    // A vault that has opened nothing yet, under the key that this process has known from its start.
    const { instance, tenant, random, tenantKey } = app;
    const origin = logOrigin(instance, tenant, 'filing');
    const afresh = { ...app, vault: new KeyVault({ origin, random, tenantKey }) };
    expect(await handSheet(afresh, paula, waits.id)).toEqual(sheet);
    const { bytes } = await openEvidence(afresh, paula, filed.id);
    expect(Buffer.from(bytes)).toEqual(PDF(filed.id));
    await take(0, waits.id);
    await world.say(paula, waits, world.filed(waits));
    expect(await world.ledgerStands()).toBe(true);
  });

  it('takes no receipt and no file that prove another one, and no slip of the pen', async () => {
    const first = await world.one();
    const second = await world.one();
    await take(0, first.id);
    await take(0, second.id);
    await world.say(world.paula, first, world.filed(first));
    const receipt = `NV-${first.id.slice(-8)}`;
    const bytes = PDF(first.id);
    const say = (more: Parameters<HandWorld['filed']>[1]) =>
      world.say(world.paula, second, world.filed(second, more));
    await expect(say({ receipt })).rejects.toMatchObject(REFUSED);
    await expect(
      say({ evidence: { kind: 'file', name: 'again.pdf', bytes } }),
    ).rejects.toMatchObject(REFUSED);
    for (const slip of [
      { receipt: 'NV 12#' },
      { receipt: '' },
      { feeCents: 2_250 },
      { feeCents: undefined },
      { filedAt: addMs(world.app.clock.now(), 3_600_000) },
      { filedAt: addMs(world.app.clock.now(), -3 * 86_400_000) },
      { evidence: { kind: 'file', name: 'a.pdf', bytes: Buffer.from('not a PDF') } as const },
    ]) {
      await expect(say(slip)).rejects.toMatchObject({ code: 'CASE_INVALID' });
    }
    // Nothing of it was kept: the filing is still this person's.
    expect((await world.filing(second.id)).status).toBe('submitted');
    await say({ evidence: { kind: 'file', name: 'both.pdf', bytes }, isShared: true });
    expect((await world.filing(second.id)).status).toBe('accepted');
  });

  it('is never a worker’s, and never late in a worker’s hands', async () => {
    const filing = await world.one();
    // As a worker would claim it that knows the lane and its profile: the lane never opens.
    const [lane] = await world.sql(
      `select by_hand, open_from = 'infinity' as shut from lane where code = 'US-NV'`,
    );
    expect(lane).toMatchObject({ by_hand: true, shut: true });
    await expect(
      world.sql(`update lane set by_hand = false where code = 'US-NV'`),
    ).rejects.toMatchObject({ constraint: 'lane_profile_agreed' });
    expect(
      await world.sql(`select by_hand from lane where code = 'US-NV' and open_from = 'infinity'`),
    ).toMatchObject([{ by_hand: true }]);
    expect((await world.filing(filing.id)).status).toBe('pending');
  });

  it('is had by one person however many try at the same moment', async () => {
    const filing = await world.one();
    const tries = await Promise.allSettled(
      [0, 1, 0, 1, 0, 1].map((who) => take(who as 0 | 1, filing.id)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
