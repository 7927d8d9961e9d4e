/**
 * A log against the newest checkpoint kept outside: it must reach it and have the same root there. One that is shorter is
 * the work of an older backup. One that has another root at that size is not: entries that were signed are not there.
 */
import { FilewrightError } from '../../core/index.ts';
import { checkPinned } from '../checkpoint.ts';
import { type CheckpointCopies, latestCheckpoint } from './checkpoints.ts';
import { type Run, type Session, sql } from '../../postgres/index.ts';
import { signingKeys } from './signing-keys.ts';
import { type LogName, rootAt } from './tree-store.ts';

/** A log that is not what its copy outside says, with the words of both sides. */
export interface Contradiction {
  readonly origin: string;
  readonly boundary: string;
  readonly reason: 'behind' | 'forged' | 'unreadable copy' | 'damaged';
  /** What was signed and kept outside. */
  readonly keptSize: number;
  readonly keptNote: string;
  /** What the database has. */
  readonly size: number;
  /** Its root over the first `keptSize` entries, base64; undefined where it has not so many, or cannot tell. */
  readonly root?: string;
  /** Its newest checkpoint. */
  readonly note?: string;
}

type Comparison =
  | { readonly kind: 'agrees'; readonly copiedSize: number }
  | { readonly kind: 'contradicted'; readonly contradiction: Contradiction };

/** A checkpoint has some three hundred bytes, more with witnesses; a file that is none may have any length. */
const NOTE_CHARACTERS_MAX = 2_000;

const HEAD_SIZE = sql('quarantine-head-size')`
select size from ledger_head where tenant = $1 and boundary = $2`;

export async function compareCopies(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  copies: CheckpointCopies,
): Promise<Comparison> {
  const { origin, boundary } = log;
  const kept = await copies.newest(origin);
  if (kept === undefined) return { kind: 'agrees', copiedSize: 0 };
  const [head] = await session.run(HEAD_SIZE, [log.tenant, boundary]);
  const size = Number(head?.['size'] ?? 0);
  const contradicted = async (
    reason: Contradiction['reason'],
    root?: Uint8Array,
  ): Promise<Comparison> => {
    const own = await latestCheckpoint(session, log);
    const contradiction: Contradiction = {
      origin,
      boundary,
      reason,
      keptSize: kept.size,
      keptNote: noteText(kept.note),
      size,
      ...(root === undefined ? {} : { root: Buffer.from(root).toString('base64') }),
      ...(own === undefined ? {} : { note: noteText(own.note) }),
    };
    return { kind: 'contradicted', contradiction };
  };
  // A restored database may not know the key that signed; a key that it knows must have signed exactly this.
  const read = readKept(kept.note, origin, await signingKeys(session, log));
  if (read === undefined || read.size !== kept.size) return contradicted('unreadable copy');
  if (size < kept.size) return contradicted('behind');
  const root = await rootIfWhole(session, log, kept.size);
  if (root === undefined) return contradicted('damaged');
  if (Buffer.compare(root, read.root) !== 0) return contradicted('forged', root);
  return { kind: 'agrees', copiedSize: kept.size };
}

function readKept(
  note: Uint8Array,
  origin: string,
  keys: readonly { readonly vkey: string }[],
): { readonly size: number; readonly root: Uint8Array } | undefined {
  try {
    const read = checkPinned(note, { origin, verifierKeys: keys.map(({ vkey }) => vkey) });
    return read.ok ? read.checkpoint : undefined;
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    // A key in the table that is none: whoever changed it is found by audit verify; the copy is read without it.
    const read = checkPinned(note, { origin, verifierKeys: [] });
    return read.ok ? read.checkpoint : undefined;
  }
}

/** Undefined where the stored hashes cannot tell it: whoever asks about a damaged log gets an answer, not an assertion. */
async function rootIfWhole(
  session: Pick<Session, 'run'>,
  log: LogName,
  size: number,
): Promise<Uint8Array | undefined> {
  const run: Run = (statement, values) => session.run(statement, values);
  try {
    return await rootAt(run, log, size);
  } catch (error) {
    const isDamage =
      error instanceof FilewrightError &&
      (error.code === 'BROKEN_INVARIANT' || error.code === 'LEDGER_BROKEN');
    if (!isDamage) throw error;
    return undefined;
  }
}

/** As evidence: what cannot stand in a JSON text of the database is shown by a mark. */
function noteText(note: Uint8Array): string {
  const text = Buffer.from(note).toString('utf8').slice(0, NOTE_CHARACTERS_MAX);
  return text.replaceAll(/[^\P{Cc}\n]|\p{Surrogate}/gu, '\ufffd');
}

/** What the ledger keeps of it. */
export function contradictionData(found: Contradiction) {
  const { origin, boundary, reason, keptSize, keptNote, size, root, note } = found;
  return {
    origin,
    boundary,
    reason,
    kept_size: keptSize,
    kept_note: keptNote,
    size,
    ...(root === undefined ? {} : { root }),
    ...(note === undefined ? {} : { note }),
  };
}
