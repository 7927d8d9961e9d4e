/** C2SP signed notes: a text and the signatures under it. */
import { verify } from 'node:crypto';
import { badInput, FilewrightError } from '../core/index.ts';
import { fromBase64 } from './base64.ts';
import { toHex } from './hashes.ts';
import { isKeyName, parseVerifierKey, type VerifierKey } from './verifier-key.ts';

/** A signature line whose key nobody has looked at yet. */
interface SignatureLine {
  readonly name: string;
  readonly id: string;
  /** What follows the key id. */
  readonly signature: Uint8Array;
}

/** A note that is well formed; whether its signatures hold is another question. */
interface ParsedNote {
  /** With its last newline, without the blank line: exactly what is signed. */
  readonly text: string;
  readonly lines: readonly SignatureLine[];
}

/** A signature that holds. */
export interface VerifiedSignature {
  readonly key: VerifierKey;
  /** When a witness signed, in seconds since 1970; absent for a log's own signature. */
  readonly seconds?: number;
}

export interface OpenedNote {
  readonly text: string;
  /** One for each known key that signed, in the order of their first lines. */
  readonly signatures: readonly VerifiedSignature[];
  /** The names of those keys. */
  readonly verifiedBy: readonly string[];
}

type NoteRefusal =
  | { readonly kind: 'malformed'; readonly found: string }
  | { readonly kind: 'untrusted'; readonly found: string };

/** Keys as they are configured: parsed, or as texts. */
export type VerifierKeys = readonly (VerifierKey | string)[];

// Post-quantum signatures have up to 5 kB each, so a hundred lines still fit.
const NOTE_BYTES_MAX = 1_000_000;
// C2SP asks for at least 16; a log with its witnesses and the keys of a rotation stays far below.
const SIGNATURES_MAX = 100;
/** The end of a sentence about a note without a known signature. */
export const NOBODY_SIGNED = 'no trusted key has signed it';
export const SIGNATURE_MARK = '\u2014 ';
const KEY_ID_BYTES = 4;
const TIME_BYTES = 8;
const ED25519_BYTES = 64;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Splits a note, strictly; what is wrong with it is the end of a sentence. */
export function parseNote(note: string | Uint8Array): ParsedNote | NoteRefusal {
  const whole = textOf(note);
  if (whole === undefined) return malformed('it is not UTF-8');
  if (Buffer.byteLength(whole) > NOTE_BYTES_MAX) {
    return malformed(`it has more than ${NOTE_BYTES_MAX} bytes`);
  }
  if (CONTROL.test(whole)) return malformed('it has control characters (or CRLF line ends)');
  // The text may have blank lines of its own; the last one separates it from the signatures.
  const blank = whole.lastIndexOf('\n\n');
  if (blank < 0) return malformed('it has no blank line before its signatures');
  const block = whole.slice(blank + 2);
  if (block === '') return malformed('it has no signature');
  if (!block.endsWith('\n')) return malformed('its last line has no end');
  const rows = block.slice(0, -1).split('\n');
  if (rows.length > SIGNATURES_MAX) {
    return malformed(`it has more than ${SIGNATURES_MAX} signatures`);
  }
  const lines: SignatureLine[] = [];
  for (const row of rows) {
    const line = parseLine(row);
    if (line === undefined) return malformed(`signature line ${lines.length + 1} is not one`);
    lines.push(line);
  }
  return { text: whole.slice(0, blank + 1), lines };
}

/**
 * The signatures of known keys, which may be none; a line is known by name and id together, all others are ignored.
 * One known signature that fails spoils the note, however many others hold.
 */
export function checkSignatures(
  note: ParsedNote,
  keys: readonly VerifierKey[],
): readonly VerifiedSignature[] | NoteRefusal {
  const verified = new Map<string, VerifiedSignature>();
  for (const line of note.lines) {
    const key = keys.find(({ name, id }) => name === line.name && id === line.id);
    if (key === undefined) continue;
    const signature = checkLine(note.text, line, key);
    if (signature === undefined) {
      return untrusted(`the signature of ${key.name} (key ${key.id}) does not match its text`);
    }
    if (!verified.has(key.text)) verified.set(key.text, signature);
  }
  return [...verified.values()];
}

