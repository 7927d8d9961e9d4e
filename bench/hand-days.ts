/** Days of people who file by hand, on a virtual clock. */
import { HAND_BUGS } from '../sim/hand/planted-bugs.ts';
import { runHand } from '../sim/hand/world.ts';
import { atMost, type Figure } from './report.ts';

const SEEDS = 2_000;
const BUG_SEEDS = 400;

/** Whether any of them breaks a promise, and whether each planted bug would be noticed there. */
export function simulatedDays(say: (text: string) => void): readonly Figure[] {
  const broken = Array.from({ length: SEEDS }, (_, n) => runHand(n + 1)).filter(
    ({ violations }) => violations.length > 0,
  );
  const bugs = Object.values(HAND_BUGS);
  const caught = bugs.filter((rules) => {
    for (let seed = 1; seed <= BUG_SEEDS; seed += 1) {
      if (runHand(seed, rules).violations.length > 0) return true;
    }
    return false;
  });
  say(`  ${SEEDS} days simulated, ${caught.length} of ${bugs.length} planted bugs caught`);
  return [
    atMost(
      `violations in ${SEEDS} simulated days of people who file by hand`,
      broken.length,
      0,
      '',
      0,
    ),
    {
      name: 'planted bugs of their rules that the simulation notices',
      measured: `${caught.length} of ${bugs.length}`,
      limit: `${bugs.length} of ${bugs.length}`,
      met: caught.length === bugs.length && bugs.length >= 10,
    },
  ];
}
