/**
 * Times, days and money in the text of commands. What an office goes by is shown by the office's clock (`shownTime` with its zone); what
 * this system did, by the clock of the reader. JSON has RFC 3339 (`iso`) and minor units instead.
 */
import { shownMoment } from '../core/index.ts';

/** Of the machine or of TZ; where neither names a zone that the runtime knows, UTC. */
function readerZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch {
    // Some systems name a zone that has no rules here, as Etc/Unknown.
    return 'UTC';
  }
}

/** What happened here, to the second, by the reader's clock: `Mar 1, 2027, 2:05:07 p.m. ET`. */
export function moment(at: number | undefined): string {
  return shownMoment(at, readerZone());
}
