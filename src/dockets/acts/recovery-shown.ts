/**
 * What a recovery says to anybody. Its checks count over all dockets and read some of them, and who looks may have no
 * right to those; so each step shows what it found out about the target, by a list of names, and the rest stays in the
 * ledger. Pure.
 */
import { CLOSED, type JsonValue, snakeCase } from '../../core/index.ts';
import type { RecoveryView } from '../routing/views.ts';

/** As the ledger spells them; the stored evidence of a run has the same names in camelCase. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  health: ['status', 'code', 'elapsed_ms', 'connect_ms', 'tls_handshake_ms', 'asked', 'kind'],
  schema: ['status', 'code', 'elapsed_ms'],
  drain: [],
  reconciliation: ['code'],
  approval: ['act', 'reason'],
  synthetic: ['outcome', 'code', 'status', 'elapsed_ms', 'connect_ms', 'tls_handshake_ms'],
  closed: ['why'],
};

/** Says that dockets are behind a question, and neither how many nor what is wrong with them. */
export const COMPARED = 'a person must review the comparison with its docket database';
const COUNTED = /^\d+ /;

type Fields = Readonly<Record<string, unknown>>;

function shownEvidence(step: string, evidence: object): object {
  const names = SHOWN[step] ?? [];
  return Object.fromEntries(
    Object.entries(evidence).filter(([name]) => names.includes(snakeCase(name))),
  );
}

function shownReasons(reasons: readonly string[]): readonly string[] {
  return [...new Set(reasons.map((reason) => (COUNTED.test(reason) ? COMPARED : reason)))];
}

/** A run without what it says about dockets as a whole; its list of differences is the viewer's own. */
export function shownRun(run: RecoveryView): RecoveryView {
  const { state } = run;
  return {
    ...run,
    // A closed one counts failures of handoffs, of which some may be hidden.
    breaker: run.breaker.state === 'closed' ? CLOSED : run.breaker,
    state:
      state.state === 'awaiting_approval'
        ? { ...state, reasons: shownReasons(state.reasons) }
        : state,
    evidence: run.evidence.map((one) => ({
      ...one,
      evidence: shownEvidence(one.step, one.evidence),
    })),
  };
}

/** The same of an entry in the ledger about a run. */
export function recoveryFacts(data: Fields): Readonly<Record<string, JsonValue>> {
  const { differences: _differences, queues: _queues, ...rest } = data;
  const { step, evidence } = rest;
  const isStep = typeof step === 'string' && typeof evidence === 'object' && evidence !== null;
  // An entry is JSON, and so is what is left of it.
  return { ...rest, ...(isStep ? { evidence: shownEvidence(step, evidence) } : {}) } as Readonly<
    Record<string, JsonValue>
  >;
}
