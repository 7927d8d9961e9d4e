import assert from 'node:assert/strict';
import {
  type Check,
  dice,
  flipped,
  intakeOf,
  type Ledger,
  LOG_SEED,
  ORIGIN,
  type SignedLog,
  signedLog,
  vectorText,
} from '../support.ts';
import type { ReferenceLog } from './checkpoint-checks.ts';

interface TamperCase {
  readonly name: string;
  readonly origin: string;
  readonly trusted_vkeys: readonly string[];
  readonly entries: readonly string[];
  readonly checkpoint: string;
  readonly pinned_checkpoint?: string;
  readonly expect: 'accept' | 'reject';
  readonly reason: string | null;
}

/** Signs entries that are chained as they come, after a change to one of them. */
function signedEntries(
  ledger: Ledger,
  change: (entry: Record<string, unknown>, seq: number) => unknown,
  count = 4,
): { readonly entries: Uint8Array[]; readonly checkpoint: string } {
  const entries: Uint8Array[] = [];
  let prev = ledger.genesisPrev(ORIGIN);
  for (let seq = 0; seq < count; seq++) {
    const place = { log: ORIGIN, seq, prev, ts: '2026-03-02T09:00:00.000Z' };
    const { bytes } = ledger.buildEntry(intakeOf(seq), place);
    // An entry is a JSON object.
    const value = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
    // The changed value is JSON still, of whatever shape.
    const changed = ledger.canonicalBytesRfc8785(change(value, seq) as null);
    entries.push(changed);
    prev = ledger.leafHash(changed);
  }
  const root = ledger.rootHash(entries.map((bytes) => ledger.leafHash(bytes)));
  const signer = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
  return {
    entries,
    checkpoint: ledger.signCheckpoint({ origin: ORIGIN, size: count, root }, [signer]),
  };
}

function reasonOf(ledger: Ledger, change: Parameters<typeof signedEntries>[1]): string {
  const { verifierKey } = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
  const log = signedEntries(ledger, change);
  const verdict = ledger.verifyLog({ origin: ORIGIN, verifierKeys: [verifierKey], ...log });
  return verdict.ok ? 'ok' : verdict.reason;
}

const at2 =
  (wrong: Readonly<Record<string, unknown>>) => (entry: Record<string, unknown>, seq: number) =>
    seq === 2 ? { ...entry, ...wrong } : entry;

