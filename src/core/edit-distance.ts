/** How many letters to change, add, drop or swap with their neighbour, to make one name of the other. Pure. */

/** Names longer than this are no names; it also bounds the work below. */
const NAME_CHARACTERS_MAX = 64;

export function editDistance(one: string, other: string): number {
  const [a, b] = [one.slice(0, NAME_CHARACTERS_MAX), other.slice(0, NAME_CHARACTERS_MAX)];
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const least = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isSwap ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
