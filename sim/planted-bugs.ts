/**
 * Deliberate defects. Each one is a change of the built JavaScript, so the product carries no switch for it, and names
 * the invariant that must notice it. A defect that nobody notices means that the simulation is blind on that eye.
 */
export interface PlantedBug {
  readonly name: string;
  /** Below the build's output. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Caught only when this one fires. */
  readonly invariant: string;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an unknown outcome is re-sent blindly',
    file: 'src/filings/rules/settle.js',
    find: 'return ageMs < profile.idempotency.honouredMs * HONOURED_SHARE;',
    replace: 'return ageMs < Number.POSITIVE_INFINITY;',
    invariant: 'no_blind_resend',
  },
  {
    name: 'a throttle proves that nothing was taken',
    file: 'src/lanes/rules/classify.js',
    find: 'return throttle.provesNothingTaken !== true;',
    replace: 'return false;',
    invariant: 'no_blind_resend',
  },
  {
    name: '"locked" and "too early" prove that nothing was taken',
    file: 'src/lanes/rules/classify.js',
    find: "unclear: (code) => ({ kind: 'unclassified', code }),",
    replace:
      "unclear: (code) => ({ kind: 'unclassified', code }), not_now: (code) => ({ kind: 'transient', code }),",
    invariant: 'no_blind_resend',
  },
  {
    name: 'a denial hides a filing that was taken',
    file: 'src/lanes/rules/classify.js',
    find: "denied: (code) => ({ kind: 'denied', code, written: true }),",
    replace: "denied: (code) => ({ kind: 'denied', code, written: false }),",
    invariant: 'unsettled_is_marked',
  },
  {
    name: 'an orphan counts as unsent',
    file: 'src/filings/rules/decide.js',
    find: "return settleUnknown(filing, orphanTimes(filing, event, now), profile, now, 'ORPHANED');",
    replace: "return asBefore(filing, 'ORPHANED');",
    invariant: 'no_blind_resend',
  },
  {
    name: 'one "not found" is proof enough',
    file: 'src/filings/rules/settle.js',
    find: 'if (step.notFoundAt === undefined)',
    replace: 'if (false)',
    invariant: 'no_blind_resend',
  },
  {
    name: 'the visibility lag is ignored',
    file: 'src/filings/rules/settle.js',
    find: 'const lagMs = (profile.status?.visibilityLagMs ?? 0) + LAG_MARGIN_MS;',
    replace: 'const lagMs = LAG_MARGIN_MS;',
    invariant: 'no_blind_resend',
  },
  {
    name: 'the longest service time is ignored',
    file: 'src/filings/rules/settle.js',
    find: 'const earliest = addMs(step.lastSentAt, profile.longestServiceMs);',
    replace: 'const earliest = step.lastSentAt;',
    invariant: 'no_blind_resend',
  },
  {
    name: 'a key is made anew for a retry',
    file: 'src/filings/delivery/turn.js',
    find: 'portal.send({ profile, key: filing.key, payload',
    replace:
      "portal.send({ profile, key: filing.attempt > 1 ? filing.key + '-' + filing.attempt : filing.key, payload",
    invariant: 'one_key',
  },
  {
    name: 'the payload changes on a retry',
    file: 'src/filings/delivery/turn.js',
    find: 'key: filing.key, payload, contentType: CONTENT_TYPE',
    replace:
      "key: filing.key, payload: filing.attempt > 1 ? Buffer.from(payload.toString() + ' ') : payload, contentType: CONTENT_TYPE",
    invariant: 'hash_constant',
  },
  {
    name: 'no question after 409',
    file: 'src/filings/rules/decide.js',
    find: "return ask(filing, 'conflict', sent, profile, 'HTTP_409');",
    replace: "return retry(filing, profile, now, 'HTTP_409');",
    invariant: 'conflict_asks_first',
  },
  {
    name: 'the lease is not checked before the write',
    file: 'src/lanes/live/leases.js',
    find: 'mayWrite: () => !signal.aborted && this.isLive() && !this.isSkewed && this.knowsTime',
    replace: 'mayWrite: () => true',
    invariant: 'lease_at_write',
  },
  {
    name: 'a clock that is off is not noticed',
    file: 'src/lanes/live/leases.js',
    find: 'return Math.abs(this.#skewMs) > SKEW_MS_MAX;',
    replace: 'return false;',
    invariant: 'clock_skew',
  },
  {
    name: 'a slot does not rest after a lost connection',
    file: 'src/filings/delivery/loop.js',
    find: 'slot.restUntilMs = clock.monotonicMs() + profile.longestServiceMs;',
    replace: 'slot.restUntilMs = 0;',
    invariant: 'ceiling',
  },
  {
    name: 'the slots of a dead worker do not rest',
    file: 'src/testing/memory/leases.js',
    find: 'return addMs(endedAt ?? addMs(slot.expiresAt, UNCONFIRMED_MS), lane.longestServiceMs);',
    replace: 'return slot.expiresAt;',
    invariant: 'ceiling',
  },
  {
    name: 'an outcome is recorded for a claim that is lost',
    file: 'src/testing/memory/outcomes.js',
    find: 'row.holder !== outcome.worker ||',
    replace: '',
    invariant: 'no_broken_assumption',
  },
  {
    name: 'a throttle does not pause the lane',
    file: 'src/lanes/rules/lane-rules.js',
    find: "pause: { kind: 'until', until: later, reason: 'throttled' },",
    replace: 'pause: lane.pause,',
    invariant: 'throttle',
  },
  {
    name: 'the breaker never opens',
    file: 'src/core/breaker.js',
    find: 'return failures >= policy.failures ? opened',
    replace: 'return false ? opened',
    invariant: 'breaker',
  },
  {
    name: 'one good probe closes the breaker',
    file: 'src/core/breaker.js',
    find: 'return good >= GOOD_PROBES_TO_CLOSE',
    replace: 'return good >= 1',
    invariant: 'breaker',
  },
  {
    name: 'everybody probes',
    file: 'src/testing/memory/leases.js',
    find: 'return first !== undefined && isAtRest ?',
    replace: 'return first !== undefined ?',
    invariant: 'breaker',
  },
  {
    name: 'a probe goes out beside what is in flight',
    file: 'src/testing/memory/leases.js',
    find: 'return first !== undefined && isAtRest ?',
    replace: 'return first !== undefined ?',
    invariant: 'ceiling',
  },
  {
    name: 'a probe that the portal works on keeps no slot',
    file: 'src/lanes/live/prober.js',
    find: 'if (mayKeepBusy(exchange, profile))',
    replace: 'if (false)',
    invariant: 'ceiling',
  },
  {
    name: 'whoever answers is done, also a gateway',
    file: 'src/lanes/rules/busy.js',
    find: "if (exchange.kind === 'answer')\n        return !isLastWord(exchange, profile);",
    replace: "if (exchange.kind === 'answer') return false;",
    invariant: 'ceiling',
  },
  {
    name: 'half an answer ends the work of the portal',
    file: 'src/lanes/rules/busy.js',
    find: "if (bodyEnd === 'cut')",
    replace: 'if (false)',
    invariant: 'ceiling',
  },
  {
    name: 'a transient failure is tried for ever',
    file: 'src/filings/rules/decide.js',
    find: "if (failures >= profile.retry.inARowMax)\n        return { kind: 'give_up', code: 'RETRIES_EXHAUSTED' };",
    replace: '',
    invariant: 'retry_bounds',
  },
  {
    name: 'the envelope lacks the last response',
    file: 'src/filings/delivery/evidence.js',
    find: 'response: input.exchange === undefined ? null : exchangeJson(input.exchange),',
    replace: 'response: null,',
    invariant: 'fallout_envelope',
  },
  {
    name: 'a filing whose slack is gone is not looked for',
    file: 'src/filings/delivery/worker.js',
    find: 'this.#loop.take(await store.takeLate(worker, TAKE_MAX));',
    replace: '',
    invariant: 'late_in_silence',
  },
  {
    name: 'claims whose answer was lost are forgotten',
    file: 'src/filings/delivery/loop.js',
    find: 'this.take(unheardOf);',
    replace: '',
    invariant: 'late_in_silence',
  },
  {
    name: 'claims are not looked for when taking them over went wrong',
    file: 'src/filings/delivery/worker.js',
    find: 'this.#loop.lookForClaims();',
    replace: '',
    invariant: 'late_in_silence',
  },
  {
    name: 'a repeat is sent when the portal no longer knows the key',
    file: 'src/filings/delivery/turn.js',
    find: "const isRepeatable = () => step.action !== 'resend' || mayRepeat(filing, step, profile, leases.now());",
    replace: 'const isRepeatable = () => true;',
    invariant: 'no_blind_resend',
  },
  {
    name: 'a filing is sent although its last safe moment has passed',
    file: 'src/filings/delivery/turn.js',
    find: 'const isInTime = () => leases.now() < filing.lastSafe;',
    replace: 'const isInTime = () => true;',
    invariant: 'sent_in_time',
  },
  {
    name: 'a slot whose answer was lost stands idle for ever',
    file: 'src/filings/delivery/worker.js',
    find: 'if (unknown.length > 0)',
    replace: 'if (false)',
    invariant: 'work_conserving',
  },
  {
    name: 'one intent serves two sends',
    file: 'src/filings/delivery/turn.js',
    find: 'const startedAt = leases.now();',
    replace:
      'const startedAt = leases.now(); if (filing.attempt === 2) await portal.send({ profile, key: filing.key, payload, contentType: CONTENT_TYPE }, guard);',
    invariant: 'intent_before_effect',
  },
  {
    name: 'a refusal of a repeat is taken for a refusal of the first',
    file: 'src/filings/rules/decide.js',
    find: "const earlierUnknown = filing.step?.action === 'resend';",
    replace: 'const earlierUnknown = false;',
    invariant: 'record_matches_truth',
  },
  {
    name: 'any text is a receipt',
    file: 'src/lanes/rules/classify.js',
    find: 'return patternOf(profile.receipt.pattern).test(number) ? number : undefined;',
    replace: 'return number;',
    invariant: 'record_matches_truth',
  },
  {
    name: 'a receipt serves two filings',
    file: 'src/testing/memory/outcomes.js',
    find: 'return owner === filing;',
    replace: 'return true;',
    invariant: 'receipt_once',
  },
  {
    name: 'a dispute over a receipt is not heard',
    file: 'src/filings/delivery/loop.js',
    find: 'if (answer.disputed.some((one) => isSameClaim(one, outcome))) {',
    replace: 'if (false) {',
    invariant: 'late_in_silence',
  },
  {
    name: 'the answer to another filing is taken for ours',
    file: 'src/lanes/rules/classify.js',
    find: 'return ifOurs(verdict, exchange, profile, own);',
    replace: 'return verdict;',
    invariant: 'record_matches_truth',
  },
  {
    name: 'an exception does not say that the outcome is unknown',
    file: 'src/filings/rules/decide.js',
    find: 'return unsettled === undefined ? decision : { ...decision, unsettled };',
    replace: 'return decision;',
    invariant: 'unsettled_is_marked',
  },
  {
    name: 'the traffic of one lane goes to another',
    file: 'src/filings/delivery/loop.js',
    find: 'this.#attempt(first, slot, profile)',
    replace: 'this.#attempt(first, slot, lanes.profile(lanes.codes[0]))',
    invariant: 'session_isolation',
  },
  {
    name: 'a subject version is skipped',
    file: 'src/testing/memory/outcomes.js',
    find: 'ver: row.ver + 1,',
    replace: "ver: row.ver + (outcome.verdict === 'unknown' ? 2 : 1),",
    invariant: 'ledger_verifies',
  },
  {
    name: 'the sequencer forks the chain',
    file: 'src/testing/memory/ledger.js',
    find: 'this.#lastLeaf = built.leaf;',
    replace: 'if (this.entries.length % 7 !== 3) this.#lastLeaf = built.leaf;',
    invariant: 'ledger_verifies',
  },
];
