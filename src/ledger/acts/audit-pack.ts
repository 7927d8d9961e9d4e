/** Writing one log out: whole, as tiles that can be recomputed, or some of its entries, each with its proof. */
import { FilewrightError, ruledOut, toRfc3339 } from '../../core/index.ts';
import type { Installation } from '../store/installation.ts';
import { parseEntry } from '../entry-chain.ts';
import { TileBuilder } from '../tile-builder.ts';
import { writeTlogProof } from '../tlog-proof.ts';
import { checkpointsFrom } from '../store/checkpoints.ts';
import type { FiledEntry } from '../store/ledger-export.ts';
import { inclusionProofAt } from '../store/tree-store.ts';
import { ledgerEntries } from '../store/ledger-entries.ts';
import type { Run } from '../../postgres/index.ts';
import type { ExportFolder } from '../../system/index.ts';
import { BodyCollector, type FoundBody, shreddedByEntries } from './audit-bodies.ts';
import { policyText, type SignedLog } from './audit-heads.ts';
import { writeStamps } from './audit-stamps.ts';

export interface WrittenLog {
  readonly entries: number;
  readonly files: { readonly tiles: number; readonly bundles: number; readonly proofs: number };
  /** Earlier signed heads that went along: the last of each day. */
  readonly checkpoints: number;
  /** Undefined when they were not asked for. */
  readonly bodies: { readonly written: number; readonly shredded: number } | undefined;
}

interface PackOptions {
  readonly bodies: boolean;
  /** The authorities of time whose stamps this firm believes, as a PEM file. */
  readonly authorities?: Uint8Array | undefined;
}

interface Place {
  readonly folder: ExportFolder;
  /** `logs/filing/`, or nothing where the log lies at the top. */
  readonly prefix: string;
}

/**
 * The whole log up to its signed head. Tiles are made anew from the entries, so that what is written adds up to the
 * signed root or is not finished: the checkpoint comes last.
 */
export async function writeWholeLog(
  app: Installation,
  log: SignedLog,
  { folder, prefix }: Place,
  options: PackOptions,
): Promise<WrittenLog> {
  const { checkpoint } = log;
  const builder = new TileBuilder();
  const bodies = bodyWriter(app, log, { folder, prefix }, options.bodies);
  const files = { tiles: 0, bundles: 0, proofs: 0 };
  const write = async (tiles: ReturnType<TileBuilder['append']>): Promise<void> => {
    for (const { path, bytes, level } of tiles) {
      await folder.write(prefix + path, bytes);
      files[level === 'entries' ? 'bundles' : 'tiles'] += 1;
    }
  };
  for await (const bytes of ledgerEntries(app.session, log.tenant, log.boundary, checkpoint.size)) {
    await write(builder.append(bytes));
    await bodies?.add(bytes);
  }
  await write(builder.finish());
  await bodies?.finish();
  if (builder.size !== checkpoint.size || Buffer.compare(builder.root(), checkpoint.root) !== 0) {
    throw new FilewrightError(
      'LEDGER_BROKEN',
      `The entries of ${log.origin} do not add up to the root signed for ${checkpoint.size} entries (${builder.size} read). The export is unfinished; run audit verify`,
      { details: { origin: log.origin, size: checkpoint.size } },
    );
  }
  const stamped = await writeStamps(app, log, { folder, prefix }, options.authorities);
  const checkpoints = await writePastHeads(app, log, { folder, prefix }, stamped);
  await writeHead(log, { folder, prefix });
  return { entries: builder.size, files, checkpoints, bodies: bodies?.counts() };
}

/** Some entries of a log, each with a proof that it is in the signed tree. */
export async function writePack(
  app: Installation,
  log: SignedLog,
  entries: AsyncIterable<FiledEntry> | Iterable<FiledEntry>,
  { folder, prefix }: Place,
  options: PackOptions,
): Promise<WrittenLog> {
  const prove = prover(app, log);
  const bodies = bodyWriter(app, log, { folder, prefix }, options.bodies);
  let count = 0;
  for await (const entry of entries) {
    await folder.write(`${prefix}entries/${entry.seq}.json`, entry.bytes);
    await folder.write(`${prefix}entries/${entry.seq}.tlog-proof`, await prove(entry.seq));
    await bodies?.add(entry.bytes);
    count += 1;
  }
  await bodies?.finish();
  if (count > 0) {
    const isShown = (size: number): boolean => size === log.checkpoint.size;
    await writeStamps(app, log, { folder, prefix }, options.authorities, isShown);
    await writeHead(log, { folder, prefix });
  }
  const files = { tiles: 0, bundles: 0, proofs: count };
  return { entries: count, files, checkpoints: 0, bodies: bodies?.counts() };
}

