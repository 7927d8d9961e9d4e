/** One log of an export, whole or as a proof pack, checked in the order of ledger format 1, § 9. */
import { join } from 'node:path';
import { checkCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { inspectLogStream } from '../verify-log.ts';
import { parseEntry } from '../entry-chain.ts';
import { KeyChain, SignedHeads } from '../key-chain.ts';
import type { VerifiedSignature } from '../note.ts';
import type { SpineHeads } from '../spine-heads.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import { BodyWatch } from './audit-offline-bodies.ts';
import { ShownEntries } from './audit-offline-entries.ts';
import {
  bundles,
  demand,
  Failure,
  isFolder,
  namesIn,
  readOptional,
  readRequired,
} from './audit-offline-files.ts';
import { checkPack, type LogFolder } from './audit-offline-pack.ts';
import { type Pin, TreeWatch } from './audit-offline-tree.ts';

export interface OfflineLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** Entries looked at: all of them, or those that a proof pack shows. */
  readonly entries: number;
  readonly bodies: number;
  /** Of a whole log: keys of bodies that are not there. */
  readonly missing: BodyWatch['missing'];
  readonly disclosed: number;
  readonly warnings: readonly string[];
}

/** What is known beside the one log. */
interface OtherLogs {
  /** Filled by the log that is the spine, which therefore comes first; held against the others. */
  readonly spine: SpineHeads;
  /** First keys of logs that are known from elsewhere; later ones must follow from them. */
  readonly firstKeys: readonly string[];
  /** Whether the policy came from elsewhere than the export. */
  readonly isPolicyGiven: boolean;
}

/** § 9 step 9 comes after the bodies; the verifier of the log tells it with the rest. */
const HISTORY = [
  'ILLEGAL_TRANSITION',
  'SUBMIT_AFTER_ACCEPT',
  'FALLOUT_WITHOUT_ENVELOPE',
  'REVISION_MISMATCH',
];

export async function checkLogFolder(
  folder: string,
  given: TrustPolicy,
  pinned: readonly string[],
  others: OtherLogs,
): Promise<OfflineLog> {
  const note = await readRequired(join(folder, 'checkpoint'));
  const origin = originOf(note, given);
  const { opened, policy } = openHead(note, { origin, policy: given }, others.spine);
  if (!opened.ok)
    throw new Failure(opened.reason, `${join(folder, 'checkpoint')}: ${opened.message}`);
  const head = opened.checkpoint;
  const signed = new SignedHeads();
  signed.add(keysIn(opened.signatures), head.size);
  const pins = await readPins(folder, { origin, policy }, pinned, { head, signed });
  const log: LogFolder = { folder, note, origin, policy, head };
  const hasPack = await isFolder(join(folder, 'entries'));
  const isWhole = (await isFolder(join(folder, 'tile'))) || !hasPack;
  const bodies = new BodyWatch(folder);
  const { entries, warnings, last } = isWhole
    ? await checkWhole(log, pins, hasPack, bodies, { ...others, signed })
    : await checkShown(log, pins, bodies, others.spine);
  await bodies.checkDisclosed();
  if (last !== undefined) throw last;
  return {
    origin,
    size: head.size,
    root: Buffer.from(head.root).toString('base64'),
    entries,
    bodies: bodies.count,
    missing: isWhole ? bodies.missing : new Map<string, never>(),
    disclosed: bodies.disclosed,
    warnings,
  };
}

/**
 * The signed head. Witnesses cosign the spine alone, and it stands for every log: a head that a witnessed spine names, to
 * the byte, needs no cosignature of its own. The spine has been opened before with the quorum, or has failed for want of it.
 */
function openHead(
  note: Uint8Array,
  trust: { readonly origin: string; readonly policy: TrustPolicy },
  spine: SpineHeads,
): { readonly opened: ReturnType<typeof checkCheckpoint>; readonly policy: TrustPolicy } {
  const { origin, policy } = trust;
  const opened = checkCheckpoint(note, trust);
  if (opened.ok || origin.endsWith('/spine')) return { opened, policy };
  const unwitnessed = { ...policy, quorum: 'none' };
  const bare = checkCheckpoint(note, { origin, policy: unwitnessed });
  if (!bare.ok || !spine.names(origin, bare.checkpoint)) return { opened, policy };
  return { opened: bare, policy: unwitnessed };
}

