import { FACTS } from './catalogue.ts';
import { type FactShape, type Fields, isList, type Shape } from './shape.ts';

/** docs/reference/facts.md, generated from the catalogue; a test compares the two. */
export function factsPage(): string {
  const types = Object.entries<FactShape>(FACTS).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const nouns = [...new Set(types.map(([type]) => nounOf(type)))];
  const sections = nouns.flatMap((noun) => [
    `## ${noun}`,
    '',
    '| type | when it is written | fields |',
    '|---|---|---|',
    ...types
      .filter(([type]) => nounOf(type) === noun)
      .map(([type, { when, fields }]) => `| \`${type}\` | ${when} | ${fieldsOf(fields)} |`),
    '',
  ]);
  return [
    '# Facts of the ledger',
    '',
    'Generated from `src/core/facts/`; test/docs.test.ts keeps it true. These are the `data` of entries, by type.',
    '',
    'Names are in snake_case. An instant is RFC 3339 in UTC, a day is YYYY-MM-DD, a digest is SHA-256 in hex. A field with `?`',
    'may be absent or null. `measures` are values under names that vary; `given` is as another system wrote',
    'it. A part that is too long for an entry is recorded as `{"bytes", "sha256"}` of its canonical JSON.',
    '',
    ...sections,
  ].join('\n');
}

function nounOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function fieldsOf(fields: Fields): string {
  const named = Object.entries(fields).map(([name, shape]) => `\`${name}\` ${wordsOf(shape)}`);
  return named.length === 0 ? 'none' : named.join(', ');
}

function wordsOf(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (isList(shape)) return `list of ${wordsOf(shape[0])}`;
  return `{ ${fieldsOf(shape)} }`;
}
