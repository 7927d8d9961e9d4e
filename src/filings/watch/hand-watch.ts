/**
 * Takings whose time is over: each is put on record as an unknown outcome, and people hear that somebody must look. The rules
 * judge by the clock alone, so nothing waits for this; it only sees to it that nobody loses a filing in silence.
 */
import { newFact } from '../../core/index.ts';
import { type AlertDeps, raiseAlert } from '../../people/index.ts';
import { outcomeData } from '../acts/hand-say.ts';
import { lossOf } from '../rules/hand.ts';
import { countByHand, endAttempt, endTaking, lockInHand, lostTakings } from '../store/hand.ts';

/** In one look; the rest follows a few minutes later. */
const LOST_AT_ONCE = 200;

/** Returns how many were lost. */
export async function watchHand(deps: AlertDeps): Promise<number> {
  const { session, tenant, ids } = deps;
  const found = await lostTakings((...args) => session.run(...args), tenant, LOST_AT_ONCE);
  let lost = 0;
  for (const id of found) {
    lost += await session.transaction(async (run) => {
      const held = await lockInHand(run, tenant, id);
      const outcome = lossOf(held.facts);
      const { taking } = held.facts;
      // Somebody has said what came of it meanwhile.
      if (outcome === undefined || taking === undefined) return 0;
      const actor = { kind: 'system', id: 'hand' } as const;
      const fact = newFact(ids, 'filing.outcome', actor, outcomeData(held, outcome));
      const doubt = { from: taking.takenAt, to: taking.expiresAt };
      await endTaking(run, tenant, id, { no: taking.no, ended: 'lost' });
      await endAttempt(run, tenant, id, { outcome, doubt, fact });
      return 1;
    });
  }
  if (lost > 0) {
    const { look } = await countByHand((...args) => session.run(...args), tenant);
    await raiseAlert(deps, {
      kind: 'hand_lost',
      subject: 'filing by hand',
      severity: 'warning',
      text: `${lost} filings were taken and nothing was said of them in time: they may be filed. ${look} need a look before anyone files them: filewright hand list`,
      dedup: 'hand_lost',
      hasNews: true,
    });
  }
  return lost;
}
