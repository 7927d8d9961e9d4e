/** The confirmation as a file, read with its limit before it is held; and times as the office has them. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Actor, allow } from '../../access/index.ts';
import { type Instant, misuse, notFound, overLimit, whyUnreadable } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { CONFIRMATION_BYTES_MAX } from '../rules/confirmation.ts';
import { readOfficeTime } from '../rules/office-time.ts';
import { findFiling } from '../store/filings.ts';
import type { Evidence } from './reviews-closing.ts';

/** Read in pieces: a film that was named by mistake ends at the limit, not in memory. */
export async function readConfirmation(path: string): Promise<Extract<Evidence, { kind: 'file' }>> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of createReadStream(path)) {
      // Without an encoding a file gives buffers.
      const bytes = part as Buffer;
      length += bytes.length;
      if (length > CONFIRMATION_BYTES_MAX) {
        throw overLimit(
          `The confirmation ${path} is larger than ${CONFIRMATION_BYTES_MAX} bytes; scan it with a lower resolution`,
        );
      }
      parts.push(bytes);
    }
  } catch (error) {
    if (!(Object(error) as { readonly syscall?: string }).syscall) throw error;
    throw notFound(`The confirmation ${path} cannot be read: ${whyUnreadable(error)}`, {
      cause: error,
    });
  }
  return { kind: 'file', name: basename(path), bytes: Buffer.concat(parts) };
}

/** `2027-03-01 14:05` in the zone of the office where the filing is owed. */
export async function readHandTime(
  app: Installation,
  actor: Actor,
  given: { readonly name: string; readonly option: string; readonly text: string },
): Promise<Instant> {
  allow(actor, 'hand.say');
  const filing = await findFiling(app.session, app.tenant, given.name);
  const zone = (await profilesByLane(app)).get(filing.lane)?.hours?.zone ?? 'UTC';
  const found = readOfficeTime(given.text, zone);
  if (found !== undefined) return found;
  throw misuse(
    `${given.option}: expected a time at the office (${zone}) as "2027-03-01 14:05", or with an offset as 2027-03-01T14:05:00-05:00, found "${given.text}"`,
  );
}
