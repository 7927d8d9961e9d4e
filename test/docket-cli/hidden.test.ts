/**
 * Hidden matters answer exactly like unknown ones. Each surface is compared with a second firm in which the hidden
 * matters do not exist at all: whoever may not see them must not be able to tell the two firms apart.
 */
import { targetId } from '../../src/core/index.ts';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPARED, shownRun } from '../../src/dockets/acts/recovery-shown.ts';
import { instant } from '../../src/core/time.ts';
import type { DeskLine } from './desk-line.ts';
import { pdfTexts } from './pdf-text.ts';
import { comparable, EVENTS, isRuizs, SECRETS, TwinFirms } from './twin-firms.ts';

let twins: TwinFirms;
let desk: DeskLine;

beforeAll(async () => {
  twins = await TwinFirms.make();
  ({ desk } = twins);
});
afterAll(() => desk.close());

describe('the two firms are different for who may see everything', () => {
  it('has three matters more in the one', async () => {
    expect(twins.hidden).toHaveLength(3);
    expect(twins.seen).toHaveLength(2);
    const [one, two] = [
      await desk.data(['docket', 'list'], twins.hart('main')),
      await desk.data(['docket', 'list'], twins.hart('bare')),
    ];
    expect([one['total'], two['total']]).toEqual([5, 2]);
  });
});

