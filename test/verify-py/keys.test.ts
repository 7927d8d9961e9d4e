/** From key to key, in both verifiers: whoever puts a key of their own into an export is found by what no earlier key signed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { logSigner, type NoteSigner } from '../../src/ledger/note-signer.ts';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import { leafHash, sha256, treeRoot, write, writeTiles } from './export.ts';
import { condition, missing, verify } from './python.ts';

const ORIGIN = 'ledger.example.org/acme/filing';
const top = mkdtempSync(join(tmpdir(), 'verify-py-keys-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const keyOf = (fill: number): NoteSigner =>
  logSigner({ name: ORIGIN, key: new Uint8Array(32).fill(fill) });
const [old, fresh] = [keyOf(1), keyOf(2)];
const vkey = (signer: NoteSigner): string => signer.verifierKey.text;

type Data = Readonly<Record<string, string | number>>;
const rotated = (more: Data = {}): Data => ({
  ...more,
  first_size: 2,
  new: vkey(fresh),
  old: vkey(old),
});

/** Four entries; the second one is about the new key unless told otherwise. */
function entriesOf(second: readonly [string, Data]): string[] {
  let prev = sha256(`filewright.ledger.v1\n${ORIGIN}\n`).toString('hex');
  const time = '2026-03-02T09:00:00.000Z';
  return Array.from({ length: 4 }, (_, seq) => {
    const [type, data] = seq === 1 ? second : (['test.happened', {}] as const);
    const kind = seq === 1 ? 'signing_key' : 'thing';
    const entry =
      `{"actor":{"id":"a","kind":"system"},"at":"${time}","body":null,"cls":"internal","data":${JSON.stringify(data)},` +
      `"id":"01900000-0000-7000-8000-00000000000${seq}","log":"${ORIGIN}","prev":"${prev}","seq":${seq},` +
      `"subj":{"id":"S-${seq}","kind":"${kind}","ver":1},"trace":"t","ts":"${time}","type":"${type}","v":1}`;
    prev = leafHash(entry).toString('hex');
    return entry;
  });
}

let number = 0;
/** `heads` are the sizes of earlier heads with those who signed them; the last head is the new key's alone. */
function exportOf(
  second: readonly [string, Data],
  heads: readonly (readonly [number, readonly NoteSigner[]])[],
): string {
  const place = join(top, String((number += 1)));
  const entries = entriesOf(second);
  const note = (size: number, signers: readonly NoteSigner[]): string =>
    signCheckpoint(
      { origin: ORIGIN, size, root: treeRoot(entries.slice(0, size).map(leafHash)) },
      signers,
    );
  writeTiles(place, entries);
  write(place, 'checkpoint', note(4, [fresh]));
  for (const [size, signers] of heads) write(place, `checkpoints/${size}`, note(size, signers));
  write(
    place,
    'policy.txt',
    `#sizes 1-3\nlog ${vkey(old)}\n#sizes 2-\nlog ${vkey(fresh)}\nquorum none\n`,
  );
  return place;
}

async function both(
  place: string,
  ...firstKeys: string[]
): Promise<{ reason: unknown; python: unknown; warnings: number }> {
  const ours = await verifyFolder(place, { firstKeys });
  const python = verify(place, ...firstKeys.flatMap((key) => ['--first-key', key]));
  return {
    reason: ours.ok ? null : ours.reason,
    python: python.reason,
    warnings: ours.warnings.filter((each) => each.includes('quarantine')).length,
  };
}

const overlap = [[3, [old, fresh]]] as const;
const same = (reason: string | null, warnings = 0) => ({ reason, python: reason, warnings });

describe.skipIf(missing)(`keys that follow from each other${condition}`, () => {
  it('a key that the earlier one has signed for', async () => {
    const place = exportOf(['key.rotated', rotated()], overlap);
    expect(await both(place)).toEqual(same(null));
    expect(await both(place, vkey(old))).toEqual(same(null));
    expect(await both(place, vkey(fresh))).toEqual(same('FIRST_KEY_CHANGED'));
  });

  it('a key that no entry introduces', async () => {
    const place = exportOf(['test.happened', {}], overlap);
    expect(await both(place)).toEqual(same('KEY_NOT_INTRODUCED'));
  });

  it('a key whose entry the earlier one has not signed for', async () => {
    const place = exportOf(['key.rotated', rotated()], [[1, [old]]]);
    expect(await both(place)).toEqual(same('KEY_NOT_INTRODUCED'));
  });

  it('a key that is introduced for another size, or by a key that nobody knows', async () => {
    const later = exportOf(['key.rotated', { ...rotated(), first_size: 3 }], overlap);
    expect(await both(later)).toEqual(same('KEY_NOT_INTRODUCED'));
    const stranger = exportOf(['key.rotated', { ...rotated(), old: vkey(keyOf(3)) }], overlap);
    expect(await both(stranger)).toEqual(same('KEY_NOT_INTRODUCED'));
  });

  it('a key after a quarantine is believed with a warning, and refused where the first key is known', async () => {
    const place = exportOf(['key.rotated', rotated({ after: 'quarantine' })], [[1, [old]]]);
    expect(await both(place)).toEqual(same(null, 1));
    expect(await both(place, vkey(old))).toEqual(same('KEY_NOT_INTRODUCED'));
    expect(await both(place, vkey(old), vkey(fresh))).toEqual(same(null));
  });

  it('a key that goes on signing after the log has retired it', async () => {
    const retired = { last_size: 2, vkey: vkey(old) };
    const place = exportOf(['key.retired', retired], overlap);
    expect(await both(place)).toMatchObject({ reason: 'KEY_RETIRED_OTHERWISE' });
  });
});
