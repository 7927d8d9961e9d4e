import assert from 'node:assert/strict';
import {
  type Check,
  type Ledger,
  LOG_SEED,
  NEXT_LOG_SEED,
  vectorText,
  witnessOf,
} from '../support.ts';

interface Notes {
  readonly notes: readonly {
    readonly name: string;
    readonly vkeys: readonly string[];
    readonly note: string;
    readonly expect: 'accept' | 'reject';
    readonly verified_by?: readonly string[];
  }[];
  readonly bad_vkeys: readonly string[];
}

const TEXT = 'one\n\ntwo\n';
const NAME = 'example.com/log';
const signerOf = (ledger: Ledger, key = LOG_SEED, name = NAME) => ledger.logSigner({ name, key });
const malformed = { code: 'INPUT_MALFORMED' };
const untrusted = { code: 'LEDGER_BROKEN' };

/** A line of a key type nobody here knows. */
function strangerLine(index: number): string {
  const bytes = Buffer.alloc(4 + 2420, index);
  return `— stranger.example/${index} ${bytes.toString('base64')}\n`;
}

export const NOTE_CHECKS: readonly Check[] = [
  {
    name: 'published notes have their verdict',
    run: (ledger) => {
      const { notes }: Notes = JSON.parse(vectorText('note/signed-notes.json'));
      assert.ok(notes.length >= 11);
      for (const { name, vkeys, note, expect, verified_by: by } of notes) {
        if (expect === 'reject') {
          assert.throws(() => ledger.openNote(note, vkeys), name);
          continue;
        }
        const opened = ledger.openNote(note, vkeys);
        assert.deepEqual(opened.verifiedBy, by, name);
        assert.ok(note.startsWith(`${opened.text}\n—`), name);
        const parsed = vkeys.map((key) => ledger.parseVerifierKey(key));
        assert.deepEqual(ledger.openNote(Buffer.from(note), parsed).verifiedBy, by, name);
      }
    },
  },
  {
    name: 'a damaged verifier key is refused, whatever the damage',
    run: (ledger) => {
      const { notes, bad_vkeys: bad }: Notes = JSON.parse(vectorText('note/signed-notes.json'));
      for (const key of bad) assert.throws(() => ledger.parseVerifierKey(key), malformed, key);
      const good = [...new Set(notes.flatMap(({ vkeys }) => vkeys))];
      good.push(witnessOf(ledger, 0).verifierKey.text);
      for (const key of good) {
        assert.equal(ledger.parseVerifierKey(key).text, key);
        for (let first = 0; first < key.length; first++) {
          for (let end = first; end <= key.length; end++) {
            if (end - first === key.length) continue;
            assert.throws(() => ledger.parseVerifierKey(key.slice(first, end)), malformed);
          }
          const next = String.fromCharCode(key.charCodeAt(first) + 1);
          const changed = key.slice(0, first) + next + key.slice(first + 1);
          assert.throws(() => ledger.parseVerifierKey(changed), malformed, changed);
        }
        for (const other of [
          `${key}\n`,
          ` ${key}`,
          `${key}=`,
          key.replace('+', '+0'),
          key.toUpperCase(),
        ]) {
          assert.throws(() => ledger.parseVerifierKey(other), malformed, other);
        }
      }
      // What a caller without a type checker may hand in.
      for (const nothing of [undefined, null, 7, {}]) {
        assert.throws(() => ledger.parseVerifierKey(nothing as string), malformed);
      }
    },
  },
  {
    name: 'a text with blank lines survives signing and opening',
    run: (ledger) => {
      const signers = [signerOf(ledger), witnessOf(ledger, 0)];
      const note = ledger.signNote(TEXT, signers);
      const keys = signers.map(({ verifierKey }) => verifierKey);
      const opened = ledger.openNote(note, keys);
      assert.equal(opened.text, TEXT);
      assert.deepEqual(
        opened.signatures.map(({ key }) => key.text),
        keys.map(({ text }) => text),
      );
      assert.deepEqual(
        opened.signatures.map(({ seconds }) => seconds),
        [undefined, 1_772_442_003],
      );
    },
  },
  {
    name: 'one failing signature of a known key spoils a note that another one holds',
    run: (ledger) => {
      const [good, other] = [signerOf(ledger), signerOf(ledger, NEXT_LOG_SEED)];
      const wrongLine = other.line('another text\n');
      const keys = [good.verifierKey, other.verifierKey];
      const lines = good.line(TEXT) + wrongLine;
      assert.throws(() => ledger.openNote(`${TEXT}\n${lines}`, keys), untrusted);
      assert.deepEqual(ledger.openNote(`${TEXT}\n${lines}`, [good.verifierKey]).verifiedBy, [NAME]);
      // Also when the same key has a good line before it.
      const twice = good.line(TEXT) + good.line('another text\n');
      assert.throws(() => ledger.openNote(`${TEXT}\n${twice}`, keys), untrusted);
      const repeated = good.line(TEXT) + good.line(TEXT);
      assert.deepEqual(ledger.openNote(`${TEXT}\n${repeated}`, keys).verifiedBy, [NAME]);
    },
  },
  {
    name: 'a failing cosignature of a known witness spoils a note',
    run: (ledger) => {
      const [log, witness] = [signerOf(ledger), witnessOf(ledger, 0)];
      const keys = [log.verifierKey, witness.verifierKey];
      const wrong = `${TEXT}\n${log.line(TEXT)}${witness.line('another text\n')}`;
      assert.throws(() => ledger.openNote(wrong, keys), untrusted);
      assert.deepEqual(ledger.openNote(wrong, [log.verifierKey]).verifiedBy, [NAME]);
      // The time is signed too.
      const [mark, name, encoded = ''] = witness.line(TEXT).trimEnd().split(' ');
      const bytes = Buffer.from(encoded, 'base64');
      bytes[11] = (bytes[11] ?? 0) ^ 1;
      const later = `${mark} ${name} ${bytes.toString('base64')}\n`;
      assert.throws(() => ledger.openNote(`${TEXT}\n${log.line(TEXT)}${later}`, keys), untrusted);
      // A log's signature under a witness's name and id is none.
      const bare = Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(64)]).toString('base64');
      assert.throws(() => ledger.openNote(`${TEXT}\n— ${name} ${bare}\n`, keys), untrusted);
    },
  },
  {
    name: 'a key is known by name and id together',
    run: (ledger) => {
      const signer = signerOf(ledger);
      const sameName = signerOf(ledger, NEXT_LOG_SEED);
      const otherName = signerOf(ledger, LOG_SEED, 'example.com/other');
      const note = ledger.signNote(TEXT, [signer]);
      assert.throws(() => ledger.openNote(note, [sameName.verifierKey]), untrusted);
      assert.throws(() => ledger.openNote(note, [otherName.verifierKey]), untrusted);
      assert.throws(() => ledger.openNote(note, []), untrusted);
      const renamed = note.replace(`— ${NAME} `, '— example.com/other ');
      assert.throws(() => ledger.openNote(renamed, [otherName.verifierKey]), untrusted);
    },
  },
  {
    name: 'sixteen and a hundred signatures are read, a hundred and one are not',
    run: (ledger) => {
      const signer = signerOf(ledger);
      const strangers = (count: number): string =>
        Array.from({ length: count }, (_, index) => strangerLine(index)).join('');
      for (const count of [15, 99]) {
        const note = `${TEXT}\n${strangers(count)}${signer.line(TEXT)}`;
        assert.deepEqual(ledger.openNote(note, [signer.verifierKey]).verifiedBy, [NAME]);
      }
      const tooMany = `${TEXT}\n${strangers(100)}${signer.line(TEXT)}`;
      assert.throws(() => ledger.openNote(tooMany, [signer.verifierKey]), malformed);
    },
  },
  {
    name: 'what is not exactly a note is refused as malformed',
    run: (ledger) => {
      const signer = signerOf(ledger);
      const note = ledger.signNote(TEXT, [signer]);
      const loose = note.replace(/(.)=\n$/, (_, last: string) => `${nextLetter(last)}=\n`);
      const signature = signer.line(TEXT);
      const cases: readonly [string, string | Uint8Array][] = [
        ['CRLF', note.replaceAll('\n', '\r\n')],
        ['one carriage return', note.replace('one', 'one\r')],
        ['a tab', note.replace('one', 'one\t')],
        ['a null', note.replace('one', 'one\u0000')],
        ['loose bits in base64', loose],
        ['base64 without padding', note.replace(/=+\n$/, '\n')],
        ['base64 of URLs', note.replace(/\/|\+(?=[^ ]*\n$)/g, '_')],
        ['no space before the signature', signature.replace(/ (?=[^ ]*$)/, '')],
        ['two spaces', note.replace(/ (?=[^ ]*\n$)/, '  ')],
        ['a hyphen', note.replace('—', '-')],
        ['a plus sign in a name', note.replace(`— ${NAME}`, '— example.com+log')],
        ['an exotic space in a name', note.replace(`— ${NAME}`, '— example.com\u2003log')],
        ['an empty name', note.replace(`— ${NAME} `, '—  ')],
        ['a signature of a key id alone', `${TEXT}\n— ${NAME} AAAAAA==\n`],
        ['an empty signature', `${TEXT}\n— ${NAME} \n`],
        ['a blank line at the end', `${note}\n`],
        ['a signature block that begins with a stray line', `${TEXT}\nx\n${signature}`],
        ['half a surrogate pair', note.replace('one', '\ud800')],
        ['bytes that are not UTF-8', Buffer.concat([Uint8Array.of(0x80), Buffer.from(note)])],
        ['nothing', ''],
        ['a million bytes', `${'x'.repeat(1_000_000)}\n\n${signature}`],
      ];
      for (const [name, broken] of cases) {
        assert.throws(() => ledger.openNote(broken, [signer.verifierKey]), malformed, name);
      }
      // What a caller without a type checker may hand in.
      assert.throws(() => ledger.openNote(undefined as unknown as string, []), malformed);
    },
  },
];

// The last letter before one padding sign carries two bits that mean nothing.
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters[letters.indexOf(letter) + 1] ?? '';
}
