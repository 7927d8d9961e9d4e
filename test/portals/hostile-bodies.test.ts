/** The adversary is a portal: whatever it answers ends no worker, and keeps none from beating for its lease. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../src/core/canonical-json.ts';
import type { Answer } from '../../src/core/exchange.ts';
import { exchangeJson } from '../../src/filings/delivery/evidence.ts';
import { PageReader } from '../../src/lanes/portals/page-reader.ts';
import { placeFor } from '../../src/lanes/portals/page-scan.ts';
import { classifySend, classifyStatus } from '../../src/lanes/rules/classify.ts';
import { violationsOf } from '../../src/lanes/rules/violations.ts';
import { LEASE_MS } from '../../src/lanes/store/slots.ts';
import { build } from '../fixtures/built-tree.ts';
import { HostilePortal } from './hostile-generator.ts';
import { DONE, FORM, html } from './own-pages.ts';
import { NOON, shipped } from './world.ts';

/** A hundred thousand, before a release: in one run, or in pieces with a seed each. */
const PAGES = Number(process.env['FILEWRIGHT_HOSTILE_PAGES'] ?? 3_000);
const SEED = Number(process.env['FILEWRIGHT_HOSTILE_SEED'] ?? 15);
/** A worker beats three times in a lease; one beat may come late. */
const SILENCE_MS_MAX = LEASE_MS / 3;
/** As many lanes as are read at once. */
const LANES = 4;

const NY = shipped('us-ny');
const DE = shipped('us-de');
const own = (): string => 'k-1';

let reader: PageReader | undefined;
beforeAll(build);
afterEach(() => reader?.close());

function answer(body: string | Uint8Array): Answer {
  return {
    kind: 'answer',
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(body),
    bodyEnd: 'whole',
    bodySha256: '0'.repeat(64),
    elapsedMs: 1,
  };
}

/** The longest time in which this thread could not have beaten. */
async function silenceOf(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const beat = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, 10);
  await work();
  clearInterval(timer);
  beat();
  return longest;
}

describe('a hostile page', () => {
  it.each<[string, string]>([
    ['54 kB of nested spans', '<span>'.repeat(9_000)],
    ['225 kB of nested spans', '<span>'.repeat(37_500)],
    ['spans that only seem to be closed', '<span title="</span>">'.repeat(40_000)],
    ['ends of what never began', '<span></b>'.repeat(40_000)],
    ['a tag of 200,000 attributes', `<p ${many((n) => `a${n}`, 200_000)}>`],
    [
      'formatting that every paragraph repeats',
      `<p>${many((n) => `<b a${n}>`, 1_900)}</p>${'<p>x'.repeat(90_000)}`,
    ],
    [
      'a receipt inside a receipt inside a receipt',
      '<b id=receipt>'.repeat(1_900) + 'x'.repeat(1_500_000),
    ],
  ])('%s is no page, and nothing waits for it', async (_name, body) => {
    reader = new PageReader();
    const pages = reader;
    let read: Answer | undefined;
    const silence = await silenceOf(async () => {
      read = await pages.withReading(answer(html(body)), NY);
    });
    expect(silence).toBeLessThan(SILENCE_MS_MAX);
    expect(read === undefined ? '' : classifySend(read, NY, own, NOON).kind).toBe('unknown');
    // The next one is read as ever.
    const next = await pages.withReading(answer(html(DONE)), NY);
    expect(next.page?.texts['#receipt']).toBe('NY-12345');
  });

  it('holds up no page of another lane for longer than it may take itself', async () => {
    reader = new PageReader();
    const slow = answer(html(`<p ${many((n) => `a${n}`, 200_000)}>`));
    const first = reader.read(slow, NY);
    const large = answer(html(`${'<p>x</p>'.repeat(3_000)}${FORM}`));
    expect(placeFor(Buffer.from(large.body).toString())).toBe('apart');
    const facts = await Promise.race([reader.read(large, NY), first.then(() => 'too late')]);
    expect(facts).toMatchObject({ reading: { kind: 'form' } });
  });

  it('of an honest portal is read the same by both ways', async () => {
    reader = new PageReader();
    const small = await reader.read(answer(html(FORM + DONE)), NY);
    const large = await reader.read(answer(html(`${FORM}${DONE}<!--${' '.repeat(20_000)}-->`)), NY);
    expect(large).toEqual(small);
    expect(small).toMatchObject({ reading: { kind: 'form', texts: { '#receipt': 'NY-12345' } } });
  });
});

describe('a hostile body', () => {
  it.each<[string, string]>([
    ['eight megabytes of brackets', '['.repeat(4_000_000) + ']'.repeat(4_000_000)],
    ['brackets behind strings that close them', '["]",'.repeat(1_000_000)],
    ['a million keys', `{${many((n) => `"k${n}":1`, 700_000, ',')}}`],
  ])('%s is no JSON, within a moment', async (_name, body) => {
    const silence = await silenceOf(async () => {
      const { kind } = classifySend(answer(body), DE, own, NOON);
      expect(kind).toBe('unknown');
      await Promise.resolve();
    });
    expect(silence).toBeLessThan(SILENCE_MS_MAX);
  });
});

it(`${PAGES} hostile pages and bodies end nothing, prove nothing and cost no lease`, {
  timeout: 60_000 + PAGES * 30,
}, async () => {
  reader = new PageReader();
  const pages = reader;
  const portal = new HostilePortal(SEED);
  let left = PAGES;
  let accepted = 0;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const said = portal.next();
      const page = await pages.withReading(said, NY);
      for (const [one, profile] of [
        [page, NY],
        [said, DE],
      ] as const) {
        if (classifySend(one, profile, own, NOON).kind === 'accepted') accepted += 1;
        if (classifyStatus(one, profile, own, NOON).kind === 'accepted') accepted += 1;
      }
      violationsOf(said.body);
      canonicalBytes(exchangeJson(page));
      // As a socket would: the beat has its turn between two answers.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const silence = await silenceOf(async () => {
    await Promise.all(Array.from({ length: LANES }, lane));
  });
  expect(accepted).toBe(0);
  expect(silence).toBeLessThan(SILENCE_MS_MAX);
});

function many(one: (n: number) => string, count: number, between = ' '): string {
  return Array.from({ length: count }, (_, n) => one(n)).join(between);
}
