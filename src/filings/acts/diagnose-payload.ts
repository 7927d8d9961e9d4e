/** What is odd about the bytes of a payload that a portal refuses: control characters, edges, lengths, the hash. */
import { type Actor, allow } from '../../access/index.ts';
import {
  decodeJson,
  FilewrightError,
  type JsonValue,
  pointer,
  type Profile,
  sha256Of,
} from '../../core/index.ts';
import { profilesByLane, violationsOf } from '../../lanes/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  diagnosedAttempts,
  type DiagnosedPayload,
  diagnosedPayloads,
  diagnosedScope,
} from '../store/diagnose.ts';
import { answerOf, type Diagnosis, LISTED_MAX, openedRecord, publicScope } from './diagnose.ts';
import { bodyOf } from './reviews.ts';
import { allowOnDesk } from './desk.ts';

/** Bytes shown on each side of an oddity. */
const AROUND_BYTES = 24;
const FINDINGS_MAX = 50;
/** A portal's code or field name; whatever looks otherwise may quote the payload. */
const PLAIN_NAME = /^[\w./:~[\]-]{1,100}$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/gu;

interface PayloadFinding {
  readonly code: 'CONTROL' | 'WHITESPACE' | 'CHARACTER_SET' | 'TOO_LONG' | 'REQUIRED';
  /** JSON pointer into the payload. */
  readonly field: string;
  readonly note: string;
  /** The bytes around it, with letters and digits masked. */
  readonly dump: readonly string[];
}

interface DiagnosedPayloadBytes {
  readonly filing: string;
  readonly lane: string;
  readonly status: string;
  readonly code: string | null;
  readonly bytes: number | null;
  readonly frozenSha256: string;
  /** Over the bytes that are sent; null when the payload cannot be opened any more. */
  readonly sentSha256: string | null;
  readonly isAsFrozen: boolean;
  /** `form`: the payload's values are posted as form fields, so the bytes on the wire are others. */
  readonly sentAs: 'json' | 'form';
  readonly findings: readonly PayloadFinding[];
  /** Codes and fields that the portal named; its words may quote the payload and are left out. */
  readonly complaints: readonly string[];
}

export interface PayloadDiagnosis extends Diagnosis {
  readonly payloads: readonly DiagnosedPayloadBytes[];
  readonly unlisted: number;
}

