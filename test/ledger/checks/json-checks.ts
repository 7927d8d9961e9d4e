import assert from 'node:assert/strict';
import { type Check, vectorText } from '../support.ts';

interface Named {
  readonly name: string;
  readonly text: string;
}
interface Reject {
  readonly must_reject_as_untrusted_json_input: readonly Named[];
  readonly must_reject_in_ledger_profile: readonly Named[];
}

const FILES = ['arrays', 'french', 'structures', 'unicode', 'values', 'weird'];
const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export const JSON_CHECKS: readonly Check[] = [
  {
    name: 'the published canonical pairs come out byte by byte',
    run: (ledger) => {
      for (const name of FILES) {
        const value = ledger.parseStrict(vectorText(`jcs/input/${name}.json`));
        const expected = vectorText(`jcs/output/${name}.json`);
        assert.equal(utf8(ledger.canonicalBytesRfc8785(value)), expected, name);
      }
    },
  },
  {
    name: 'scrambled spellings have one canonical text',
    run: (ledger) => {
      const pairs: readonly { input: string; output: string }[] = JSON.parse(
        vectorText('jcs/pairs.json'),
      );
      assert.equal(pairs.length, 60);
      for (const { input, output } of pairs) {
        assert.equal(utf8(ledger.canonicalBytesRfc8785(ledger.parseStrict(input))), output);
      }
    },
  },
  {
    name: 'doubles are written as ECMAScript writes them',
    run: (ledger) => {
      const rows = vectorText('jcs/es6-numbers-1000.txt').trimEnd().split('\n');
      assert.equal(rows.length, 1000);
      for (const row of rows) {
        const [bits = '', expected] = row.split(',');
        const number = Buffer.from(bits.padStart(16, '0'), 'hex').readDoubleBE();
        assert.equal(utf8(ledger.canonicalBytesRfc8785(number)), expected, bits);
      }
    },
  },
  {
    name: 'ambiguous JSON is refused',
    run: (ledger) => {
      const { must_reject_as_untrusted_json_input: cases }: Reject = JSON.parse(
        vectorText('jcs/reject.json'),
      );
      assert.ok(cases.length >= 20);
      for (const { name, text } of cases) assert.throws(() => ledger.parseStrict(text), name);
    },
  },
  {
    name: 'the ledger profile refuses fractions, large integers and large values',
    run: (ledger) => {
      const { must_reject_in_ledger_profile: cases }: Reject = JSON.parse(
        vectorText('jcs/reject.json'),
      );
      for (const { name, text } of cases) {
        const value = ledger.parseStrict(text);
        assert.throws(() => ledger.canonicalBytes(value), name);
        ledger.canonicalBytesRfc8785(value);
      }
      assert.equal(ledger.canonicalBytes('x'.repeat(65_533)).length, 65_535);
      assert.throws(() => ledger.canonicalBytes('x'.repeat(65_534)), { code: 'INPUT_LIMIT' });
    },
  },
];
