import assert from 'node:assert/strict';
import { type Check, type Ledger, LOG_SEED, NEXT_LOG_SEED, ORIGIN, witnessOf } from '../support.ts';

const malformed = { code: 'INPUT_MALFORMED' };
const head = { origin: ORIGIN, size: 5, root: new Uint8Array(32).fill(1) };

function wordsOf(ledger: Ledger) {
  const log = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
  const witnesses = [0, 1, 2, 3].map((which) => witnessOf(ledger, which));
  const [w0, w1, w2, w3] = witnesses.map(({ verifierKey }) => verifierKey.text);
  return { log, witnesses, l: log.verifierKey.text, w0, w1, w2, w3 };
}

/** Which witnesses, named by their digits, satisfy a policy. */
function accepted(ledger: Ledger, policyText: string): string[] {
  const policy = ledger.parseTrustPolicy(policyText);
  const { log, witnesses } = wordsOf(ledger);
  const sets = Array.from({ length: 16 }, (_, bits) =>
    [0, 1, 2, 3].filter((which) => (bits >> which) % 2 === 1),
  );
  return sets
    .filter((set) => {
      const signers = [log, ...set.flatMap((which) => witnesses[which] ?? [])];
      const note = ledger.signCheckpoint(head, signers);
      return ledger.checkCheckpoint(note, { origin: ORIGIN, policy }).ok;
    })
    .map((set) => set.join(''));
}

export const POLICY_CHECKS: readonly Check[] = [
  {
    name: 'a quorum of groups of witnesses is counted as it is written',
    run: (ledger) => {
      const { l, w0, w1, w2, w3 } = wordsOf(ledger);
      const head = `log ${l}\nwitness a ${w0}\nwitness b ${w1} https://b.example\nwitness c ${w2}\nwitness d ${w3}\n`;
      assert.equal(accepted(ledger, `${head}quorum none\n`).length, 16);
      assert.deepEqual(accepted(ledger, `${head}group g all a b c d\nquorum g\n`), ['0123']);
      assert.equal(accepted(ledger, `${head}group g any a b c d\nquorum g\n`).length, 15);
      assert.equal(accepted(ledger, `${head}quorum b\n`).length, 8);
      assert.ok(accepted(ledger, `${head}quorum b\n`).every((set) => set.includes('1')));
      assert.deepEqual(accepted(ledger, `${head}group g 2 a b c\nquorum g\n`), [
        '01',
        '02',
        '12',
        '012',
        '013',
        '023',
        '123',
        '0123',
      ]);
      const nested = `${head}group x 2 a b c\ngroup y any d\ngroup both all x y\nquorum both\n`;
      assert.deepEqual(accepted(ledger, nested), ['013', '023', '123', '0123']);
      const policy = ledger.parseTrustPolicy(nested);
      const written = ledger.writeTrustPolicy(policy);
      assert.deepEqual(accepted(ledger, written), ['013', '023', '123', '0123']);
      assert.equal(ledger.writeTrustPolicy(ledger.parseTrustPolicy(written)), written);
    },
  },
  {
    name: 'spaces, tabs, comments and bytes beyond ASCII are read as the format says',
    run: (ledger) => {
      const { l, w0 } = wordsOf(ledger);
      const text = `\n \t\n# ü\n\t#log nonsense\n  log\t${l}  https://x.example/ü \nwitness  \u212a ${w0}\nquorum \u212a\n`;
      const policy = ledger.parseTrustPolicy(text);
      assert.equal(policy.logs[0]?.url, 'https://x.example/ü');
      assert.equal(policy.quorum, '\u212a');
      assert.throws(
        () => ledger.parseTrustPolicy(text.replace('quorum \u212a', 'quorum K')),
        malformed,
      );
      const bytes = Buffer.concat([
        Buffer.from('# '),
        Uint8Array.of(0xff, 0xfe),
        Buffer.from(`\nlog ${l}\nquorum none\n`),
      ]);
      assert.equal(ledger.parseTrustPolicy(bytes).logs.length, 1);
    },
  },
  {
    name: 'a policy that could be misread is refused with its line',
    run: (ledger) => {
      const { l, w0, w1 } = wordsOf(ledger);
      const next = ledger.logSigner({ name: ORIGIN, key: NEXT_LOG_SEED }).verifierKey.text;
      const sameKey = ledger.logSigner({ name: 'other.example', key: LOG_SEED }).verifierKey.text;
      const two = `witness a ${w0}\nwitness b ${w1}\n`;
      const cases: Readonly<Record<string, string>> = {
        'no quorum': `log ${l}\n`,
        'two quorums': `log ${l}\nquorum none\nquorum none\n`,
        'no end of the last line': `log ${l}\nquorum none`,
        CRLF: `log ${l}\r\nquorum none\r\n`,
        'a delete character': `log ${l}\n# \u007f\nquorum none\n`,
        'an unknown word': `logs ${l}\nquorum none\n`,
        'too many words': `log ${l} url more\nquorum none\n`,
        'too few words': `log\nquorum none\n`,
        'a damaged key': `log ${l.slice(0, -4)}\nquorum none\n`,
        'a witness as a log': `log ${w0}\nquorum none\n`,
        'a log as a witness': `witness a ${l}\nquorum none\n`,
        'a log twice': `log ${l}\nlog ${l}\nquorum none\n`,
        'one key under two names': `log ${l}\nlog ${sameKey}\nquorum none\n`,
        'a witness twice': `witness a ${w0}\nwitness b ${w0}\nquorum none\n`,
        'a name twice': `witness a ${w0}\nwitness a ${w1}\nquorum none\n`,
        'a witness named none': `witness none ${w0}\nquorum none\n`,
        'a group named none': `${two}group none any a b\nquorum none\n`,
        'a group named like a witness': `${two}group a any b\nquorum a\n`,
        'a group before its member': `witness a ${w0}\ngroup g any a b\nwitness b ${w1}\nquorum g\n`,
        'a group in itself': `${two}group g any a g\nquorum g\n`,
        'none as a member': `${two}group g any none\nquorum g\n`,
        'a member twice': `${two}group g 2 a a\nquorum g\n`,
        'a member of two groups': `${two}group g any a\ngroup h any a\nquorum h\n`,
        'a threshold above the members': `${two}group g 3 a b\nquorum g\n`,
        'a threshold of zero': `${two}group g 0 a b\nquorum g\n`,
        'a threshold with a leading zero': `${two}group g 01 a b\nquorum g\n`,
        'a group without members': `${two}group g any\nquorum g\n`,
        'an empty group of all': `${two}group g all\nquorum g\n`,
        'an undefined quorum': `${two}quorum c\n`,
        'a quorum defined later': `quorum a\nwitness a ${w0}\n`,
        'a size range without its log': `#sizes 0-9\nwitness a ${w0}\nquorum none\n`,
        'a size range at the end': `log ${l}\nquorum none\n#sizes 0-9\n`,
        'a size range backwards': `#sizes 9-3\nlog ${l}\nlog ${next}\nquorum none\n`,
        'a size range of words': `#sizes all\nlog ${l}\nquorum none\n`,
      };
      for (const [name, text] of Object.entries(cases)) {
        assert.throws(() => ledger.parseTrustPolicy(text), malformed, name);
      }
      assert.throws(() => ledger.parseTrustPolicy(`log ${l}\nquorum x\n`), /line 2: .*quorum x/);
      const policy = ledger.parseTrustPolicy(`witness a ${w0}\nquorum a\n`);
      assert.throws(() => ledger.writeTrustPolicy({ ...policy, quorum: 'b' }), malformed);
    },
  },
];
