import assert from 'node:assert/strict';
import {
  base64,
  type Check,
  fromHex,
  hex,
  type Ledger,
  LOG_SEED,
  NEXT_LOG_SEED,
  ORIGIN,
  unbase64,
  vectorText,
  witnessOf,
} from '../support.ts';

export interface ReferenceLog {
  readonly origin: string;
  readonly log_key: { readonly seed_hex: string; readonly vkey: string };
  readonly witness_key: { readonly seed_hex: string; readonly vkey: string };
  readonly genesis_prev_hex: string;
  readonly entries: readonly { readonly utf8: string; readonly leaf_hash_hex: string }[];
  readonly roots_hex: Readonly<Record<string, string>>;
  readonly checkpoints: Readonly<Record<string, string>>;
  readonly tlog_proofs: Readonly<Record<string, string>>;
  readonly consistency: readonly { old: number; new: number; proof_b64: readonly string[] }[];
}
interface TesseraLog {
  readonly vkey: string;
  readonly entries_utf8: readonly string[];
  readonly checkpoints: Readonly<Record<string, string>>;
}

const head = { origin: ORIGIN, size: 5, root: new Uint8Array(32).fill(1) };
const oldKey = (ledger: Ledger) => ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
const newKey = (ledger: Ledger) => ledger.logSigner({ name: ORIGIN, key: NEXT_LOG_SEED });

