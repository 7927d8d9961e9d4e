/**
 * The load of the entity figure: 51 jurisdictions with ceilings from 1 to 10 and service times from 50 to 400 ms, drawn
 * from a seed, and so many filings each that every lane would be busy for the same time.
 */
import type { BenchLane } from './shape.ts';

export interface EntityLane extends BenchLane {
  /** Mean of the portal's service time; single ones lie within a fifth of it. */
  readonly latencyMs: number;
}

export interface Trouble {
  /** Share of requests that meet a transient fault. */
  readonly faultRate: number;
  /** The lane that refuses everybody with 403 and a reset stamp, from when and for how long. */
  readonly blocked?: { readonly lane: string; readonly fromMs: number; readonly forMs: number };
}

/** What the portal process is told before a run. */
export interface PortalOrders {
  readonly lanes: readonly EntityLane[];
  readonly trouble: Trouble;
  /** How long a portal refuses everybody after it saw more requests at once than it allows. */
  readonly overCeilingBlockMs: number;
}

/** What the portal knows after a run. */
export interface LaneTruth {
  readonly lane: string;
  readonly accepted: number;
  readonly repeats: number;
  readonly inFlightMax: number;
  readonly overCeiling: number;
  /** Refused while the portal had asked for a pause, and how often it began one. */
  readonly refusedBlocked: number;
  readonly blocks: number;
  /** From the first refusal of a block to its stamp. */
  readonly pauseMs: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Service times of everything that it answered or cut, added up. */
  readonly busyMs: number;
  /** When the last filing was accepted, from the start of the run. */
  readonly lastAcceptedMs: number;
}

/** `refused_425` proves that nothing happened; after the others the outcome is unknown. */
export type FaultKind = 'refused_425' | 'error_502' | 'cut';

const CODES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY';
/** Most portals allow little: half of these are 3 or less. */
const CEILINGS = [1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8, 10];
const LATENCY_MS = { min: 50, max: 400 };
/** Single service times differ from their lane's mean by up to this share. */
const SPREAD = 0.2;
/** Steps of this share of a circle fill it evenly, so a lane's service times add up to their mean after a few. */
const GOLDEN = 0.618_033_988_749_894_9;

/** One number from 0 to 1 for each (seed, index). */
export function dice(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(index + 1, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb_352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846c_a68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

export function entityLanes(filings: number, seed: number): readonly EntityLane[] {
  const drawn = CODES.split(' ').map((code, index) => ({
    code: `US-${code}`,
    ceiling: CEILINGS[Math.floor(dice(seed, index * 2) * CEILINGS.length)] ?? 1,
    // Slow ones are likelier than quick ones, as portals are.
    latencyMs: Math.round(
      LATENCY_MS.min + (LATENCY_MS.max - LATENCY_MS.min) * Math.sqrt(dice(seed, index * 2 + 1)),
    ),
  }));
  const perMs = drawn.reduce((sum, lane) => sum + lane.ceiling / lane.latencyMs, 0);
  return drawn.map((lane) => ({
    ...lane,
    filings: Math.max(1, Math.round((filings * lane.ceiling) / lane.latencyMs / perMs)),
  }));
}

export function serviceMs(lane: EntityLane, request: number): number {
  const place = (request * GOLDEN) % 1;
  return lane.latencyMs * (1 + SPREAD * (2 * place - 1));
}

/** n × mean service time ÷ ceiling: no client that keeps the ceiling can be faster. */
export function laneIdealMs(lane: EntityLane): number {
  return (lane.filings * lane.latencyMs) / lane.ceiling;
}

export function total(lanes: readonly BenchLane[]): number {
  return lanes.reduce((sum, lane) => sum + lane.filings, 0);
}
