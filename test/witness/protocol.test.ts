/** C2SP tlog-witness over HTTP: what is cosigned, what is refused and how, and that no two histories ever are. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localOperator } from '../../src/access/actor.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { openNote } from '../../src/ledger/note.ts';
import { logSigner } from '../../src/ledger/note-signer.ts';
import { consistencyProof, rootHash } from '../../src/ledger/tree.ts';
import { parseVerifierKey } from '../../src/ledger/verifier-key.ts';
import { writeAddCheckpoint } from '../../src/ledger/witness/add-checkpoint.ts';
import { createWitness } from '../../src/ledger/witness/witness.ts';
import { serveWitness } from '../../src/oversight/acts/witness.ts';
import { systemClock } from '../../src/system/clock.ts';
import { silentLog } from '../../src/system/silent-log.ts';
import { WitnessFiles } from '../../src/system/witness-files.ts';

const ORIGIN = 'ledger.example.org/acme/spine';
const LOG = logSigner({ name: ORIGIN, key: randomBytes(32) });
const STRANGER = logSigner({ name: ORIGIN, key: randomBytes(32) });
const OPERATOR = localOperator('root');

const history = (count: number, word = 'entry'): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => leafHash(Buffer.from(`${word} ${n}`)));
/** The same beginning, and another end. */
const fork = (leaves: readonly Uint8Array[], from: number): Uint8Array[] => [
  ...leaves.slice(0, from),
  ...history(leaves.length - from, 'other'),
];

function request(
  leaves: readonly Uint8Array[],
  sizes: { readonly old: number; readonly size: number },
  more: { readonly signer?: typeof LOG; readonly origin?: string } = {},
): string {
  const { old, size } = sizes;
  const head = { origin: more.origin ?? ORIGIN, size, root: rootHash(leaves.slice(0, size)) };
  const note = signCheckpoint(head, [more.signer ?? LOG]);
  const proof = old > size ? [] : consistencyProof(leaves, old, size);
  return writeAddCheckpoint({ oldSize: old, proof, note });
}