export const CHECKPOINT_CHECKS: readonly Check[] = [
  {
    name: 'the reference checkpoints are signed again to the same bytes',
    run: (ledger) => {
      const log: ReferenceLog = JSON.parse(vectorText('filewright/log-13.json'));
      const { origin, log_key: logKey, witness_key: witnessKey } = log;
      const signer = ledger.logSigner({ name: origin, key: fromHex(logKey.seed_hex) });
      assert.equal(signer.verifierKey.text, logKey.vkey);
      assert.equal(hex(ledger.genesisPrev(origin)), log.genesis_prev_hex);
      for (const [size, expected] of Object.entries(log.checkpoints)) {
        const [name = ''] = witnessKey.vkey.split('+');
        const trust = { origin, verifierKeys: [logKey.vkey, witnessKey.vkey] };
        const opened = ledger.checkCheckpoint(expected, trust);
        assert.ok(opened.ok, size);
        assert.equal(hex(opened.checkpoint.root), log.roots_hex[size]);
        assert.equal(opened.signatures.length, 2);
        const seconds = opened.signatures[1]?.seconds ?? 0;
        const witness = ledger.witnessSigner({ name, key: fromHex(witnessKey.seed_hex), seconds });
        assert.equal(witness.verifierKey.text, witnessKey.vkey);
        const root = fromHex(log.roots_hex[size] ?? '');
        const bare = ledger.signCheckpoint({ origin, size: Number(size), root }, [signer]);
        assert.equal(ledger.addSignature(bare, witness), expected);
      }
    },
  },
  {
    name: 'the consistency proofs of the reference log are built and verified',
    run: (ledger) => {
      const log: ReferenceLog = JSON.parse(vectorText('filewright/log-13.json'));
      const leaves = log.entries.map(({ utf8 }) => ledger.leafHash(Buffer.from(utf8)));
      assert.deepEqual(
        leaves.map(hex),
        log.entries.map((entry) => entry.leaf_hash_hex),
      );
      for (const { old: size1, new: size2, proof_b64: encoded } of log.consistency) {
        assert.deepEqual(ledger.consistencyProof(leaves, size1, size2).map(base64), encoded);
        const [root1, root2] = [size1, size2].map((size) => fromHex(log.roots_hex[size] ?? ''));
        assert.ok(root1 !== undefined && root2 !== undefined);
        const proof = encoded.map(unbase64);
        assert.ok(ledger.verifyConsistency({ size1, size2, root1, root2, proof }));
      }
    },
  },
  {
    name: 'the checkpoints of another implementation open and match its entries',
    run: (ledger) => {
      const log: TesseraLog = JSON.parse(vectorText('tlog/tessera-testlog.json'));
      const origin = 'example.com/log/testdata';
      const leaves = log.entries_utf8.map((entry) => ledger.leafHash(Buffer.from(entry)));
      for (const [size, note] of Object.entries(log.checkpoints)) {
        const opened = ledger.openCheckpoint(note, { origin, verifierKeys: [log.vkey] });
        assert.equal(opened.size, Number(size));
        assert.equal(hex(opened.root), hex(ledger.rootHash(leaves.slice(0, Number(size)))));
      }
    },
  },
  {
    name: 'a text that is not exactly a checkpoint is refused, though it is signed',
    run: (ledger) => {
      const signer = oldKey(ledger);
      const trust = { origin: ORIGIN, verifierKeys: [signer.verifierKey] };
      const root = base64(head.root);
      const texts: Readonly<Record<string, string>> = {
        'leading zero': `${ORIGIN}\n05\n${root}\n`,
        'a plus sign': `${ORIGIN}\n+5\n${root}\n`,
        'an exponent': `${ORIGIN}\n5e0\n${root}\n`,
        'a negative size': `${ORIGIN}\n-5\n${root}\n`,
        'a size beyond 2^53−1': `${ORIGIN}\n9007199254740992\n${root}\n`,
        'an empty size': `${ORIGIN}\n\n${root}\n`,
        'a space after the size': `${ORIGIN}\n5 \n${root}\n`,
        'a short root': `${ORIGIN}\n5\n${base64(head.root.subarray(1))}\n`,
        'a root with loose bits': `${ORIGIN}\n5\n${root.slice(0, -2)}F=\n`,
        'a hex root': `${ORIGIN}\n5\n${hex(head.root)}\n`,
        'an extension line': `${ORIGIN}\n5\n${root}\nmore\n`,
        'two lines': `${ORIGIN}\n5\n`,
        'an empty origin': `\n5\n${root}\n`,
      };
      for (const [name, text] of Object.entries(texts)) {
        const outcome = ledger.checkCheckpoint(ledger.signNote(text, [signer]), trust);
        assert.equal(outcome.ok ? 'accepted' : outcome.reason, 'MALFORMED_CHECKPOINT', name);
      }
      assert.throws(() => ledger.signCheckpoint({ ...head, size: 2 ** 53 }, [signer]));
      assert.throws(() => ledger.signCheckpoint({ ...head, origin: 'a\nb' }, [signer]));
      assert.throws(() => ledger.signCheckpoint({ ...head, origin: '' }, [signer]));
      assert.throws(() => ledger.signCheckpoint({ ...head, root: new Uint8Array(31) }, [signer]));
    },
  },
  {
    name: 'a witness or another log cannot vouch for a log',
    run: (ledger) => {
      const witness = witnessOf(ledger, 0);
      const log = oldKey(ledger);
      const other = ledger.logSigner({ name: 'ledger.example.org/acme/rules', key: NEXT_LOG_SEED });
      const verifierKeys = [log, witness, other].map(({ verifierKey }) => verifierKey.text);
      const reason = (signers: Parameters<Ledger['signCheckpoint']>[1]): string => {
        const note = ledger.signCheckpoint(head, signers);
        const outcome = ledger.checkCheckpoint(note, { origin: ORIGIN, verifierKeys });
        return outcome.ok ? 'ok' : outcome.reason;
      };
      assert.equal(reason([log]), 'ok');
      assert.equal(reason([log, witness]), 'ok');
      assert.equal(reason([witness]), 'UNTRUSTED_SIGNATURE');
      assert.equal(reason([other]), 'UNTRUSTED_SIGNATURE');
      assert.equal(reason([other, witness]), 'UNTRUSTED_SIGNATURE');
    },
  },
  {
    name: 'a key rotation overlaps: each key counts for its own sizes',
    run: (ledger) => {
      const [before, after] = [oldKey(ledger), newKey(ledger)];
      const policy = ledger.parseTrustPolicy(
        `#sizes 0-9\nlog ${before.verifierKey.text}\n# comment\n #sizes 5-\nlog ${after.verifierKey.text} https://x.example\nquorum none\n`,
      );
      const accepts = (size: number, signers: Parameters<Ledger['signCheckpoint']>[1]): boolean =>
        ledger.checkCheckpoint(ledger.signCheckpoint({ ...head, size }, signers), {
          origin: ORIGIN,
          policy,
        }).ok;
      for (const [size, byOld, byNew] of [
        [0, true, false],
        [4, true, false],
        [5, true, true],
        [9, true, true],
        [10, false, true],
        [1_000_000, false, true],
      ] as const) {
        assert.equal(accepts(size, [before]), byOld, `old key at ${size}`);
        assert.equal(accepts(size, [after]), byNew, `new key at ${size}`);
        assert.ok(accepts(size, [before, after]), `both at ${size}`);
      }
      const again = ledger.parseTrustPolicy(ledger.writeTrustPolicy(policy));
      assert.deepEqual(
        again.logs.map(({ sizes }) => sizes),
        [{ first: 0, last: 9 }, { first: 5 }],
      );
    },
  },
  {
    name: 'a private key object signs like its seed',
    run: (ledger) => {
      const { publicKey } = ledger.logSigner({ name: ORIGIN, key: LOG_SEED }).verifierKey;
      const rebuilt = ledger.verifierKey({ role: 'log', name: ORIGIN, publicKey });
      const note = ledger.signCheckpoint(head, [oldKey(ledger)]);
      assert.equal(
        ledger.openCheckpoint(note, { origin: ORIGIN, verifierKeys: [rebuilt] }).size,
        5,
      );
    },
  },
];