export const LOG_CHECKS: readonly Check[] = [
  {
    name: 'all tamper cases have their verdict and reason',
    run: async (ledger) => {
      const cases: readonly TamperCase[] = JSON.parse(vectorText('filewright/tamper-cases.json'));
      assert.equal(cases.length, 32);
      for (const one of cases) {
        const request = {
          origin: one.origin,
          verifierKeys: one.trusted_vkeys,
          checkpoint: one.checkpoint,
          pinnedCheckpoint: one.pinned_checkpoint,
        };
        const expected = one.reason === null ? { ok: true } : { ok: false, reason: one.reason };
        assert.equal(one.expect === 'accept', expected.ok);
        assert.deepEqual(
          ledger.verifyLog({ ...request, entries: one.entries }),
          expected,
          one.name,
        );
        const bytes = one.entries.map((text) => Buffer.from(text));
        assert.deepEqual(ledger.verifyLog({ ...request, entries: bytes }), expected, one.name);
        const stream = (async function* () {
          yield* one.entries;
        })();
        assert.deepEqual(
          await ledger.verifyLog({ ...request, entries: stream }),
          expected,
          one.name,
        );
      }
    },
  },
  {
    name: 'each rule for an entry has its reason, in the order of the format',
    run: (ledger) => {
      const rules: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
        ['UNSUPPORTED_VERSION', { v: 2 }],
        ['ORIGIN_MISMATCH', { log: `${ORIGIN}x` }],
        ['SEQ_GAP', { seq: 3 }],
        ['CHAIN_BREAK', { prev: '0'.repeat(64) }],
        ['UNSUPPORTED_VERSION', { cls: 'secret' }],
        ['TIME_REGRESSION', { ts: '2026-03-02T08:59:59.999Z' }],
        ['DUPLICATE_ID', { id: intakeOf(1).id }],
        ['SUBJECT_VERSION_GAP', { subj: { kind: 'filing', id: 'F-2', ver: 2 } }],
      ];
      assert.equal(
        reasonOf(ledger, (entry) => entry),
        'ok',
      );
      let wrong: Record<string, unknown> = {};
      // From the last to the first: with one more fault, the earlier rule is the one that is told.
      for (const [reason, fault] of rules.toReversed()) {
        assert.equal(reasonOf(ledger, at2(fault)), reason);
        wrong = { ...wrong, ...fault };
        assert.equal(reasonOf(ledger, at2(wrong)), reason);
      }
      assert.equal(reasonOf(ledger, at2({ ...wrong, seq: 2.5 })), 'NOT_CANONICAL');
      assert.equal(reasonOf(ledger, at2({ extra: 1 })), 'UNSUPPORTED_VERSION');
      assert.equal(
        reasonOf(ledger, at2({ subj: { kind: 'filing', id: 'F-0', ver: 1 } })),
        'SUBJECT_VERSION_GAP',
      );
      assert.equal(
        reasonOf(ledger, at2({ subj: { kind: 'filing', id: 'F-0', ver: 3 } })),
        'SUBJECT_VERSION_GAP',
      );
      assert.equal(reasonOf(ledger, at2({ subj: { kind: 'filing', id: 'F-0', ver: 2 } })), 'ok');
      assert.equal(reasonOf(ledger, at2({ ts: '2026-03-02T09:00:00.000Z' })), 'ok');
    },
  },
  {
    name: 'a failure of the whole log wins over one of an entry',
    run: (ledger) => {
      const log = signedLog(ledger, 9);
      const verdict = (change: Partial<Parameters<Ledger['inspectLog']>[0]>): string => {
        const outcome = ledger.verifyLog({ ...log, ...change });
        return outcome.ok ? 'ok' : outcome.reason;
      };
      const broken = log.entries.with(1, Buffer.from('{}'));
      const shorter = signedLog(ledger, 5).checkpoint;
      assert.equal(verdict({ entries: broken }), 'ROOT_MISMATCH');
      assert.equal(verdict({ entries: broken.slice(1) }), 'SIZE_MISMATCH');
      assert.equal(verdict({ entries: [...broken, ...broken] }), 'SIZE_MISMATCH');
      assert.equal(verdict({ pinnedCheckpoint: shorter }), 'ok');
      assert.equal(verdict({ pinnedCheckpoint: log.checkpoint }), 'ok');
      assert.equal(verdict({ pinnedCheckpoint: null }), 'ok');
      const rolledBack = {
        checkpoint: shorter,
        entries: broken.slice(0, 2),
        pinnedCheckpoint: log.checkpoint,
      };
      assert.equal(verdict(rolledBack), 'ROLLBACK');
      assert.equal(verdict({ ...rolledBack, origin: 'x' }), 'ORIGIN_MISMATCH');
      assert.equal(
        verdict({ ...rolledBack, origin: 'x', verifierKeys: [] }),
        'UNTRUSTED_SIGNATURE',
      );
      const cut = { ...rolledBack, origin: 'x', verifierKeys: [], checkpoint: shorter.trimEnd() };
      assert.equal(verdict(cut), 'MALFORMED_CHECKPOINT');
      const outcome = ledger.inspectLog({ ...log, entries: broken, checkpoint: log.checkpoint });
      assert.match(outcome.ok ? '' : outcome.message, /add up to the root/);
    },
  },
  {
    name: 'a pinned checkpoint must be one of this log, and not a damaged one',
    run: (ledger) => {
      const log = signedLog(ledger, 9);
      const verdict = (pinnedCheckpoint: string): string => {
        const outcome = ledger.verifyLog({ ...log, pinnedCheckpoint });
        return outcome.ok ? 'ok' : outcome.reason;
      };
      const root = ledger.rootHash(log.leaves.slice(0, 4));
      const retired = ledger.logSigner({ name: ORIGIN, key: new Uint8Array(32).fill(99) });
      const signed = (origin: string, of: Uint8Array): string =>
        ledger.signCheckpoint({ origin, size: 4, root: of }, [retired]);
      assert.equal(verdict(signed(ORIGIN, root)), 'ok');
      assert.equal(verdict(signed(ORIGIN, ledger.rootHash([]))), 'INCONSISTENT_WITH_PINNED');
      assert.equal(verdict(signed('other.example/log', root)), 'ORIGIN_MISMATCH');
      assert.equal(verdict('nonsense'), 'MALFORMED_CHECKPOINT');
      assert.equal(verdict(log.checkpoint.replace('\n9\n', '\n8\n')), 'UNTRUSTED_SIGNATURE');
    },
  },
  {
    name: 'a text with half a surrogate pair is not the entry with U+FFFD',
    run: (ledger) => {
      const { verifierKey } = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
      const log = signedEntries(ledger, at2({ trace: 'x\ufffdx' }));
      const texts = log.entries.map((bytes) => Buffer.from(bytes).toString());
      const request = { origin: ORIGIN, verifierKeys: [verifierKey], checkpoint: log.checkpoint };
      assert.deepEqual(ledger.verifyLog({ ...request, entries: texts }), { ok: true });
      const forged = texts.map((text) => text.replace('\ufffd', '\ud800'));
      assert.deepEqual(ledger.verifyLog({ ...request, entries: forged }), {
        ok: false,
        reason: 'ROOT_MISMATCH',
      });
    },
  },
  {
    name: 'the proof files of the reference log are built and verified',
    run: (ledger) => {
      const log: ReferenceLog = JSON.parse(vectorText('filewright/log-13.json'));
      const entries = log.entries.map(({ utf8 }) => Buffer.from(utf8));
      const leaves = entries.map((entry) => ledger.leafHash(entry));
      const trust = { origin: log.origin, verifierKeys: [log.log_key.vkey, log.witness_key.vkey] };
      const checkpoint = log.checkpoints['13'] ?? '';
      for (const [index, expected] of Object.entries(log.tlog_proofs)) {
        const at = Number(index);
        const parts = { index: at, proof: ledger.inclusionProof(leaves, at), checkpoint };
        assert.equal(ledger.writeTlogProof(parts), expected);
        const extra = Buffer.from('anything');
        const withExtra = ledger.writeTlogProof({ ...parts, extra });
        assert.deepEqual(ledger.parseTlogProof(withExtra), { ...parts, extra });
        for (const proof of [expected, withExtra]) {
          for (const [other, entry] of entries.entries()) {
            const outcome = ledger.verifyTlogProof({ proof, entry, trust });
            assert.equal(outcome.ok ? 'ok' : outcome.reason, other === at ? 'ok' : 'NOT_INCLUDED');
          }
        }
      }
    },
  },
  {
    name: 'a proof file that says something else is refused',
    run: (ledger) => {
      const { entries, leaves, checkpoint, ...trust } = signedLog(ledger, 13);
      const entry = entries[3] ?? new Uint8Array();
      const good = ledger.writeTlogProof({
        index: 3,
        proof: ledger.inclusionProof(leaves, 3),
        checkpoint,
      });
      const verdict = (proof: string, origin = trust.origin): string => {
        const outcome = ledger.verifyTlogProof({ proof, entry, trust: { ...trust, origin } });
        return outcome.ok ? 'ok' : outcome.reason;
      };
      const lines = good.split('\n');
      assert.equal(verdict(good), 'ok');
      assert.equal(verdict(good, 'other.example'), 'ORIGIN_MISMATCH');
      assert.equal(verdict(good.replace('index 3', 'index 4')), 'NOT_INCLUDED');
      assert.equal(verdict(lines.toSpliced(2, 1).join('\n')), 'NOT_INCLUDED');
      assert.equal(verdict(good.replace('\n13\n', '\n14\n')), 'UNTRUSTED_SIGNATURE');
      assert.equal(verdict(good.replace('\n13\n', '\n013\n')), 'MALFORMED_CHECKPOINT');
      const malformed = [
        '',
        'x',
        good.replace('@v1', '@v2'),
        good.replace('index 3', 'index 03'),
        good.replace('index 3', 'index -3'),
        good.replace('index 3', 'index'),
        good.replace('index 3', 'index 9007199254740992'),
        good.replace('index 3\n', ''),
        good.replaceAll('\n', '\r\n'),
        good.replace('=\n', '\n'),
        good.replace('index 3', 'extra \nindex 3'),
        good.replace('index 3', 'extra x\nindex 3'),
        good.replace('index 3', 'index 3\nAAAA'),
        `\n${good}`,
        good.replace('index 3', `index 3${`\n${lines[2]}`.repeat(60)}`),
      ];
      for (const text of malformed) {
        assert.equal(verdict(text), 'MALFORMED_PROOF', text.slice(0, 60));
        assert.throws(() => ledger.parseTlogProof(text), { code: 'INPUT_MALFORMED' });
      }
    },
  },
  {
    name: 'no single flipped bit of an export goes unnoticed',
    run: (ledger) => {
      flipBits(ledger, { entries: 5, flips: 1500, seed: 1 });
    },
  },
];

