/** What runs until it is told to stop: the worker that sends, and the jobs beside it. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright, RunningDeps } from '../../filewright.ts';
import { eventConsumers } from './consumers.ts';
import { profilesByLane } from '../../lanes/index.ts';

export async function openWorker(
  app: Filewright,
  actor: Actor,
  settings: Parameters<Filewright['worker']>[1],
): Promise<RunningDeps> {
  allow(actor, 'worker.run');
  return app.worker(await profilesByLane(app), settings);
}

export async function startJobs(app: Filewright, actor: Actor): ReturnType<Filewright['jobs']> {
  allow(actor, 'jobs.run');
  return app.jobs({ consumers: await eventConsumers(app) });
}

export async function runJobsOnce(
  app: Filewright,
  actor: Actor,
  options: { readonly digest: boolean },
): ReturnType<Filewright['runJobsOnce']> {
  allow(actor, 'jobs.run');
  return app.runJobsOnce({ ...options, consumers: await eventConsumers(app) });
}
