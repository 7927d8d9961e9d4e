/** Style as a test: who may import whom, how large files are, what may not appear. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

/** The rooms and what each may import, as ARCHITECTURE.md says it. A room that is not listed may not exist. */
const ROOMS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
      /^\| `([a-z.]+)` \| .* \| ([a-z., ]+) \|$/gm,
    ),
  ].map(([, room = '', may = '']) => [room, may.split(', ')]),
);

/** Rooms of which commands may use anything: nothing in them reads what is stored. */
const FREE_TO_ALL = ['core', 'calendar', 'access', 'system', 'intake', 'testing', 'wire'];
/** From elsewhere, and harmless: words, places and files, and nothing that is stored. */
const HARMLESS = [
  'verifyFolder',
  'packageRoot',
  'parseTrustPolicy',
  'readProfile',
  'laneDocuments',
  'DIFFERENCE_KINDS',
  'REVIEW_FILTERS',
];

/** The clock, the dice and the environment come through ports; only these files touch the real ones. */
const REAL_WORLD = [
  /^system\//,
  /^cli\//,
  /^postgres\/embedded\//,
  /^ledger\/store\/sequencer-thread\.ts$/,
  /^lanes\/live\/processes\.ts$/,
];
const REAL_WORLD_WORDS =
  /\b(Date\.now|Math\.random|performance\.now|process\.env|setTimeout|setInterval|setImmediate)\b|new Date\(\)/;
/** Real timers and sockets belong to these; their clock is a port where a decision hangs on it. */
const REAL_TIMERS = [
  /^wire\//,
  /^wire\//,
  /^lanes\/portals\//,
  /^lanes\/conformance\//,
  /^dockets\/brokers\//,
  /^testing\/simulator\//,
  /^testing\/virtual-clock\.ts$/,
];