/** One filing, or every filing of a batch that the portal ever refused. */
export async function diagnosePayload(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<PayloadDiagnosis> {
  allow(actor, 'diagnose.payload');
  const scope = await diagnosedScope(app.session, app.tenant, name);
  await allowOnDesk(app, actor, 'diagnose.payload', scope);
  await noteOpened(app, actor, 'diagnose.payload', scope.id);
  const profiles = new Map<string, Profile>(await profilesByLane(app));
  const complaints = new Map<string, readonly string[]>();
  for await (const attempt of diagnosedAttempts(app.session, app.tenant, scope, ['rejected'])) {
    complaints.set(attempt.filing, complaintsIn(openedRecord(app, attempt.sealed)));
  }
  const payloads: DiagnosedPayloadBytes[] = [];
  let unlisted = 0;
  for await (const found of diagnosedPayloads(app.session, app.tenant, scope)) {
    if (payloads.length >= LISTED_MAX) unlisted += 1;
    else {
      const told = complaints.get(found.filing) ?? [];
      payloads.push(describe(app, found, profiles.get(found.lane), told));
    }
  }
  return { scope: publicScope(scope), payloads, unlisted };
}

function describe(
  app: Installation,
  found: DiagnosedPayload,
  profile: Profile | undefined,
  complaints: readonly string[],
): DiagnosedPayloadBytes {
  const bytes = opened(app, found);
  const sentSha256 = bytes === undefined ? null : sha256Of(bytes);
  return {
    filing: found.filing,
    lane: found.lane,
    status: found.status,
    code: found.code ?? null,
    bytes: bytes?.length ?? null,
    frozenSha256: found.payloadSha256,
    sentSha256,
    isAsFrozen: sentSha256 === found.payloadSha256,
    sentAs: profile?.driver === 'html-form' ? 'form' : 'json',
    findings:
      bytes === undefined ? [] : payloadFindings(decodeJson(bytes), profile).slice(0, FINDINGS_MAX),
    complaints,
  };
}

export function payloadFindings(
  payload: unknown,
  profile: Profile | undefined,
): readonly PayloadFinding[] {
  const findings: PayloadFinding[] = [];
  const isTrimmed = profile?.limits?.whitespace === 'trimmed';
  for (const { field, text } of textsIn(payload, '')) {
    for (const match of text.matchAll(CONTROL)) {
      const note = `${codePoint(match[0])} as character ${match.index + 1} of ${text.length}`;
      findings.push({ code: 'CONTROL', field, note, dump: maskedDump(text, match.index) });
    }
    if (text.trim() !== text) {
      const at = text.trimStart() === text ? text.trimEnd().length : 0;
      const rule = isTrimmed ? '; the portal refuses it' : '';
      const note = `${codePoint(text.slice(at))} at its ${at === 0 ? 'beginning' : 'end'}${rule}`;
      findings.push({ code: 'WHITESPACE', field, note, dump: maskedDump(text, at) });
    }
    const other = profile?.limits?.characters === 'ascii' ? text.search(/[^\u0020-\u007e]/u) : -1;
    if (other >= 0) {
      const note = `${codePoint(text.slice(other))} as character ${other + 1}; the portal accepts English characters only`;
      findings.push({ code: 'CHARACTER_SET', field, note, dump: maskedDump(text, other) });
    }
  }
  for (const { at, required, charactersMax } of profile?.limits?.fields ?? []) {
    const value = pointer(payload, at);
    const isEmpty = value === undefined || value === null || value === '';
    if (isEmpty) {
      if (required)
        findings.push({ code: 'REQUIRED', field: at, note: 'is empty, but required', dump: [] });
      continue;
    }
    const characters = Array.from(typeof value === 'string' ? value : JSON.stringify(value)).length;
    if (charactersMax !== undefined && characters > charactersMax) {
      const note = `${characters} characters, the portal accepts ${charactersMax}`;
      findings.push({ code: 'TOO_LONG', field: at, note, dump: [] });
    }
  }
  return findings;
}

/**
 * The UTF-8 bytes around a character. Letters and digits are masked, since they may be a name or a number; control
 * characters, spaces, punctuation and everything beyond ASCII are shown, since they are what a portal trips over.
 */
export function maskedDump(text: string, at: number): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  const place = Buffer.byteLength(text.slice(0, at), 'utf8');
  const from = Math.max(0, place - AROUND_BYTES);
  const shown = bytes.subarray(from, place + AROUND_BYTES);
  const lines: string[] = [];
  for (let row = 0; row < shown.length; row += 16) {
    const cut = [...shown.subarray(row, row + 16)];
    const hex = cut.map((byte) => (isMasked(byte) ? '--' : byte.toString(16).padStart(2, '0')));
    const seen = cut.map((byte) => {
      if (isMasked(byte)) return 'x';
      return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
    });
    const offset = (from + row).toString(16).padStart(8, '0');
    lines.push(`${offset}  ${hex.join(' ').padEnd(47)}  |${seen.join('')}|`);
  }
  return lines;
}

function isMasked(byte: number): boolean {
  return /[A-Za-z0-9]/.test(String.fromCharCode(byte)) && byte < 0x80;
}

function* textsIn(
  value: unknown,
  field: string,
): Generator<{ readonly field: string; readonly text: string }> {
  if (typeof value === 'string') yield { field, text: value };
  if (typeof value !== 'object' || value === null) return;
  // The depth is bounded by the strict JSON reader that let the payload in.
  for (const [name, inner] of Object.entries(value)) {
    yield* textsIn(inner, `${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function complaintsIn(record: JsonValue | undefined): readonly string[] {
  const answer = answerOf(record);
  // What was recorded is JSON.
  const violations = violationsOf(bodyOf(answer as JsonValue | undefined));
  const plain = (name: string | undefined): string | undefined =>
    name !== undefined && PLAIN_NAME.test(name) ? name : undefined;
  return violations.map(({ code, field }) => {
    const place = plain(field);
    return `${plain(code) ?? 'UNNAMED'}${place === undefined ? '' : ` ${place}`}`;
  });
}

function codePoint(text: string): string {
  const point = text.codePointAt(0) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

function opened(app: Installation, { payload }: DiagnosedPayload): Uint8Array | undefined {
  try {
    return app.vault.open(payload);
  } catch (error) {
    // Its key was destroyed; the hash alone says what it was.
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
}
