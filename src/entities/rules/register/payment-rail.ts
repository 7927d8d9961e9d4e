/** On which rail a portal takes a fee. Delaware asks for ACH above $5,000; which rails there are is the profile's data. */
import { type PaymentRule, pointer, type Profile } from '../../../core/index.ts';

export interface RailShare {
  /**
   * A rail of the profile, or: `none`, nothing to pay; `unstated`, the profile says nothing of rails; `unpayable`, no
   * rail takes that much.
   */
  readonly rail: string;
  readonly cents: number;
}

/** The rail that the payload names, or the first that takes the amount, in the profile's order. */
export function railShare(
  profile: Pick<Profile, 'limits'> | undefined,
  payload: unknown,
): RailShare {
  const rule = profile?.limits?.payment;
  const cents = centsIn(payload, rule?.centsAt ?? '/fee_cents');
  if (cents === 0) return { rail: 'none', cents };
  if (rule === undefined) return { rail: 'unstated', cents };
  const named = pointer(payload, rule.railAt);
  if (typeof named !== 'string' || named === '') return { rail: railFor(rule, cents), cents };
  const rail = rule.rails.find((one) => one.rail === named);
  return { rail: rail !== undefined && takes(rail, cents) ? named : 'unpayable', cents };
}

function railFor(rule: PaymentRule, cents: number): string {
  return rule.rails.find((rail) => takes(rail, cents))?.rail ?? 'unpayable';
}

function takes(rail: PaymentRule['rails'][number], cents: number): boolean {
  return cents <= (rail.centsMax ?? Number.POSITIVE_INFINITY);
}

function centsIn(payload: unknown, at: string): number {
  const found = pointer(payload, at);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0;
}