/** Flips one bit at a time, each in a random place, and demands a reason for every one. */
export function flipBits(
  ledger: Ledger,
  plan: { readonly entries: number; readonly flips: number; readonly seed: number },
): number {
  const { parts, reasonWith } = exportOf(ledger, signedLog(ledger, plan.entries));
  const roll = dice(plan.seed);
  for (let flip = 0; flip < plan.flips; flip++) {
    // Every third flip goes to the checkpoint, which is much smaller than the entries.
    const which = flip % 3 === 0 ? 0 : 1 + roll(parts.length - 1);
    const bits = (parts[which]?.length ?? 0) * 8;
    reasonWith(which, roll(bits));
  }
  return plan.flips;
}

/** Flips every single bit of an export, one at a time; returns how many there were and which reasons were told. */
export function flipEveryBit(
  ledger: Ledger,
  log: SignedLog,
): { readonly flips: number; readonly reasons: ReadonlySet<string> } {
  const { parts, reasonWith } = exportOf(ledger, log);
  const reasons = new Set<string>();
  let flips = 0;
  for (const [which, part] of parts.entries()) {
    for (let place = 0; place < part.length * 8; place++) {
      reasons.add(reasonWith(which, place));
      flips++;
    }
  }
  return { flips, reasons };
}

// The checkpoint is part 0. The witness is required, so its line is signed bytes like the log's own.
function exportOf(ledger: Ledger, log: SignedLog) {
  const [logKey, witnessKey] = log.verifierKeys;
  const policy = ledger.parseTrustPolicy(`log ${logKey}\nwitness w ${witnessKey}\nquorum w\n`);
  const parts = [Buffer.from(log.checkpoint), ...log.entries];
  const verdictOf = ([checkpoint = new Uint8Array(), ...entries]: readonly Uint8Array[]) =>
    ledger.verifyLog({ origin: log.origin, policy, entries, checkpoint });
  assert.deepEqual(verdictOf(parts), { ok: true });
  const reasonWith = (which: number, place: number): string => {
    const changed = flipped(parts[which] ?? new Uint8Array(), place);
    const verdict = verdictOf(parts.with(which, Buffer.from(changed)));
    if (verdict.ok) assert.fail(`bit ${place} of part ${which} was flipped and nobody noticed`);
    return verdict.reason;
  };
  return { parts, reasonWith };
}
