/** For what must happen but has no limit of its own: many times as long as a quiet machine takes. */
const PATIENCE_MS = 60_000;

/** Real processes and sockets have no virtual clock; this is the one place where tests wait. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  msMax = PATIENCE_MS,
): Promise<void> {
  const fromMs = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - fromMs > msMax) {
      throw new Error(`Not within ${msMax} ms: ${isTrue.toString()}`);
    }
    await pass(20);
  }
}

export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
