/** The grants bench: each part in a process of its own, as the product would be started, so that none inherits a heap. */
import type { GrantsPart, PartResult } from './grants-parts.ts';
import { nextMessage, startRole } from './stage.ts';

const PARTS: readonly (readonly [GrantsPart, string])[] = [
  ['in-memory', 'Awards and a bank feed, matched in memory'],
  ['growth', 'How the cost of matching grows'],
  ['store', 'Awards and a bank feed through the pipeline on the store'],
];

export async function grantsFigures(
  quick: boolean,
  say: (text: string) => void,
): Promise<PartResult> {
  const results: PartResult[] = [];
  for (const [part, title] of PARTS) {
    say(title);
    const { child } = await startRole('grants', [part, quick ? 'quick' : 'full'], 'silent');
    results.push(await nextMessage<PartResult>(child));
  }
  return {
    figures: results.flatMap(({ figures }) => figures),
    details: results.flatMap(({ details }) => details),
  };
}
