/** What a person brings from the office: a receipt number, a day, a fee and a file. Each is held against what is known. Pure. */
import {
  type Instant,
  lettersOf,
  patternOf,
  type Profile,
  shownDollars,
  shownTime,
} from '../../core/index.ts';

type FileKind = 'pdf' | 'png' | 'jpeg' | 'mail';

/** Sealed as one body; a scan of a few pages is a tenth of this. */
export const CONFIRMATION_BYTES_MAX = 8 * 1024 * 1024;

/** By its bytes, whatever the file is called. */
export function fileKind(bytes: Uint8Array): FileKind | undefined {
  const begins = (...start: readonly number[]): boolean =>
    start.every((byte, at) => bytes[at] === byte);
  if (isPdf(bytes)) return 'pdf';
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (begins(0xff, 0xd8, 0xff)) return 'jpeg';
  return isMail(bytes) ? 'mail' : undefined;
}

/** Readers open what has its mark within the first kilobyte; behind a byte order mark or blank lines it is one, behind a page it is not. */
const PDF_LEAD_BYTES = 1024;

function isPdf(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, PDF_LEAD_BYTES + 5)).toString('latin1');
  return /^(?:\u00ef\u00bb\u00bf)?[\0\s]*%PDF-/.test(head);
}

/** The sheet that we wrote of a filing, which lies beside the confirmation on many desks: it shows what to type, and proves nothing. */
export function isOwnSheet(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  return text.includes(`(${SHEET_AUTHOR})`) && /\(Filing [0-9a-f]{8}-[0-9a-f-]{27}\)/.test(text);
}

export const SHEET_AUTHOR = 'Filewright';

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

/** Held against its pattern as it is: spaces around one, or inside where the office has none, are a slip. */
export function receiptFault(receipt: string, profile: Profile): string | undefined {
  const { doubt } = lettersOf(receipt);
  if (doubt !== undefined) return `expected a receipt number that reads in one way, but ${doubt}`;
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
    /** Of the office. */
    readonly zone: string;
  },
): string | undefined {
  const { now, notBefore, firstSent, zone } = known;
  const shown = (at: Instant): string => shownTime(at, zone);
  if (filedAt > now + SKEW_MS) return `expected a time that has passed, found ${shown(filedAt)}`;
  if (filedAt < notBefore)
    return `it may not be filed before ${shown(notBefore)}, found ${shown(filedAt)}`;
  // Confirmations give minutes, and some offices the day alone.
  if (firstSent !== undefined && filedAt < firstSent - DAY_MS) {
    return `it was taken to be filed at ${shown(firstSent)}, found ${shown(filedAt)}; if another person filed it before, use hand unsure`;
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
