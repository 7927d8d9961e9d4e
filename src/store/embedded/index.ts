/** The embedded PostgreSQL: a real server, private to one data directory, started when it is needed. */

export type { EmbeddedConnection, EmbeddedServer } from './attach.ts';
export { type BackupReport, backupEmbedded } from './backup.ts';
export { ensureEmbedded, type EnsureOptions } from './ensure.ts';
export { type RestoreReport, restoreEmbedded } from './restore.ts';
export { type EmbeddedStatus, embeddedStatus } from './status.ts';
export { type StopMode, stopEmbedded } from './stop.ts';
export type { Tuning } from './settings.ts';
