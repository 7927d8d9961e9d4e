/**
 * The failures that switch a docket to its fallback, as explicit signals with a measured value and a threshold. What is
 * not over its threshold is no trigger, however near it lies.
 */
import type { DriftChange } from '../docket/drift.ts';

export type Observation =
  /** An answer of a target. */
  | { readonly kind: 'http'; readonly target: string; readonly status: number }
  /** How long a TLS handshake took, or had taken when it was given up. */
  | { readonly kind: 'tls'; readonly target: string; readonly handshakeMs: number }
  /** A record in which mandatory fields are missing, renamed or of another type. */
  | { readonly kind: 'record'; readonly source: string; readonly changes: readonly DriftChange[] }
  /** A look-up that primary routing needs before it knows a target. */
  | {
      readonly kind: 'lookup';
      readonly resource: 'assignment_table' | 'routing_matrix';
      readonly status: number;
    }
  | {
      readonly kind: 'queue';
      readonly queue: string;
      readonly backlog: number | undefined;
      readonly lagMs: number | undefined;
    };

export interface TriggerThresholds {
  readonly tlsHandshakeMsMax: number;
  readonly backlogMax: number;
  readonly lagMsMax: number;
}

export const DEFAULT_THRESHOLDS: TriggerThresholds = {
  tlsHandshakeMsMax: 3_000,
  backlogMax: 1_000,
  lagMsMax: 60_000,
};

type FailureMode = 'api_degradation' | 'schema_drift' | 'permission_denial' | 'queue_saturation';

export type TriggerCode =
  | 'HTTP_5XX'
  | 'HTTP_429'
  | 'TLS_SLOW'
  | 'SCHEMA_DRIFT'
  | 'PERMISSION_DENIED'
  | 'QUEUE_BACKLOG'
  | 'QUEUE_LAG';

export interface Trigger {
  readonly code: TriggerCode;
  readonly mode: FailureMode;
  /** The target, queue, source or table that failed. */
  readonly subject: string;
  readonly evidence: TriggerEvidence;
}

export interface TriggerEvidence {
  readonly measure: 'status' | 'handshake_ms' | 'fields' | 'backlog' | 'lag_ms';
  readonly measured: number | readonly string[];
  /** What it was compared with, in words and numbers. */
  readonly threshold: string;
}

/** A record may show both backlog and lag; every trigger that holds is named. */
export function triggersOf(
  observation: Observation,
  thresholds: TriggerThresholds = DEFAULT_THRESHOLDS,
): readonly Trigger[] {
  switch (observation.kind) {
    case 'http':
      return httpTriggers(observation.target, observation.status);
    case 'tls': {
      const { target, handshakeMs } = observation;
      const max = thresholds.tlsHandshakeMsMax;
      if (!(handshakeMs > max)) return [];
      return [
        trigger('TLS_SLOW', target, {
          measure: 'handshake_ms',
          measured: wholeMs(handshakeMs),
          threshold: `more than ${max} ms`,
        }),
      ];
    }
    case 'record': {
      const changes = observation.changes.filter((change) => change.mandatory);
      if (changes.length === 0) return [];
      return [
        trigger('SCHEMA_DRIFT', observation.source, {
          measure: 'fields',
          measured: changes.map((change) => `${change.field} ${change.change}`),
          threshold: 'any mandatory field missing, renamed or retyped',
        }),
      ];
    }
    case 'lookup': {
      const { resource, status } = observation;
      if (status !== 401 && status !== 403) return httpTriggers(resource, status);
      return [
        trigger('PERMISSION_DENIED', resource, {
          measure: 'status',
          measured: status,
          threshold: '401 or 403',
        }),
      ];
    }
    case 'queue':
      return queueTriggers(observation, thresholds);
  }
}

function httpTriggers(target: string, status: number): readonly Trigger[] {
  const evidence = { measure: 'status', measured: status } as const;
  if (status >= 500 && status <= 599) {
    return [trigger('HTTP_5XX', target, { ...evidence, threshold: '500 to 599' })];
  }
  if (status === 429) return [trigger('HTTP_429', target, { ...evidence, threshold: '429' })];
  return [];
}

function queueTriggers(
  { queue, backlog, lagMs }: Observation & { kind: 'queue' },
  { backlogMax, lagMsMax }: TriggerThresholds,
): readonly Trigger[] {
  const found: Trigger[] = [];
  if (backlog !== undefined && backlog > backlogMax) {
    const threshold = `more than ${backlogMax}`;
    found.push(
      trigger('QUEUE_BACKLOG', queue, { measure: 'backlog', measured: backlog, threshold }),
    );
  }
  if (lagMs !== undefined && lagMs > lagMsMax) {
    const threshold = `more than ${lagMsMax} ms`;
    found.push(
      trigger('QUEUE_LAG', queue, { measure: 'lag_ms', measured: wholeMs(lagMs), threshold }),
    );
  }
  return found;
}

/** The ledger holds whole numbers. Rounded up, so that what was over its threshold is seen to be. */
function wholeMs(ms: number): number {
  return Math.ceil(ms);
}

const MODES: Readonly<Record<TriggerCode, FailureMode>> = {
  HTTP_5XX: 'api_degradation',
  HTTP_429: 'api_degradation',
  TLS_SLOW: 'api_degradation',
  SCHEMA_DRIFT: 'schema_drift',
  PERMISSION_DENIED: 'permission_denial',
  QUEUE_BACKLOG: 'queue_saturation',
  QUEUE_LAG: 'queue_saturation',
};

function trigger(code: TriggerCode, subject: string, evidence: TriggerEvidence): Trigger {
  return { code, mode: MODES[code], subject, evidence };
}
