/**
 * Classification tags and privilege markers of a docket. They are never weakened on the way: whatever is made from a
 * docket (a handoff, a notice, a report row) carries at least what the docket carries.
 */
export interface Labels {
  /** For instance `export-controlled`. */
  readonly classification: readonly string[];
  /** For instance `attorney-client`. */
  readonly privilege: readonly string[];
}

export const NO_LABELS: Labels = { classification: [], privilege: [] };

/**
 * Stands for labels that could not be read. Nobody knows then how secret the docket is, so only who may see everything
 * of that kind may see it.
 */
export const UNREAD_LABEL = 'unread';

/** All labels of all, in one order, so that equal labels are equal texts. */
export function inherit(...sources: readonly Labels[]): Labels {
  return {
    classification: unique(sources.flatMap((labels) => labels.classification)),
    privilege: unique(sources.flatMap((labels) => labels.privilege)),
  };
}

/** Whether `outer` has every label of `inner`. */
export function carries(outer: Labels, inner: Labels): boolean {
  return (
    inner.classification.every((label) => outer.classification.includes(label)) &&
    inner.privilege.every((label) => outer.privilege.includes(label))
  );
}

function unique(labels: readonly string[]): string[] {
  return [...new Set(labels)].sort();
}
