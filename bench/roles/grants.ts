/** One part of the grants bench in a process of its own. */
import { grantsGrowth } from '../grants-growth.ts';
import { grantsInMemory } from '../grants-in-memory.ts';
import type { GrantsPart, PartResult } from '../grants-parts.ts';
import { grantsOnStore } from '../grants-store.ts';

const PARTS: Readonly<Record<GrantsPart, (quick: boolean) => PartResult | Promise<PartResult>>> = {
  'in-memory': grantsInMemory,
  growth: grantsGrowth,
  store: grantsOnStore,
};

const [part, size] = process.argv.slice(2);
// The bench itself starts this file.
const result = await PARTS[part as GrantsPart](size === 'quick');
process.send?.(result, () => process.exit(0));