const LINES_MAX = 350;
/** Each needs a reason to be longer. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'app.ts': 'wiring, all of it in one place',
  'filings/rules/decide.ts': 'one decision table, read top to bottom',
  'filings/acts/hand-say.ts': 'one transaction, told in its order',
  'filings/store/hand.ts': 'the statements of one aggregate, as few as it has',
  'core/errors.ts': 'one catalogue, read by its codes',
  'core/ports.ts': 'the interfaces of the outside world, together on purpose',
};

const files = list(src).filter((file) => file.endsWith('.ts'));
const sources = files.filter((file) => !file.endsWith('.test.ts'));

describe('rooms', () => {
  it('are those of the table in ARCHITECTURE.md, each with one door', () => {
    const found = new Set(files.map((file) => short(file).replace(/\/.*/, '')));
    expect([...ROOMS.keys()].sort()).toEqual([...found].sort());
    const doors = files.map(short).filter((file) => file.endsWith('/index.ts'));
    const rooms = [...found].filter((room) => !room.endsWith('.ts') && room !== 'cli');
    expect(doors.sort()).toEqual(rooms.map((room) => `${room}/index.ts`).sort());
  });

  it('every file lies in a room of the table', () => {
    const strangers = files.filter((file) => roomOf(file) === undefined);
    expect(strangers.map(short)).toEqual([]);
  });

  it('a room imports only what the table allows, and only through the other room’s index', () => {
    const faults: string[] = [];
    for (const file of sources) {
      const room = roomOf(file);
      for (const target of importsOf(file)) {
        const other = roomOf(target);
        if (other === room || room === undefined) continue;
        const allowed = ROOMS.get(room) ?? [];
        if (other === undefined || !(allowed.includes('all') || allowed.includes(other))) {
          faults.push(`${short(file)} may not import ${short(target)}`);
        } else if (!other.endsWith('.ts') && !target.endsWith('/index.ts')) {
          faults.push(`${short(file)} imports ${short(target)} past its index`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('the command line takes from a slice its acts, its rules and types, and never what its store does', () => {
    const faults = sources
      .filter((file) => short(file).startsWith('cli/'))
      .flatMap((file) =>
        valuesTaken(file).flatMap(({ door, name }) => {
          const from = ownerOf(door, name);
          const isOpen = from === undefined || /^[a-z]+\/(acts|rules)\//.test(from);
          return isOpen || HARMLESS.includes(name) ? [] : [`${short(file)}: ${name} of ${from}`];
        }),
      );
    expect(faults).toEqual([]);
  });

  it('nothing in src imports sim, bench or test', () => {
    const faults = sources.filter((file) =>
      importsOf(file).some((target) => !target.startsWith(src)),
    );
    expect(faults.map(short)).toEqual([]);
  });
});

describe('the shape, as `npm run shape` counts it', () => {
  const text = execFileSync(process.execPath, [join(root, 'scripts/shape.mjs'), '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  // Its keys are the names of the figures; the script is a few folders away.
  const shape = JSON.parse(text) as Record<string, readonly string[]>;

  it('goes out over HTTP and TLS in one room; the simulator, the stand-ins and the page only answer', () => {
    expect(shape['rooms that open connections over HTTP or TLS']).toEqual(['wire']);
  });

  it('keeps in one place what is left in peace because it failed', () => {
    expect(shape['breaker stores']).toEqual(['lane']);
  });

  it('casts by force in a handful of places, each with its reason', () => {
    expect(shape['"as unknown as"']?.length).toBeLessThanOrEqual(5);
  });

  it.each([
    'cycles of rooms',
    'cycles of files, types too',
    'exports that nobody imports',
    'functions over 70 lines',
  ])('has no %s', (figure) => {
    expect(shape[figure]).toEqual([]);
  });
});

describe('time, dice and environment', () => {
  it('are read only where the real world begins', () => {
    const faults = sources
      .filter(
        (file) => ![...REAL_WORLD, ...REAL_TIMERS].some((allowed) => allowed.test(short(file))),
      )
      .filter((file) => REAL_WORLD_WORDS.test(withoutComments(readFileSync(file, 'utf8'))));
    expect(faults.map(short)).toEqual([]);
  });
});

describe('files', () => {
  it('are short enough to be read in one sitting', () => {
    const long = sources.filter(
      (file) =>
        // Lists of imported names are not read in that sitting.
        readFileSync(file, 'utf8')
          .replaceAll(/^import [^;]*;\n/gm, '')
          .split('\n').length > LINES_MAX && LONG_FILES[short(file)] === undefined,
    );
    expect(long.map(short)).toEqual([]);
  });

  it('leave nothing for later', () => {
    const marked = list(root)
      .filter((file) => /\.(ts|mjs|sql)$/.test(file) && !file.endsWith('tidy.test.ts'))
      .filter((file) => /\b(FIXME|XXX|HACK)\b|\bTODO\b(?! #\d)/.test(readFileSync(file, 'utf8')));
    expect(marked.map((file) => relative(root, file))).toEqual([]);
  });

  it('SQL stands only in `postgres`, in the `store/` of a room and in sql/', () => {
    const faults = sources
      .filter((file) => !/^(postgres|[a-z]+\/store)\//.test(short(file)))
      .filter((file) =>
        /`\s*(select|insert into|update|delete from)\s/i.test(readFileSync(file, 'utf8')),
      );
    expect(faults.map(short)).toEqual([]);
  });

  it('claims rows only in a shape that no plan makes greedy (src/postgres/locked-once.ts says why)', () => {
    const faults = [...sources, ...list(join(root, 'sql'))].flatMap((file) =>
      greedyLocks(withoutComments(readFileSync(file, 'utf8'))).map(
        (place) => `${relative(root, file)}: …${place}`,
      ),
    );
    expect(faults).toEqual([]);
  });

  it('and knows the greedy shapes when it sees them', () => {
    const one = 'select id from a order by b limit 1 for update skip locked';
    for (const text of [
      `update a set c = 1 from (${one}) due where a.id = due.id`,
      `delete from a using (${one}) t where t.id = a.id`,
      `update a set c = 1 where id in (${one})`,
      `update a set c = 1 where id = (${one})`,
      `with due as (${one}) update a set c = 1 from due`,
      `with due as not materialized (${one}) update a set c = 1 from due`,
      `update a set c = 1 from b cross join lateral (${one}) due`,
      `update a set c = 1 from (select id from a limit 1 for no key update) due`,
    ]) {
      expect(greedyLocks(`\`${text}\``), text).toHaveLength(1);
    }
    for (const text of [
      one,
      `with due as materialized (${one}) update a set c = 1 from due`,
      `with due as materialized (select * from b cross join lateral (${one}) f) update a set c = 1`,
      'with x as (select state from a where id = $1 for update) select * from x',
    ]) {
      expect(greedyLocks(`\`${text}\``), text).toEqual([]);
    }
  });
});

describe('the package', () => {
  it('pins every dependency exactly and the lock file names no address', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const versions = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}),
    );
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    );
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/);
  });
});

function list(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    if (/^(node_modules|\.git|dist.*|\.filewright|vectors)$/.test(item.name)) return [];
    const path = join(folder, item.name);
    return item.isDirectory() ? list(path) : [path];
  });
}

