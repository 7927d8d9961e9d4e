/**
 * The time stamps of the spine, against the heads that they name, the copies outside, the clock of the ledger, and the
 * authority that is believed. Nothing of it is taken from the rows: a stamp proves itself, or it does not.
 */
import { addMs, type Instant, instant, parseRfc3339, toRfc3339 } from '../../core/index.ts';
import { logOrigin } from '../entry.ts';
import { sameBytes } from '../hashes.ts';
import type { StampCertificate } from '../stamp/certificates.ts';
import { checkStamp } from '../stamp/check-stamp.ts';
import { imprintOf } from '../stamp/request.ts';
import type { Installation } from '../store/installation.ts';
import { entryTime, stampsFrom } from '../store/timestamps.ts';

/** Stamps are asked for once an hour and at each `audit checkpoint`; a day outlasts an authority that is away. */
const UNSTAMPED_MS_MAX = 25 * 3_600_000;
/** Two honest clocks are closer than this. */
const CLOCKS_APART_MS_MAX = 300_000;

export interface StampTrust {
  /** Without any, a stamp is only held against itself and its head. */
  readonly authorities: readonly StampCertificate[];
  /** Whether a ledger without a recent stamp is a fault. */
  readonly isRequired: boolean;
}

interface StampProblem {
  readonly reason: string;
  readonly message: string;
}

export interface JudgedStamps {
  readonly count: number;
  readonly newest:
    | { readonly size: number; readonly at: string; readonly authority: string }
    | undefined;
  readonly problem: StampProblem | undefined;
}

export async function judgeStamps(app: Installation, trust: StampTrust): Promise<JudgedStamps> {
  const origin = logOrigin(app.instance, app.tenant, 'spine');
  const log = { tenant: app.tenant, boundary: 'spine' };
  const kept = await app.copies.stamps(origin);
  let copyAt = 0;
  let count = 0;
  let newest: (NonNullable<JudgedStamps['newest']> & { readonly moment: Instant }) | undefined;
  const fail = (reason: string, message: string): JudgedStamps => ({
    count,
    newest,
    problem: { reason, message },
  });
  const missing = (size: number): JudgedStamps =>
    fail(
      'TIMESTAMP_MISSING',
      `Expected the time stamp of ${origin} for ${size} entries, which is kept outside; it is missing in the database.`,
    );
  for await (const { size, token, note } of stampsFrom(app.session, log)) {
    const copy = kept[copyAt];
    if (copy !== undefined && copy < size) return missing(copy);
    if (copy === size) {
      copyAt += 1;
      const outside = await app.copies.readStamp(origin, size);
      if (outside !== undefined && !sameBytes(outside, token)) {
        const message = `Expected the time stamp of ${origin} for ${size} entries to be the one that is kept outside; it is another one.`;
        return fail('COPY_MISMATCH', message);
      }
    }
    const imprint = note === undefined ? undefined : imprintOf(note);
    if (imprint === undefined) {
      const message = `Expected a signed head of ${size} entries of ${origin}, for which there is a time stamp; found none.`;
      return fail('CHECKPOINT_MISSING', message);
    }
    const stamp = checkStamp(token, { imprint, authorities: trust.authorities });
    if (!stamp.ok) {
      const message = `The time stamp of ${origin} for ${size} entries does not hold: ${stamp.found}.`;
      return fail(stamp.reason, message);
    }
    const late = await writtenAfter(app, size, stamp.at);
    if (late !== undefined) return fail('TIMESTAMP_BEFORE_ENTRY', late);
    count += 1;
    newest = { size, at: toRfc3339(stamp.at), authority: stamp.authority, moment: stamp.at };
  }
  const left = kept[copyAt];
  if (left !== undefined) return missing(left);
  const problem = trust.isRequired ? await unstamped(app, origin, newest?.size) : undefined;
  if (newest === undefined) return { count, newest, problem };
  const { size, at, authority } = newest;
  return { count, newest: { size, at, authority }, problem };
}

/** An entry cannot be younger than the stamp over it: then the ledger's clock ran ahead, or the entry is dated forward. */
async function writtenAfter(
  app: Installation,
  size: number,
  at: Instant,
): Promise<string | undefined> {
  const log = { tenant: app.tenant, boundary: 'spine' };
  const ts = await entryTime(app.session, log, size - 1);
  const written = ts === undefined ? undefined : parseRfc3339(ts);
  if (written === undefined || written <= addMs(at, CLOCKS_APART_MS_MAX)) return undefined;
  return `Entry ${size - 1} of the spine says that it was written at ${ts}; an authority of time saw it at ${toRfc3339(at)} already.`;
}

async function unstamped(
  app: Installation,
  origin: string,
  size: number | undefined,
): Promise<StampProblem | undefined> {
  const reason = 'TIMESTAMP_MISSING';
  if (size === undefined) {
    const message = `Expected a time stamp of ${origin}, found none. Run audit checkpoint with FILEWRIGHT_TIMESTAMP_URL set.`;
    return { reason, message };
  }
  const next = await entryTime(app.session, { tenant: app.tenant, boundary: 'spine' }, size);
  const since = next === undefined ? undefined : parseRfc3339(next);
  if (since === undefined || app.clock.now() - since <= UNSTAMPED_MS_MAX) return undefined;
  const message = `The newest time stamp of ${origin} is for ${size} entries; the next one is from ${toRfc3339(instant(since))}, more than a day ago. Run audit checkpoint with FILEWRIGHT_TIMESTAMP_URL set.`;
  return { reason, message };
}
