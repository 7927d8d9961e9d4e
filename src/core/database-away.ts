import { FilewrightError } from './errors.ts';

/** A database that does not answer, or has no space left, is waited out. Anything else is a broken assumption. */
export function isDatabaseAway(error: unknown): error is FilewrightError {
  if (!(error instanceof FilewrightError)) return false;
  return error.code === 'DATABASE_UNREACHABLE' || error.code === 'DISK_FULL';
}
