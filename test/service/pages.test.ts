/** The reference pages of the API are those of the table of routes, and the document is one that others can read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { apiPage, openApi } from '../../src/service/pages.ts';
import { ROUTES } from '../../src/service/routes/table.ts';
import { ROOT } from '../fixtures/built-tree.ts';

const read = (name: string): string => readFileSync(join(ROOT, 'docs/reference', name), 'utf8');

it('docs/reference/api.md is current (npm run api)', () => {
  expect(read('api.md')).toBe(apiPage());
});

it('docs/reference/openapi.json is current, and has every route', async () => {
  const text = await openApi();
  expect(read('openapi.json')).toBe(text);
  const document = JSON.parse(text) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
  };
  expect(document.openapi).toMatch(/^3\.1\./);
  const said = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const missing = ROUTES.map(({ method, path }) => `${method} /api/v1${path}`).filter(
    (one) => !said.includes(one),
  );
  expect(missing).toEqual([]);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  // A reference that leads nowhere would be noticed by every reader but ours.
  expect(text).not.toContain('"$ref"');
});
