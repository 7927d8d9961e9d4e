/** What a person brings from the office: a receipt number, a day, a fee and a file. Each is held against what is known. Pure. */
import {
  type Instant,
  patternOf,
  type Profile,
  shownDollars,
  toRfc3339,
} from '../../core/index.ts';

type FileKind = 'pdf' | 'png' | 'jpeg' | 'mail';

/** Sealed as one body; a scan of a few pages is a tenth of this. */
export const CONFIRMATION_BYTES_MAX = 8 * 1024 * 1024;

/** By its bytes, whatever the file is called. */
export function fileKind(bytes: Uint8Array): FileKind | undefined {
  const begins = (...start: readonly number[]): boolean =>
    start.every((byte, at) => bytes[at] === byte);
  if (begins(0x25, 0x50, 0x44, 0x46, 0x2d)) return 'pdf';
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (begins(0xff, 0xd8, 0xff)) return 'jpeg';
  return isMail(bytes) ? 'mail' : undefined;
}

const HEAD_BYTES = 16_384;
const HEADER = /^[!-9;-~]{1,70}:/;

/** RFC 5322: a message begins with header fields, and has a date and a sender among them. */
function isMail(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replaceAll('\r\n', '\n');
  const end = head.indexOf('\n\n');
  const lines = (end === -1 ? head : head.slice(0, end)).split('\n');
  // The last line may be cut.
  if (end === -1) lines.pop();
  const isField = (line: string): boolean => HEADER.test(line) || /^[ \t]/.test(line);
  const has = (name: string): boolean =>
    lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  return (
    lines.length > 1 &&
    HEADER.test(lines[0] ?? '') &&
    lines.every(isField) &&
    has('date') &&
    has('from')
  );
}

/** Numbers are compared as they are: spaces around one, or inside where the office has none, are a slip. */
export function receiptFault(receipt: string, profile: Profile): string | undefined {
  if (patternOf(profile.receipt.pattern).test(receipt)) return undefined;
  return `expected a receipt number of the form ${profile.receipt.pattern}, found "${receipt}"; check it against the confirmation`;
}

/** A minute for clocks that differ. */
const SKEW_MS = 60_000;

export function filedAtFault(
  filedAt: Instant,
  known: {
    readonly now: Instant;
    readonly notBefore: Instant;
    readonly firstSent: Instant | undefined;
  },
): string | undefined {
  const { now, notBefore, firstSent } = known;
  if (filedAt > now + SKEW_MS)
    return `expected a time that has passed, found ${toRfc3339(filedAt)}`;
  if (filedAt < notBefore)
    return `it may not be filed before ${toRfc3339(notBefore)}, found ${toRfc3339(filedAt)}`;
  // Confirmations give minutes, and some offices the day alone.
  if (firstSent !== undefined && filedAt < firstSent - DAY_MS) {
    return `it was taken to be filed at ${toRfc3339(firstSent)}, found ${toRfc3339(filedAt)}; if another person filed it before, use hand unsure`;
  }
  return undefined;
}

const DAY_MS = 86_400_000;

/** The fee that was approved is what should have been paid; another one is a word with a reason. */
export function feeFault(
  paidCents: number | undefined,
  approvedCents: number | undefined,
  reason: string | undefined,
): string | undefined {
  if (paidCents === approvedCents || reason !== undefined) return undefined;
  if (paidCents === undefined)
    return `expected the fee that was paid (${shownDollars(approvedCents ?? 0)} was approved), found none`;
  if (approvedCents === undefined)
    return `expected no fee, because none was approved, found ${shownDollars(paidCents)}; if it was really paid, add --fee-reason`;
  return `expected ${shownDollars(approvedCents)}, as it was approved, found ${shownDollars(paidCents)}; if that was really paid, add --fee-reason`;
}

const DOLLARS = /^\$?((?:0|[1-9]\d{0,8})|[1-9]\d{0,2}(?:,\d{3}){1,2})(?:\.(\d{2}))?$/;

/** Cents of `50`, `50.00` and `$1,050.00`; undefined of what has two readings. */
export function readDollars(text: string): number | undefined {
  const match = DOLLARS.exec(text.trim());
  if (match === null) return undefined;
  return Number((match[1] ?? '').replaceAll(',', '')) * 100 + Number(match[2] ?? 0);
}
