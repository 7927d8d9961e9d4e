/** How the server is configured: what it may never change, and what suits a small machine. */

/** `large` is for a machine with gigabytes to spare; it takes effect when the server is next started. */
export type Tuning = 'default' | 'large';

/** One server per private socket directory, so the number never collides; it only names the socket file. */
export const SOCKET_PORT = 5432;

/** The superuser that initdb makes; who may become it is decided by the operating-system user (see below). */
export const DATABASE_USER = 'filewright';

/** The database that initdb makes: creating another would be one more step that a crash can interrupt. */
export const DATABASE_NAME = 'postgres';

const TUNED = {
  default: { shared_buffers: '64MB', max_wal_size: '1GB' },
  large: { shared_buffers: '1GB', max_wal_size: '8GB' },
} as const satisfies Record<Tuning, Record<string, string>>;

const COMMON = {
  max_connections: '100',
  checkpoint_timeout: '15min',
  // The packaged server knows pglz only, and that costs more processor time than the disk space is worth here.
  wal_compression: 'off',
  // The queue tables are swept by number of rows (sql/0002_ledger.sql says why); once a minute would be too late for them.
  autovacuum_naptime: '5s',
  // Queries here are short; compiling them costs more than it gains, and the package has no LLVM.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // In the cluster rather than in /dev/shm: systemd empties that of a user's segments when the user logs out,
  // and the server outlives the session; containers also keep /dev/shm small.
  dynamic_shared_memory_type: 'mmap',
  logging_collector: 'off',
  log_min_messages: 'warning',
  // Statements and row values stay out of the log: they can hold what is sealed in the tables.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
} as const;

/** The text of `filewright.conf`, which `postgresql.conf` includes. */
export function configuration(tuning: Tuning): string {
  const lines = Object.entries({ ...COMMON, ...TUNED[tuning] }).map(
    ([name, value]) => `${name} = '${value}'`,
  );
  return `# Written by Filewright at each start; changes belong in postgresql.auto.conf (ALTER SYSTEM).\n${lines.join('\n')}\n`;
}

/** Given on the command line, where neither a file nor ALTER SYSTEM can weaken them. */
export const DURABLE = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
} as const;

export function serverArguments(options: {
  readonly cluster: string;
  readonly socketDirectory: string;
  readonly overrides?: Readonly<Record<string, string>>;
}): readonly string[] {
  const settings = {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // A list of directories, so the path is quoted: it may hold commas and spaces.
    unix_socket_directories: `"${options.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    ...DURABLE,
    ...options.overrides,
  };
  return [
    '-D',
    options.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * Only the socket, and only the operating-system users in the map: the kernel says who calls, so there is no
 * password to store, lose or copy, and other daemons of a shared uid such as nobody are refused.
 */
export const HOST_RULES = 'local all all peer map=filewright\n';

export function userMap(names: readonly string[]): string {
  return names.map((name) => `filewright "${name}" ${DATABASE_USER}\n`).join('');
}
