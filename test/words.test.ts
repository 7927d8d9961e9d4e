/** docs/words.md is true of the code, and the words that it bans stay out of messages, guides and type names. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const PAGE = 'docs/words.md';

interface Row {
  readonly cells: readonly string[];
}

const [words, banned, bannedTypes] = tablesOf(read(PAGE));
const sources = filesUnder('src', /(?<!\.test)\.ts$/);
const phrases = banned.flatMap(({ cells }) => cells[0]?.split(', ') ?? []);
const bannedPhrase = new RegExp(`\\b(?:${phrases.join('|')})\\b`, 'i');
const bannedType = new RegExp(`(?:${bannedTypes.map(({ cells }) => cells[0]).join('|')})$`);

describe('the words', () => {
  it('are about forty, each on one line and each said once', () => {
    const names = words.map(({ cells }) => cells[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(34);
    expect(names.length).toBeLessThan(56);
  });

  const declared = declaredNames();
  it.each(words)('$cells.0 is $cells.2 in the code', ({ cells }) => {
    expect(declared).toContain(cells[2]?.replaceAll('`', ''));
  });
});

describe('banned phrases', () => {
  const faults = sources.flatMap((path) =>
    messagesOf(path)
      .filter((text) => bannedPhrase.test(text))
      .map((text) => `${path}: ${text}`),
  );

  it('are in no message or help text', () => {
    expect(faults).toEqual([]);
  });

  it.each(guides())('are not in %s', (page) => {
    const faults = prose(read(page))
      .split('\n')
      .filter((line) => bannedPhrase.test(line));
    expect(faults).toEqual([]);
  });

  it('would be noticed in a message, and not in a name or a statement of SQL', () => {
    expect(bannedPhrase.test('Somebody was told.')).toBe(true);
    expect(messagesIn("f('told'); f(`Nobody ${x} knows`); f('select told from alert');")).toEqual([
      'Nobody ',
      ' knows',
    ]);
  });
});

describe('banned endings of type names', () => {
  const faults = sources.flatMap((path) =>
    typeNamesIn(read(path))
      .filter((name) => bannedType.test(name))
      .map((name) => `${path}: ${name}`),
  );

  it('are in no type of the source', () => {
    expect(faults).toEqual([]);
  });

  it('would be noticed', () => {
    expect(typeNamesIn('interface FrontDesk {').filter((name) => bannedType.test(name))).toEqual([
      'FrontDesk',
    ]);
  });
});

/** The rows of the word tables, of the banned phrases, and of the banned endings of types. */
function tablesOf(page: string): [Row[], Row[], Row[]] {
  const [first = '', rest = ''] = page.split('## Not these');
  const [inTexts = '', inTypes = ''] = rest.split('In type names:');
  return [rowsOf(first), rowsOf(inTexts), rowsOf(inTypes)];
}

function rowsOf(text: string): Row[] {
  return [...text.matchAll(/^\| (?!word |not |-)(.+) \|$/gm)].map(([, row = '']) => ({
    cells: row.split(' | '),
  }));
}

function declaredNames(): Set<string> {
  const names = sources.flatMap((path) => [
    ...typeNamesIn(read(path)),
    ...[...read(path).matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = '']) => name),
  ]);
  const tables = filesUnder('sql', /\.sql$/).flatMap((path) =>
    [...read(path).matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name),
  );
  return new Set([...names, ...tables]);
}

function typeNamesIn(source: string): string[] {
  return [...source.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
}

function messagesOf(path: string): string[] {
  return messagesIn(read(path));
}

/** The texts of a source that a person may read: with a space in them, and no SQL. */
function messagesIn(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && node.type === 'Literal' && 'value' in node)
      texts.push(String(node.value));
    if ('type' in node && node.type === 'TemplateElement' && 'value' in node)
      texts.push(String(Object(node.value).cooked));
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  const isSql = /\b(?:select|insert into|update \w+ set|returning|order by)\b|\b\w+_\w+, \w+/;
  return texts.filter((text) => text.includes(' ') && !isSql.test(text));
}

/** Pages for people; the changelog tells of the past, and decisions are kept as they were written. */
function guides(): string[] {
  return ['README.md', ...filesUnder('docs', /\.md$/)].filter(
    (page) => page !== PAGE && !page.startsWith('docs/decisions/'),
  );
}

/** A page without what is quoted from the machine. */
function prose(page: string): string {
  return page.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

function filesUnder(folder: string, wanted: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => wanted.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}
