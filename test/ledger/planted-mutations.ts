/**
 * Deliberate defects of the ledger. Each is a change of the built JavaScript and names the check that must fail because
 * of it: a defect that its check does not notice means that the check is blind.
 */
export interface PlantedMutation {
  readonly name: string;
  /** Below the ledger's folder in the build. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The name of the check in checks/ that must fail. */
  readonly caughtBy: string;
}

const TAMPER = 'all tamper cases have their verdict and reason';
const RULES = 'each rule for an entry has its reason, in the order of the format';
const WRONG_KIND = 'a claim of the wrong kind is false, not an exception';
const NOT_A_NOTE = 'what is not exactly a note is refused as malformed';
const NOT_A_CHECKPOINT = 'a text that is not exactly a checkpoint is refused, though it is signed';

export const PLANTED_MUTATIONS: readonly PlantedMutation[] = [
  {
    name: 'a leaf can be passed off as an inner node',
    file: 'hashes.js',
    find: 'const LEAF_PREFIX = 0x00;',
    replace: 'const LEAF_PREFIX = 0x01;',
    caughtBy: 'roots and proofs of numbered leaves are the published ones',
  },
  {
    name: 'a consistency proof repeats the root that the verifier has',
    file: 'proof-plan.js',
    find: 'if (first > 0)',
    replace: 'if (true)',
    caughtBy: 'every consistency proof of a small tree verifies, and for no other sizes',
  },
  {
    name: 'an inclusion proof may stop below the root of a larger tree',
    file: 'verify-proof.js',
    find: 'return last === 0 && sameBytes(hash, root);',
    replace: 'return sameBytes(hash, root);',
    caughtBy: 'published inclusion probes have their verdict',
  },
  {
    name: 'consistency from the empty tree is proved by anything',
    file: 'verify-proof.js',
    find: 'size1 === 0 || size1 > size2',
    replace: 'size1 > size2',
    caughtBy: 'published consistency probes have their verdict',
  },
  {
    name: 'the older root is not compared',
    file: 'verify-proof.js',
    find: 'sameBytes(older, root1) && sameBytes(newer, root2)',
    replace: 'sameBytes(newer, root2)',
    caughtBy: 'every consistency proof of a small tree verifies, and for no other sizes',
  },
  {
    name: 'hashes of any length are taken',
    file: 'verify-proof.js',
    find: 'types.isUint8Array(value) && value.length === HASH_BYTES',
    replace: 'types.isUint8Array(value)',
    caughtBy: WRONG_KIND,
  },
  {
    name: 'fractions are sizes',
    file: 'verify-proof.js',
    find: 'Number.isSafeInteger(value) && Number(value) >= 0',
    replace: "typeof value === 'number' && value >= 0",
    caughtBy: WRONG_KIND,
  },
  {
    name: 'a completed subtree is told with a wrong index',
    file: 'compact-range.js',
    find: 'index = (index - 1) / 2;',
    replace: 'index = (index + 1) / 2;',
    caughtBy: 'a proof from stored subtrees is the proof from all leaves',
  },
  {
    name: 'control characters pass in a note',
    file: 'note.js',
    find: 'if (CONTROL.test(whole))',
    replace: 'if (false)',
    caughtBy: NOT_A_NOTE,
  },
  {
    name: 'base64 has many spellings',
    file: 'base64.js',
    find: "return bytes.toString('base64') === text ? bytes : undefined;",
    replace: 'return bytes;',
    caughtBy: NOT_A_NOTE,
  },
  {
    name: 'a failing signature of a known key is ignored',
    file: 'note.js',
    find: 'if (signature === undefined) {',
    replace: 'if (signature === undefined) { continue;',
    caughtBy: 'one failing signature of a known key spoils a note that another one holds',
  },
  {
    name: 'a key is known by its name alone',
    file: 'note.js',
    find: 'name === line.name && id === line.id',
    replace: 'name === line.name',
    caughtBy: TAMPER,
  },
  {
    name: 'a note of sixteen signatures is refused',
    file: 'note.js',
    find: 'const SIGNATURES_MAX = 100;',
    replace: 'const SIGNATURES_MAX = 15;',
    caughtBy: 'sixteen and a hundred signatures are read, a hundred and one are not',
  },
  {
    name: 'a cosignature does not cover its time',
    file: 'note.js',
    find: 'holds(cosignedText(text, seconds), signature',
    replace: 'holds(cosignedText(text, 1772442003), signature',
    caughtBy: 'a failing cosignature of a known witness spoils a note',
  },
  {
    name: 'the id of a verifier key is not checked',
    file: 'verifier-key.js',
    find: 'if (key.id !== id)',
    replace: 'if (false)',
    caughtBy: 'a damaged verifier key is refused, whatever the damage',
  },
  {
    name: 'a size may have leading zeros',
    file: 'checkpoint.js',
    find: 'const SIZE = /^(?:0|[1-9][0-9]*)$/;',
    replace: 'const SIZE = /^[0-9]+$/;',
    caughtBy: NOT_A_CHECKPOINT,
  },
  {
    name: 'a checkpoint may have more lines',
    file: 'checkpoint.js',
    find: "if (end !== '' || more.length > 0)",
    replace: 'if (end === undefined)',
    caughtBy: NOT_A_CHECKPOINT,
  },
  {
    name: 'a checkpoint of another log is taken',
    file: 'checkpoint.js',
    find: 'if (checkpoint.origin !== trust.origin)',
    replace: 'if (false)',
    caughtBy: TAMPER,
  },
  {
    name: 'the key of another log vouches for this one',
    file: 'trust-policy.js',
    find: 'key.name === head.origin && signed.has(key.text)',
    replace: 'signed.has(key.text)',
    caughtBy: 'a witness or another log cannot vouch for a log',
  },
  {
    name: 'one member is enough for any group',
    file: 'trust-policy.js',
    find: '.length >= threshold',
    replace: '.length >= 1',
    caughtBy: 'a quorum of groups of witnesses is counted as it is written',
  },
  {
    name: 'a retired key signs for ever',
    file: 'trust-policy.js',
    find: 'size <= (range.last ?? size)',
    replace: 'true',
    caughtBy: 'a key rotation overlaps: each key counts for its own sizes',
  },
  {
    name: 'a witness may sit in two groups',
    file: 'trust-policy.js',
    find: 'if (used.has(member))',
    replace: 'if (false)',
    caughtBy: 'a policy that could be misread is refused with its line',
  },
  {
    name: 'lengths in a bundle are little-endian',
    file: 'tile.js',
    find: 'length.writeUInt16BE(entry.length);',
    replace: 'length.writeUInt16LE(entry.length);',
    caughtBy: 'the reference bundle and its tile come out byte by byte',
  },
  {
    name: 'a full tile has a .p too',
    file: 'tile.js',
    find: 'width < TILE_WIDTH ?',
    replace: 'width <= TILE_WIDTH ?',
    caughtBy: 'tile paths have one spelling',
  },
  {
    name: 'a proof file counts without its inclusion',
    file: 'tlog-proof.js',
    find: 'if (isIncluded)',
    replace: 'if (true)',
    caughtBy: 'the proof files of the reference log are built and verified',
  },
  {
    name: 'a log may shrink below what was pinned',
    file: 'log-verifier.js',
    find: 'head !== undefined && pinned !== undefined && head.size < pinned.size',
    replace: 'false',
    caughtBy: TAMPER,
  },
  {
    name: 'the pinned root is not compared',
    file: 'log-verifier.js',
    find: 'if (sameBytes(this.#range.root(), pinned.root))',
    replace: 'if (true)',
    caughtBy: TAMPER,
  },
  {
    name: 'the root is not compared',
    file: 'log-verifier.js',
    find: 'if (sameBytes(root, head.root))',
    replace: 'if (true)',
    caughtBy: 'no single flipped bit of an export goes unnoticed',
  },
  {
    name: 'prev is not compared',
    file: 'entry-chain.js',
    find: 'if (prev !== this.prev)',
    replace: 'if (false)',
    caughtBy: TAMPER,
  },
  {
    name: 'two entries may not have the same time',
    file: 'entry-chain.js',
    find: 'if (value.ts < this.ts)',
    replace: 'if (value.ts <= this.ts)',
    caughtBy: RULES,
  },
  {
    name: 'an id may come twice',
    file: 'entry-chain.js',
    find: 'if (usedBy > 0)',
    replace: 'if (false)',
    caughtBy: TAMPER,
  },
  {
    name: 'a subject version may be skipped',
    file: 'entry-chain.js',
    find: 'if (ver !== version)',
    replace: 'if (ver < version)',
    caughtBy: TAMPER,
  },
  {
    name: 'the quick way takes any number and any order of keys',
    file: 'read-canonical.js',
    find: ' && isOrdered(value, 1)',
    replace: '',
    caughtBy: RULES,
  },
  {
    name: 'half a surrogate pair is taken for U+FFFD',
    file: 'entry.js',
    find: 'if (bytes.length > entry.length && LONE_SURROGATE.test(entry))',
    replace: 'if (false)',
    caughtBy: 'a text with half a surrogate pair is not the entry with U+FFFD',
  },
];
