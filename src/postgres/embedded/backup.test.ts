import { appendFile, chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedConnection } from './attach.ts';
import { backupEmbedded } from './backup.ts';
import { embeddedStatus } from './status.ts';
import { ensureEmbedded } from './ensure.ts';
import { restoreEmbedded } from './restore.ts';
import { stopEmbedded } from './stop.ts';
import { readManifest } from './manifest.ts';

let root: string;
let data: string;
let backup: string;
let options: { readonly reachableDirectory: string };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fw-backup-'));
  await chmod(root, 0o711);
  data = join(root, 'data');
  backup = join(root, 'backup');
  options = { reachableDirectory: join(root, 'reachable') };
  const { connection } = await ensureEmbedded({ dataDirectory: data, ...options });
  await query(connection, 'create table rows (n int primary key, text text)');
  await query(
    connection,
    `insert into rows select n, repeat('é', n % 90) from generate_series(1, 5000) n`,
  );
  await writeFile(join(data, 'root.key'), 'secret', { mode: 0o600 });
});
afterAll(async () => {
  for (const name of await readdir(root)) {
    await stopEmbedded(join(root, name), { mode: 'immediate' });
  }
  await rm(root, { recursive: true, force: true });
});

async function query(connection: EmbeddedConnection, sql: string): Promise<unknown[]> {
  const client = new Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const SUM = `select count(*)::int as count, md5(string_agg(n || text, ',' order by n)) as sum from rows`;

describe('backup and restore', () => {
  it('a backup taken while rows are written restores to a consistent state', async () => {
    const { connection } = await ensureEmbedded({ dataDirectory: data, ...options });
    const writer = new Client(connection);
    await writer.connect();
    const end = new AbortController();
    const writing = (async () => {
      for (let n = 5001; !end.signal.aborted; n += 2) {
        // Always two at a time: an odd count after the restore would be half a transaction.
        await writer.query('insert into rows values ($1, $2), ($3, $2)', [n, 'live', n + 1]);
      }
    })();
    const report = await backupEmbedded(data, backup, options);
    end.abort();
    await writing;
    await writer.end();
    expect(report.notes.join(' ')).toContain('root.key');

    const restored = await restoreEmbedded(backup, join(root, 'restored'), options);
    expect(restored.files).toBe(report.files);
    const [row] = await query(
      restored.server.connection,
      `select count(*)::int % 2 as half, count(*) filter (where n <= 5000)::int as old,
              max(n) - count(*)::int as missing from rows`,
    );
    expect(row).toEqual({ half: 0, old: 5000, missing: 0 });
  });

  it('the key and the running server’s files are not in it', async () => {
    const { files } = await readManifest(backup);
    const names = files.map((file) => file.path);
    expect(names.filter((name) => /root\.key|postmaster|\.s\.PGSQL/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['backup_label', 'global/pg_control']));
  });

  it('both ends start a stopped server, and the rows are the same', async () => {
    const before = await query(
      (await ensureEmbedded({ dataDirectory: data, ...options })).connection,
      SUM,
    );
    await stopEmbedded(data);
    const second = join(root, 'second');
    await backupEmbedded(data, second, options);
    expect(await embeddedStatus(data)).toMatchObject({ state: 'running' });
    // The key may be put in place before the restore.
    const target = join(root, 'restored second');
    await mkdir(target, { mode: 0o711 });
    await chmod(target, 0o711);
    await writeFile(join(target, 'root.key'), 'secret');
    const { server } = await restoreEmbedded(second, target, options);
    expect(await query(server.connection, SUM)).toEqual(before);
  });
});

describe('what is refused', () => {
  it('a target that holds something', async () => {
    await expect(backupEmbedded(data, backup, options)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    expect((await readManifest(backup)).format).toBe(1);
  });

  it('a target inside the cluster', async () => {
    const status = await embeddedStatus(data);
    const cluster = status.state === 'absent' ? '' : status.cluster;
    await expect(backupEmbedded(data, join(cluster, 'b'), options)).rejects.toThrow(/inside/);
    await rm(join(cluster, 'b'), { recursive: true });
  });

  it('a restore over a used data directory, running or not', async () => {
    await expect(restoreEmbedded(backup, data, options)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    const used = join(root, 'used');
    await mkdir(used);
    await writeFile(join(used, 'letter.txt'), '');
    await expect(restoreEmbedded(backup, used, options)).rejects.toThrow(/letter\.txt/);
  });

  it('a damaged file, a missing file, and a backup that was cut short', async () => {
    const target = join(root, 'never');
    const hba = join(backup, 'cluster', 'pg_hba.conf');
    await appendFile(hba, 'local all all trust\n');
    const damaged = { code: 'INPUT_MALFORMED', message: expect.stringContaining('pg_hba.conf') };
    await expect(restoreEmbedded(backup, target, options)).rejects.toMatchObject(damaged);
    await rm(hba);
    await expect(restoreEmbedded(backup, target, options)).rejects.toMatchObject(damaged);
    await rm(join(backup, 'filewright-backup.json'));
    await expect(restoreEmbedded(backup, target, options)).rejects.toThrow(/no complete backup/);
    expect(await embeddedStatus(target)).toEqual({ state: 'absent' });
  });

  it('a manifest that names files outside the backup', async () => {
    const forged = join(root, 'forged');
    await mkdir(forged);
    const file = { path: '../../etc/passwd', bytes: 0, sha256: '0'.repeat(64) };
    const manifest = {
      format: 1,
      version: '18.4',
      major: 18,
      systemIdentifier: '1',
      firstWal: '',
      lastWal: '',
      directories: [],
      files: [file],
    };
    await writeFile(join(forged, 'filewright-backup.json'), JSON.stringify(manifest));
    await expect(restoreEmbedded(forged, join(root, 'x'), options)).rejects.toThrow(/outside/);
  });
});
