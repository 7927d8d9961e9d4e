/** Matrix and people through the command line: refused with the place of every fault, versioned when they are sound. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeOf, textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';

let desk: DeskLine;
let hart: Person;
let second: Person;

type Document = Record<string, never>;
const sample = (name: string): Document =>
  JSON.parse(readFileSync(`samples/patent-${name}.json`, 'utf8')) as Document;

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  second = await desk.person('Sam Second', hart);
});
afterAll(() => desk.close());

const matrixFile = (): string => desk.path('samples/patent-matrix.json');
const peopleFile = (): string => desk.path('samples/patent-people.json');

/** The sample with one thing wrong. */
async function spoilt(
  name: 'matrix' | 'people',
  spoil: (document: never) => void,
): Promise<string> {
  const document = sample(name);
  spoil(document as never);
  return desk.file(`spoilt-${name}.json`, JSON.stringify(document));
}

type Nodes = { nodes: Record<string, { next?: string[]; tier: string }> };
type Routes = { routes: { client: string; technology_group: string; event: string }[] };
type Targets = { targets: Record<string, { address: string }> };
type Persons = { persons: Record<string, { allow: string[] }> };
type Absences = { absences: { person: string; from: string; to: string; delegate?: string }[] };

describe('route check', () => {
  it.each([
    [
      'a circle',
      'matrix',
      (document: Nodes) => {
        document.nodes['bio-second'] = {
          ...(document.nodes['bio-second'] as { tier: string }),
          next: ['bio-lead'],
        };
      },
      /nodes\/bio-\w+: the nodes form a loop: .*bio-lead.*bio-second/,
    ],
    [
      'a node from which nobody is reached',
      'matrix',
      (document: Nodes) => {
        delete document.nodes['supervisor']?.next;
      },
      /nodes\/supervisor: no path leads from here to MANUAL/,
    ],
    [
      'a combination without a row',
      'matrix',
      (document: Routes) => {
        document.routes.pop();
      },
      /routes: no row is for any client, any group and any event/,
    ],
    [
      'delegates in a circle',
      'people',
      (document: Absences) => {
        document.absences.push({
          person: 'moreau',
          from: '2026-12-24',
          to: '2026-12-28',
          delegate: 'lind',
        });
      },
      /absences: the delegates form a loop: \w+ → \w+ → \w+/,
    ],
  ])('tells %s with its place, and import refuses it', async (_what, name, spoil, place) => {
    const which = name as 'matrix' | 'people';
    const file = await spoilt(which, spoil);
    const files = which === 'matrix' ? [file, peopleFile()] : [matrixFile(), file];
    const checked = await desk.run(['route', 'check', ...files]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toMatch(place);
    const imported = await desk.run(['--json', 'route', 'import', ...files], hart);
    expect(imported.code).toBe(1);
    const { error } = JSON.parse(imported.stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe('ROUTING_MATRIX_INVALID');
    expect(error.message).toMatch(place);
  });

  it('tells all faults at once', async () => {
    const file = await spoilt('matrix', (document: Nodes & Routes) => {
      delete document.nodes['supervisor']?.next;
      document.routes.pop();
    });
    const data = await desk.data(['route', 'check', file, peopleFile()], undefined, 1);
    expect(listAt(data, 'faults').map((fault) => fault['where'])).toEqual(
      expect.arrayContaining(['nodes/supervisor', 'routes']),
    );
  });

  it('tells the line of what is no matrix at all', async () => {
    const file = await desk.file(
      'broken.json',
      '{\n  "kind": "routing-matrix",\n  "format": "one"\n}\n',
    );
    const ended = await desk.run(['route', 'check', file, peopleFile()]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('ROUTING_MATRIX_INVALID');
    const other = await desk.run(['route', 'check', desk.path('samples/patent-docket.csv')]);
    expect(other.code).toBe(1);
  });
});

describe('route import', () => {
  it('needs both files at first, then takes one with the other that holds', async () => {
    const alone = await desk.run(['route', 'import', matrixFile()], hart);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('two files')]);
    const first = await desk.route([matrixFile(), peopleFile()], hart);
    expect(first).toMatchObject({ n: 1 });
    const again = await desk.data(['route', 'import', peopleFile(), matrixFile()], hart);
    expect(again).toEqual({ ...first, state: 'unchanged' });
    const people = await spoilt('people', (document: Absences) => {
      document.absences.push({
        person: 'ruiz',
        from: '2027-02-01',
        to: '2027-02-05',
        delegate: 'okafor',
      });
    });
    const next = await desk.route([people], hart);
    expect(next).toMatchObject({ n: 2, matrix: first['matrix'] });
    expect(next['people']).not.toBe(first['people']);
  });

  it('does not need the same layout to be the same version', async () => {
    const file = await desk.file('flat.json', JSON.stringify(sample('matrix')));
    const flat = await desk.data(['route', 'check', file, peopleFile()]);
    const laid = await desk.data(['route', 'check', matrixFile(), peopleFile()]);
    expect(textAt(flat, 'matrix', 'version')).toBe(textAt(laid, 'matrix', 'version'));
  });

  it('without a key belongs to no one', async () => {
    expect((await desk.run(['route', 'import', matrixFile(), peopleFile()])).code).toBe(4);
    expect((await desk.run(['route', 'proposals'])).code).toBe(4);
  });
});

describe('a proposed routing', () => {
  const refusal = async (words: readonly string[], by: Person) =>
    textAt(envelopeOf(await desk.run(['--json', ...words], by))['error'], 'code');
  const thief = 'https://thief.example/dockets?token=t0k3n';
  const target = '/matrix/targets/bio-endpoint/address';

  it('is in force when another person approves what they saw, and not before', async () => {
    const before = await desk.data(['route', 'show'], hart);
    const file = await spoilt('matrix', (document: Targets) => {
      Object.assign(document.targets['bio-endpoint'] ?? {}, { address: thief });
    });
    const { sha256 } = await desk.data(
      ['route', 'import', file, '--reason', 'a new address'],
      hart,
    );
    expect(await desk.data(['route', 'show'], hart)).toEqual(before);
    for (const by of [hart, second]) {
      const [one] = listAt(await desk.data(['route', 'proposals'], by), 'proposals');
      expect(one).toMatchObject({ sha256, isStale: false, reason: 'a new address' });
      expect(JSON.stringify(one)).toContain(`"field":"${target}"`);
      expect(JSON.stringify(one)).toContain(thief);
    }
    const hash = ['--expect-hash', String(sha256)];
    expect(await refusal(['route', 'approve', ...hash], hart)).toBe('SELF_APPROVAL');
    const other = ['--expect-hash', '0'.repeat(64)];
    expect(await refusal(['route', 'approve', ...other], second)).toBe('HASH_DIFFERS');
    // A second one has to wait for the first to end.
    expect(await refusal(['route', 'import', file], hart)).toBe('REFUSED_BY_RULE');
    await desk.data(['route', 'refuse', '--reason', 'that is not our endpoint'], second);
    expect(await refusal(['route', 'approve', ...hash], second)).toBe('REFUSED_BY_RULE');
    expect(await desk.data(['route', 'show'], hart)).toEqual(before);
  });

  it('is void once another one is in force than it was made from', async () => {
    const file = await spoilt('matrix', (document: Targets) => {
      Object.assign(document.targets['bio-endpoint'] ?? {}, { address: thief });
    });
    const { sha256 } = await desk.data(['route', 'import', file], hart);
    const absent = ['route', 'absent', 'ruiz', '--from', '2027-08-01', '--to', '2027-08-02'];
    await desk.data(absent, hart);
    const [one] = listAt(await desk.data(['route', 'proposals'], second), 'proposals');
    expect(one).toMatchObject({ isStale: true });
    const approve = ['route', 'approve', '--expect-hash', String(sha256)];
    expect(await refusal(approve, second)).toBe('PROPOSAL_STALE');
    await desk.data(['route', 'refuse', '--reason', 'made from an older one'], hart);
  });

  it('shows rights and clients only to privileged people', async () => {
    const file = await spoilt('people', (document: Persons) => {
      document.persons['okafor']?.allow.push('client:Secretive');
    });
    await desk.data(['route', 'import', file], hart);
    expect((await desk.run(['route', 'proposals'], hart)).stdout).toContain('client:Secretive');
    const { stdout } = await desk.run(['route', 'proposals'], second);
    expect(stdout).not.toContain('Secretive');
    expect(stdout).toMatch(/persons\/okafor\/allow.*not shown to you/);
    await desk.data(['route', 'refuse', '--reason', 'only to look at it'], hart);
  });

  it('an absence of someone else is told to the others', async () => {
    const absent = ['route', 'absent', 'tanaka', '--from', '2027-08-01', '--to', '2027-08-02'];
    await desk.data([...absent, '--delegate', 'moreau'], hart);
    const { stdout } = await desk.run(['alert', 'list'], second);
    expect(stdout).toMatch(/Judith Hart recorded that tanaka is absent/);
  });
});

describe('who may change who sees what', () => {
  it('is privileged in the active matrix; no one else gets in by a file or by a name', async () => {
    const clerk = await desk.person('Tom Reed', hart);
    for (const words of [
      ['route', 'import', matrixFile(), peopleFile()],
      ['user', 'add', 'Elena Ruiz'],
      ['user', 'add', 'okafor'],
      ['user', 'disable', 'Judith Hart'],
    ]) {
      const { code, stderr } = await desk.run(words, clerk);
      expect([code, stderr], words.join(' ')).toEqual([
        4,
        expect.stringMatching(/ask Judith Hart/),
      ]);
    }
    const absent = ['route', 'absent', 'okafor', '--from', '2027-04-01', '--to', '2027-04-02'];
    expect((await desk.run(absent, clerk)).stderr).toContain(
      'is only for people in the people file',
    );
    await desk.person('Ann Outside', clerk);
  });

  it('the last of them keeps the key', async () => {
    const { code, stderr } = await desk.run(['user', 'disable', 'Judith Hart'], hart);
    expect([code, stderr]).toEqual([4, expect.stringContaining('last privileged person')]);
  });
});

describe('absences and the view', () => {
  it('route absent is a new setup; a delegate who is away then is refused', async () => {
    const words = ['route', 'absent', 'okafor', '--from', '2027-03-01', '--to', '2027-03-05'];
    const { n } = await desk.data([...words, '--delegate', 'ruiz'], hart);
    const shown = await desk.data(['route', 'show'], hart);
    expect(shown['n']).toBe(n);
    expect(shown['absences']).toEqual(
      expect.arrayContaining([
        { person: 'okafor', from: '2027-03-01', to: '2027-03-05', delegate: 'ruiz' },
      ]),
    );
    const circle = await desk.run(
      [
        'route',
        'absent',
        'ruiz',
        '--from',
        '2027-03-02',
        '--to',
        '2027-03-03',
        '--delegate',
        'okafor',
      ],
      hart,
    );
    expect([circle.code, circle.stderr]).toEqual([
      1,
      expect.stringContaining('the delegates form a loop'),
    ]);
  });

  it('an absence that overlaps another is refused with its days; noted from the same day it replaces it', async () => {
    const note = (from: string, to: string) =>
      desk.run(
        ['route', 'absent', 'moreau', '--from', from, '--to', to, '--delegate', 'hart'],
        hart,
      );
    expect((await note('2027-06-01', '2027-06-05')).code).toBe(0);
    const over = await note('2027-06-04', '2027-06-10');
    expect(over.code).toBe(1);
    expect(over.stderr).toContain(
      '"moreau" is absent twice: 2027-06-01 to 2027-06-05 and 2027-06-04 to 2027-06-10',
    );
    expect(over.stderr).toContain('an absence with the same first day replaces the earlier one');
    expect((await note('2027-06-01', '2027-06-10')).code).toBe(0);
    const shown = listAt(await desk.data(['route', 'show'], hart), 'absences');
    expect(shown.filter((one) => one['person'] === 'moreau')).toMatchObject([
      { from: '2027-06-01', to: '2027-06-10' },
    ]);
  });

  it('an absence is noted by the person, or by a privileged one, and for a year at most', async () => {
    const okafor = await desk.person('Chidi Okafor', hart);
    const absent = (person: string, to: string) =>
      `route absent ${person} --from 2027-09-01 --to ${to} --delegate hart`.split(' ');
    const own = await desk.run(absent('okafor', '2027-09-05'), okafor);
    expect(own.code, own.stderr).toBe(0);
    const other = await desk.run(absent('moreau', '2027-09-05'), okafor);
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('someone else')]);
    for (const [person, who] of [
      ['okafor', okafor],
      ['moreau', hart],
    ] as const) {
      const long = await desk.run(absent(person, '2099-12-31'), who);
      expect([long.code, long.stderr]).toEqual([4, expect.stringContaining('at most 366 days')]);
    }
    expect((await desk.run(absent('moreau', '2027-09-05'), hart)).code).toBe(0);
  });

  it('shows neither addresses nor rights', async () => {
    const { stdout } = await desk.run(['--json', 'route', 'show'], hart);
    expect(stdout).not.toMatch(/firm\.example|https:|allow|deny|client:/);
  });

  it('a row for a client is shown only to who may see something of it', async () => {
    const file = await spoilt('matrix', (document: Routes) => {
      document.routes.unshift({
        client: 'Secretive',
        technology_group: '*',
        event: '*',
        start: 'supervisor',
      } as never);
    });
    await desk.route([file], hart);
    const ruiz = await desk.person('Elena Ruiz', hart);
    expect((await desk.run(['route', 'show'], hart)).stdout).toContain('Secretive');
    for (const json of [[], ['--json']]) {
      expect((await desk.run([...json, 'route', 'show'], ruiz)).stdout).not.toContain('Secretive');
    }
  });
});
