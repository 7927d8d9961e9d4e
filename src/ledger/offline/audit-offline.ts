/**
 * `audit verify DIR`: an export or a proof pack, checked without a database and without the program that wrote it. The
 * verdict is the first failure in the order of ledger format 1, § 9, as tools/verify.py gives it.
 */
import { basename, join, resolve } from 'node:path';
import { FilewrightError, misuse, notFound, sha256Of, trimEndOf } from '../../core/index.ts';
import { SpineHeads } from '../spine-heads.ts';
import { parseTrustPolicy } from '../trust-policy-file.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import {
  demand,
  demandInside,
  exists,
  Failure,
  insideOf,
  isFolder,
  namesIn,
  readOptional,
  readRequired,
} from './audit-offline-files.ts';
import { ROWS_FOLDER } from '../rows/rows-file.ts';
import { checkLogFolder, type OfflineLog } from './audit-offline-log.ts';
import { checkMissingBodies } from './audit-offline-shredded.ts';
import { checkRows } from './audit-offline-rows.ts';
import { checkStamps, type OfflineStamp } from './audit-offline-stamps.ts';

export type OfflineReport =
  | {
      readonly ok: true;
      readonly logs: readonly OfflineLog[];
      /** The newest time stamp of each log that has one. */
      readonly stamps: readonly OfflineStamp[];
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly message: string;
      readonly seq?: number;
      /** Those that hold all the same. */
      readonly logs: readonly OfflineLog[];
      readonly warnings: readonly string[];
    };

export async function verifyFolder(
  path: string,
  options: {
    readonly policy?: string;
    readonly pinned?: readonly string[];
    readonly firstKeys?: readonly string[];
    /** The authorities of time to believe (PEM); then the spine must have a stamp of one of them. */
    readonly timestampCa?: Uint8Array;
  } = {},
): Promise<OfflineReport> {
  const top = resolve(path);
  if (!(await isFolder(top))) throw notFound(`${top} is not a folder with an export`);
  const folders = await logFolders(top);
  const pinned = options.pinned ?? [];
  if (folders.length > 1 && pinned.length > 0) {
    throw misuse(`--pinned belongs to one log; name one of ${folders.join(', ')}`);
  }
  const logs: OfflineLog[] = [];
  const held: { readonly folder: string; readonly log: OfflineLog }[] = [];
  const warnings: string[] = [];
  const failures: Failure[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    });
  };
  await attempt(() => demandInside(top));
  const mayRead = failures.length === 0;
  const spine = new SpineHeads();
  const others = {
    spine,
    firstKeys: options.firstKeys ?? [],
    isPolicyGiven: options.policy !== undefined,
  };
  // The spine first: what it says of the others is held against them.
  for (const folder of mayRead ? spineFirst(folders) : []) {
    await attempt(async () => {
      const given = options.policy;
      const own = (await exists(join(folder, 'policy.txt'))) ? folder : top;
      const file = given ?? join(own, 'policy.txt');
      if (given === undefined) warnings.push(`${file} is from the export: self-consistency only`);
      const policy = policyOf(await readRequired(file), file);
      const log = await checkLogFolder(folder, policy, pinned, others);
      logs.push(log);
      held.push({ folder, log });
      warnings.push(...log.warnings.map((warning) => `${folder}: ${warning}`));
    });
  }
  if (mayRead) await attempt(() => checkManifest(top));
  const stamps: OfflineStamp[] = [];
  if (failures.length === 0) await attempt(() => checkComplete(top, folders, spine, logs));
  const told = [
    async () => warnings.push(...(await checkMissingBodies(top, held))),
    async () => {
      const checked = await checkStamps(held, options.timestampCa);
      stamps.push(...checked.stamps);
      warnings.push(...checked.warnings);
    },
    async () => warnings.push(...(await rowWarnings(top, folders))),
  ];
  // What entries say is believed where the logs hold.
  for (const check of told)
    if (failures.length === 0) await attempt(async () => void (await check()));
  logs.sort((a, b) => (a.origin < b.origin ? -1 : 1));
  const [first] = failures;
  if (first === undefined) return { ok: true, logs, stamps, warnings };
  const { reason, message, seq } = first;
  return { ok: false, reason, message, ...(seq === undefined ? {} : { seq }), logs, warnings };
}

function spineFirst(folders: readonly string[]): readonly string[] {
  const isSpine = (folder: string): boolean => basename(folder) === 'spine';
  return [...folders.filter(isSpine), ...folders.filter((each) => !isSpine(each))];
}

async function rowWarnings(top: string, folders: readonly string[]): Promise<readonly string[]> {
  if (!(await isFolder(join(top, ROWS_FOLDER)))) return [];
  const unsigned = await checkRows(top, folders);
  return unsigned > 0 ? [`${unsigned} facts of the rows are not yet signed`] : [];
}

/** One log at the top, or several below `logs`. */
async function logFolders(top: string): Promise<string[]> {
  const below: string[] = [];
  for (const name of (await namesIn(join(top, 'logs'))).sort()) {
    const folder = join(top, 'logs', name);
    if (await isFolder(folder)) below.push(folder);
  }
  const marks = await Promise.all(
    ['checkpoint', 'tile', 'entries'].map((name) => exists(join(top, name))),
  );
  return below.length === 0 || marks.includes(true) ? [...below, top] : below;
}

/** Several whole logs come with their spine, and with every log that it names. */
async function checkComplete(
  top: string,
  folders: readonly string[],
  spine: SpineHeads,
  logs: readonly OfflineLog[],
): Promise<void> {
  const below = folders.filter((folder) => folder !== top);
  const areWhole = await Promise.all(below.map((folder) => isFolder(join(folder, 'tile'))));
  // Beside a proof pack a log may stand alone.
  if (areWhole.length === 0 || areWhole.includes(false)) return;
  const there = new Set(logs.map(({ origin }) => origin));
  const hasSpine = logs.some(({ origin }) => origin.endsWith('/spine'));
  demand(
    hasSpine,
    'LOG_MISSING',
    `${top} has whole logs, and not the spine that names their heads`,
  );
  for (const origin of spine.origins) {
    demand(
      there.has(origin),
      'LOG_MISSING',
      `${top} lacks the log ${origin}, which the spine names`,
    );
  }
}

function policyOf(bytes: Buffer, file: string): TrustPolicy {
  try {
    return parseTrustPolicy(bytes);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    throw new Failure('MALFORMED_POLICY', `${file}: ${error.message}`);
  }
}

const MANIFEST_LINE = /^([0-9a-f]{64}) [ *](.+)$/;

/** Hashes of the files that no log vouches for, as `sha256sum` writes them. */
async function checkManifest(top: string): Promise<void> {
  const path = join(top, 'MANIFEST.sha256');
  const list = await readOptional(path);
  if (list === undefined) {
    const isPromised = await exists(join(top, 'payload'));
    demand(!isPromised, 'FILE_MISSING', `${path} is missing`);
    return;
  }
  for (const line of trimEndOf(list.toString('utf8'), '\n').split('\n')) {
    const [, hex, name] = MANIFEST_LINE.exec(line) ?? [];
    if (name === undefined)
      throw new Failure('FILE_HASH_MISMATCH', `${path}: not a line of it: ${line}`);
    const bytes = await readRequired(insideOf(top, name));
    const found = sha256Of(bytes);
    demand(found === hex, 'FILE_HASH_MISMATCH', `${name} is not the file that was listed`);
  }
}
