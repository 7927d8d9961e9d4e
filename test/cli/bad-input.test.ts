/** Whatever people hand in: a clear error that names place and remedy, the documented exit code, nothing half written. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorFileFor } from '../../src/cli/arguments.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, envelopeOf, type Variables } from '../fixtures/cli.ts';
import { COLUMNS, csv, row } from './rows.ts';

let world: CliWorld;
let paula: Variables;

beforeAll(async () => {
  // Exit codes are promised of processes.
  world = await CliWorld.make('own');
  paula = await world.person('Paula Preparer');
  await world.data(['lane', 'add', await profile('sound.json', {})], paula);
});

afterAll(() => world.close());

describe('rows that cannot be filed', () => {
  const good = row('900');

  it.each(['batch', 'entity'])(
    'are not looked for in one JSON document: %s import',
    async (noun) => {
      const path = await world.file(`${noun}.json`, '[{"entity_name": "Alder"}]');
      const ended = await world.run([noun, 'import', path], paula);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('.ndjson or .jsonl');
    },
  );

  it('go beside their file, but never beside a device', () => {
    expect(errorFileFor('in/rows.csv')).toBe('in/rows.errors.csv');
    expect(errorFileFor('/dev/stdin')).toBe('stdin.errors');
    expect(errorFileFor('/dev/shm/rows.csv')).toBe('/dev/shm/rows.errors.csv');
    expect(errorFileFor('/proc/self/fd/0')).toBe('0.errors');
  });

  it('are refused in CSV with line and field, exit code 5, each in the error file', async () => {
    const rows = [
      'US-DE,1,x',
      row('1', { name: 'x'.repeat(10 * 1024 * 1024) }),
      row('1', { name: '"open' }),
      row('1', { name: 'a\0b' }),
      row('1', { name: '\u00e9' }),
      // Two bytes of UTF-8: the file is UTF-8, and the row before it is broken.
      row('1', { jurisdiction: 'US-XX', name: '\u00c3\u00a9' }),
      row('1', { due: '2028-02-30' }),
    ];
    // As Latin-1, so that the accent is not UTF-8.
    const path = await world.file('rows.csv', Buffer.from(csv(...rows), 'latin1'));
    const ended = await world.run(['batch', 'import', path], paula);
    expect(ended).toMatchObject({ code: 5, stderr: '' });
    expect(ended.stdout.split('\n').slice(0, 9)).toEqual([
      'Created 0, changed 0, unchanged 0, refused 7 of 7 rows.',
      'Read as UTF-8, separated by commas.',
      expect.stringMatching(/line 2: row: expected 7 fields, found 3/),
      expect.stringMatching(/line 3: row: is larger than 1048576 bytes/),
      expect.stringMatching(/line 4: row: has a quote opened on line 4 that is never closed/),
      expect.stringMatching(/line 5: column "entity_name" \(C\): holds a NUL character/),
      expect.stringMatching(/line 6: column "entity_name" \(C\): has bytes that are not UTF-8/),
      expect.stringMatching(
        /line 7: column "jurisdiction" \(A\): expected a jurisdiction that has a lane/,
      ),
      expect.stringMatching(/line 8: column "due" \(F\): there is no day "2028-02-30"/),
    ]);
    expect(ended.stdout.length).toBeLessThan(3_000);
    expect(ended.stdout).not.toContain('batch approve');
    expect((await stat(world.path('rows.errors.csv'))).size).toBeGreaterThan(0);
  });

  it('are refused in NDJSON the same way', async () => {
    const rows = [
      ndjson({}).replace('{', '{"period":"1999",'),
      '{"jurisdiction":',
      ndjson({ registry_number: 12 }),
    ];
    const path = await world.file('rows.ndjson', `${rows.join('\n')}\n`);
    const ended = await world.data(['batch', 'import', path], paula, 5);
    expect(ended).toMatchObject({
      created: 0,
      errors: [
        { line: 1, why: expect.stringMatching(/not strict JSON at column \d+: duplicate key/) },
        { line: 2, why: expect.stringContaining('not strict JSON') },
        { line: 3, where: '/registry_number', why: expect.stringContaining('must be text') },
      ],
    });
  });

  it('that a gate can put right are imported, and the change is reported with its line', async () => {
    const path = await world.file('spaces.csv', csv(row('901', { name: 'Entity 901  ' })));
    const ended = await world.run(['batch', 'import', '--dry-run', path], paula);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^Would create 1, changed 0, unchanged 0, refused 0 of 1 rows\.$/m,
    );
    expect(ended.stdout).toMatch(
      /^ {2}TRAILING_WHITESPACE once, first in line 2: \S*entity_name: /m,
    );
  });

  it('leave nothing behind, and do not keep a good row from being imported', async () => {
    expect(await world.data(['filing', 'list'])).toEqual({ filings: [], total: 0, next: null });
    const path = await world.file('one.csv', csv(row('1', { due: 'soon' }), good));
    expect(await world.data(['batch', 'import', path], paula, 5)).toMatchObject({ created: 1 });
    const errors = await readFile(world.path('one.errors.csv'), 'utf8');
    expect(errors).toContain('soon');
    expect(errors).not.toContain('Entity 900');
  });

  it('a dry run says the same and writes neither filings nor an error file', async () => {
    const path = await world.file('dry.csv', csv(row('77'), row('78', { due: 'soon' })));
    const ended = await world.data(['batch', 'import', '--dry-run', path], paula, 5);
    expect(ended).toMatchObject({ created: 1, refused: 1, dryRun: true });
    await expect(stat(world.path('dry.errors.csv'))).rejects.toThrow('ENOENT');
  });
});

describe('files that cannot be used', () => {
  /** Arguments, exit code, error code, and what the message must name. */
  const cases: [string, () => Promise<string[]>, number, string, RegExp][] = [
    [
      'an empty file',
      async () => ['batch', 'import', await world.file('empty.csv', '')],
      1,
      'INPUT_MALFORMED',
      /line 1.*empty/,
    ],
    [
      'a header without our columns',
      async () => ['batch', 'import', await world.file('head.csv', 'a,b\n1,2\n')],
      1,
      'INPUT_MALFORMED',
      /"jurisdiction".*missing/,
    ],
    [
      'a file that is not there',
      async () => ['batch', 'import', 'none.csv'],
      3,
      'NOT_FOUND',
      /none\.csv cannot be read: there is no such file/,
    ],
    [
      'refused rows that have no place to go',
      async () => {
        const file = await world.file('lost.csv', csv(row('6', { due: 'soon' })));
        return ['batch', 'import', file, '--errors', world.path('nowhere/e.csv')];
      },
      1,
      'OUTPUT_UNWRITABLE',
      /nowhere\/e\.csv cannot be written.*choose another file with --errors/,
    ],
    [
      'a directory as file',
      async () => ['batch', 'import', await folder('a.csv')],
      3,
      'NOT_FOUND',
      /a\.csv is not a file/,
    ],
    [
      'a mapping with a duplicate key',
      async () => mapped('{"period":"a","period":"b"}'),
      1,
      'JSON_MALFORMED',
      /map\.json.*line 1, column \d+: duplicate key/,
    ],
    [
      'a mapping of a wrong type',
      async () => mapped('{"period":1}'),
      1,
      'INPUT_MALFORMED',
      /map\.json.*"period"/,
    ],
    [
      'a mapping that is a directory',
      async () => ['batch', 'import', await world.file('m.csv', csv()), '--map-file', world.folder],
      3,
      'NOT_FOUND',
      /it is a directory/,
    ],
    [
      'a profile with a duplicate key',
      async () => ['lane', 'add', await profile('dup.json', {}, '{"ceiling":2,')],
      1,
      'PROFILE_INVALID',
      /dup\.json.*duplicate key/,
    ],
    [
      'a profile with a wrong field',
      async () => ['lane', 'add', await profile('wrong.json', { ceiling: 0 })],
      1,
      'PROFILE_INVALID',
      /wrong\.json[^]*\/ceiling: expected an integer from 1 to 1000, found 0/,
    ],
    [
      'a profile without a field',
      async () => ['lane', 'add', await profile('less.json', { ceiling: undefined })],
      1,
      'PROFILE_INVALID',
      /\/ceiling: .*found nothing/,
    ],
    [
      'a profile that is not there',
      async () => ['lane', 'add', 'none.json'],
      3,
      'NOT_FOUND',
      /none\.json cannot be read: there is no such file/,
    ],
    [
      'a behaviour file with a duplicate key',
      async () => [
        'simulator',
        '--port',
        '0',
        '--profile',
        await profile('p.json', {}),
        '--behavior',
        await world.file('b.json', '{"format":1,"format":1}'),
      ],
      1,
      'JSON_MALFORMED',
      /b\.json.*duplicate key/,
    ],
    [
      'a behaviour of a lane that nobody plays',
      async () => [
        'simulator',
        '--port',
        '0',
        '--profile',
        await profile('played.json', {}),
        '--behavior',
        await world.file('other.json', '{"format":1,"lanes":{"*":{},"US-XX":{}}}'),
      ],
      1,
      'PROFILE_INVALID',
      /other\.json.*\/lanes\/US-XX: no profile of that code is played \(US-/,
    ],
  ];

  it.each(cases)('%s', async (_name, args, code, error, message) => {
    const ended = await world.run(['--json', ...(await args())], paula);
    expect(ended).toMatchObject({ code, stderr: '' });
    const envelope = envelopeOf(ended);
    expect(envelope).toMatchObject({ filewright: 1, ok: false, error: { code: error } });
    expect(JSON.parse(JSON.stringify(envelope))).toHaveProperty(
      'error.message',
      expect.stringMatching(message),
    );
    expect(envelope).toHaveProperty('error.remedy', expect.stringMatching(/\w/));
  });

  it('changed nothing: one lane as it was', async () => {
    const { lanes } = await world.data(['lane', 'list']);
    expect(lanes).toMatchObject([{ code: 'US-DE', ceiling: 8 }]);
  });
});

async function profile(name: string, changes: object, head = '{'): Promise<string> {
  return world.file(name, JSON.stringify({ ...sampleProfile(), ...changes }).replace('{', head));
}

async function folder(name: string): Promise<string> {
  await mkdir(world.path(name), { recursive: true });
  return world.path(name);
}

async function mapped(mapping: string): Promise<string[]> {
  const map = await world.file('map.json', mapping);
  return ['batch', 'import', await world.file('m.csv', csv(row('5'))), '--map-file', map];
}

function ndjson(changes: object): string {
  const values = row('1').split(',');
  const named = Object.fromEntries(COLUMNS.split(',').map((name, at) => [name, values[at]]));
  return JSON.stringify({ ...named, ...changes });
}
