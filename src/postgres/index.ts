export { cursorRows } from './cursor.ts';
export type { EmbeddedServer } from './embedded/attach.ts';
export { backupEmbedded } from './embedded/backup.ts';
export { isLocalHost } from './database-way.ts';
export { ensureEmbedded } from './embedded/ensure.ts';
export { restoreEmbedded } from './embedded/restore.ts';
export { userNameOf } from './embedded/server-user.ts';
export { embeddedStatus } from './embedded/status.ts';
export { stopEmbedded, stopEmbeddedIfUnused } from './embedded/stop.ts';
export { type Purpose, purposeOf, type Stage } from './grant-walls.ts';
export { together } from './joined-session.ts';
export { lockedOnce } from './locked-once.ts';
export { migrate } from './migrate.ts';
export { packageRoot } from './package-root.ts';
export { PLANNER } from './planner.ts';
export { assumeRole, rolesState } from './roles.ts';
export * from './rows.ts';
export { describeConnection, describeServer } from './server.ts';
export { mayAllMakeTemporary } from './settle-schema.ts';
export {
  actForNow,
  type ConnectionTarget,
  type Row,
  type Run,
  Session,
  sql,
  type Statement,
} from './session.ts';
