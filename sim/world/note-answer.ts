import type { Profile } from '../../src/core/profile.ts';
import type { Plan } from '../../src/testing/simulator/plan.ts';
import type { Flight } from '../evidence.ts';

/** Writes down what the portal says, read from the plan's own bytes and headers. */
export function noteAnswer(
  flight: Flight,
  plan: Plan,
  where: { readonly profile: Profile; readonly now: number },
): void {
  const { answer } = plan;
  if (answer.kind !== 'respond') return;
  flight.status = answer.status;
  if (flight.endpoint === 'status' && answer.delivery.kind !== 'truncated') {
    flight.stateWord = stateWord(answer.body, where.profile);
  }
  const retryAfter = Number(answer.headers['retry-after']);
  // Whole seconds only: the other spellings are tested where stamps are read.
  if ([429, 503].includes(answer.status) && Number.isInteger(retryAfter) && retryAfter > 0) {
    flight.stayAwayUntil =
      where.now + plan.delayMs + Math.min(retryAfter * 1000, where.profile.throttle.pauseMsMax);
  }
}

/** The word at the profile's place for it; the simulated profiles all put it at the top. */
function stateWord(body: Uint8Array, profile: Profile): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const name = profile.status?.stateAt.slice(1) ?? '';
    if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
    const word: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
    return typeof word === 'string' ? word : undefined;
  } catch {
    // A login page or half an answer says nothing.
    return undefined;
  }
}
