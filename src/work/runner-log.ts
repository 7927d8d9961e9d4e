import { Logger } from 'graphile-worker';
import type { Log } from '../core/index.ts';

/**
 * What the job runner has to say, in our log. Its messages are dropped: they quote errors, and those may quote what was
 * sent. Warnings and errors are counted by what they are about; the rest is silence.
 */
export function runnerLogger(log: Log): Logger {
  return new Logger((scope) => (level) => {
    const name: string = level;
    if (name !== 'error' && name !== 'warning') return;
    log.write({
      level: name === 'error' ? 'error' : 'warn',
      event: 'jobs.runner',
      error: 'RUNNER_REPORTED',
      ...(scope.taskIdentifier === undefined ? {} : { status: scope.taskIdentifier }),
    });
  });
}
