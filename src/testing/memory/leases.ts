/** Workers, slots and the survey: src/lanes/store/slots.ts in memory. */
import {
  addMs,
  type DeliveryStore,
  type Instant,
  instant,
  type LaneCode,
  type SlotRef,
  type Survey,
  type WorkerId,
  workerId,
} from '../../core/index.ts';
import type { LaneRow, SlotRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** As in src/lanes/store/slots.ts: the rest beyond expiry of a holder whose death nobody has confirmed. */
const UNCONFIRMED_MS = 15_000;

/** A slot that nobody has used yet. */
const LONG_AGO: Instant = instant(Number.NEGATIVE_INFINITY);

type Wants = Parameters<DeliveryStore['acquireSlots']>[1];
type SlotNames = Parameters<DeliveryStore['releaseSlots']>[1];

export function registerWorker(
  tables: Tables,
  input: Parameters<DeliveryStore['registerWorker']>[0],
): { id: WorkerId; now: Instant } {
  const now = tables.now();
  // Rows are never removed, so the next number is the count: later incarnations have larger ones.
  const id = workerId(String(tables.workers.size + 1));
  const { host, pid, pidStartedAt, wants } = input;
  const expiresAt = addMs(now, tables.leaseMs);
  tables.workers.set(id, { id, host, pid, pidStartedAt, wants, expiresAt, endedAt: undefined });
  return { id, now };
}

export function beat(tables: Tables, worker: WorkerId): { alive: boolean; now: Instant } {
  const now = tables.now();
  const row = tables.workers.get(worker);
  if (row === undefined || !tables.isAlive(worker)) return { alive: false, now };
  const expiresAt = addMs(now, tables.leaseMs);
  tables.workers.set(worker, { ...row, expiresAt });
  changeSlots(tables, (slot) =>
    slot.holder === worker && slot.expiresAt > now ? { ...slot, expiresAt } : slot,
  );
  return { alive: true, now };
}

export function endWorker(tables: Tables, worker: WorkerId): void {
  const now = tables.now();
  const row = tables.workers.get(worker);
  if (row !== undefined && row.endedAt === undefined) {
    const expiresAt = instant(Math.min(row.expiresAt, now));
    tables.workers.set(worker, { ...row, endedAt: now, expiresAt });
  }
  changeSlots(tables, (slot) =>
    slot.holder === worker && slot.expiresAt > now ? { ...slot, expiresAt: now } : slot,
  );
}

export function survey(tables: Tables): Survey {
  const now = tables.now();
  const codes = [...tables.lanes.keys()].sort();
  return {
    now,
    lanes: codes.map((code) => tables.lane(code).state),
    slots: codes.flatMap((code) =>
      slotsOf(tables, code).map((slot) => ({
        ...slot,
        expiresAt:
          slot.expiresAt > now ? slot.expiresAt : restEnds(tables, slot, tables.lane(code)),
      })),
    ),
    workers: [...tables.workers.values()]
      .filter((worker) => worker.endedAt === undefined)
      .map(({ id, host, pid, pidStartedAt, wants }) => ({
        id,
        host,
        pid,
        pidStartedAt,
        wants,
        alive: tables.isAlive(id),
      })),
  };
}

export function acquireSlots(tables: Tables, worker: WorkerId, wants: Wants): SlotRef[] {
  const now = tables.now();
  if (!tables.isAlive(worker)) return [];
  return wants.flatMap((want) => {
    const lane = tables.lanes.get(want.lane);
    if (lane === undefined || want.ceiling > lane.state.ceiling || lane.openFrom > now) return [];
    const free = slotsOf(tables, want.lane)
      .filter(
        (slot) =>
          slot.n < want.ceiling && slot.expiresAt <= now && restEnds(tables, slot, lane) <= now,
      )
      .slice(0, want.count);
    return free.map((slot) => take(tables, worker, slot));
  });
}

/** The first slot of a lane, held or not, when no other is in use or rests. */
export function leaseProbe(tables: Tables, worker: WorkerId, code: LaneCode): SlotRef | undefined {
  const now = tables.now();
  const lane = tables.lanes.get(code);
  if (lane === undefined || !tables.isAlive(worker)) return undefined;
  const slots = slotsOf(tables, code);
  const isAtRest = slots.every(
    (slot) => slot.expiresAt <= now && restEnds(tables, slot, lane) <= now,
  );
  const [first] = slots;
  return first !== undefined && isAtRest ? take(tables, worker, first) : undefined;
}

function take(tables: Tables, worker: WorkerId, { lane, n }: SlotRow): SlotRef {
  tables.slotFence += 1;
  const fence = String(tables.slotFence);
  const expiresAt = addMs(tables.now(), tables.leaseMs);
  slotsOf(tables, lane)[n] = { lane, n, fence, holder: worker, expiresAt };
  return { lane, n, fence };
}

export function releaseSlots(tables: Tables, worker: WorkerId, names: SlotNames): void {
  const now = tables.now();
  for (const { lane, n, fence } of names) {
    const slots = slotsOf(tables, lane);
    const slot = slots[n];
    if (slot?.holder !== worker || slot.fence !== fence) continue;
    slots[n] = { ...slot, holder: undefined, expiresAt: now };
  }
}

export function ensureSlots(tables: Tables, lane: LaneCode, count: number): void {
  const slots = slotsOf(tables, lane);
  for (let n = slots.length; n < count; n++) {
    slots.push({ lane, n, fence: '0', holder: undefined, expiresAt: LONG_AGO });
  }
}

export function slotsOf(tables: Tables, lane: LaneCode): SlotRow[] {
  const slots = tables.slots.get(lane) ?? [];
  tables.slots.set(lane, slots);
  return slots;
}

/** When a slot whose lease ran out may be used again. */
function restEnds(tables: Tables, slot: SlotRow, lane: LaneRow): Instant {
  if (slot.holder === undefined) return slot.expiresAt;
  const endedAt = tables.workers.get(slot.holder)?.endedAt;
  return addMs(endedAt ?? addMs(slot.expiresAt, UNCONFIRMED_MS), lane.longestServiceMs);
}

function changeSlots(tables: Tables, change: (slot: SlotRow) => SlotRow): void {
  for (const slots of tables.slots.values()) {
    for (const [n, slot] of slots.entries()) slots[n] = change(slot);
  }
}
