/** What a reader types next: the program as it was called here, with the place and the tenant that were used. */
import { basename } from 'node:path';
import { environment } from '../context.ts';

interface Calling {
  /** What npm tells a program that it starts; `exec` is npx. */
  readonly npmCommand: string | undefined;
  readonly program: string | undefined;
}

/** In a clone through npm; as an installed package by its own name. */
export function programWords({ npmCommand, program }: Calling): string {
  if (npmCommand === 'exec') return 'npx filewright';
  if (npmCommand === undefined && basename(program ?? '') === 'filewright') return 'filewright';
  return 'npm run -s filewright --';
}

export function nextCommand(dataDirectory: string, tenant?: string): string {
  const calling = { npmCommand: environment['npm_command'], program: process.argv[1] };
  return [
    programWords(calling),
    ...(dataDirectory === '.filewright' ? [] : ['--data-dir', shellWord(dataDirectory)]),
    ...(tenant === undefined ? [] : ['--tenant', shellWord(tenant)]),
  ].join(' ');
}

/** As a shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
