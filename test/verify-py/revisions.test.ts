/**
 * What a filing's entries must say alike: what was imported and approved is what was sent and answered. The adversary
 * writes entries that are signed and chained, and exchanges the key or the payload between them. Both verifiers say so;
 * and they count a body as destroyed only with the entry that names its key.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canonicalText, type JsonValue } from '../../src/core/canonical-json.ts';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import {
  checkpoint,
  leafHash,
  type Log13,
  sha256,
  treeRoot,
  vector,
  write,
  writeTiles,
} from './export.ts';
import { condition, missing, verify } from './python.ts';

const top = mkdtempSync(join(tmpdir(), 'verify-py-revisions-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const filingLog: Log13 = vector('filewright/log-13.json');
const NAME = filingLog.origin.slice(0, filingLog.origin.lastIndexOf('/'));
let number = 0;

interface Part {
  readonly type: string;
  readonly id: string;
  readonly kind?: string;
  readonly cls?: string;
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly body?: JsonValue;
}

/** Chained entries of a log, each the next version of its subject. */
function entriesOf(origin: string, parts: readonly Part[]): string[] {
  let prev = sha256(`filewright.ledger.v1\n${origin}\n`).toString('hex');
  const versions = new Map<string, number>();
  return parts.map(({ type, id, kind = 'filing', cls = 'internal', data, body = null }, seq) => {
    const ver = (versions.get(`${kind} ${id}`) ?? 0) + 1;
    versions.set(`${kind} ${id}`, ver);
    const time = '2026-03-02T09:00:00.000Z';
    const entry = canonicalText({
      actor: { id: 'filer', kind: 'service' },
      at: time,
      body,
      cls,
      data,
      id: `01900000-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`,
      log: origin,
      prev,
      seq,
      subj: { id, kind, ver },
      trace: 't',
      ts: time,
      type,
      v: 1,
    });
    prev = leafHash(entry).toString('hex');
    return entry;
  });
}

function writeSigned(place: string, origin: string, parts: readonly Part[]): void {
  const entries = entriesOf(origin, parts);
  const root = treeRoot(entries.map(leafHash));
  const log = { ...filingLog, origin, log_key: { ...filingLog.log_key, vkey: keyOf(origin) } };
  write(place, 'checkpoint', checkpoint(log, entries.length, root));
  writeTiles(place, entries);
}

async function reasons(place: string) {
  const ours = await verifyFolder(place);
  return { ours: ours.ok ? null : ours.reason, python: verify(place).reason };
}

const both = (reason: string | null) => ({ ours: reason, python: reason });
const [P1, P2] = ['1'.repeat(64), '2'.repeat(64)] as const;

/** One filing from its admission to its receipt. */
function story(id: string, key: string, payload: string): Part[] {
  const own = { key, payload_sha256: payload, revision: 1 };
  return [
    { type: 'filing.state', id, data: { from: null, to: 'pending', ...own } },
    { type: 'filing.intent', id, data: { from: 'pending', to: 'submitted', attempt: 1, ...own } },
    {
      type: 'filing.outcome',
      id,
      data: { from: 'submitted', to: 'accepted', attempt: 1, receipt: 'R-1', ...own },
    },
  ];
}

/** A filing that fell out and was corrected: another key and payload, and the second revision is sent. */
function corrected(sent: { readonly key: string; readonly payload_sha256: string }): Part[] {
  const [admitted, intent] = story('F-1', 'k1', P1);
  const anew = { key: 'k2', payload_sha256: P2, revision: 2 };
  return [
    ...(admitted === undefined || intent === undefined ? [] : [admitted, intent]),
    { type: 'dlq.enveloped', id: 'X-1', kind: 'exception', data: { filing: 'F-1' } },
    {
      type: 'filing.outcome',
      id: 'F-1',
      data: { from: 'submitted', to: 'fallout', key: 'k1', payload_sha256: P1 },
    },
    {
      type: 'filing.state',
      id: 'F-1',
      data: { from: 'fallout', to: 'pending', cause: 'correct', ...anew },
    },
    { type: 'filing.intent', id: 'F-1', data: { from: 'pending', to: 'submitted', ...sent } },
  ];
}

function changed(parts: readonly Part[], at: number, data: Part['data']): Part[] {
  return parts.map((part, n) => (n === at ? { ...part, data: { ...part.data, ...data } } : part));
}

