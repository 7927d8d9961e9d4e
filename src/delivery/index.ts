export {
  type CommandSlots,
  type LaneReader,
  type LaneToUse,
  type SlotWants,
  withLaneReader,
  withLaneSlots,
} from './lane-reader.ts';
export { laneFacts } from './lanes.ts';
export { systemProcesses } from './processes.ts';
export { monthOf } from './recorder.ts';
export { DEFAULT_SETTINGS, type WorkerSettings } from './settings.ts';
export { Worker, type WorkerPorts } from './worker.ts';
