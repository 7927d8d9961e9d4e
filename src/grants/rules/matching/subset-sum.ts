/** Parts that add up to an amount exactly, and whether there is only one such choice. */

export type SubsetSum =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly places: readonly number[] }
  /** Two choices, or so many combinations that nobody could be sure of one. */
  | { readonly kind: 'many' };

/** Six of thirty are some 770,000 combinations; amounts that do not fit cut nearly all of them off. */
const STEPS_MAX = 50_000;

/** Chooses 2 to `partsMax` of the amounts; `places` are ascending. */
export function partsOf(target: number, amounts: readonly number[], partsMax: number): SubsetSum {
  // The largest first: what is too large is cut off at once, and what is too small as well.
  const order = amounts
    .map((amount, place) => ({ amount, place }))
    .filter(({ amount }) => amount > 0 && amount < target)
    .sort((one, other) => other.amount - one.amount || one.place - other.place);
  // The sum of everything from a place on: no choice from there can reach more.
  const rest = Array.from({ length: order.length + 1 }, () => 0);
  for (let at = order.length - 1; at >= 0; at -= 1) {
    rest[at] = (rest[at + 1] ?? 0) + (order[at]?.amount ?? 0);
  }
  const chosen: number[] = [];
  let found: readonly number[] | undefined;
  let steps = 0;

  /** False as soon as the answer is known to be `many`. */
  const choose = (from: number, missing: number): boolean => {
    if (missing === 0) {
      if (found !== undefined) return false;
      found = [...chosen];
      return true;
    }
    if (chosen.length === partsMax) return true;
    for (let at = from; at < order.length && (rest[at] ?? 0) >= missing; at += 1) {
      steps += 1;
      if (steps > STEPS_MAX) return false;
      const { amount, place } = order[at] ?? { amount: 0, place: 0 };
      if (amount > missing) continue;
      // The following ones are no larger: with the parts that are left they cannot fill what is missing.
      if (amount * (partsMax - chosen.length) < missing) break;
      chosen.push(place);
      const goesOn = choose(at + 1, missing - amount);
      chosen.pop();
      if (!goesOn) return false;
    }
    return true;
  };

  if (!choose(0, target)) return { kind: 'many' };
  if (found === undefined) return { kind: 'none' };
  return { kind: 'one', places: found.toSorted((one, other) => one - other) };
}
