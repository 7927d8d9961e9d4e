/** A portal that failed, whose recovery one person starts and another approves. */
import { lanes } from '../../src/lanes/acts/lanes.ts';
import { approveLane, hurryLane } from '../../src/filings/acts/lane-recovery.ts';
import { laneFacts } from '../../src/lanes/rules/lane-facts.ts';
import { failing } from '../../src/lanes/rules/recovery/lane-recovery.ts';
import { writeLane } from '../../src/lanes/store/lanes.ts';
import type { LaneState } from '../../src/core/lane.ts';
import type { ReviewWorld } from '../review/world.ts';

export async function recoveredLane(world: ReviewWorld, code: string): Promise<void> {
  const { app, paula, arthur } = world;
  const before = (await lanes(app)).find(({ state }) => state.code === code)?.state;
  if (before === undefined) throw new Error(`no lane is named ${code}`);
  const now = app.clock.now();
  const begun = failing(before, { reason: 'collision', code: 'SESSION_COLLISION' }, now);
  const after: LaneState = {
    ...before,
    pause: { kind: 'held', since: now, reason: 'collision' },
    recovery: { ...begun, run: { state: 'awaiting_approval', since: now, reasons: ['collision'] } },
  };
  const facts = laneFacts(before, after, app.ids, now);
  if (!(await writeLane(app.session, app.tenant, before, after, facts))) {
    throw new Error('somebody else changed the lane');
  }
  await hurryLane(app, paula, code);
  await approveLane(app, arthur, { lane: code, reason: 'looked at the portal' });
}
