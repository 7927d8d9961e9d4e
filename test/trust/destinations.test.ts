/**
 * The adversary: one person with one key, before or after somebody's approval. What two people have approved goes where they
 * saw that it goes, or nowhere.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { approve, proposeAgain, runBatch } from '../../src/filings/acts/batches.ts';
import {
  addProfile,
  approveProfile,
  proposedProfiles,
  refuseProfile,
} from '../../src/filings/acts/lane-profiles.ts';
import { watchApprovals } from '../../src/filings/watch/approval-watch.ts';
import { changeLane } from '../../src/lanes/acts/lanes.ts';
import { OPERATOR } from '../operator.ts';
import { TrustWorld } from './world.ts';

let world: TrustWorld;
let paula: PersonActor;
let arthur: PersonActor;
let mallory: PersonActor;

beforeEach(async () => {
  world = await TrustWorld.make();
  [paula, arthur, mallory] = world.people;
  await addProfile(world.app, paula, world.profile('authority'));
});
afterEach(() => world.close());

const run = (id: BatchId) =>
  runBatch(world.app, OPERATOR, id, { signal: new AbortController().signal });
const stolen = (): number => world.thief.truth('US-DE').requests.submit;
const filed = (): number => [...world.authority.truth('US-DE').accepted()].length;

async function openHash(): Promise<string> {
  const [one] = await proposedProfiles(world.app, arthur);
  if (one === undefined) throw new Error('no profile is proposed');
  return one.sha256;
}

/** Both of them agree to another destination, as people do when a portal moves. */
async function move(to: 'authority' | 'thief', title?: string): Promise<void> {
  const profile = world.profile(to, title === undefined ? {} : { title });
  await addProfile(world.app, mallory, profile, 'the portal has a new address');
  const expectHash = await openHash();
  await approveProfile(world.app, arthur, { lane: 'US-DE', expectHash });
}

describe('after the approval one key', () => {
  it('does not send approved payloads to another host', async () => {
    const id = await world.batch(3);
    await approve(world.app, arthur, id);
    const added = await addProfile(world.app, mallory, world.profile('thief'));
    expect(added.state).toBe('proposed');
    await run(id);
    expect({ stolen: stolen(), filed: filed() }).toEqual({ stolen: 0, filed: 3 });
  });

  it('cannot approve its own profile, nor by the database, nor by another hash', async () => {
    await addProfile(world.app, mallory, world.profile('thief'));
    const expectHash = await openHash();
    const own = approveProfile(world.app, mallory, { lane: 'US-DE', expectHash });
    await expect(own).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    const other = approveProfile(world.app, arthur, { lane: 'US-DE', expectHash: '0'.repeat(64) });
    await expect(other).rejects.toMatchObject({ code: 'HASH_DIFFERS' });
    const direct = world.sql(
      `update lane set profile = p.terms::jsonb->>'profile', origin = p.terms::jsonb->>'origin'
       from proposal p where p.kind = 'lane' and p.subject = lane.code and p.tenant = lane.tenant`,
    );
    await expect(direct).rejects.toMatchObject({ constraint: 'lane_profile_agreed' });
    await refuseProfile(world.app, arthur, { lane: 'US-DE', reason: 'this is not the authority' });
    expect(await proposedProfiles(world.app, arthur)).toEqual([]);
  });

  it('cannot go back to a profile that was approved once and replaced since', async () => {
    await move('thief');
    await move('authority', 'moved back');
    const direct = world.sql(
      `update lane set profile = p.terms::jsonb->>'profile', origin = p.terms::jsonb->>'origin'
       from proposal p where p.kind = 'lane' and p.subject = lane.code and p.tenant = lane.tenant and p.n = 1`,
    );
    await expect(direct).rejects.toMatchObject({ constraint: 'lane_profile_agreed' });
  });

  it('cannot ask more of a portal than the profile allows', async () => {
    const { ceiling } = world.profile('authority');
    const more = changeLane(world.app, mallory, 'US-DE', { kind: 'ceiling', ceiling: ceiling + 1 });
    await expect(more).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await changeLane(world.app, mallory, 'US-DE', { kind: 'ceiling', ceiling: 1 });
  });
});

describe('an approval', () => {
  it('is void once two people gave the lane another profile, and can be given again', async () => {
    const id = await world.batch(2);
    await approve(world.app, arthur, id);
    await move('thief');
    const { waits } = await run(id);
    expect(waits).toMatchObject([{ lane: 'US-DE', open: 2, until: undefined }]);
    expect({ stolen: stolen(), filed: filed() }).toEqual({ stolen: 0, filed: 0 });
    const voided = await world.sql(`select cause, filings from approval_void`);
    expect(voided).toEqual([{ cause: 'profile', filings: 2 }]);
    const alerts = await world.sql(`select severity from alert where kind = 'approval_ended'`);
    expect(alerts).toEqual([{ severity: 'critical' }]);
    // Going back to the former destination does not bring the former word back.
    await move('authority');
    await run(id);
    expect(filed()).toBe(0);
    await proposeAgain(world.app, paula, id);
    await expect(approve(world.app, paula, id)).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    await approve(world.app, arthur, id);
    await run(id);
    expect({ stolen: stolen(), filed: filed() }).toEqual({ stolen: 0, filed: 2 });
    // Used once: nothing is left of it.
    await expect(proposeAgain(world.app, paula, id)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    expect(await world.isSound()).toBe(true);
  });

  it('is for the destination that was proposed: a change before it wants another proposal', async () => {
    const id = await world.batch(1);
    await move('thief');
    await expect(approve(world.app, arthur, id)).rejects.toMatchObject({
      code: 'DESTINATION_CHANGED',
    });
    await move('authority');
    await approve(world.app, arthur, id);
    await run(id);
    expect(filed()).toBe(1);
  });

  it('names hash and origin of every lane in the ledger, and each intent names the hash', async () => {
    const id = await world.batch(1);
    await approve(world.app, arthur, id);
    await run(id);
    const rows = await world.sql(
      `select convert_from(bytes, 'UTF8')::jsonb as entry from ledger_entry where boundary in ('access', 'filing')`,
    );
    const entries = rows.map(
      ({ entry }) => entry as { type: string; data: Record<string, unknown> },
    );
    const of = (type: string) => entries.filter((entry) => entry.type === type).at(-1)?.data;
    const [lane] = await world.sql(
      `select encode(profile_sha256, 'hex') as profile_sha256, origin from lane where code = 'US-DE'`,
    );
    expect(of('lane.profiled')).toMatchObject({ ...lane });
    expect(of('approval.granted')).toMatchObject({ lanes: [{ lane: 'US-DE', ...lane }] });
    expect(of('filing.intent')).toMatchObject({ profile_sha256: lane?.['profile_sha256'] });
  });

  it('expires: what was not begun in time waits for another one', async () => {
    const id = await world.batch(1);
    await approve(world.app, arthur, id, {}, 1);
    await world.sql(`update filing set approved_until = now() - interval '1 second'`);
    const worker = await run(id).then(() => filed());
    expect(worker).toBe(0);
    const voided = await world.sql(`select cause, filings from approval_void`);
    expect(voided).toEqual([{ cause: 'expired', filings: 1 }]);
    expect(await watchApprovals(world.app)).toEqual([]);
    await proposeAgain(world.app, paula, id);
    await approve(world.app, arthur, id);
    await run(id);
    expect(filed()).toBe(1);
  });
});