describe.skipIf(missing)(`key and payload of a revision${condition}`, () => {
  const one = story('F-1', 'k1', P1);
  const two = story('F-2', 'k2', P2);
  const sealed = one.map((part) => ({ ...part, cls: 'privileged' }));

  it.each<readonly [string, readonly Part[], string | null]>([
    ['nothing wrong', [...one, ...two], null],
    ['another payload sent than was admitted', changed(one, 1, { payload_sha256: P2 }), 'x'],
    ['another key sent than was admitted', changed(one, 1, { key: 'k9' }), 'x'],
    ['an answer to another payload', changed(one, 2, { payload_sha256: P2 }), 'x'],
    ['an answer to another key', changed(one, 2, { key: 'k9' }), 'x'],
    [
      'two filings that exchanged their payloads on the way',
      changed(changed([...one, ...two], 1, { payload_sha256: P2 }), 4, { payload_sha256: P1 }),
      'x',
    ],
    [
      'two filings that exchanged their keys on the way',
      changed(changed([...one, ...two], 1, { key: 'k2' }), 4, { key: 'k1' }),
      'x',
    ],
    ['a correction, sent as corrected', corrected({ key: 'k2', payload_sha256: P2 }), null],
    ['a correction, and the first payload sent', corrected({ key: 'k2', payload_sha256: P1 }), 'x'],
    ['a correction, and the first key sent', corrected({ key: 'k1', payload_sha256: P2 }), 'x'],
    ['a sealed hash, which nobody can compare', changed(sealed, 1, { payload_sha256: P2 }), null],
    ['a sealed hash under another key', changed(sealed, 1, { key: 'k9' }), 'x'],
  ])('%s', async (_what, parts, reason) => {
    const place = join(top, String((number += 1)));
    write(place, 'policy.txt', `log ${filingLog.log_key.vkey}\nquorum none\n`);
    writeSigned(place, filingLog.origin, parts);
    expect(await reasons(place)).toEqual(both(reason === null ? null : 'REVISION_MISMATCH'));
  });
});

describe.skipIf(missing)(`a body that is not beside its entry${condition}`, () => {
  const blob = Buffer.from('sealed bytes');
  const ct = sha256(blob).toString('hex');
  const lost = sha256('another').toString('hex');
  const sealedAs = (name: string, key: string) => ({
    alg: 'A256GCM',
    cm: 'a'.repeat(64),
    ct: name,
    key,
  });
  const [admitted] = story('F-1', 'k1', P1);
  const filings = (key: string): Part[] =>
    admitted === undefined
      ? []
      : [
          { ...admitted, body: sealedAs(ct, 'dek-1') },
          { ...admitted, id: 'F-2', body: sealedAs(lost, key) },
        ];
  const shredded = (...keys: string[]): Part => ({
    type: 'retention.shredded',
    id: 'S-1',
    kind: 'shredding',
    data: { keys },
  });

  /** The log of filings with one body of two; the access log says which keys were destroyed. */
  function exported(access: readonly Part[] | undefined): string {
    const place = join(top, String((number += 1)));
    const logs: Record<string, readonly Part[]> = {
      filing: filings('dek-2'),
      ...(access === undefined ? {} : { access }),
    };
    for (const [name, parts] of Object.entries(logs)) {
      const origin = `${NAME}/${name}`;
      const folder = access === undefined ? place : join(place, 'logs', name);
      write(folder, 'policy.txt', `log ${keyOf(origin)}\nquorum none\n`);
      writeSigned(folder, origin, parts);
      if (name === 'filing') write(folder, `bodies/${ct}`, blob);
    }
    return place;
  }

  it.each<readonly [string, readonly Part[], string | null]>([
    ['destroyed by an entry that names its key', [shredded('dek-1', 'dek-2')], null],
    ['removed, while an entry names other keys', [shredded('dek-1')], 'BODY_UNREADABLE'],
    [
      'removed, and nothing was ever destroyed',
      [{ ...shredded(), type: 'hold.placed' }],
      'BODY_UNREADABLE',
    ],
  ])('%s', async (_what, access, reason) => {
    const place = exported(access);
    // Several whole logs come with their spine: one that names nothing is enough here.
    writeSpine(place);
    expect(await reasons(place)).toEqual(both(reason));
  });

  it('is told with a warning where the log that would say it is not there', async () => {
    const place = exported(undefined);
    const ours = await verifyFolder(place);
    expect(ours).toMatchObject({ ok: true });
    expect(ours.warnings.join()).toContain('bodies are missing');
    const theirs = verify(place);
    expect(theirs.ok).toBe(true);
    expect(theirs.warnings.join()).toContain('bodies are missing');
  });

  function writeSpine(place: string): void {
    const origin = `${NAME}/spine`;
    const folder = join(place, 'logs', 'spine');
    write(folder, 'policy.txt', `log ${keyOf(origin)}\nquorum none\n`);
    writeSigned(folder, origin, [{ ...shredded(), type: 'spine.opened', kind: 'log', id: 'x' }]);
  }
});

/** The key of the vector under the name of another log. */
function keyOf(origin: string): string {
  const encoded = filingLog.log_key.vkey.split('+').slice(2).join('+');
  const id = sha256(`${origin}\n`, Buffer.from(encoded, 'base64')).subarray(0, 4).toString('hex');
  return `${origin}+${id}+${encoded}`;
}
