/** The embedded PostgreSQL, by who sits at its machine. No installation need be open: it may not even start. */
import { type Actor, allow } from '../../access/index.ts';
import {
  backupEmbedded,
  type EmbeddedServer,
  embeddedStatus,
  ensureEmbedded,
  restoreEmbedded,
  stopEmbedded,
  stopEmbeddedIfUnused,
} from '../../postgres/index.ts';

/** As whom the server runs when root starts it, and who is told what was changed about it. */
type ServerTerms = Pick<Parameters<typeof ensureEmbedded>[0], 'databaseUser' | 'say'>;

export async function startDatabase(
  dataDirectory: string,
  actor: Actor,
  terms: ServerTerms = {},
): Promise<EmbeddedServer> {
  allow(actor, 'database.start');
  return ensureEmbedded({ ...terms, dataDirectory });
}

export async function stopDatabase(
  dataDirectory: string,
  actor: Actor,
): ReturnType<typeof stopEmbedded> {
  allow(actor, 'database.stop');
  return stopEmbedded(dataDirectory);
}

/** At the end of a process that started it for itself. */
export async function leaveDatabase(
  dataDirectory: string,
  actor: Actor,
): ReturnType<typeof stopEmbeddedIfUnused> {
  allow(actor, 'database.stop');
  return stopEmbeddedIfUnused(dataDirectory);
}

export async function databaseStatus(
  dataDirectory: string,
  actor: Actor,
): ReturnType<typeof embeddedStatus> {
  allow(actor, 'database.status');
  return embeddedStatus(dataDirectory);
}

export async function backupDatabase(
  dataDirectory: string,
  actor: Actor,
  target: string,
  terms: ServerTerms = {},
): ReturnType<typeof backupEmbedded> {
  allow(actor, 'database.backup');
  return backupEmbedded(dataDirectory, target, terms);
}

export async function restoreDatabase(
  dataDirectory: string,
  actor: Actor,
  source: string,
  terms: ServerTerms = {},
): ReturnType<typeof restoreEmbedded> {
  allow(actor, 'database.restore');
  return restoreEmbedded(source, dataDirectory, terms);
}
