// `npm run facts`: writes docs/reference/facts.md from the built catalogue of facts.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { factsPage } from '../dist/src/core/facts/facts-page.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
writeFileSync(join(root, 'docs/reference/facts.md'), factsPage());
