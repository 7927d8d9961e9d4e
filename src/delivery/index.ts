export { isDatabaseAway } from './database-away.ts';
export { type LaneReader, withLaneReader } from './lane-reader.ts';
export { laneFacts } from './lanes.ts';
export { systemProcesses } from './processes.ts';
export { monthOf } from './recorder.ts';
export { DEFAULT_SETTINGS, Worker, type WorkerPorts, type WorkerSettings } from './worker.ts';
