/** The worlds that a seed can be played in, behind one shape of result. */
import type { SeedResult } from './run-seed.ts';

/** Filings with the real worker; who gets a docket, with the real decisions; dockets with the real router. */
export const WORLDS = ['filings', 'decisions', 'routers'] as const;
export type WorldName = (typeof WORLDS)[number];

/** What a world counts at its end, for the table. */
export const SUBJECTS: Readonly<Record<WorldName, string>> = {
  filings: 'filings',
  decisions: 'facts',
  routers: 'dockets',
};

/** Loaded with the first seed of its world alone: most runs want one of them. */
export async function playSeed(
  world: WorldName,
  seed: number,
  options: { readonly readable?: boolean } = {},
): Promise<SeedResult> {
  switch (world) {
    case 'filings':
      return (await import('./run-seed.ts')).runSeed(seed, options);
    case 'decisions':
      return decided(seed, options);
    case 'routers':
      return (await import('./routing/router/run-seed.ts')).runRouterSeed(seed, options);
  }
}

/** A world of decisions counts its steps, and what made them. */
async function decided(
  seed: number,
  options: { readonly readable?: boolean },
): Promise<SeedResult> {
  const { runRoutingSeed } = await import('./routing/run-seed.ts');
  const { violations, traceHash, decisions, counts, lines } = runRoutingSeed(seed, options);
  return {
    seed,
    traceHash,
    violations: violations.map(({ invariant, text }) => ({ invariant, detail: text })),
    faults: {},
    faultCount: 0,
    ends: counts,
    virtualMs: 0,
    events: decisions,
    lines,
  };
}
