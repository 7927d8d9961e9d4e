/** What goes with an export for a reader who has never heard of this program: what it is and how to check it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../postgres/index.ts';
import type { SignedLog } from './audit-heads.ts';

/** The independent verifier in its three files; the first is the one that is started. */
export const VERIFIERS = ['verify.py', 'verify_rows.py', 'verify_stamps.py'] as const;

/** One of them as it is shipped; they go along with what is handed to a stranger. */
export function verifierScript(name: (typeof VERIFIERS)[number]): Uint8Array {
  return readFileSync(join(packageRoot(), 'tools', name));
}

/**
 * Shell lines that check the signature of a checkpoint with `openssl` and nothing else. They write only to a folder of
 * their own. `checkpoint` is the path of the file from where they are typed.
 */
export function opensslLines(log: SignedLog, checkpoint: string): string[] {
  const { line, publicKey } = signatureOf(log);
  return [
    'T=$(mktemp -d)',
    `head -n 3 ${checkpoint} > $T/text`,
    `sed -n ${line}p ${checkpoint} | cut -d' ' -f3 | base64 -d | tail -c 64 > $T/signature`,
    // RFC 8410: what comes before the 32 bytes of an Ed25519 public key in its DER form.
    `{ printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'; echo ${publicKey} | base64 -d; } > $T/key.der`,
    'openssl pkeyutl -verify -pubin -keyform DER -inkey $T/key.der -rawin -in $T/text -sigfile $T/signature',
  ];
}

export function readmeText(options: {
  readonly title: string;
  readonly scope: string;
  readonly logs: readonly { readonly log: SignedLog; readonly prefix: string }[];
  readonly hasScript: boolean;
}): string {
  const { logs } = options;
  const script = options.hasScript ? 'verify.py' : '/path/to/verify.py';
  const keys = logs.flatMap(({ log }) => log.keys.map(({ key }) => `  ${key.text}`));
  return [
    options.title,
    '',
    options.scope,
    '',
    'HOW TO CHECK IT',
    '',
    `With Python 3.8 and OpenSSL 3, without the program that wrote this, without a network:`,
    '',
    `  python3 ${script} .`,
    '',
    'It recomputes every hash and checks every signature, prints OK or FAILED with the reason, and ends with 0 or 7.',
    'By default it trusts the keys in policy.txt, which come from this folder. To rule out that everything here was',
    'forged, give it keys from another source (--policy FILE), and a checkpoint that you saved (--pinned FILE).',
    '',
    'The signature of a checkpoint alone, with openssl:',
    '',
    ...logs
      .slice(0, 1)
      .flatMap(({ log, prefix }) =>
        opensslLines(log, `${prefix}checkpoint`).map((line) => `  ${line}`),
      ),
    '',
    'The keys of the logs are:',
    '',
    ...keys,
    '',
    'WHAT IT SHOWS, AND WHAT IT DOES NOT',
    '',
    'It shows that these are the records that the log signed, complete and in order, and that none was changed',
    'since. It does not show that a record is true; and entries after the newest signed head are not part of it.',
    '',
    'FORMAT',
    '',
    'C2SP signed-note, tlog-checkpoint, tlog-tiles and tlog-proof; the Merkle tree of RFC 6962 with SHA-256; entries are',
    'canonical JSON (RFC 8785). checkpoint: the signed tree head. policy.txt: whose signature counts. tile/entries: the',
    'entries, each behind its length in two bytes. tile/0, tile/1 ...: hashes. entries/N.json and N.tlog-proof: one entry',
    'and its proof. checkpoints/SIZE: earlier heads. bodies/HASH: sealed bodies, named by the SHA-256 of their bytes.',
    'timestamps/SIZE.tsr: the RFC 3161 time stamp of the head of that size; it is over the first three lines of the head.',
    '',
  ].join('\n');
}

/** The line of the checkpoint with the newest key's signature, and that key as base64 of its 32 bytes. */
function signatureOf(log: SignedLog): { readonly line: number; readonly publicKey: string } {
  const lines = Buffer.from(log.checkpoint.note).toString('utf8').split('\n');
  for (const { key } of log.keys.toReversed()) {
    const at = lines.findIndex((line, index) => {
      const [dash, name, signature] = line.split(' ');
      if (index < 4 || dash !== '\u2014' || name !== key.name || signature === undefined)
        return false;
      return Buffer.from(signature, 'base64').subarray(0, 4).toString('hex') === key.id;
    });
    if (at >= 0) {
      return { line: at + 1, publicKey: Buffer.from(key.publicKey).toString('base64') };
    }
  }
  throw new Error(`no key of ${log.origin} has signed its newest checkpoint`);
}
