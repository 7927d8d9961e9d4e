/** What a reader is promised: `audit verify` and verify.py give the same verdict with the same reason. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyFolder } from '../../src/acts/index.ts';
import {
  checkpoint,
  type Log13,
  leafHash,
  makeEntries,
  treeRoot,
  vector,
  write,
  writeTiles,
} from './export.ts';
import { condition, missing, verify } from './python.ts';

const top = mkdtempSync(join(tmpdir(), 'verify-py-agreement-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const log: Log13 = vector('filewright/log-13.json');
let number = 0;
const fresh = (): string => join(top, String(number++));

/** Signs what the entries say, so that only the rules about entries can find a fault. */
function writeSigned(place: string, entries: readonly string[]): string {
  write(place, 'checkpoint', checkpoint(log, entries.length, treeRoot(entries.map(leafHash))));
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  writeTiles(place, entries);
  return place;
}

/** One entry, shown with its proof: in a tree of one leaf, the leaf is the root. */
function writeShown(place: string, entry: string): string {
  const note = checkpoint(log, 1, leafHash(entry));
  write(place, 'checkpoint', note);
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  write(place, 'entries/0.json', entry);
  write(place, 'entries/0.tlog-proof', `c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`);
  return place;
}

async function reasonsOf(
  place: string,
): Promise<Readonly<Record<'ours' | 'python', string | null>>> {
  const ours = await verifyFolder(place);
  return { ours: ours.ok ? null : ours.reason, python: verify(place).reason };
}

const both = (reason: string | null) => ({ ours: reason, python: reason });

describe.skipIf(missing)(
  `both verifiers on a signed entry that format 1 does not know${condition}`,
  () => {
    const [first = ''] = makeEntries(log.origin, 1);
    const hash = 'ab'.repeat(32);
    const sealed = `"body":{"alg":"A256GCM","cm":"${hash}","ct":"${hash}","key":"k"}`;
    const time = '2026-03-02T09:00:00.000Z';

    it.each<readonly [string, string, string, string | null]>([
      ['nothing wrong', '"v":1', '"v":1', null],
      ['a sealed body', '"body":null', sealed, null],
      ['a leap day', `"ts":"${time}"`, '"ts":"2028-02-29T09:00:00.000Z"', null],
      ['a quote in a name', '"id":"F-0"', '"id":"F\\"\\\\-0"', null],
      ['an unknown class', '"cls":"internal"', '"cls":"secret"', 'UNSUPPORTED_VERSION'],
      ['an unknown actor', '"kind":"service"', '"kind":"robot"', 'UNSUPPORTED_VERSION'],
      ['a type of one word', '"type":"filing.state"', '"type":"filing"', 'UNSUPPORTED_VERSION'],
      ['a type with a newline', 'filing.state', 'filing.state\\n', 'UNSUPPORTED_VERSION'],
      [
        'an id that is no UUIDv7',
        '"id":"01900000-0000-7',
        '"id":"01900000-0000-4',
        'UNSUPPORTED_VERSION',
      ],
      [
        'a time without milliseconds',
        `"at":"${time}"`,
        '"at":"2026-03-02T09:00:00Z"',
        'UNSUPPORTED_VERSION',
      ],
      [
        'a day that is not',
        `"ts":"${time}"`,
        '"ts":"2026-02-30T09:00:00.000Z"',
        'UNSUPPORTED_VERSION',
      ],
      [
        'digits of another script',
        `"at":"${time}"`,
        '"at":"２026-03-02T09:00:00.000Z"',
        'UNSUPPORTED_VERSION',
      ],
      ['another cipher', '"body":null', sealed.replace('A256GCM', 'none'), 'UNSUPPORTED_VERSION'],
      ['a short hash', '"body":null', sealed.replace(hash, 'ab'), 'UNSUPPORTED_VERSION'],
      ['a version that is no number', '"ver":1', '"ver":true', 'UNSUPPORTED_VERSION'],
      ['a version of the format that is no number', '"v":1', '"v":true', 'UNSUPPORTED_VERSION'],
      ['a place that is no number', '"seq":0', '"seq":false', 'SEQ_GAP'],
      ['no place', '"seq":0,', '', 'SEQ_GAP'],
      ['no log', `"log":"${log.origin}",`, '', 'ORIGIN_MISMATCH'],
      ['an upper-case hash before it', '"prev":"9f', '"prev":"9F', 'CHAIN_BREAK'],
      ['two faults: the closer one', '"seq":0', '"seq":1,"sew":1', 'SEQ_GAP'],
      ['no object', first, '[]', 'UNSUPPORTED_VERSION'],
    ])('%s', async (_, from, to, reason) => {
      expect(first).toContain(from);
      const entry = first.replace(from, () => to);
      expect(await reasonsOf(writeSigned(fresh(), [entry]))).toEqual(both(reason));
      expect(await reasonsOf(writeShown(fresh(), entry))).toEqual(both(reason));
    });
  },
);
