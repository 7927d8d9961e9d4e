import { ERRORS, EXIT } from './errors.ts';

/** docs/reference/errors.md, generated from the catalogue; a test compares the two. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { exit, meaning, remedy }]) =>
      `| \`${code}\` | ${EXIT[exit]} | ${meaning} | ${remedy} |`,
  );
  return [
    '# Errors',
    '',
    'Generated from `src/core/errors.ts`; test/docs.test.ts keeps it true.',
    '',
    '| code | exit code | meaning | remedy |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
