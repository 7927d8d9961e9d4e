/** What a sealed body of a filing's entry is, and what a person gave as proof that it was filed. */
import { FilewrightError, parseStrictJson, sha256Of, textAt } from '../../core/index.ts';
import type { LedgerEntry } from '../../ledger/index.ts';
import type { ExportFolder } from '../../system/index.ts';

/** Evidence has at most 8 MiB and stands in its body as base64. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** As the bytes were recognized when the file came in (rules/confirmation.ts). */
const ENDINGS: Readonly<Record<string, string>> = {
  pdf: 'pdf',
  png: 'png',
  jpeg: 'jpg',
  mail: 'eml',
};

type BodyKind = 'answer' | 'exception' | 'payload' | 'evidence' | 'other';

/** By what the entry says that happened: only an admission and a correction seal the bytes that are sent. */
export function bodyKind({ type, data }: Pick<LedgerEntry, 'type' | 'data'>): BodyKind {
  // Of a filing by hand the outcome itself has the evidence.
  if (data['evidence_sha256'] !== undefined) return 'evidence';
  if (type === 'filing.outcome') return 'answer';
  if (type === 'dlq.enveloped') return 'exception';
  const isAdmission = data['from'] === null && data['to'] === 'pending';
  return isAdmission || type === 'review.proposed' ? 'payload' : 'other';
}

/** The evidence to the byte, which the entry names by its hash, and beside it the record that was sealed. */
export async function writeEvidence(
  folder: ExportFolder,
  { seq, data }: LedgerEntry,
  canonical: Uint8Array,
): Promise<void> {
  const sealed = parseStrictJson(canonical, { bytesMax: BODY_BYTES_MAX });
  const fields = new Map(Object.entries(sealed ?? {}));
  const [words, base64] = [fields.get('evidence_text'), fields.get('evidence_base64')];
  const isText = typeof words === 'string';
  const content = isText ? Buffer.from(words, 'utf8') : Buffer.from(String(base64), 'base64');
  const found = sha256Of(content);
  if (found !== data['evidence_sha256']) {
    throw new FilewrightError(
      'LEDGER_BROKEN',
      `Entry ${seq} names evidence with the SHA-256 ${textAt(data, '/evidence_sha256') ?? 'none'}, and its sealed body has ${found}`,
      { details: { seq } },
    );
  }
  // Not under the name that it came with: a name is somebody's text, and this folder is for a stranger.
  const ending = isText ? 'txt' : (ENDINGS[String(fields.get('evidence_type'))] ?? 'bin');
  await folder.write(`evidence/entry-${seq}.${ending}`, content);
  await folder.write(`evidence/entry-${seq}.json`, canonical);
}
