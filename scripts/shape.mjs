// `npm run shape [-- --json]`: the shape of the code in figures, so that what was made one stays one.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');
const LINES_MAX = 70;
/** Tests start these in processes of their own, from a build. */
const LOADED_BY_PROCESSES = new Set([
  'consumeRabbit',
  'consumeRedis',
  'createHandoffs',
  'patentLaw',
  'profilesByLane',
]);

const files = filesUnder(src)
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map(readSource);
const sql = filesUnder(join(root, 'sql'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');
const tables = [...sql.matchAll(/^create table (\w+) \(([^]*?)^\);/gm)].map(([, name, body]) => ({
  name,
  body,
}));

const figures = {
  'lines of src': files.reduce((sum, { lines }) => sum + lines, 0),
  'rooms that open connections over HTTP or TLS': roomsOf(
    ({ imports, text }) => imports.some(isOutbound) || /(?<![.\w])fetch\(/.test(text),
  ),
  'tables with a proposal': tables
    .filter(({ body }) => /^\s*proposed_by\b/m.test(body))
    .map(({ name }) => name),
  'guards of the second person in SQL': [
    ...new Set([...sql.matchAll(/\b(\w+_second_person)\b/g)].map(([, name]) => name)),
  ],
  'files that refuse the first person': files
    .filter(({ text }) => /'SELF_APPROVAL'/.test(text))
    .map(({ name }) => name),
  // Where it is kept that something which failed is left in peace.
  'breaker stores': tables
    .filter(({ body }) => /^\s*(breaker\w*|open_from|disabled_reason)\b/m.test(body))
    .map(({ name }) => name),
  queues: queues(),
  'tables of which rows are locked, others passed over': lockedTables(),
  'runs of an import': namesOf(({ text }) => /\bnew ErrorFile\(/.test(text)),
  'readers of CSV': namesOf(cutsCsv),
  'users of an XML parser': namesOf(({ text }) => /\bnew SaxesParser\b/.test(text)),
  heaps: namesOf(({ text }) => /- 1\) >>>? 1;/.test(text)),
  'cycles of rooms': cycles(roomGraph()),
  'cycles of files, types too': cycles(fileGraph()),
  'doors (index.ts)': files
    .filter(({ name }) => name.endsWith('/index.ts'))
    .map(({ name }) => name),
  'exports that nobody imports': unusedExports(),
  [`functions over ${LINES_MAX} lines`]: files.flatMap(longFunctions),
  '"as unknown as"': files.flatMap(({ name, text }) =>
    [...text.matchAll(/\bas unknown as\b/g)].map(() => name),
  ),
};

if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} else {
  for (const [name, value] of Object.entries(figures)) {
    const isList = Array.isArray(value);
    process.stdout.write(
      `${name.padEnd(48)}${String(isList ? value.length : value).padStart(8)}\n`,
    );
    if (isList && process.argv.includes('--list'))
      for (const one of value) process.stdout.write(`    ${one}\n`);
  }
  process.stdout.write('\n--list names them, --json is for machines.\n');
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))
    .sort();
}

function readSource(path) {
  const text = readFileSync(path, 'utf8');
  const program = parseAst(text, { lang: 'ts' });
  const imports = [];
  for (const node of program.body) if (node.source) imports.push(node.source.value);
  return {
    name: relative(src, path),
    path,
    text,
    program,
    imports,
    room: relative(src, path).split('/')[0],
    lines: text.split('\n').length - 1,
  };
}

function isOutbound(name) {
  return name === 'undici' || /^(node:)?(https?|tls)$/.test(name);
}