describe('and the same for who may not', () => {
  it.each([
    ['lists and their totals', ['--json', 'docket', 'list']],
    ['the list on the screen', ['docket', 'list']],
    ['a list that is cut', ['--json', 'docket', 'list', '--limit', '1']],
    ['a list of what a hidden owner has', ['--json', 'docket', 'list', '--owner', 'moreau']],
    ['closed ones', ['--json', 'docket', 'list', '--closed']],
    ['the report and its counts', ['--json', 'docket', 'report']],
    ['the report on the screen', ['docket', 'report']],
    ['the matrix', ['--json', 'route', 'show']],
    ['recovery', ['--json', 'recovery', 'status', '--all']],
  ])('%s', async (_surface, words) => {
    const [one, two] = await twins.bothSay(() => words);
    expect(one).toBe(two);
    expect(one).not.toMatch(SECRETS);
  });

  it('the report as table, pages and calendar', async () => {
    const drawn = (firm: string, ending: string): string => desk.path(`${firm}-report.${ending}`);
    await twins.bothSay((firm) => [
      'docket',
      'report',
      ...['csv', 'pdf', 'ics'].flatMap((ending) => [`--${ending}`, drawn(firm, ending)]),
    ]);
    const texts = (firm: string): string =>
      comparable(
        [
          readFileSync(drawn(firm, 'csv'), 'utf8'),
          readFileSync(drawn(firm, 'ics'), 'utf8'),
          JSON.stringify(pdfTexts(readFileSync(drawn(firm, 'pdf')))),
        ].join('\n'),
      );
    expect(texts('main')).toBe(texts('bare'));
    expect(texts('main')).toContain('18/300101');
  });

  it('what an import counts: a hidden matter that exists, or conflicts, is as new as any other', async () => {
    const others = EVENTS.filter((line) => !isRuizs(line));
    // Ruiz may bring any file, and the hidden matters of the first firm are already there.
    const other = others.map((line) => line.replace('"title":"', '"title":"Other '));
    for (const [name, lines] of [
      ['same', others],
      ['other', other],
    ] as const) {
      const file = await desk.file(`again-${name}.ndjson`, `${lines.join('\n')}\n`);
      const [one, two] = await twins.bothSay(() => [
        '--json',
        'docket',
        'import',
        file,
        '--dry-run',
      ]);
      expect(one).toBe(two);
      expect(one).toContain('"created":3,"changed":0,"unchanged":0');
    }
    const file = desk.path('again-other.ndjson');
    const done = await desk.data(['docket', 'import', file], twins.ruiz('main'));
    expect(done).toMatchObject({ created: 3, unchanged: 0, changed: 0 });
    const told = await desk.data(['docket', 'import', file], twins.hart('main'), 5);
    expect(told).toMatchObject({ created: 0, changed: 3 });
  });

  it('what an import counts: an event that the file holds twice is a repeat, whatever is hidden', async () => {
    const [other = ''] = EVENTS.filter((line) => !isRuizs(line));
    // With a group of hers, so that she would see it if it were new.
    const hers = other.replace('"ELEC"', '"BIO"');
    const file = await desk.file('twice.ndjson', `${hers}\n${hers}\n`);
    const words = ['--json', 'docket', 'import', file];
    const [one, two] = await twins.bothSay(() => [...words, '--dry-run']);
    expect(one).toBe(two);
    expect(one).toContain('"created":1,"changed":0,"unchanged":1');
    const done = await desk.data(['docket', 'import', file], twins.ruiz('main'));
    expect(done).toMatchObject({ created: 1, unchanged: 1, changed: 0 });
  });

  it('recovery: what checks counted or found in dockets stays in the ledger', () => {
    const at = instant(0);
    const evidenceOf = (step: string, evidence: object) =>
      ({ n: 1, step, verdict: 'good', at, by: 'router', evidence }) as const;
    const shown = shownRun({
      run: 'r',
      target: targetId('bio-endpoint'),
      startedAt: at,
      mode: 'automatic',
      state: { state: 'awaiting_approval', since: at, reasons: ['3 twice', 'a person started it'] },
      nextAt: undefined,
      breaker: { state: 'closed', failures: 0 },
      evidence: [
        evidenceOf('health', { status: 200 }),
        evidenceOf('schema', {
          sample: 'fallback log',
          why: 'filing_date: 2024-02-30',
          faults: ['x'],
        }),
        evidenceOf('drain', { duplicates: 3, now: [{ queue: 'filewright', backlog: 3 }] }),
        evidenceOf('reconciliation', { passed: 3, differences: { missing: 3 } }),
      ],
      differences: [],
    });
    expect(JSON.stringify(shown)).not.toMatch(/\b3\b|2024-02-30/);
    expect(shown.evidence[0]?.evidence).toEqual({ status: 200 });
    expect(shown.state).toMatchObject({ reasons: [COMPARED, 'a person started it'] });
  });

  const WHY = 'Because the file says so.';
  const unknown = `fwo1-${'0'.repeat(32)}`;
  it.each([
    ['show', (id: string) => ['docket', 'show', id]],
    ['its payload', (id: string) => ['docket', 'show', id, '--payload']],
    ['ack', (id: string) => ['docket', 'ack', id]],
    ['close as seen', (id: string) => ['docket', 'close', id, '--seen']],
    [
      'close by override',
      (id: string) => ['docket', 'close', id, '--override', 'The client is gone.'],
    ],
    ['close with a bad reason', (id: string) => ['docket', 'close', id, '--override', 'x']],
    [
      'close with proof',
      (id: string) => [
        'docket',
        'close',
        id,
        '--receipt',
        'R',
        '--filed-at',
        '2026-11-14T10:00:00Z',
      ],
    ],
    ['accept', (id: string) => ['docket', 'accept', id, '--record', '2', '--reason', WHY]],
    ['decline', (id: string) => ['docket', 'decline', id, '--record', '2', '--reason', WHY]],
    ['dispute', (id: string) => ['docket', 'dispute', id, '--period', 'P1M', '--reason', WHY]],
    ['approve', (id: string) => ['docket', 'approve', id, '--expect-hash', '0'.repeat(64)]],
    ['refuse', (id: string) => ['docket', 'refuse', id, '--reason', WHY]],
    ['decide', (id: string) => ['docket', 'decide', id, '--for', 'first', '--reason', WHY]],
    ['reveal', (id: string) => ['docket', 'reveal', id, '--reason', WHY]],
    ['give', (id: string) => ['docket', 'give', id, '--to', 'moreau', '--reason', WHY]],
    [
      'second',
      (id: string) => ['docket', 'second', id, '--event', 'CTNF', '--event-date', '2026-11-02'],
    ],
    ['diagnose', (id: string) => ['diagnose', 'route', id]],
    ['review', (id: string) => ['recovery', 'review', id]],
  ])('the error of %s', async (_surface, words) => {
    const known = twins.hidden[0] ?? '';
    for (const json of [[], ['--json']]) {
      const one = await desk.run([...json, ...words(known)], twins.ruiz('main'));
      const two = await desk.run([...json, ...words(unknown)], twins.ruiz('main'));
      const plain = (ended: object): string =>
        JSON.stringify(ended).replaceAll(known, 'ID').replaceAll(unknown, 'ID');
      expect(plain(one)).toBe(plain(two));
      expect(one.code).toBe(3);
    }
  });

  it('someone who is not in the people file sees no docket at all', async () => {
    const stranger = await desk.person('Nora Nobody', twins.hart('main'));
    expect(await desk.data(['docket', 'list'], stranger)).toEqual({ dockets: [], total: 0 });
    expect((await desk.run(['docket', 'show', twins.seen[0] ?? ''], stranger)).code).toBe(3);
    const named = await desk.person('bio-team', twins.hart('main'));
    expect(await desk.data(['docket', 'list'], named)).toEqual({ dockets: [], total: 0 });
  });
});
