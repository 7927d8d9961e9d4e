/** Numbered SQL files, applied once each, in order, by one process at a time. Released files are never edited. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilewrightError, sha256Of } from '../core/index.ts';
import { explainingRights } from './login-rights.ts';
import { packageRoot } from './package-root.ts';
import { ensureRoles, liftRowSecurity } from './roles.ts';
import { FACT_RIGHTS_SHA256, settleSchema, writeFactRights } from './settle-schema.ts';
import { type Run, type Session, sql } from './session.ts';

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const OLDEST_SUPPORTED = 140_000;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

export function readMigrations(folder = join(packageRoot(), 'sql')): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      const sha256 = sha256Of(sql);
      return { version: Number(name.slice(0, 4)), name, sql, sha256 };
    });
}

/** Brings the schema up to date and returns the names of the files it applied. */
export async function migrate(
  session: Session,
  schema: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<readonly string[]> {
  const [server] = await session.run({
    name: '',
    text: `select current_setting('server_version_num')::int as v`,
  });
  if (Number(server?.['v']) < OLDEST_SUPPORTED) {
    throw new FilewrightError(
      'DATABASE_UNSUPPORTED',
      `expected PostgreSQL 14 or newer, found ${String(server?.['v'])}`,
    );
  }
  const look = () =>
    isUpToDate((statement, values) => session.run(statement, values), schema, migrations);
  const all = () => session.transaction((run) => migrateInside(run, schema, migrations));
  return explainingRights(session, schema, async () => ((await look()) ? [] : againAfterRace(all)));
}

/** What a second process finds that makes the same schema or its first table at the same moment. */
const MADE_MEANWHILE: readonly unknown[] = ['42P06', '42P07', '23505'];

/**
 * Nothing of ours can be locked before there is anything, and an advisory lock could be held by any login of the server. So
 * two first starts may collide; the one that comes second waits for the other's commit, fails, and finds all done.
 */
async function againAfterRace<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    const code: unknown = Object(error).code;
    if (MADE_MEANWHILE.includes(code)) return work();
    throw error;
  });
}

const STANDING = sql('')`select to_regnamespace($1) is not null as schema,
    exists (select 1 from pg_tables where schemaname = $1 and tablename = 'migration') as record`;

/**
 * Mostly all is done. Each statement is a transaction of its own: whoever waits for a table of ours with another one already
 * read, and whoever changes both, would wait for each other.
 */
async function isUpToDate(
  run: Run,
  schema: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  const [standing] = await run(STANDING, [schema]);
  if (standing?.['record'] !== true) return false;
  return isSettled(await appliedIn(run, schema), migrations) && (await isReady(run));
}

async function migrateInside(
  run: Run,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Asked first: "if not exists" wants the right to create also where there is nothing to create.
  const [standing] = await run(STANDING, [schema]);
  // The schema's name is the one splice; Session has checked its shape.
  if (standing?.['schema'] !== true) await run({ name: '', text: `create schema ${schema}` });
  if (standing?.['record'] !== true) {
    await run({
      name: '',
      text: `create table migration (
        version int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`,
    });
  }
  // One process at a time; whoever had to wait looks again.
  await run({ name: '', text: `lock table ${schema}.migration in share row exclusive mode` });
  const done = await applyMissing(run, schema, migrations);
  if (done.length > 0) {
    await run({ name: '', text: `revoke all on all tables in schema ${schema} from public` });
    await settleSchema(run);
  }
  const [installation] = await run(INSTALLATION);
  if (installation?.['fact_rights'] !== FACT_RIGHTS_SHA256) await writeFactRights(run);
  if (done.length > 0 || installation?.['roles'] !== 'ready') await ensureRoles(run, schema);
  return done;
}

const INSTALLATION = sql('')`select roles, fact_rights from installation`;

/** Whether everything beside the files is as this program wants it. */
async function isReady(run: Run): Promise<boolean> {
  const [installation] = await run(INSTALLATION);
  return installation?.['roles'] === 'ready' && installation['fact_rights'] === FACT_RIGHTS_SHA256;
}

async function appliedIn(run: Run, schema: string): Promise<ReadonlyMap<number, string>> {
  // By its full name: where the login may not use the schema, the short one would seem not to exist.
  const rows = await run({ name: '', text: `select version, sha256 from ${schema}.migration` });
  return new Map(rows.map((row) => [Number(row['version']), String(row['sha256'])]));
}

function isSettled(
  applied: ReadonlyMap<number, string>,
  migrations: readonly Migration[],
): boolean {
  return (
    applied.size === migrations.length &&
    migrations.every(({ version, sha256 }) => applied.get(version) === sha256)
  );
}

async function applyMissing(
  run: Run,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const applied = await appliedIn(run, schema);
  const known = new Set(migrations.map((migration) => migration.version));
  const foreign = [...applied.keys()].find((version) => !known.has(version));
  if (foreign !== undefined) {
    throw new FilewrightError(
      'DATABASE_UNSUPPORTED',
      `The schema has migration ${foreign}, which this program does not know`,
    );
  }
  const done: string[] = [];
  if (migrations.some((migration) => !applied.has(migration.version))) {
    await liftRowSecurity(run, schema);
  }
  for (const migration of migrations) {
    const before = applied.get(migration.version);
    if (before !== undefined && before !== migration.sha256) {
      throw new FilewrightError(
        'DATABASE_UNSUPPORTED',
        `Migration ${migration.name} was edited after it had been applied`,
      );
    }
    if (before !== undefined) continue;
    await run({ name: '', text: migration.sql });
    await run(
      { name: '', text: 'insert into migration (version, name, sha256) values ($1, $2, $3)' },
      [migration.version, migration.name, migration.sha256],
    );
    done.push(migration.name);
  }
  return done;
}