function roomOf(file: string): string | undefined {
  const path = short(file);
  return [...ROOMS.keys()].find((room) => path === room || path.startsWith(`${room}/`));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)];
  return found.map((match) => resolve(dirname(file), match[1] ?? ''));
}

/** Names, types left out, that a file takes by the door of another room, at once or when it needs them. */
function valuesTaken(file: string): { readonly door: string; readonly name: string }[] {
  const text = readFileSync(file, 'utf8');
  const found = [
    ...text.matchAll(/^import \{([^}]*)\} from '([^']+\/index\.ts)'/gm),
    ...text.matchAll(/\{([^{}]*)\}\s*=\s*await import\(\s*'([^']+\/index\.ts)'/g),
  ];
  return found.flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ door: resolve(dirname(file), from), name: name.split(/ as |:/)[0] ?? '' })),
  );
}

/** The file behind a door that a name comes from; undefined where commands may use anything. */
function ownerOf(door: string, name: string): string | undefined {
  if (FREE_TO_ALL.includes(short(door).replace(/\/.*/, ''))) return undefined;
  for (const [, names = '', from = ''] of readFileSync(door, 'utf8').matchAll(
    /^export \{([^}]*)\} from '([^']+)'/gm,
  )) {
    if (names.split(',').some((one) => one.trim() === name))
      return short(resolve(dirname(door), from));
  }
  const whole = [...readFileSync(door, 'utf8').matchAll(/^export \* from '([^']+)'/gm)];
  const declares = new RegExp(`^export (?:async )?(?:function\\*?|const|class) ${name}\\b`, 'm');
  const owner = whole
    .map(([, from = '']) => resolve(dirname(door), from))
    .find((file) => declares.test(readFileSync(file, 'utf8')));
  return owner === undefined ? undefined : short(owner);
}

function short(file: string): string {
  return relative(src, file).replaceAll('\\', '/');
}

const ROW_LOCK = /\bfor (?:no key )?update\b(?: of \w+| \$\{table\})?( ?skip locked)?/g;
const ONCE = /\bas materialized $/;

/** Places where a bounded number of rows is locked by something that a plan may evaluate more than once. */
function greedyLocks(text: string): string[] {
  return [...text.matchAll(ROW_LOCK)].flatMap((found) => {
    const opening = openingOf(text, found.index);
    if (opening === undefined) return [];
    const isBounded = /\blimit\b|\$\{rows\}/.test(text.slice(opening, found.index));
    if (found[1] === undefined && !isBounded) return [];
    const before = text.slice(0, opening);
    if (ONCE.test(before)) return [];
    const outer = /\blateral $/.test(before) ? openingOf(text, opening) : undefined;
    if (outer !== undefined && ONCE.test(text.slice(0, outer))) return [];
    return [text.slice(opening, found.index + found[0].length).replaceAll(/\s+/g, ' ')];
  });
}

/** Where the parenthesis around a place of a statement opens; undefined at the statement's top level. */
function openingOf(text: string, place: number): number | undefined {
  for (let at = place - 1, depth = 0; at >= 0; at -= 1) {
    const character = text[at];
    if (character === '`' || character === ';') return undefined;
    if (character === ')') depth += 1;
    else if (character === '(') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '');
}
