export { Crew, type Duty, type RunningJobs } from './crew.ts';
export {
  addWork,
  type ClaimedWork,
  claimWork,
  dropWork,
  recordWork,
} from './store/queue.ts';
export { postTimetable } from './timetable.ts';
