/**
 * Hidden matters answer exactly like unknown ones. Each surface is compared with a second firm in which the hidden
 * matters do not exist at all: whoever may not see them must not be able to tell the two firms apart.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guarded } from '../../src/acts/dockets/recovery.ts';
import { instant } from '../../src/core/index.ts';
import { textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { pdfTexts } from './pdf-text.ts';

let desk: DeskLine;
/** The firm with hidden matters, and the one without them. */
const firms = ['main', 'bare'] as const;
const ruiz = new Map<string, Person>();
const hart = new Map<string, Person>();
/** Ids of dockets that Ruiz may not see, in the firm that has them. */
let hidden: string[] = [];
let seen: string[] = [];

const EVENTS = readFileSync('samples/patent-docket.ndjson', 'utf8').trim().split('\n');
const isRuizs = (line: string): boolean => line.includes('"BIO"');

beforeAll(async () => {
  desk = await DeskLine.make();
  for (const firm of firms) {
    const admin = await desk.person('Judith Hart', undefined, firm);
    hart.set(firm, admin);
    ruiz.set(firm, await desk.person('Elena Ruiz', admin, firm));
    const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
    await desk.data(['route', 'import', ...files], admin);
  }
  for (const line of EVENTS) {
    // One after the other, since what came at the same moment is listed by ids, which differ between two firms.
    const file = await desk.file('event.ndjson', `${line}\n`);
    await desk.data(['docket', 'import', file], as('main', hart));
    if (isRuizs(line)) await desk.data(['docket', 'import', file], as('bare', hart));
  }
  const everything = listAt(await desk.data(['docket', 'list'], as('main', hart)), 'dockets');
  const idOf = (one: unknown): string => textAt(one, 'docket');
  seen = everything.filter((one) => one['technologyGroup'] === 'BIO').map(idOf);
  hidden = everything.filter((one) => one['technologyGroup'] !== 'BIO').map(idOf);
}, 60_000);
afterAll(() => desk.close());

function as(firm: string, who: ReadonlyMap<string, Person>): Person {
  const person = who.get(firm);
  if (person === undefined) throw new Error(`nobody in ${firm}`);
  return person;
}

/** Ids and moments differ between two firms by nature; each id becomes its place in the text. */
function comparable(text: string): string {
  const ids: string[] = [];
  return text
    .replaceAll(/fwo1-[0-9a-f]+|[0-9a-f]{40}@filewright|#[0-9a-f]{8}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `ID${ids.indexOf(id)}`;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT')
    .replaceAll(/DTSTAMP:\w+/g, 'DTSTAMP')
    .replaceAll(/"(at|asOf|since|until|notBefore|activatedAt)":\d+/g, '"$1":0')
    .replaceAll(/\bmain\b|\bbare\b/g, 'FIRM')
    .replaceAll(/\b01[0-9a-f]{6}-[0-9a-f-]{27}\b/g, 'UUID');
}

async function bothSay(words: (firm: string) => readonly string[]): Promise<[string, string]> {
  const said: string[] = [];
  for (const firm of firms) {
    const { code, stdout, stderr } = await desk.run(words(firm), as(firm, ruiz));
    said.push([code, comparable(stdout), comparable(stderr)].join('\n'));
  }
  return [said[0] ?? '', said[1] ?? ''];
}

describe('the two firms are different for who may see everything', () => {
  it('has three matters more in the one', async () => {
    expect(hidden).toHaveLength(3);
    expect(seen).toHaveLength(2);
    const [one, two] = [
      await desk.data(['docket', 'list'], as('main', hart)),
      await desk.data(['docket', 'list'], as('bare', hart)),
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
    const [one, two] = await bothSay(() => words);
    expect(one).toBe(two);
    expect(one).not.toMatch(/Contoso|Fabrikam|300102|24100104|500105/);
  });

  it('the report as table, pages and calendar', async () => {
    const drawn = (firm: string, ending: string): string => desk.path(`${firm}-report.${ending}`);
    await bothSay((firm) => [
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
      const [one, two] = await bothSay(() => ['--json', 'docket', 'import', file, '--dry-run']);
      expect(one).toBe(two);
      expect(one).toContain('"created":3,"unchanged":0,"conflicts":0');
    }
    const file = desk.path('again-other.ndjson');
    const done = await desk.data(['docket', 'import', file], as('main', ruiz));
    expect(done).toMatchObject({ created: 3, unchanged: 0, conflicts: 0 });
    const told = await desk.data(['docket', 'import', file], as('main', hart), 5);
    expect(told).toMatchObject({ created: 0, conflicts: 3 });
  });

  it('recovery: what checks counted or found in dockets stays in the ledger', () => {
    const at = instant(0);
    const evidenceOf = (step: string, evidence: object) =>
      ({ n: 1, step, verdict: 'good', at, by: 'router', evidence }) as const;
    const shown = guarded({
      run: 'r',
      target: 'bio-endpoint',
      startedAt: at,
      mode: 'automatic',
      state: { state: 'awaiting_approval', since: at, reasons: ['3 twice', 'the run is by hand'] },
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
    expect(shown.state).toMatchObject({ reasons: ['twice', 'the run is by hand'] });
  });

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
    ['diagnose', (id: string) => ['diagnose', 'route', id]],
    ['review', (id: string) => ['recovery', 'review', id]],
  ])('the error of %s', async (_surface, words) => {
    const known = hidden[0] ?? '';
    for (const json of [[], ['--json']]) {
      const one = await desk.run([...json, ...words(known)], as('main', ruiz));
      const two = await desk.run([...json, ...words(unknown)], as('main', ruiz));
      const plain = (ended: object): string =>
        JSON.stringify(ended).replaceAll(known, 'ID').replaceAll(unknown, 'ID');
      expect(plain(one)).toBe(plain(two));
      expect(one.code).toBe(3);
    }
  });

  it('somebody who is not in the people file sees no docket at all', async () => {
    const stranger = await desk.person('Nora Nobody', as('main', hart));
    expect(await desk.data(['docket', 'list'], stranger)).toEqual({ dockets: [], total: 0 });
    expect((await desk.run(['docket', 'show', seen[0] ?? ''], stranger)).code).toBe(3);
    const named = await desk.person('bio-team', as('main', hart));
    expect(await desk.data(['docket', 'list'], named)).toEqual({ dockets: [], total: 0 });
  });
});
