import { expect, it } from 'vitest';
import { configuration, serverArguments, userMap } from './settings.ts';

it('durability and privacy are said on the command line, where no file can weaken them', () => {
  const words = serverArguments({ cluster: '/d/postgres', socketDirectory: '/d/a, "b"' });
  expect(words).toEqual(
    expect.arrayContaining([
      'fsync=on',
      'synchronous_commit=on',
      'full_page_writes=on',
      'listen_addresses=',
      'unix_socket_directories="/d/a, ""b"""',
    ]),
  );
});

it('the tunings differ in memory and WAL only', () => {
  const small = configuration('default').split('\n');
  const large = configuration('large').split('\n');
  expect(small.filter((line) => !large.includes(line))).toEqual([
    "shared_buffers = '64MB'",
    "max_wal_size = '1GB'",
  ]);
});

it('only the named operating-system users are let in', () => {
  expect(userMap(['root', 'alice'])).toBe(
    'filewright "root" filewright\nfilewright "alice" filewright\n',
  );
});
