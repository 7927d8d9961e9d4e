/** Damaged and hostile feeds: refused with a line, never half applied, never a crash. */
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import type { FeedFormat } from '../../src/grants/rules/feeds/feed-events.ts';
import { readFeed } from '../../src/grants/rules/feeds/read-feed.ts';
import { chunked, eventsOf, fixture, refusalOf } from './support.ts';

const SAMPLES: readonly { file: string; format: FeedFormat }[] = [
  { file: 'reco-001.camt053.xml', format: 'camt.053' },
  { file: 'reco-001.camt052.xml', format: 'camt.052' },
  { file: 'reco-001.ofx', format: 'ofx' },
  { file: 'reco-001.bai2.txt', format: 'bai2' },
  { file: 'reco-001.mt940.txt', format: 'mt940' },
  { file: 'reco-001.nacha-ccdplus.ach', format: 'nacha' },
];
const THIRD_PARTY: readonly { file: string; format: FeedFormat }[] = [
  { file: 'thirdparty-bai2-sample2.txt', format: 'bai2' },
  { file: 'thirdparty-bai2-sample3.txt', format: 'bai2' },
  { file: 'thirdparty-ach-ctx-debit.ach', format: 'nacha' },
  { file: 'thirdparty-camt053.v2.multi.statement.xml', format: 'camt.053' },
];

/** Reads to the end, or gives the refusal; anything else that is thrown fails the test. */
async function outcomeOf(
  bytes: Uint8Array,
  format: FeedFormat | 'detect',
  chunkBytes = bytes.length || 1,
): Promise<'end' | FilewrightError> {
  let last = '';
  try {
    for await (const event of readFeed(format, chunked(bytes, chunkBytes))) last = event.kind;
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    expect(error.details['line']).toBeGreaterThanOrEqual(1);
    expect(error.details['reason']).not.toBe('');
    expect(error.details['remedy']).not.toBe('');
    expect(last).not.toBe('end');
    return error;
  }
  expect(last).toBe('end');
  return 'end';
}

describe('a feed that is cut off', () => {
  it.each(SAMPLES)('$file is refused at every length', async ({ file, format }) => {
    const bytes = fixture(file);
    // Every length near the end, where a cut is hardest to see; a sample of the others.
    for (let length = 0; length < bytes.length; length += length > bytes.length - 300 ? 1 : 13) {
      const rest = bytes.subarray(length).toString();
      // What is missing holds nothing: line ends, the last slash, the dash after an MT940 message.
      if (/^[\s/-]*$/.test(rest)) continue;
      const outcome = await outcomeOf(bytes.subarray(0, length), format);
      expect(outcome, `the first ${length} bytes`).not.toBe('end');
    }
  });
});

describe('one changed digit', () => {
  const AMOUNTS: readonly { file: string; format: FeedFormat; amount: RegExp }[] = [
    { file: 'reco-001.camt053.xml', format: 'camt.053', amount: /(?<=<Amt Ccy="USD">)[\d.]+/g },
    { file: 'reco-001.bai2.txt', format: 'bai2', amount: /(?<=^(?:16,\d{3}|49|98|99),)\d+/gm },
    { file: 'reco-001.mt940.txt', format: 'mt940', amount: /(?<=[CD]|USD)\d+,\d\d/g },
    { file: 'reco-001.nacha-ccdplus.ach', format: 'nacha', amount: /(?<=^622.{26})\d{10}/gm },
  ];

  it.each(AMOUNTS)('in an amount of $file is noticed', async ({ file, format, amount }) => {
    const text = fixture(file).toString();
    let changed = 0;
    for (const match of text.matchAll(amount)) {
      // The pending entry of the camt sample is in no balance.
      if (/PDNG/.test(text.slice(match.index, match.index + 90))) continue;
      for (let at = match.index; at < match.index + match[0].length; at += 1) {
        const digit = text[at] ?? '';
        if (!/\d/.test(digit)) continue;
        const other = String((Number(digit) + 3) % 10);
        const outcome = await outcomeOf(
          Buffer.from(text.slice(0, at) + other + text.slice(at + 1)),
          format,
        );
        expect(outcome, `${match[0]}, digit ${at - match.index}`).not.toBe('end');
        changed += 1;
      }
    }
    expect(changed).toBeGreaterThan(15);
  });

  it('in the routing number or the hash of a NACHA entry is noticed', async () => {
    const text = fixture('reco-001.nacha-ccdplus.ach').toString();
    const refusal = await refusalOf(text.replace('622123456780', '622123456880'));
    expect(refusal).toMatchObject({ code: 'FEED_INCONSISTENT', details: { line: 7, column: 11 } });
    expect(refusal.message).toContain('entry hash');
  });
});

