/** The job runner is a heavy dependency that most commands never need: it is loaded with the first use. */
import type * as start from './start.ts';

export { type JobsOptions, type RunningJobs } from './start.ts';

export const startJobs: typeof start.startJobs = async (options) =>
  (await import('./start.ts')).startJobs(options);

export const runJobsOnce: typeof start.runJobsOnce = async (...given) =>
  (await import('./start.ts')).runJobsOnce(...given);
