/** `grants evaluate` with a data set of files: JSON events and the bank's own feeds give the same matches. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, ROOT } from '../fixtures/built-tree.ts';

const MAIN = join(ROOT, process.env['FILEWRIGHT_TEST_DIST'] ?? 'dist', 'cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'fw-grants-'));

beforeAll(() => build());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bank = (name: string): string => join(ROOT, 'test', 'fixtures', 'bank', name);

function evaluated(cases: readonly object[]): readonly Readonly<Record<string, unknown>>[] {
  const input = cases
    .map((each, n) => JSON.stringify({ id: `C${n}`, kind: 'reconcile.match', input: each }))
    .join('\n');
  const { stdout } = spawnSync(process.execPath, [MAIN, 'grants', 'evaluate', '--json'], {
    cwd: folder,
    input,
    encoding: 'utf8',
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('takes a feed by its path, in whatever format, and finds an event by the bank’s number', () => {
  const ledger = bank('reco-001.ledger.json');
  const of = (feed: string) => ({ ledger, bank: bank(feed), bankEvent: 'TRN260302-0001' });
  const feeds = ['reco-001.camt053.xml', 'reco-001.ofx', 'reco-001.expected.json'];
  const answers = evaluated(feeds.map(of));
  for (const answer of answers) {
    expect(answer).toMatchObject({
      result: { rule: 'P1-reference-exact', ledger: ['L01'], status: 'matched' },
    });
  }
  expect(answers).toHaveLength(3);
});

it('answers for each file that is not there or cannot be read, and goes on', () => {
  const broken = join(folder, 'broken.xml');
  writeFileSync(broken, '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><Bk');
  const ledger = bank('reco-001.ledger.json');
  const answers = evaluated([
    { ledger, bank: 'nowhere.xml', bankEvent: 'B01' },
    { ledger, bank: [broken], bankEvent: 'B01' },
    { ledger: broken, bank: bank('reco-001.expected.json'), bankEvent: 'B01' },
    { dataset: 'reco-001', bankEvent: 'B01' },
  ]);
  expect(answers.map((answer) => (answer['error'] as { code?: string } | undefined)?.code)).toEqual(
    ['NOT_FOUND', 'FEED_MALFORMED', 'CASE_INVALID', undefined],
  );
});
