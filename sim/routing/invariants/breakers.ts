/** Breakers counted a second time, from the outcomes alone. */
import type { Instant } from '../../../src/core/time.ts';
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
  /** The cool-down lies before the first probe; after a bad one they come at their own pace. */
  coolDownMs: number;
  restsUntil: number;
}

export function breakerRules(evidence: Evidence): Violation[] {
  const counts = new Map<string, Count>();
  const blamed = evidence.decided.flatMap(({ happening, step }) => {
    const kind = happening.kind === 'outcome' ? happening.result.kind : undefined;
    const isBlameless = kind === 'unsendable' || kind === 'not_made';
    return isBlameless && step.breakers.length > 0
      ? [{ invariant: 'breaker_rules', text: `a target pays for what was ${kind}` }]
      : [];
  });
  const moved = evidence.breakers.flatMap((note) => {
    const count = counts.get(note.target) ?? {
      failures: 0,
      openSince: undefined,
      good: 0,
      lastGoodAt: 0,
      coolDownMs: COOL_DOWN_MS,
      restsUntil: 0,
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
  return [...blamed, ...moved];
}

/** What a target asks for is kept, up to an hour. */
const REST_MS_MAX = 3_600_000;

function judge({ what, at, retryAfterMs = 0 }: BreakerNote, count: Count): string | undefined {
  const isOpen = count.openSince !== undefined;
  switch (what) {
    case 'send':
      if (at < count.restsUntil) return 'was asked before the time that it had asked for';
      return isOpen ? 'was sent to while its breaker was not closed' : undefined;
    case 'success':
      count.restsUntil = 0;
      if (!isOpen) count.failures = 0;
      return undefined;
    case 'failure':
      if (isOpen) return undefined;
      count.failures += 1;
      count.restsUntil = Math.max(count.restsUntil, at + Math.min(retryAfterMs, REST_MS_MAX));
      if (count.failures >= FAILURES) open(count, at, COOL_DOWN_MS);
      return undefined;
    case 'probe_bad':
      if (isOpen) open(count, at, PROBE_SPACING_MS);
      return undefined;
    case 'probe_good': {
      if (count.openSince === undefined) return undefined;
      if (at - count.openSince < count.coolDownMs)
        return 'was probed before its cool-down was over';
      if (count.good > 0 && at - count.lastGoodAt < PROBE_SPACING_MS) return undefined;
      count.good += 1;
      count.lastGoodAt = at;
      if (count.good >= GOOD_PROBES) {
        count.openSince = undefined;
        count.failures = 0;
        count.restsUntil = 0;
      }
      return undefined;
    }
  }
}

function open(count: Count, at: Instant, coolDownMs: number): void {
  count.coolDownMs = coolDownMs;
  count.openSince = at;
  count.good = 0;
  count.failures = 0;
}
