export type { FilingEngine, RunningParts } from './engine.ts';
export {
  type CommandSlots,
  type LaneAccess,
  type LaneReader,
  type LaneToUse,
  type SlotWants,
  withLaneReader,
  withLaneSlots,
} from './lane-reader.ts';
export { systemProcesses } from './processes.ts';
export { monthOf } from './recorder.ts';
export { DEFAULT_SETTINGS, type WorkerSettings } from './settings.ts';
export { Worker, type WorkerPorts } from './worker.ts';
