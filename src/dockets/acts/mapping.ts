/** Mappings of offices' documents: those that ship with the program, and a firm's own. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { notFound } from '../../core/index.ts';
import { type DocketMapping, readDocketMapping } from '../rules/docket/mapping-file.ts';
import { packageRoot } from '../../postgres/index.ts';

/** A name is a shipped mapping, and anything else a path. */
export async function mappingNamed(name: string): Promise<DocketMapping> {
  // Nothing that could lead out of the folder.
  const isName = /^[a-z0-9][a-z0-9-]*$/.test(name);
  const path = isName ? join(packageRoot(), 'law', 'mappings', `${name}.json`) : name;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw notFound(`There is no mapping ${name}`, { cause: error });
  });
  return readDocketMapping({ file: basename(path), text });
}
