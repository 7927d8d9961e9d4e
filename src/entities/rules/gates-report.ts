/** What gates say: what they changed, what somebody should know, and what they refuse. */
import type { Instant, JsonValue } from '../../core/index.ts';

/** One word per reason; docs/guide/review.md lists them with what to do. */
type GateCode =
  | 'CONTROL_CHARACTERS'
  | 'TRAILING_WHITESPACE'
  | 'LEADING_WHITESPACE'
  | 'NOT_UTF8'
  | 'CHARACTER_SET'
  | 'REQUIRED'
  | 'TOO_LONG'
  | 'SCHEMA'
  | 'REGISTRY_NUMBER'
  | 'PAYMENT_RAIL'
  | 'PORTAL_HOURS'
  | 'PORTAL_CLOSED'
  | 'TOO_EARLY'
  | 'DUPLICATE_WINDOW'
  | 'WINDOW_OPENS'
  | 'OUTSIDE_WINDOW'
  | 'DUE_AFTER_RULE'
  | 'DUE_BEFORE_RULE'
  | 'DUE_UNCERTAIN'
  | 'NOTHING_OWED'
  | 'STATE_RECORD_NEEDED'
  | 'STATE_RECORD_LATER'
  | 'OBLIGATION_INVALID'
  | 'OBLIGATION_NOT_CHECKED'
  | 'TAX_FEE_MISSING'
  | 'TAX_DIFFERS'
  | 'TAX_INVALID';

export interface GateFinding {
  readonly code: GateCode;
  /** JSON pointer into the payload, or `/due` and `/not_before` for the dates beside it. */
  readonly field: string;
  readonly why: string;
}

/** `before` and `after`: hex where bytes were taken out, plain text elsewhere; empty for what was absent. */
export interface GateChange extends GateFinding {
  readonly before: string;
  readonly after: string;
}

export type Payload = Readonly<Record<string, JsonValue>>;

/** What is about to be frozen. */
export interface Gated {
  readonly payload: Payload;
  readonly notBefore: Instant;
  readonly due: Instant;
  /** The due moment, or the last moment before it at which the portal is open. */
  readonly cutoff: Instant;
}

/** What one gate makes of it: the values it changes, and what it says. */
export interface GateStep {
  readonly gated?: Partial<Gated>;
  readonly changes?: readonly GateChange[];
  readonly notices?: readonly GateFinding[];
  readonly refusals?: readonly GateFinding[];
}

/** The gates that know the law; made by law-gates/index.ts. */
export interface LawGates {
  obligation(gated: Gated, zone: string): GateStep;
  tax(payload: Payload): GateStep;
}
