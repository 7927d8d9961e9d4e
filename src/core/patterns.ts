/** The regular expressions of profiles, compiled once each. */
const patterns = new Map<string, RegExp>();
/** Profiles are few; the bound only keeps a generator of profiles from growing the cache for ever. */
const PATTERNS_MAX = 1000;

export function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    // The whole number must have the shape: "ERROR DE-1 not found" is no receipt because it contains one.
    pattern = new RegExp(`^(?:${source})$`, 'u');
    patterns.set(source, pattern);
  }
  return pattern;
}