function roomsOf(test) {
  // The simulator, the stand-ins of demo and tests, and the page: none of them is on the way of the product's work.
  return [
    ...new Set(
      files
        .filter((file) => !/^(testing|web)\//.test(file.name) && test(file))
        .map(({ room }) => room),
    ),
  ];
}

function namesOf(test) {
  return files.filter(test).map(({ name }) => name);
}

/** Follows quotes and line feeds, and knows no backslash: what JSON and most other texts escape with, CSV does not have. */
function cutsCsv({ text }) {
  const hasQuote = /(?:===|case) '"'|\b0x22\b/.test(text);
  return hasQuote && /'\\n'|\b0x0a\b/.test(text) && !/'\\\\'|\b0x5c\b/i.test(text);
}

/** Tables of which a process locks rows and passes over those that others have: by `lockedOnce`, or in its own text. */
function lockedTables() {
  const names = new Set();
  const note = (select, alias) => {
    const from = select.slice(select.search(/\bfrom /));
    const read = [...from.matchAll(/(?:^from|join|,) (\w+)(?: (\w+))?/g)];
    // The one that is named after "of"; without a name, the only one there is.
    const [, name] = (alias === undefined ? read[0] : read.find(([, , as]) => as === alias)) ?? [];
    if (name !== undefined) names.add(name);
  };
  for (const { name, text } of files) {
    if (name === 'postgres/locked-once.ts') continue;
    for (const [, select, alias] of text.matchAll(
      /lockedOnce\(\s*'\w+',\s*`([^`]*)`,?\s*(?:\{ of: '(\w+)' \})?/g,
    ))
      note(select, alias);
    for (const found of text.matchAll(/\bfor update (?:of (\w+) )?skip locked/g))
      note(selectBefore(text, found.index), found[1]);
  }
  return [...names].sort();
}

/** The select that ends here, without what stands in parentheses inside it. */
function selectBefore(text, end) {
  let select = '';
  for (let at = end - 1, depth = 0; at >= 0 && depth >= 0 && text[at] !== '`'; at -= 1) {
    if (text[at] === ')') depth += 1;
    if (depth === 0) select = text[at] + select;
    if (text[at] === '(') depth -= 1;
  }
  return select;
}

/**
 * Of these, where rows wait for their turn. A row of a queue says when its next try is; a slot, or a key that is due to be
 * shredded, is locked for a moment and waits for nothing.
 */
function queues() {
  const hasTurn = (name) =>
    tables.some((table) => table.name === name && /^\s*next_at timestamptz\b/m.test(table.body));
  return lockedTables().filter(hasTurn);
}

function resolved(file) {
  return file.imports
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(src, resolve(dirname(file.path), name)));
}

function fileGraph() {
  return new Map(files.map((file) => [file.name, resolved(file)]));
}

function roomGraph() {
  const room = new Map(files.map((file) => [file.name, file.room]));
  const graph = new Map();
  for (const file of files) {
    const open = graph.get(file.room) ?? new Set();
    graph.set(file.room, open);
    for (const name of resolved(file)) {
      const other = room.get(name);
      if (other !== undefined && other !== file.room) open.add(other);
    }
  }
  return new Map([...graph].map(([name, open]) => [name, [...open]]));
}

/** Groups of which each member reaches each other (Tarjan), those of one left out. */
function cycles(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node), low.get(next)));
      } else if (stack.includes(next)) low.set(node, Math.min(low.get(node), index.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) found.push(group.sort().join(' '));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

function longFunctions({ name, text, program }) {
  const found = [];
  const lineOf = (offset) => text.slice(0, offset).split('\n').length;
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(walk);
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
      const lines = lineOf(node.end) - lineOf(node.start) + 1;
      if (lines > LINES_MAX) found.push(`${name}:${lineOf(node.start)} (${lines})`);
    }
    for (const [key, value] of Object.entries(node)) if (key !== 'parent') walk(value);
  };
  walk(program.body);
  return found;
}

/** Names that a file of ours hands out and no other file takes, tests included; what the package itself offers is used by others. */
function unusedExports() {
  const offered = /^(app|calendar\/.*|testing\/.*|ledger\/pure)\.ts$/;
  const used = new Set();
  // A door hands on whole files; who takes a name from the door takes it from one of them.
  const behind = new Map(
    files.map((file) => [
      file.name,
      file.program.body
        .filter(({ type }) => type === 'ExportAllDeclaration')
        .map(({ source }) => relative(src, resolve(dirname(file.path), source.value))),
    ]),
  );
  const everywhere = ['src', 'test', 'sim', 'bench'].flatMap((folder) =>
    filesUnder(join(root, folder)).filter((path) => path.endsWith('.ts')),
  );
  for (const path of everywhere) {
    const text = readFileSync(path, 'utf8');
    // What is taken whole, or loaded by a function of its own, is taken apart elsewhere in the file, by its names.
    const words = text.match(/\w+/g);
    const take = (from, names) => {
      const name = relative(src, resolve(dirname(path), from));
      for (const from of [name, ...(behind.get(name) ?? [])])
        for (const one of names) used.add(`${from} ${one}`);
    };
    for (const node of parseAst(text, { lang: 'ts' }).body) {
      if (!node.source?.value.startsWith('.') || node.type === 'ExportAllDeclaration') continue;
      const names = node.specifiers?.map((one) => (one.imported ?? one.local)?.name);
      const isWhole =
        node.specifiers?.some((one) => one.type === 'ImportNamespaceSpecifier') ?? true;
      take(node.source.value, isWhole ? words : names);
    }
    for (const [, names, from] of text.matchAll(
      /(?:\{([^{}]*)\}\s*=\s*await\s+)?import\(\s*'(\.[^']+)',?\s*\)/g,
    ))
      take(from, names?.split(',').map((name) => name.trim().split(':')[0]) ?? words);
  }
  return files
    .filter(({ name }) => !offered.test(name))
    .flatMap(({ name, program }) =>
      exportedNames(program)
        .filter((one) => !used.has(`${name} ${one}`) && !LOADED_BY_PROCESSES.has(one))
        .map((one) => `${name} ${one}`),
    );
}

function exportedNames(program) {
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    const { declaration, specifiers } = node;
    if (declaration?.id) return [declaration.id.name];
    if (declaration?.declarations) return declaration.declarations.map(({ id }) => id.name);
    return specifiers.map(({ exported }) => exported.name);
  });
}
