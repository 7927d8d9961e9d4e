import { describe, expect, it } from 'vitest';
import { isPostmasterOf, parsePidFile } from './postmaster.ts';

const WHOLE =
  '6860\n/d/postgres\n1794715456\n5432\n/d/postgres.run\n\n  2146388        13\nready   \n';

describe('postmaster.pid', () => {
  it('tells pid, place and phase of a running server', () => {
    expect(parsePidFile(WHOLE)).toMatchObject({
      pid: 6860,
      directory: '/d/postgres',
      port: 5432,
      socketDirectory: '/d/postgres.run',
      phase: 'ready',
    });
  });

  it.each([
    ['empty, just created', ''],
    ['a single-user server', '-77\n/d/postgres\n'],
    ['not a number', 'postgres\n'],
    ['init, which is never ours to signal', '1\n/d/postgres\n'],
  ])('names no server when it is %s', (_, text) => {
    expect(parsePidFile(text)).toBeUndefined();
  });

  it('is a starting server at every length PostgreSQL may have written so far', () => {
    for (let length = 5; length < WHOLE.indexOf('ready'); length += 1) {
      expect(parsePidFile(WHOLE.slice(0, length))).toMatchObject({ pid: 6860, phase: 'starting' });
    }
  });
});

it('a process that is not PostgreSQL is never taken for the server', async () => {
  expect(await isPostmasterOf(process.pid, process.cwd())).toBe(false);
});
