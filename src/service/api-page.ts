/** docs/reference/api.md, from the table of routes; a test compares the two. */
import { needsFreshSignIn, RIGHTS, type ActName } from '../access/index.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes/table.ts';
import { UNROUTED } from './routes/unrouted.ts';

export function apiPage(): string {
  const nouns = [...new Set(ROUTES.map(({ noun }) => noun))];
  return [
    '# API',
    '',
    'Generated from `src/service/routes/`; test/service/pages.test.ts keeps it true. The schemas are in',
    '[openapi.json](openapi.json), and at `/api/v1/openapi.json` of a running service. How to sign in, repeat a request and',
    'read errors: [the service](../guide/service.md). Who may do each act: `src/access/roles.ts`.',
    '',
    'All addresses begin with `/api/v1`. An act marked with * needs a sign-in of the last 15 minutes, and no token does it.',
    '',
    ...nouns.flatMap((noun) => [
      `## ${noun}`,
      '',
      '| request | act | what it does |',
      '|---|---|---|',
      ...ROUTES.filter((route) => route.noun === noun).map(lineOf),
      '',
    ]),
    '## Acts without a request',
    '',
    '| act | why |',
    '|---|---|',
    ...Object.keys(RIGHTS)
      .filter((act) => act in UNROUTED)
      // Only names of acts are in that table.
      .map((act) => `| \`${act}\` | ${UNROUTED[act as ActName]} |`),
    '',
  ].join('\n');
}

function lineOf({ method, path, act, summary, takesFile }: Route): string {
  const mark = act !== undefined && needsFreshSignIn(act) ? ' *' : '';
  const file = takesFile ? ' (takes a file)' : '';
  return `| \`${method} ${path}\` | ${act === undefined ? 'none' : `\`${act}\``}${mark} | ${summary}${file} |`;
}
