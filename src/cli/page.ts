/** Lists that are cut: how many there are in all, and how the next page is asked for. */

interface Page {
  readonly total: number;
  /** For `--after`; null where this page is the last one. */
  readonly next: string | null;
}

/** A page that is not full is the last one. */
export function pageOf(
  ids: readonly string[],
  { limit, total }: { readonly limit: number; readonly total: number },
): Page {
  const last = ids.at(-1);
  return {
    total,
    next: last === undefined || ids.length < limit || ids.length === total ? null : last,
  };
}

/** `50 of 264 filings shown; for the next ones add --after ID`; nothing where nothing is missing. */
export function pageWords(shown: number, { total, next }: Page, what: string): string[] {
  if (next === null)
    return shown === total ? [] : [`${shown} of ${total} ${what} shown; these are the last ones.`];
  return [`${shown} of ${total} ${what} shown. For the next ones add: --after ${next}`];
}