/**
 * The log that is asked for: the policy's only one, or the one of several that the checkpoint names. One that did not
 * sign it is not asked for: then it is the one that did, and the name is what is wrong.
 */
function originOf(note: Uint8Array, policy: TrustPolicy): string {
  const lines = Buffer.from(note).toString('utf8').split('\n');
  const [named = ''] = lines;
  const origins = [...new Set(policy.logs.map(({ key }) => key.name))];
  const [only = named] = origins;
  if (origins.length <= 1) return only;
  const isSigner = (origin: string): boolean =>
    lines.some((line) => line.startsWith(`\u2014 ${origin} `));
  return isSigner(named) ? named : (origins.find(isSigner) ?? named);
}

/** Heads trusted earlier: given by the caller, or lying in the export. Witnesses are asked for the newest only. */
async function readPins(
  folder: string,
  trust: { readonly origin: string; readonly policy: TrustPolicy },
  pinned: readonly string[],
  { head, signed }: { readonly head: Checkpoint; readonly signed: SignedHeads },
): Promise<readonly Pin[]> {
  const past = join(folder, 'checkpoints');
  const own = (await readOptional(join(folder, 'pinned'))) === undefined ? [] : ['pinned'];
  const paths = [
    ...pinned,
    ...own.map((name) => join(folder, name)),
    ...(await namesIn(past)).map((name) => join(past, name)),
  ];
  const pins: Pin[] = [];
  for (const path of paths) {
    const policy = { ...trust.policy, quorum: 'none' };
    const read = checkCheckpoint(await readRequired(path), { origin: trust.origin, policy });
    if (!read.ok) throw new Failure(read.reason, `${path}: ${read.message}`);
    const pin = { ...read.checkpoint, path };
    signed.add(keysIn(read.signatures), pin.size);
    demand(
      pin.size <= head.size,
      'ROLLBACK',
      `${path} has size ${pin.size}, the checkpoint only ${head.size}`,
    );
    pins.push(pin);
  }
  return pins;
}

interface Checked {
  readonly entries: number;
  readonly warnings: readonly string[];
  /** What ranks after the bodies: a history that cannot be, or a tile that is not the one of the entries. */
  readonly last: Failure | undefined;
}

async function checkWhole(
  log: LogFolder,
  pins: readonly Pin[],
  hasPack: boolean,
  bodies: BodyWatch,
  others: OtherLogs & { readonly signed: SignedHeads },
): Promise<Checked> {
  const { folder, origin, policy, note } = log;
  const { spine } = others;
  const isSpine = origin.endsWith('/spine');
  const tree = new TreeWatch(folder, pins, isSpine ? [] : spine.of(origin));
  const chain = new KeyChain();
  async function* entries(): AsyncGenerator<Uint8Array> {
    for await (const bundle of bundles(folder)) {
      for (const bytes of bundle) {
        const tiles = tree.push(bytes);
        if (tiles.length > 0) await tree.compareTiles(tiles);
        yield bytes;
      }
    }
    await tree.compareTiles(tree.rest());
  }
  const outcome = await inspectLogStream({
    origin,
    policy,
    checkpoint: note,
    entries: entries(),
    states: origin.endsWith('/filing'),
    entry: (entry) => {
      chain.push(entry);
      if (isSpine) spine.push(entry);
    },
  });
  const failure = outcome.ok
    ? undefined
    : new Failure(outcome.reason, `${folder}: ${outcome.message}`, outcome.seq);
  const isOfHead = ['SIZE_MISMATCH', 'ROOT_MISMATCH'].includes(failure?.reason ?? '');
  if (failure !== undefined && isOfHead) throw failure;
  // A proof in the same folder ranks before what the entries say.
  if (hasPack) await checkPack(log);
  if (tree.pinFailure !== undefined) throw tree.pinFailure;
  if (tree.spineFailure !== undefined) throw tree.spineFailure;
  if (failure !== undefined && !HISTORY.includes(failure.reason)) throw failure;
  if (await bodies.isNeeded()) {
    for await (const bundle of bundles(folder)) {
      for (const bytes of bundle) await bodies.add(parseEntry(bytes));
    }
  }
  const keys = checkKeys(log, chain, others);
  const last = tree.tileFailure ?? failure ?? keys.failure;
  return { entries: log.head.size, warnings: keys.warnings, last };
}

