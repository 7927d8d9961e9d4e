/**
 * Bodies that are not beside their entries. Only shredding may take one away, and it leaves an entry that names the key:
 * a body without one was removed by somebody.
 */
import { basename, join } from 'node:path';
import { parseEntry } from '../entry-chain.ts';
import { UNSIGNED_FILE } from '../rows/rows-file.ts';
import { bundles, exists, Failure } from './audit-offline-files.ts';
import type { OfflineLog } from './audit-offline-log.ts';
import { lines } from './audit-offline-rows.ts';

/** Call it when the logs have been found to hold: what they say is believed here. */
export async function checkMissingBodies(
  top: string,
  logs: readonly { readonly folder: string; readonly log: OfflineLog }[],
): Promise<readonly string[]> {
  const lacking = logs.filter(({ log }) => log.missing.size > 0);
  if (lacking.length === 0) return [];
  const saying = logs.find(({ log }) => log.origin.endsWith('/access'));
  if (saying === undefined) {
    return ['bodies are missing, and the log that says which keys were destroyed is not here'];
  }
  const destroyed = await destroyedKeys(top, saying.folder);
  for (const { folder, log } of lacking) {
    for (const [key, { seq, ct }] of log.missing) {
      if (destroyed.has(key)) continue;
      const found = `bodies/${ct} is missing, and no entry says that its key ${key} was destroyed`;
      throw new Failure('BODY_UNREADABLE', `${basename(folder)}: ${found}`, seq);
    }
  }
  return [];
}

async function destroyedKeys(top: string, folder: string): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const take = (type: unknown, data: unknown): void => {
    if (type !== 'retention.shredded') return;
    const named = (Object(data) as { readonly keys?: unknown }).keys;
    if (Array.isArray(named)) for (const key of named) keys.add(String(key));
  };
  for await (const bundle of bundles(folder)) {
    for (const bytes of bundle) {
      const { type, data } = parseEntry(bytes);
      take(type, data);
    }
  }
  // Destroyed after the head was signed: told with a warning, as all that is unsigned.
  const path = join(top, UNSIGNED_FILE);
  if (await exists(path)) {
    for await (const fact of lines(path)) {
      const { type, data } = Object(fact) as { readonly type?: unknown; readonly data?: unknown };
      take(type, data);
    }
  }
  return keys;
}
