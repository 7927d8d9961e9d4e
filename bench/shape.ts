/** The shape of the load: five lanes with the ceilings of the figure, filings in proportion. */

export interface BenchLane {
  readonly code: string;
  readonly ceiling: number;
  readonly filings: number;
}

export interface Go {
  readonly port: number;
  readonly lanes: readonly BenchLane[];
  /** Which part of the work this process does. */
  readonly share: { readonly index: number; readonly of: number };
}

const CEILINGS: readonly [string, number][] = [
  ['US-DE', 1],
  ['US-WY', 2],
  ['US-NY', 4],
  ['US-TX', 6],
  ['US-CA', 8],
];

export function benchLanes(filings: number): readonly BenchLane[] {
  const slots = CEILINGS.reduce((sum, [, ceiling]) => sum + ceiling, 0);
  return CEILINGS.map(([code, ceiling]) => ({
    code,
    ceiling,
    filings: Math.round((filings * ceiling) / slots),
  }));
}

/** The largest n × mean latency ÷ ceiling over the lanes: no client can be faster. */
export function idealMs(lanes: readonly BenchLane[], latencyMs: number): number {
  return Math.max(...lanes.map((lane) => (lane.filings * latencyMs) / lane.ceiling));
}

/** About 400 bytes, as the sample's payloads are. */
export function payloadOf(lane: string, n: number): string {
  return JSON.stringify({
    entity_name: `Bench Holdings ${n}, Inc.`,
    fee_cents: 22_500,
    fields: {
      agent: 'Registered Agent Services, Inc.',
      principal_office: '1209 Orange Street, Wilmington, DE 19801',
      signatory: 'Ana María Peña',
      filler: 'x'.repeat(120),
    },
    filing_kind: 'annual_report',
    jurisdiction: lane,
    period: '2027',
    registry_number: `R${n}`,
  });
}