/**
 * From key to key. Keys of a policy that came from elsewhere are believed as they are; those of the export must follow from
 * the first one, which is known from elsewhere or believed for want of anything better.
 */
function checkKeys(
  { folder, origin, policy }: LogFolder,
  chain: KeyChain,
  { firstKeys, isPolicyGiven, signed, spine }: OtherLogs & { readonly signed: SignedHeads },
): { readonly failure: Failure | undefined; readonly warnings: readonly string[] } {
  const fail = (reason: string, found: string) => ({
    failure: new Failure(reason, `${folder}: ${found}`),
    warnings: [],
  });
  if (origin.endsWith('/spine') && spine.fault !== undefined) {
    return fail('SPINE_MISMATCH', spine.fault.message);
  }
  if (isPolicyGiven) return { failure: undefined, warnings: [] };
  const keys = policy.logs
    .filter(({ key }) => key.name === origin)
    .map(({ key, sizes }) => ({
      vkey: key.text,
      firstSize: sizes?.first ?? 0,
      lastSize: sizes?.last,
    }))
    .sort((a, b) => a.firstSize - b.firstSize);
  const [first] = keys;
  const isPinned = firstKeys.length > 0;
  if (isPinned && !firstKeys.includes(first?.vkey ?? '')) {
    return fail('FIRST_KEY_CHANGED', `its first key is ${first?.vkey ?? 'missing'}`);
  }
  const verdict = chain.check(keys, signed, new Set(firstKeys));
  if (!verdict.ok) return fail(verdict.reason, verdict.message);
  const [unsigned] = verdict.unsigned.filter((vkey) => !firstKeys.includes(vkey));
  if (unsigned === undefined) return { failure: undefined, warnings: [] };
  const found = `the key ${unsigned} was set after a quarantine, and no earlier key signed for it: confirm it from another source`;
  if (isPinned) return fail('KEY_NOT_INTRODUCED', found);
  return { failure: undefined, warnings: [found] };
}

function keysIn(signatures: readonly VerifiedSignature[]): readonly string[] {
  return signatures.filter(({ key }) => key.role === 'log').map(({ key }) => key.text);
}

async function checkShown(
  log: LogFolder,
  pins: readonly Pin[],
  bodies: BodyWatch,
  spine: SpineHeads,
): Promise<Checked> {
  const shown = await checkPack(log);
  const warnings = [`only ${shown.length} of ${log.head.size} entries are shown`];
  comparePack(pins, log.head, warnings);
  const chain = new ShownEntries(log.origin);
  const entries = shown.map(({ seq, bytes }) => chain.check(bytes, seq));
  for (const entry of entries) await bodies.add(entry);
  const isSpine = log.origin.endsWith('/spine');
  for (const entry of isSpine ? entries : []) spine.push(entry);
  if (spine.fault !== undefined) {
    throw new Failure('SPINE_MISMATCH', `${log.folder}: ${spine.fault.message}`);
  }
  return { entries: shown.length, warnings, last: undefined };
}

/** A part of a log shows its own head, and nothing of how it grew. */
function comparePack(pins: readonly Pin[], head: Checkpoint, warnings: string[]): void {
  for (const { path, size, root } of pins) {
    if (size < head.size) warnings.push(`${path} not compared: a proof pack cannot show growth`);
    else {
      const isSame = Buffer.compare(root, head.root) === 0;
      demand(isSame, 'INCONSISTENT_WITH_PINNED', `${path} has the same size and another root`);
    }
  }
}
