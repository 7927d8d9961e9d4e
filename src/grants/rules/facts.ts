/** How well a rule is known, and what that means for an answer that rests on it. */
import type { Confidence, LawNode } from '../../calendar/index.ts';

/**
 * - `verified`: stated in a source that was read.
 * - `mixed`: partly read, partly from memory.
 * - `known-unverified`: from memory.
 * - `uncertain`: from memory, with a reason to doubt it.
 */
export type FactStanding = 'verified' | 'mixed' | 'known-unverified' | 'uncertain';

export const FACT_STANDINGS: readonly FactStanding[] = [
  'verified',
  'mixed',
  'known-unverified',
  'uncertain',
];

export interface Fact {
  readonly source: string;
  readonly standing: FactStanding;
}

const CONFIDENCE: Readonly<Record<FactStanding, Confidence>> = {
  verified: 'high',
  mixed: 'medium',
  'known-unverified': 'low',
  uncertain: 'low',
};

export function confidenceOf(standing: FactStanding): Confidence {
  return CONFIDENCE[standing];
}

/** The two keys that every fact of a law file carries. */
export function factOf(node: LawNode): Fact {
  return {
    source: node.field('source').text(),
    standing: node.field('confidence').oneOf(FACT_STANDINGS),
  };
}

/** What stands at the head of every law file of this pack. */
export const HEAD_KEYS = ['title', 'version', 'checked'] as const;

export interface LawHead {
  readonly title: string;
  readonly version: string;
}

export function headOf(root: LawNode): LawHead {
  root.field('checked').day();
  for (const note of root.optional('notes')?.items() ?? []) note.text();
  return { title: root.field('title').text(), version: root.field('version').text() };
}

/** No amount of a law comes near; a larger number is a slip of the keyboard. */
export const DOLLARS_MAX = 1_000_000_000_000;

export function dollarsOf(node: LawNode): number {
  return node.integer({ min: 0, max: DOLLARS_MAX });
}

export function textsOf(node: LawNode | undefined): readonly string[] {
  return node?.items().map((item) => item.text()) ?? [];
}
