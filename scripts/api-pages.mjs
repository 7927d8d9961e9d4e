// `npm run api`: writes docs/reference/api.md and openapi.json from the built table of routes.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPage, openApi } from '../dist/src/service/pages.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
writeFileSync(join(root, 'docs/reference/api.md'), apiPage());
writeFileSync(join(root, 'docs/reference/openapi.json'), await openApi());
