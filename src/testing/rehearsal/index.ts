export type { RehearsedFiling } from './admit.ts';
export { QuietClock } from './quiet-clock.ts';
export {
  type LaneRehearsal,
  type LaneRehearsed,
  type RehearsalPorts,
  type RehearsalSettings,
  type RehearsedWorker,
  rehearseLane,
} from './rehearse-lane.ts';
export type { Outage } from './stage.ts';
export type { RehearsedEnd } from './watched-store.ts';
