import type { Command } from '../command.ts';
import { jsonLog } from '../../system/index.ts';
import { runJobsOnce, startJobs } from '../../oversight/index.ts';
import { asOperator, stopSignal, withApp } from '../context.ts';

interface RunOptions {
  readonly once?: boolean;
  readonly digest?: boolean;
}

export function addCommands(jobs: Command): void {
  jobs
    .command('run')
    .description(
      'run background jobs without sending filings, until SIGTERM; a worker runs them too',
    )
    .option('--once', 'run the jobs that are due now, then exit; for cron')
    .option('--digest', 'with --once: queue today’s digest too')
    .action(async (own: RunOptions, command: Command) => {
      const signal = stopSignal();
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, out, actor }) => {
          if (own.once === true) {
            const done = await runJobsOnce(app, actor, { digest: own.digest === true });
            out.result(
              'jobs run',
              done,
              () => `${done.events} events processed, ${done.jobs} jobs run.`,
            );
            return;
          }
          const running = await startJobs(app, actor);
          if (!signal.aborted) {
            await new Promise((resolve) =>
              signal.addEventListener('abort', resolve, { once: true }),
            );
          }
          await running.stop();
        },
        jsonLog(),
      );
    });
}
