/**
 * How much work a page could make, before a parser sees it. One pass over the text. What it counts is never less than what
 * a parser finds where that decides whether a page is read here: whatever looks like a tag counts, also in a comment.
 */

/** `here`: at once, by the thread that also beats for the lease. `apart`: by a thread that can be ended. */
type PagePlace = 'here' | 'apart' | 'nowhere';

// Below these the worst page is read in some 50 ms, a usual one in two: 250 tags are at most 250 levels, and 8 kB are at
// most some 2,500 attributes of one tag, which the parser compares each with each.
const HERE_CHARACTERS_MAX = 8 * 1024;
const HERE_TAGS_MAX = 250;
// A formatting element that is left open (`<b>`, `<font>`) is made anew in every paragraph after it.
const HERE_COPIES_MAX = 5_000;

// The largest form of a state has a few thousand tags, and browsers stop nesting at 512 levels. Unclosed cells and list
// items, which old pages have by the hundred, are no levels.
const TAGS_MAX = 100_000;
const LEVELS_MAX = 2_000;

const FORMATTING: ReadonlySet<string> = new Set(
  'a b big code em font i nobr s small strike strong tt u'.split(' '),
);
/** They have no end tag, or the next of their kind ends them. */
const NO_LEVELS: ReadonlySet<string> = new Set(
  (
    'area base basefont bgsound br col dd dt embed frame hr img input keygen li link meta optgroup option p param rb rp rt ' +
    'rtc source tbody td tfoot th thead tr track wbr'
  ).split(' '),
);
/** Longer names are no element that matters here; two that begin alike may count as one. */
const NAME_CHARACTERS_MAX = 12;

const OPEN = 0x3c;
const SLASH = 0x2f;

export function placeFor(html: string): PagePlace {
  const open = new Map<string, number>();
  let tags = 0;
  let levels = 0;
  let deepest = 0;
  let formatting = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    const isEnd = html.charCodeAt(at + 1) === SLASH;
    const name = nameAt(html, at + (isEnd ? 2 : 1));
    if (name === '') continue;
    const count = open.get(name) ?? 0;
    if (isEnd) {
      if (count === 0) continue;
      open.set(name, count - 1);
      levels -= 1;
      continue;
    }
    tags += 1;
    if (FORMATTING.has(name)) formatting += 1;
    if (NO_LEVELS.has(name)) continue;
    open.set(name, count + 1);
    levels += 1;
    if (levels > deepest) deepest = levels;
    if (tags > TAGS_MAX || deepest > LEVELS_MAX) return 'nowhere';
  }
  if (tags > TAGS_MAX) return 'nowhere';
  const isQuick = tags <= HERE_TAGS_MAX && formatting * tags <= HERE_COPIES_MAX;
  return isQuick && html.length <= HERE_CHARACTERS_MAX ? 'here' : 'apart';
}

function nameAt(html: string, from: number): string {
  let to = from;
  const end = Math.min(html.length, from + NAME_CHARACTERS_MAX);
  while (to < end && isNamed(html.charCodeAt(to), to === from)) to += 1;
  return html.slice(from, to).toLowerCase();
}

/** A letter, or behind the first one a digit or a hyphen. Another `<` begins the next tag. */
function isNamed(code: number, isFirst: boolean): boolean {
  const lower = code | 0x20;
  if (lower >= 0x61 && lower <= 0x7a) return true;
  return !isFirst && code !== OPEN && ((code >= 0x30 && code <= 0x39) || code === 0x2d);
}
