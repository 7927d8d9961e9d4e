/**
 * The regular expressions of profiles, compiled once each. Somebody outside writes them and a portal writes what they meet,
 * so they run by RE2's rules (re2js): time grows with the text alone, and what cannot be so (look-around, backreferences,
 * huge counts) is refused when the profile is read.
 */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

/** Whether the whole text has the shape: "ERROR DE-1 not found" is no receipt because it contains one. */
interface LinearPattern {
  test(text: string): boolean;
}

const patterns = new Map<string, LinearPattern>();
/** Profiles are few; the bound only keeps a generator of profiles from growing the cache for ever. */
const PATTERNS_MAX = 1000;
/** Longer than any number of a receipt or an entity; even linear time is no time for more. */
const TEXT_CHARACTERS_MAX = 1_000;

const require = createRequire(import.meta.url);
let re2: Pick<typeof Re2, 'RE2JS'> | undefined;

export function patternOf(source: string): LinearPattern {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    pattern = compiled(source);
    patterns.set(source, pattern);
  }
  return pattern;
}

function compiled(source: string): LinearPattern {
  // Loaded with the first pattern: most commands see none. `require` is untyped; the package is pinned, and its types are
  // those of the import above.
  re2 ??= require('re2js') as typeof Re2;
  const { RE2JS } = re2;
  // Spellings that only JavaScript has (`\u00e9`) become those of RE2.
  const whole = RE2JS.compile(RE2JS.translateRegExp(source));
  return { test: (text) => text.length <= TEXT_CHARACTERS_MAX && whole.matches(text) };
}

/**
 * Whether a text is such a pattern. It must be one for JavaScript too, with the `u` flag: without it a misspelt escape is
 * silently literal.
 */
export function isLinearPattern(source: string): boolean {
  try {
    // RE2 has no reference to a named group either, and re2js takes it for a letter.
    const isReferring = source.replaceAll('\\\\', '').includes('\\k');
    if (isReferring || !(new RegExp(source, 'u') instanceof RegExp)) return false;
    return compiled(source) !== undefined;
  } catch {
    // Not a regular expression, or not a linear one: the caller reports the field.
    return false;
  }
}
