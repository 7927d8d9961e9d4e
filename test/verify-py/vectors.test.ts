/** verify.py against the published vectors: JSON, trees, notes, policies, and every tampered log. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  leafHash,
  type Log13,
  sha256,
  tileName,
  treeRoot,
  vector,
  write,
  writeTiles,
} from './export.ts';
import { condition, drive, missing, type Report, script } from './python.ts';

const folder = mkdtempSync(join(tmpdir(), 'verify-py-vectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const log: Log13 = vector('filewright/log-13.json');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text, 'base64').toString('hex');
const canonical = (texts: readonly string[]): boolean[] =>
  drive(texts.map((text) => ['canonical', base64(text)]));

/** Any 32 bytes will do as a public key where nothing is signed. */
function witnessKey(name: string): string {
  const key = Buffer.concat([Buffer.from([4]), sha256(name)]);
  const keyId = sha256(name, '\n', key).subarray(0, 4).toString('hex');
  return `${name}+${keyId}+${key.toString('base64')}`;
}

describe('tools/verify.py', () => {
  it('is short enough to be read by the person who has to trust it', () => {
    const lines = readFileSync(script, 'utf8').trimEnd().split('\n');
    // The rules about rows are a file of their own; a few lines lead to it.
    expect(lines.length).toBeLessThanOrEqual(340);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });
});

describe.skipIf(missing)(`tampered logs${condition}`, () => {
  interface Tampered {
    readonly name: string;
    readonly trusted_vkeys: readonly string[];
    readonly entries: readonly string[];
    readonly checkpoint: string;
    readonly pinned_checkpoint?: string;
    readonly reason: string | null;
  }
  it('get the verdict and the reason of the vector', () => {
    const cases: Tampered[] = vector('filewright/tamper-cases.json');
    const reports = drive<Report>(
      cases.map((tampered, number) => {
        const place = join(folder, `tamper-${number}`);
        write(place, 'checkpoint', tampered.checkpoint);
        const policy = tampered.trusted_vkeys.map((key) => `log ${key}\n`).join('');
        write(place, 'policy.txt', `${policy}quorum none\n`);
        if (tampered.pinned_checkpoint) write(place, 'pinned', tampered.pinned_checkpoint);
        writeTiles(place, tampered.entries);
        return ['run', [place]];
      }),
    );
    expect(cases).toHaveLength(32);
    expect(reports.map((report, i) => [cases[i]?.name, report.reason, report.code])).toEqual(
      cases.map(({ name, reason }) => [name, reason, reason === null ? 0 : 7]),
    );
  });
});

