/** Whether two values of plain JSON say the same. The database gives keys back in its own order, and no undefined fields. */
export function sameJson(a: unknown, b: unknown): boolean {
  return inOrder(a) === inOrder(b);
}

function inOrder(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : part,
  );
}