/** Makes the text of a `.tlog-proof`; neighbours in a log need the same tiles, which are then read once. */
function prover(app: Installation, log: SignedLog): (seq: number) => Promise<string> {
  const { checkpoint } = log;
  const note = Buffer.from(checkpoint.note).toString('utf8');
  const run = remembering((statement, values) => app.session.run(statement, values));
  return async (seq) => {
    if (seq >= checkpoint.size) {
      throw ruledOut(
        `Entry ${seq} of ${log.origin} is not under a signed head yet (the newest covers ${checkpoint.size} entries); in quarantine nothing is signed, see audit quarantine status`,
      );
    }
    const proof = await inclusionProofAt(run, log, { index: seq, size: checkpoint.size });
    return writeTlogProof({ index: seq, proof, checkpoint: note });
  };
}

/** Remembers a few answers: what is read here (full tiles, and the tree of one size) never changes. */
function remembering(run: Run): Run {
  const answersMax = 8;
  const known = new Map<string, ReturnType<Run>>();
  return (statement, values) => {
    const question = JSON.stringify([statement.name, values]);
    const found = known.get(question);
    if (found !== undefined) return found;
    const answer = run(statement, values);
    const oldest = known.keys().next();
    if (known.size >= answersMax && !oldest.done) known.delete(oldest.value);
    known.set(question, answer);
    return answer;
  };
}

async function writeHead(log: SignedLog, { folder, prefix }: Place): Promise<void> {
  await folder.write(`${prefix}policy.txt`, policyText(log));
  await folder.write(`${prefix}checkpoint`, log.checkpoint.note);
}

/**
 * The last head of each day: a busy log has one each second, and each costs its reader a signature. And the last head of
 * each retired key: it is over the entry that introduces the next one. And each that has a time stamp.
 */
async function writePastHeads(
  app: Installation,
  log: SignedLog,
  place: Place,
  stamped: ReadonlySet<number>,
): Promise<number> {
  let count = 0;
  let last: { readonly day: string; readonly size: number; readonly note: Uint8Array } | undefined;
  const keep = async (): Promise<void> => {
    if (last === undefined) return;
    await place.folder.write(`${place.prefix}checkpoints/${last.size}`, last.note);
    count += 1;
  };
  const lastOfKeys = new Set(log.keys.map(({ sizes }) => sizes?.last));
  for await (const { size, note, signedAt } of checkpointsFrom(app.session, log)) {
    if (size >= log.checkpoint.size) break;
    const day = toRfc3339(signedAt).slice(0, 10);
    const isKept =
      last !== undefined &&
      (last.day !== day || lastOfKeys.has(last.size) || stamped.has(last.size));
    if (isKept) await keep();
    last = { day, size, note };
  }
  await keep();
  return count;
}

interface BodyWriter {
  add(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  counts(): { readonly written: number; readonly shredded: number };
}

function bodyWriter(
  app: Installation,
  log: SignedLog,
  { folder, prefix }: Place,
  wanted: boolean,
): BodyWriter | undefined {
  if (!wanted) return undefined;
  let [written, shredded] = [0, 0];
  const take = async ({ entry, stored }: FoundBody): Promise<void> => {
    if (stored === undefined) {
      shredded += 1;
      return;
    }
    await folder.write(`${prefix}bodies/${entry.body.ct}`, stored.blob);
    written += 1;
  };
  const collector = new BodyCollector(app, log.boundary, take, shreddedByEntries(app));
  return {
    add: (bytes) => collector.add(parseEntry(bytes)),
    finish: () => collector.finish(),
    counts: () => ({ written, shredded }),
  };
}