describe('fuzzed bytes', () => {
  // A few thousand in all; each seed replays exactly. More of them on demand.
  const SEEDS = Number(process.env['FILEWRIGHT_FEED_SEEDS'] ?? 450);

  it.each([...SAMPLES, ...THIRD_PARTY])(
    '$file, mutated, is read or refused, whatever the chunks',
    async ({ file, format }) => {
      const bytes = fixture(file);
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const dice = diceOf(seed);
        const mutated = mutate(bytes, dice);
        const asked = seed % 4 === 0 ? 'detect' : format;
        const whole = await outcomeOf(mutated, asked);
        if (seed % 9 !== 0) continue;
        const pieces = await outcomeOf(mutated, asked, 1 + Math.floor(dice() * 40));
        expect(describeOutcome(pieces), `seed ${seed}`).toBe(describeOutcome(whole));
      }
    },
    Math.max(60_000, SEEDS * 100),
  );

  it('random bytes are refused by every reader', async () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const dice = diceOf(seed);
      const bytes = Uint8Array.from({ length: Math.floor(dice() * 300) }, () =>
        Math.floor(dice() * 256),
      );
      for (const { format } of SAMPLES) expect(await outcomeOf(bytes, format)).not.toBe('end');
      expect(await outcomeOf(bytes, 'detect')).not.toBe('end');
    }
  });
});