describe.skipIf(missing)(`canonical JSON${condition}`, () => {
  const FRACTION = /(?<=[[:,])-?\d+(\.\d|e|E|\d{17})/;

  it('accepts the canonical spelling of RFC 8785 and refuses every other spelling', () => {
    const pairs: { input: string; output: string }[] = vector('jcs/pairs.json');
    for (const name of readdirSync(new URL('../vectors/jcs/input/', import.meta.url))) {
      const read = (side: string): string =>
        readFileSync(new URL(`../vectors/jcs/${side}/${name}`, import.meta.url), 'utf8');
      pairs.push({ input: read('input'), output: read('output') });
    }
    // The ledger's profile has integers only; a number with a fraction or an exponent is refused.
    const withoutStrings = (text: string): string => text.replace(/"(\\.|[^"\\])*"/g, '""');
    const wanted = pairs.map(({ output }) => !FRACTION.test(withoutStrings(output)));
    expect(wanted.filter(Boolean).length).toBeGreaterThan(20);
    expect(canonical(pairs.map(({ output }) => output))).toEqual(wanted);
    const scrambled = pairs.filter(({ input, output }) => input !== output);
    expect(canonical(scrambled.map(({ input }) => input)).filter(Boolean)).toEqual([]);
  });

  it('spells every character as ECMAScript does, which RFC 8785 points to', () => {
    const characters = Array.from({ length: 0x3000 }, (_, code) =>
      JSON.stringify(String.fromCharCode(code)),
    );
    expect(canonical(characters).indexOf(false)).toBe(-1);
    const escaped = ['"\\u0041"', '"\\/"', '"\\u000a"', '"\\u001F"', '"\\u2028"', '"\\u007f"'];
    expect(canonical(escaped)).toEqual(escaped.map(() => false));
  });

  it('orders keys by UTF-16 units, not by code points', () => {
    const early = '"\u{1F602}":1';
    const late = '"\uFB33":2';
    expect(canonical([`{${early},${late}}`, `{${late},${early}}`])).toEqual([true, false]);
  });

  it('refuses what the vectors refuse, nesting beyond 64, and more than 65,535 bytes', () => {
    const refused: Record<string, { text: string }[]> = vector('jcs/reject.json');
    const texts = Object.values(refused).flatMap((cases) => cases.map(({ text }) => text));
    expect(texts.length).toBeGreaterThan(20);
    expect(canonical(texts)).toEqual(texts.map(() => false));
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const long = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect(canonical([nested(64), nested(65), long(65_535), long(65_536), '-0'])).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(canonical(['9007199254740991', '-9007199254740991', '9007199254740992'])).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe.skipIf(missing)(`trees${condition}`, () => {
  it('verifies the inclusion proofs of the vectors and refuses the wrong ones', () => {
    interface Probe {
      readonly leafIdx: number;
      readonly treeSize: number;
      readonly root: string;
      readonly leafHash: string;
      readonly proof: readonly string[] | null;
      readonly wantErr: boolean;
    }
    const probes: Probe[] = vector('merkle/inclusion.json');
    const roots = drive<string | null>(
      probes.map((probe) => [
        'proof',
        hex(probe.leafHash),
        probe.leafIdx,
        probe.treeSize,
        (probe.proof ?? []).map(hex),
      ]),
    );
    expect(probes.map((probe, i) => roots[i] !== hex(probe.root))).toEqual(
      probes.map(({ wantErr }) => wantErr),
    );
  });

  it('computes the roots of the vectors', () => {
    interface Trees {
      readonly roots: Readonly<Record<string, string>>;
      readonly inclusion: readonly { index: number; size: number; proof: readonly string[] }[];
      readonly ct_reference: { leaves_hex: readonly string[]; roots: readonly string[] };
    }
    const trees: Trees = vector('merkle/trees.json');
    const entry = (i: number): string => Buffer.from(`entry-${i}`).toString('hex');
    const sizes = Object.keys(trees.roots)
      .map(Number)
      .filter((size) => size > 0);
    const generated = sizes.map((size) => Array.from({ length: size }, (_, i) => entry(i)));
    expect(drive(generated.map((leaves) => ['root', leaves]))).toEqual(
      sizes.map((size) => trees.roots[size]),
    );
    const { leaves_hex, roots } = trees.ct_reference;
    expect(drive(leaves_hex.map((_, i) => ['root', leaves_hex.slice(0, i + 1)]))).toEqual(
      roots.slice(1),
    );
    const proofs = trees.inclusion.map(({ index, size, proof }) => [
      'proof',
      leafHash(`entry-${index}`).toString('hex'),
      index,
      size,
      proof,
    ]);
    expect(drive(proofs)).toEqual(trees.inclusion.map(({ size }) => trees.roots[size]));
  });

  it('names tiles as C2SP does', () => {
    const numbers = [0, 7, 999, 1000, 70_000, 1_234_067, 1_000_000_000];
    expect(drive(numbers.map((number) => ['tile path', number]))).toEqual(
      numbers.map((number) => `tile/0/${tileName(number, 256)}`),
    );
    expect(tileName(1_234_067, 256)).toBe('x001/x234/067');
  });

  it('reads the tiles of a log that another program wrote, up to its first foreign entry', () => {
    interface Tessera {
      readonly vkey: string;
      readonly entries_utf8: readonly string[];
      readonly 'entry_bundle_000.p_15_hex': string;
      readonly 'tile_0_000.p_15_hex': string;
      readonly checkpoints: Readonly<Record<string, string>>;
    }
    const tessera: Tessera = vector('tlog/tessera-testlog.json');
    const place = join(folder, 'tessera');
    write(place, 'checkpoint', tessera.checkpoints['15'] ?? '');
    for (const [size, text] of Object.entries(tessera.checkpoints))
      write(place, `checkpoints/${size}`, text);
    write(place, 'tile/entries/000.p/15', Buffer.from(tessera['entry_bundle_000.p_15_hex'], 'hex'));
    write(place, 'tile/0/000.p/15', Buffer.from(tessera['tile_0_000.p_15_hex'], 'hex'));
    const argv = [place, '--vkey', tessera.vkey];
    const [report] = drive<Report>([['run', argv]]);
    // Signature, size, root and eight earlier heads hold; "one" is not an entry of this format.
    expect(report).toMatchObject({
      reason: 'NOT_CANONICAL',
      where: expect.stringContaining('entry 0'),
    });
    write(place, 'checkpoints/4', tessera.checkpoints['6'] ?? '');
    write(place, 'checkpoint', tessera.checkpoints['4'] ?? '');
    expect(drive<Report>([['run', argv]])[0]?.reason).toBe('ROLLBACK');
  });

  it('agrees with the reference log on every leaf and root', () => {
    const leaves = log.entries.map(({ utf8 }) => leafHash(utf8));
    expect(leaves.map((leaf) => leaf.toString('hex'))).toEqual(
      log.entries.map(({ leaf_hash_hex }) => leaf_hash_hex),
    );
    expect(treeRoot(leaves).toString('hex')).toBe(log.roots_hex['13']);
    const entries = log.entries.map(({ utf8 }) => Buffer.from(utf8).toString('hex'));
    expect(drive([['root', entries]])).toEqual([log.roots_hex['13']]);
  });
});

describe.skipIf(missing)(`notes, keys and policies${condition}`, () => {
  interface Notes {
    readonly notes: readonly {
      readonly name: string;
      readonly vkeys: readonly string[];
      readonly note: string;
      readonly verified_by?: readonly string[];
    }[];
    readonly bad_vkeys: readonly string[];
  }
  const { notes, bad_vkeys: badKeys }: Notes = vector('note/signed-notes.json');

  it('accepts and refuses the notes of the vectors', () => {
    expect(drive(notes.map(({ vkeys, note }) => ['note', vkeys, note]))).toEqual(
      notes.map((note) => note.verified_by ?? null),
    );
  });

  it('refuses a key that is not exactly itself', () => {
    const good = log.log_key.vkey;
    const wrong = [...badKeys];
    for (let start = 0; start < good.length; start++)
      for (let end = start; end < good.length + (start > 0 ? 1 : 0); end++)
        wrong.push(good.slice(start, end));
    for (let i = 0; i < good.length; i++)
      wrong.push(
        good.slice(0, i) + String.fromCharCode(good.charCodeAt(i) + 1) + good.slice(i + 1),
      );
    const policy = (key: string): string[] => ['policy', `log ${key}\nquorum none\n`];
    expect(drive([policy(good)])).toEqual([true]);
    expect(drive<boolean>(wrong.map(policy)).indexOf(true)).toBe(-1);
  });

  it('counts cosignatures as the policy groups them', () => {
    const w = log.witness_key.vkey;
    const quorum = (line: string, cosigned: readonly string[]): unknown[] => [
      'quorum',
      line,
      cosigned,
    ];
    expect(
      drive([quorum(`witness a ${w}\nquorum a`, ['a']), quorum(`witness a ${w}\nquorum a`, [])]),
    ).toEqual([true, false]);
    expect(drive([quorum(`# none\n\n\tquorum none  \n`, [])])).toEqual([true]);
    const [x, y, z] = ['x', 'y', 'z'].map((name) => `witness ${name} ${witnessKey(name)}\n`);
    const nested = `${x}${y}${z}group two 2 x y\ngroup all all two z\nquorum all`;
    const either = `${x}${y}group g any x y\nquorum g`;
    const counted = [
      quorum(nested, ['x', 'y', 'z']),
      quorum(nested, ['x', 'z']),
      quorum(nested, ['x', 'y']),
      quorum(either, ['y']),
      quorum(either, ['z']),
    ];
    expect(drive(counted)).toEqual([true, false, false, true, false]);
    const wrong = [
      `witness a ${w}\n`,
      `witness a ${w}\nquorum b`,
      `witness a ${w}\nquorum a\nquorum a`,
      `witness a ${w}\nwitness b ${w}\nquorum a`,
      `witness a ${w}\ngroup g 2 a\nquorum g`,
      `witness a ${w}\ngroup g 0 a\nquorum g`,
      `witness a ${w}\ngroup g any a a\nquorum g`,
      `witness a ${w}\ngroup g any a\ngroup h any a\nquorum g`,
      `group g any none\nquorum g`,
      `group g any\nquorum g`,
      `log ${w}\nquorum none`,
      `witness a ${log.log_key.vkey}\nquorum a`,
      'trust everyone\nquorum none',
    ];
    expect(drive(wrong.map((text) => ['policy', text]))).toEqual(wrong.map(() => false));
  });
});
