/** Breakers counted a second time, from the outcomes alone. */
import type { Instant } from '../../../src/core/index.ts';
import type { BreakerNote, Evidence, Violation } from '../evidence.ts';

const FAILURES = 3;
const COOL_DOWN_MS = 30_000;
const PROBE_SPACING_MS = 15_000;
const GOOD_PROBES = 2;

interface Count {
  failures: number;
  openSince: Instant | undefined;
  good: number;
  lastGoodAt: number;
}

export function breakerRules(evidence: Evidence): Violation[] {
  const counts = new Map<string, Count>();
  return evidence.breakers.flatMap((note) => {
    const count = counts.get(note.target) ?? {
      failures: 0,
      openSince: undefined,
      good: 0,
      lastGoodAt: 0,
    };
    counts.set(note.target, count);
    const fault = judge(note, count);
    const isOpen = count.openSince !== undefined;
    const stored = note.stored.state !== 'closed';
    const differs = isOpen === stored ? undefined : `is ${note.stored.state} after ${note.what}`;
    return [fault, differs].flatMap((text) =>
      text === undefined ? [] : [{ invariant: 'breaker_rules', text: `${note.target} ${text}` }],
    );
  });
}

function judge({ what, at }: BreakerNote, count: Count): string | undefined {
  const isOpen = count.openSince !== undefined;
  switch (what) {
    case 'send':
      return isOpen ? 'was sent to while its breaker was not closed' : undefined;
    case 'success':
      if (!isOpen) count.failures = 0;
      return undefined;
    case 'failure':
      if (isOpen) return undefined;
      count.failures += 1;
      if (count.failures >= FAILURES) open(count, at);
      return undefined;
    case 'probe_bad':
      if (isOpen) open(count, at);
      return undefined;
    case 'probe_good': {
      if (count.openSince === undefined) return undefined;
      if (at - count.openSince < COOL_DOWN_MS) return 'was probed before its cool-down was over';
      if (count.good > 0 && at - count.lastGoodAt < PROBE_SPACING_MS) return undefined;
      count.good += 1;
      count.lastGoodAt = at;
      if (count.good >= GOOD_PROBES) {
        count.openSince = undefined;
        count.failures = 0;
      }
      return undefined;
    }
  }
}

function open(count: Count, at: Instant): void {
  count.openSince = at;
  count.good = 0;
  count.failures = 0;
}
