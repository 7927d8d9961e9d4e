export { type JobsOptions, runJobsOnce, type RunningJobs, startJobs } from './on-demand.ts';