describe('a witness', () => {
  let state: string;
  let server: Awaited<ReturnType<typeof serveWitness>>;
  const start = (more: { name?: string; host?: string } = {}) =>
    serveWitness(
      {
        state,
        logs: [LOG.verifierKey.text],
        host: '127.0.0.1',
        port: 0,
        clock: systemClock,
        log: silentLog,
        ...more,
      },
      OPERATOR,
    );
  const post = async (
    body: string | Uint8Array,
  ): Promise<{ status: number; text: string; type: string }> => {
    const answer = await fetch(`${server.url}/add-checkpoint`, { method: 'POST', body });
    const type = answer.headers.get('content-type') ?? '';
    return { status: answer.status, text: await answer.text(), type };
  };

  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'fw-witness-'));
    server = await start({ name: 'audit.example/w1' });
  });
  afterEach(async () => {
    await server.close();
    rmSync(state, { recursive: true });
  });

  it('cosigns a first head and each that grew out of it, with the time', async () => {
    const leaves = history(300);
    let old = 0;
    for (const size of [1, 7, 7, 256, 300]) {
      const body = request(leaves, { old, size });
      const answer = await post(body);
      expect(answer.status, answer.text).toBe(200);
      const note = body.slice(body.indexOf('\n\n') + 2) + answer.text;
      const opened = openNote(note, [LOG.verifierKey, server.vkey]);
      expect(opened.verifiedBy).toEqual([ORIGIN, 'audit.example/w1']);
      const seconds = opened.signatures[1]?.seconds ?? 0;
      expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(30);
      old = size;
    }
  });

  it('answers what cannot be cosigned as the specification says', async () => {
    const leaves = history(40);
    expect((await post(request(leaves, { old: 0, size: 20 }))).status).toBe(200);
    const cases: [string, string | Uint8Array, number][] = [
      ['nothing', '', 400],
      ['no blank line', 'old 20\n', 400],
      [
        'a size with a zero before it',
        request(leaves, { old: 20, size: 30 }).replace('old 20', 'old 020'),
        400,
      ],
      [
        'a proof line that is no hash',
        request(leaves, { old: 20, size: 30 }).replace('\n', '\nAAAA\n'),
        400,
      ],
      [
        '64 proof lines',
        request(leaves, { old: 20, size: 30 }).replace(
          '\n',
          `\n${`${'A'.repeat(43)}=\n`.repeat(64)}`,
        ),
        400,
      ],
      ['a note that is none', 'old 20\n\nhello\n', 400],
      ['not UTF-8', Buffer.from([0xff, 0xfe, 10, 10]), 400],
      ['an old size above the new', request(leaves, { old: 21, size: 20 }), 400],
      [
        'a log it does not know',
        request(
          leaves,
          { old: 0, size: 5 },
          {
            origin: 'other.example/x/spine',
            signer: logSigner({ name: 'other.example/x/spine', key: randomBytes(32) }),
          },
        ),
        404,
      ],
      ['a key it does not know', request(leaves, { old: 20, size: 30 }, { signer: STRANGER }), 403],
      ['a history that is another', request(fork(leaves, 10), { old: 20, size: 40 }), 422],
      [
        'no proof',
        request(leaves, { old: 20, size: 30 })
          .replace(/(?<=^old 20\n)[^]*?(?=\n\n)/, '')
          .replace('old 20\n\n\n', 'old 20\n\n'),
        422,
      ],
    ];
    for (const [name, body, status] of cases) {
      const answer = await post(body);
      expect(answer.status, `${name}: ${answer.text}`).toBe(status);
    }
    for (const [old, size] of [
      [0, 30],
      [19, 30],
      [5, 10],
    ] as const) {
      const answer = await post(request(leaves, { old, size }));
      expect(answer).toEqual({ status: 409, text: '20\n', type: 'text/x.tlog.size' });
    }
    // The same size with another root: the log has signed two histories, and the second stays here as evidence.
    const other = request(fork(leaves, 10), { old: 20, size: 20 });
    expect(await post(other)).toMatchObject({ status: 409, text: '20\n' });
    const kept = readdirSync(join(state, `log-${encodeURIComponent(ORIGIN)}`, 'refused'));
    expect(kept.length).toBe(3);
    expect((await post('x'.repeat(200_000))).status).toBe(413);
    expect((await fetch(`${server.url}/`)).status).toBe(404);
    // None of it moved what it knows.
    expect((await post(request(leaves, { old: 20, size: 40 }))).status).toBe(200);
  });

  it('remembers over a restart, with the same key, which only its owner reads', async () => {
    const leaves = history(9);
    await post(request(leaves, { old: 0, size: 5 }));
    const before = server.vkey;
    await server.close();
    expect(statSync(join(state, 'witness.key')).mode & 0o777).toBe(0o600);
    await expect(start({ name: 'another/name' })).rejects.toThrow('stays');
    server = await start();
    expect(server.vkey).toBe(before);
    expect(parseVerifierKey(before)).toMatchObject({ role: 'witness', name: 'audit.example/w1' });
    expect(await post(request(fork(leaves, 2), { old: 0, size: 9 }))).toMatchObject({
      status: 409,
    });
    expect((await post(request(leaves, { old: 5, size: 9 }))).status).toBe(200);
  });

  it('stays on this machine unless it speaks TLS', async () => {
    await expect(start({ host: '0.0.0.0' })).rejects.toThrow('--tls-cert');
  });

  it('of many heads at once cosigns none that contradicts another, also in two processes over one folder', async () => {
    const leaves = history(64);
    const seed = randomBytes(32);
    const make = () =>
      createWitness({
        logs: [{ key: LOG.verifierKey }],
        name: 'w',
        seed,
        memory: new WitnessFiles(state),
        clock: systemClock,
      });
    for (let round = 0; round < 8; round += 1) {
      const from = round * 8;
      const to = from + 8;
      const branches = [
        leaves,
        fork(leaves, from + 1),
        fork(leaves, from + 2),
        fork(leaves, from + 3),
      ];
      const witnesses = [make(), make()];
      // Each process hears of them in another order.
      const orders = [branches, branches.toReversed()];
      const answers = await Promise.all(
        orders.flatMap((order, at) =>
          order.map(async (branch) => {
            const answer = await witnesses[at]?.add(request(branch, { old: from, size: to }));
            return { branch, status: answer?.status };
          }),
        ),
      );
      const signed = new Set(
        answers.filter(({ status }) => status === 200).map(({ branch }) => branch),
      );
      expect(signed.size).toBe(1);
      const [winner = leaves] = signed;
      // Go on from whatever won, so that the next round has one beginning.
      leaves.splice(0, leaves.length, ...winner);
    }
  });
});
