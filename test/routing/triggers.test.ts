import { describe, expect, it } from 'vitest';
import { activationOf } from '../../src/dockets/rules/routing/activation.ts';
import {
  DEFAULT_THRESHOLDS,
  type Observation,
  triggersOf,
} from '../../src/dockets/rules/routing/triggers.ts';

const drift = { field: 'event_code', mandatory: true, change: 'missing' } as const;

/** What activates, and the nearest thing that does not. */
const TABLE: readonly (readonly [string, Observation, Observation, string])[] = [
  ['500', http(500), http(499), 'HTTP_5XX'],
  ['599', http(599), http(600), 'HTTP_5XX'],
  ['503', http(503), http(200), 'HTTP_5XX'],
  ['429', http(429), http(428), 'HTTP_429'],
  ['429', http(429), http(430), 'HTTP_429'],
  ['a handshake of 3.001 s', tls(3_001), tls(3_000), 'TLS_SLOW'],
  ['a handshake of 3.2 s', tls(3_200), tls(2_900), 'TLS_SLOW'],
  [
    'drift of a mandatory field',
    { kind: 'record', source: 'feed', changes: [drift] },
    { kind: 'record', source: 'feed', changes: [{ ...drift, mandatory: false }] },
    'SCHEMA_DRIFT',
  ],
  [
    '403 on the matrix',
    lookup('routing_matrix', 403),
    lookup('routing_matrix', 404),
    'PERMISSION_DENIED',
  ],
  [
    '401 on the matrix',
    lookup('routing_matrix', 401),
    lookup('routing_matrix', 402),
    'PERMISSION_DENIED',
  ],
  [
    '403 on the assignments',
    lookup('assignment_table', 403),
    lookup('assignment_table', 400),
    'PERMISSION_DENIED',
  ],
  [
    '401 on the assignments',
    lookup('assignment_table', 401),
    lookup('assignment_table', 200),
    'PERMISSION_DENIED',
  ],
  ['403, but of a target', lookup('assignment_table', 403), http(403), 'PERMISSION_DENIED'],
  ['a backlog of 1,001', queue(1_001, 0), queue(1_000, 0), 'QUEUE_BACKLOG'],
  ['a lag of 60.001 s', queue(0, 60_001), queue(0, 60_000), 'QUEUE_LAG'],
  ['a lag of 61 s', queue(0, 61_000), queue(0, 59_000), 'QUEUE_LAG'],
];

describe('triggers', () => {
  it.each(TABLE)('%s activates, the nearest thing does not', (_name, yes, no, code) => {
    expect(triggersOf(yes).map((one) => one.code)).toEqual([code]);
    expect(triggersOf(no)).toEqual([]);
  });

  it('name what was measured and what it was compared with', () => {
    expect(triggersOf(queue(1_500, 61_000))).toEqual([
      {
        code: 'QUEUE_BACKLOG',
        mode: 'queue_saturation',
        subject: 'dockets',
        evidence: { measure: 'backlog', measured: 1_500, threshold: 'more than 1000' },
      },
      {
        code: 'QUEUE_LAG',
        mode: 'queue_saturation',
        subject: 'dockets',
        evidence: { measure: 'lag_ms', measured: 61_000, threshold: 'more than 60000 ms' },
      },
    ]);
  });

  it('follow the thresholds that are given', () => {
    const tight = { ...DEFAULT_THRESHOLDS, backlogMax: 10, tlsHandshakeMsMax: 500 };
    expect(triggersOf(queue(11, undefined), tight)).toHaveLength(1);
    expect(triggersOf(queue(10, undefined), tight)).toEqual([]);
    expect(triggersOf(tls(501), tight)).toHaveLength(1);
  });

  it('keep whole numbers, as the ledger does, and never round down to the threshold', () => {
    expect(triggersOf(tls(3_000.2))[0]?.evidence.measured).toBe(3_001);
    expect(triggersOf(tls(2_999.9))).toEqual([]);
  });

  it('what could not be measured is no trigger', () => {
    expect(triggersOf(queue(undefined, undefined))).toEqual([]);
    expect(triggersOf(tls(Number.NaN))).toEqual([]);
  });
});

describe('an activation', () => {
  const [first] = triggersOf(http(503));
  const [again] = triggersOf(http(502));
  const at = { messageId: 'm1', tier: 'PRIMARY' } as const;
  if (first === undefined || again === undefined) throw new Error('there are triggers');

  it('has the same id for the same trigger, whatever was measured', () => {
    expect(activationOf(first, at).id).toBe(activationOf(again, at).id);
  });

  it('has another id for another docket, tier or subject', () => {
    const [other] = triggersOf({ kind: 'http', target: 'y', status: 503 });
    const ids = [
      activationOf(first, at),
      activationOf(first, { ...at, messageId: 'm2' }),
      activationOf(first, { ...at, tier: 'SECONDARY' }),
      activationOf(other ?? first, at),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });
});

function http(status: number): Observation {
  return { kind: 'http', target: 'x', status };
}

function tls(handshakeMs: number): Observation {
  return { kind: 'tls', target: 'x', handshakeMs };
}

function lookup(resource: 'assignment_table' | 'routing_matrix', status: number): Observation {
  return { kind: 'lookup', resource, status };
}

function queue(backlog: number | undefined, lagMs: number | undefined): Observation {
  return { kind: 'queue', queue: 'dockets', backlog, lagMs };
}
