import { text, when } from './rows.ts';
import { type Session, sql } from './session.ts';

const DESCRIBE = sql('server-describe')`
select version() as version, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as sync, clock_timestamp() as now`;

/** What the database server says of itself. */
export async function describeServer(session: Session): Promise<{
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly now: number;
}> {
  const [row] = await session.run(DESCRIBE);
  return {
    version: text(row?.['version']).split(' ').slice(0, 2).join(' '),
    fsync: text(row?.['fsync']),
    synchronousCommit: text(row?.['sync']),
    now: when(row?.['now']),
  };
}

const DESCRIBE_CONNECTION = sql('server-connection')`
select current_user as login, host(inet_server_addr()) as server,
  (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls`;

/** Which way a session goes: as whom it is logged in, to which address (undefined: a unix socket), with which TLS. */
export async function describeConnection(session: Session): Promise<{
  readonly login: string;
  readonly server: string | undefined;
  readonly tls: string | undefined;
}> {
  const [row] = await session.run(DESCRIBE_CONNECTION);
  const { server, tls } = row ?? {};
  return {
    login: text(row?.['login']),
    server: typeof server === 'string' ? server : undefined,
    tls: typeof tls === 'string' ? tls : undefined,
  };
}