/**
 * The text of a note that at least one of the given keys has signed. Throws `INPUT_MALFORMED` when it is not a note,
 * `LEDGER_BROKEN` when a known signature fails or none is known. Text that is not opened must not be used.
 */
export function openNote(note: string | Uint8Array, verifierKeys: VerifierKeys): OpenedNote {
  const keys = keysOf(verifierKeys);
  const parsed = parseNote(note);
  if ('kind' in parsed) throw refusalError(parsed);
  const signatures = checkSignatures(parsed, keys);
  if ('kind' in signatures) throw refusalError(signatures);
  if (signatures.length === 0) throw refusalError(untrusted(NOBODY_SIGNED));
  return { text: parsed.text, signatures, verifiedBy: signatures.map(({ key }) => key.name) };
}

/** Parses what is a text, and drops repeated keys. */
export function keysOf(verifierKeys: VerifierKeys): readonly VerifierKey[] {
  const keys = new Map<string, VerifierKey>();
  for (const given of verifierKeys) {
    const key = typeof given === 'string' ? parseVerifierKey(given) : given;
    const pair = `${key.name}+${key.id}`;
    const other = keys.get(pair);
    if (other !== undefined && other.text !== key.text) {
      throw badInput(
        `Expected one key for each name and id, found two for ${pair}. Remove the one that is not the log's.`,
      );
    }
    keys.set(pair, key);
  }
  return [...keys.values()];
}

/** What a witness signs instead of the bare text. */
export function cosignedText(text: string, seconds: number): string {
  return `cosignature/v1\ntime ${seconds}\n${text}`;
}

export function refusalError(refusal: NoteRefusal): FilewrightError {
  return refusal.kind === 'malformed'
    ? badInput(`Expected a signed note, but ${refusal.found}.`)
    : new FilewrightError(
        'LEDGER_BROKEN',
        `Expected a note signed by a trusted key, but ${refusal.found}. Do not use its text.`,
      );
}

function checkLine(
  text: string,
  { signature }: SignatureLine,
  key: VerifierKey,
): VerifiedSignature | undefined {
  if (key.role === 'log') {
    return holds(text, signature, key) ? { key } : undefined;
  }
  if (signature.length !== TIME_BYTES + ED25519_BYTES) return undefined;
  const seconds = Number(Buffer.from(signature.subarray(0, TIME_BYTES)).readBigUInt64BE());
  // The format allows 63 bits; beyond 2^53 no number here names that second, and no clock shows it.
  if (!Number.isSafeInteger(seconds)) return undefined;
  const isHeld = holds(cosignedText(text, seconds), signature.subarray(TIME_BYTES), key);
  return isHeld ? { key, seconds } : undefined;
}

function holds(text: string, signature: Uint8Array, key: VerifierKey): boolean {
  return (
    signature.length === ED25519_BYTES &&
    verify(null, Buffer.from(text, 'utf8'), key.keyObject, signature)
  );
}

function parseLine(row: string): SignatureLine | undefined {
  if (!row.startsWith(SIGNATURE_MARK)) return undefined;
  const rest = row.slice(SIGNATURE_MARK.length);
  const space = rest.indexOf(' ');
  const name = rest.slice(0, Math.max(space, 0));
  const bytes = fromBase64(rest.slice(space + 1));
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return {
    name,
    id: toHex(bytes.subarray(0, KEY_ID_BYTES)),
    signature: bytes.subarray(KEY_ID_BYTES),
  };
}

// Stateless between calls (no stream option), so one serves everybody. A mark at the start is part of the text.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(note: unknown): string | undefined {
  if (typeof note === 'string') return LONE_SURROGATE.test(note) ? undefined : note;
  if (!(note instanceof Uint8Array)) return undefined;
  try {
    return UTF8.decode(note);
  } catch {
    // The only thing it throws for is what the caller is told.
    return undefined;
  }
}

function malformed(found: string): NoteRefusal {
  return { kind: 'malformed', found };
}

function untrusted(found: string): NoteRefusal {
  return { kind: 'untrusted', found };
}
