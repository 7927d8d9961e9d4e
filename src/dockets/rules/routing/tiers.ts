/** The fallback order. A docket only ever moves down it. */
export const TIERS = ['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'] as const;
export type Tier = (typeof TIERS)[number];

export function rankOf(tier: Tier): number {
  return TIERS.indexOf(tier);
}

/** The tier below; MANUAL is the last. */
export function tierBelow(tier: Tier): Tier {
  return TIERS[rankOf(tier) + 1] ?? 'MANUAL';
}
