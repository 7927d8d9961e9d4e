/** References to secrets: `env:NAME` or `file:/path`. What they lead to is in no message and in no log. */
import { readFile } from 'node:fs/promises';
import { FilewrightError } from '../core/index.ts';
import type { Environment } from '../portals/index.ts';

const ENVIRONMENT = /^env:[A-Za-z_][A-Za-z0-9_]*$/;
// oxlint-disable-next-line no-control-regex -- a path with a line break is a mistake or an attack.
const FILE = /^file:(?:\/|[A-Za-z]:[\\/])[^\u0000-\u001f]+$/;

export function isReference(text: string): boolean {
  return ENVIRONMENT.test(text) || FILE.test(text);
}

export async function readReference(reference: string, environment: Environment): Promise<string> {
  const value = ENVIRONMENT.test(reference)
    ? environment[reference.slice('env:'.length)]
    : FILE.test(reference)
      ? await readFile(reference.slice('file:'.length), 'utf8').catch(() => undefined)
      : undefined;
  const line = value?.replace(/\r?\n$/, '') ?? '';
  if (line !== '' && !line.includes('\n')) return line;
  // What is no reference may be the secret itself.
  const shown = isReference(reference) ? reference : '(not shown)';
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected the reference ${shown} (env: or file:) to lead to one line, found nothing usable`,
    { details: { reference: shown } },
  );
}