describe('hostile XML', () => {
  const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
  const inStatement = (inner: string): string =>
    `<?xml version="1.0"?>\n<Document xmlns="${NAMESPACE}">\n<BkToCstmrStmt><Stmt>\n${inner}`;

  it('an entity bomb is refused at its document type', async () => {
    const bomb = `<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY lol "lol">\n${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at + 1} "${`&lol${at === 0 ? '' : at};`.repeat(10)}">`).join('\n')}\n]>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>&lol9;</BkToCstmrStmt></Document>`;
    for (const format of ['camt.053', 'ofx'] as const) {
      const refusal = await refusalOf(bomb, format);
      expect(refusal.code).toBe('FEED_MALFORMED');
      expect(refusal.message).toContain('DOCTYPE');
      expect(refusal.details['line']).toBe(2);
    }
  });

  it('an external entity and an unknown one are refused', async () => {
    const outside = `<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><Document xmlns="${NAMESPACE}"/>`;
    expect((await refusalOf(outside)).message).toContain('DOCTYPE');
    expect((await refusalOf(inStatement('<Id>&passwd;</Id>'))).details['line']).toBe(4);
  });

  it('a nesting bomb is refused at its depth', async () => {
    const refusal = await refusalOf(inStatement('<Ntry>\n'.repeat(1_000_000)));
    expect(refusal.code).toBe('INPUT_LIMIT');
    expect(refusal.details['line']).toBe(65);
    const sgml = `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>${'<A>'.repeat(1_000_000)}`;
    expect((await refusalOf(sgml)).code).toBe('INPUT_LIMIT');
  });

  const ENDLESS = [
    { name: 'a text', start: '<Id>', more: 'x' },
    { name: 'a tag name', start: '<', more: 'x' },
    { name: 'an attribute', start: '<Id a="', more: 'x' },
    { name: 'attributes', start: '<Id ', more: 'a="1" \n' },
    { name: 'a comment', start: '<!--', more: 'x' },
    { name: 'a CDATA section', start: '<Id><![CDATA[', more: 'x' },
    { name: 'an instruction', start: '<?x ', more: 'x' },
    { name: 'a text in pieces', start: '<Id>', more: 'xxxxxxxx<!---->' },
    { name: 'an entry', start: '<Ntry>', more: '<Amt Ccy="USD">1</Amt>' },
    { name: 'the payments of an entry', start: '<Ntry><NtryDtls>', more: '<TxDtls></TxDtls>' },
    { name: 'foreign nesting', start: '', more: '<x:y xmlns:x="u">' },
  ];

  it.each(ENDLESS)('$name without an end is refused before it fills the heap', async (endless) => {
    let given = 0;
    async function* forever(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(inStatement(endless.start));
      const piece = Buffer.from(endless.more.repeat(Math.ceil(8192 / endless.more.length)));
      // Eight megabytes and no more: the refusal must come long before.
      for (; given < 8e6; given += piece.length) yield piece;
    }
    const reading = (async () => {
      for await (const _ of readFeed('camt.053', forever())) {
        // Events before the refusal are not looked at.
      }
    })();
    await expect(reading).rejects.toMatchObject({ details: { line: expect.any(Number) } });
    expect(given).toBeLessThan(2e6);
  });

  it('a document type without an end is refused', async () => {
    const refusal = await refusalOf(
      `<!DOCTYPE x [${'<!ENTITY a "a">'.repeat(100_000)}`,
      'camt.053',
    );
    expect(refusal).toBeInstanceOf(FilewrightError);
  });
});

describe('lines without an end', () => {
  it.each(['bai2', 'mt940', 'nacha', 'ofx'] as const)('%s', async (format) => {
    const start = { bai2: '01,', mt940: ':20:', nacha: '101 ', ofx: 'OFXHEADER:100\n<OFX><A>' };
    const refusal = await refusalOf(start[format] + 'x'.repeat(3_000_000), format);
    expect(refusal).toBeInstanceOf(FilewrightError);
  });
});

describe('records without an end', () => {
  const WORD = 'x'.repeat(60_000);
  const RECORDS = [
    {
      format: 'bai2',
      start: '01,S,R,260320,2100,1,,,2/\n02,R,S,1,260302,,,2/\n03,1,,/\n16,142,1,D,999,',
      more: `88,${WORD} \n`,
    },
    {
      format: 'bai2',
      start: '01,S,R,260320,2100,1,,,2/\n02,R,S,1,260302,,,2/\n03,1,,/\n16,142,1,,,,T\n',
      more: `88,${WORD} \n`,
    },
    {
      format: 'mt940',
      start: ':20:R\n:25:1\n:28C:1\n:60F:C260301USD0,\n:61:260302C0,NMSCA\n:86:T\n',
      more: `${WORD} \n`,
    },
  ] as const;

  it.each(RECORDS)('$format, $start', async ({ format, start, more }) => {
    const refusal = await refusalOf(start + more.repeat(200), format);
    expect(refusal.code).toBe('INPUT_LIMIT');
  });

  it('long words cost no more than their length', async () => {
    const word = `${'x'.repeat(60_000)} `;
    const text = `:20:R\n:25:1\n:28C:1\n:60F:C260301USD0,\n${`:61:260302C0,NMSCA\n:86:${word}\n${word}\n${word}\n`.repeat(40)}:62F:C260301USD0,\n`;
    // Seven megabytes: a second at most, where the square of the length would be minutes.
    expect((await eventsOf(text)).at(-1)).toMatchObject({ kind: 'end', lines: 40 });
  });
});

describe('encodings and control characters', () => {
  const camt = fixture('reco-001.camt053.xml');

  it('a byte that is not UTF-8 is refused with line and column, in chunks of any size', async () => {
    const at = camt.indexOf('HHS PMS');
    const bytes = Buffer.concat([camt.subarray(0, at), Buffer.from([0xe9]), camt.subarray(at)]);
    for (const chunkBytes of [1, 3, bytes.length]) {
      const outcome = await outcomeOf(bytes, 'camt.053', chunkBytes);
      expect(outcome).toMatchObject({ details: { line: 20, column: 94 } });
    }
  });

  it('characters of two, three and four bytes may be cut between chunks', async () => {
    const name = 'Größe 東京 €𝄞';
    const bytes = Buffer.from(camt.toString().replaceAll('HHS PMS', name));
    for (const chunkBytes of [1, 2, 3, 5, bytes.length]) {
      const events = await eventsOf(bytes, { format: 'camt.053', chunkBytes });
      expect(events[1]).toMatchObject({ counterparty: name });
    }
  });

  it.each(SAMPLES)('$file with the beginning of one more character is refused', async (sample) => {
    const bytes = Buffer.concat([fixture(sample.file), Buffer.from([0xe2, 0x82])]);
    const outcome = await outcomeOf(bytes, sample.format);
    expect(outcome).toMatchObject({ message: expect.stringContaining('in the middle of a') });
  });

  it('the mark of UTF-8 is passed over, that of UTF-16 refused', async () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), camt]);
    for (const chunkBytes of [1, marked.length]) {
      expect(await eventsOf(marked, { format: 'camt.053', chunkBytes })).toHaveLength(17);
    }
    const utf16 = Buffer.from(`\uFEFF${camt.toString()}`, 'utf16le');
    expect((await refusalOf(utf16)).message).toContain('UTF-16');
    expect((await refusalOf(utf16, 'camt.053')).code).toMatch(/^FEED_/);
  });

  it('another declared encoding is refused', async () => {
    const declared = camt.toString().replace('encoding="UTF-8"', 'encoding="KOI8-R"');
    expect(await refusalOf(declared)).toMatchObject({
      code: 'FEED_UNSUPPORTED',
      details: { line: 1 },
    });
  });

  it.each(SAMPLES)('a control character in $file is refused with its line', async (sample) => {
    const text = fixture(sample.file).toString();
    const at = text.indexOf('\n', text.length / 2) + 1;
    const line = text.slice(0, at).split('\n').length;
    for (const control of ['\u0000', '\u0007', '\u001B', '\u007F', '\u0085', '\uFEFF']) {
      const refusal = await refusalOf(text.slice(0, at) + control + text.slice(at), sample.format);
      expect(refusal.details['line']).toBe(line);
    }
  });
});

function describeOutcome(outcome: 'end' | FilewrightError): string {
  return outcome === 'end' ? outcome : `${outcome.code} ${outcome.message}`;
}

function diceOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One to four damages: other bytes, lost and doubled ranges, marks of the formats, swapped lines. */
function mutate(original: Uint8Array, dice: () => number): Uint8Array {
  let bytes = Buffer.from(original);
  const pick = (below: number): number => Math.floor(dice() * below);
  for (let count = 1 + pick(4); count > 0; count -= 1) {
    const at = pick(bytes.length);
    const to = Math.min(bytes.length, at + pick(60));
    const before = bytes.subarray(0, at);
    switch (pick(7)) {
      case 0:
        bytes[at] = pick(256);
        break;
      case 1:
        bytes = Buffer.concat([before, bytes.subarray(to)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
        break;
      case 3: {
        const marks = ['<', '>', '/', ',', ':61:', '88,', '\n', '&amp;', '-', '0', '9', ']]>', '"'];
        bytes = Buffer.concat([
          before,
          Buffer.from(marks[pick(marks.length)] ?? ''),
          bytes.subarray(at),
        ]);
        break;
      }
      case 4: {
        const lines = bytes.toString('latin1').split('\n');
        const [one, other] = [pick(lines.length), pick(lines.length)];
        [lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? ''];
        bytes = Buffer.from(lines.join('\n'), 'latin1');
        break;
      }
      case 5: {
        const digit = bytes.findIndex((byte, place) => place >= at && byte >= 0x30 && byte <= 0x39);
        if (digit !== -1) bytes[digit] = 0x30 + pick(10);
        break;
      }
      default:
        bytes = Buffer.concat([before, bytes.subarray(at, to).reverse(), bytes.subarray(to)]);
    }
  }
  return bytes;
}
