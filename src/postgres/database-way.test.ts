import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { isLocalHost, protectedClient } from './database-way.ts';

const PLAIN = 'postgres://u@db.example:5432/f';
const client = (connectionString: string, mayBePlain = false): Client =>
  protectedClient((more) => new Client({ connectionString, ...more }), mayBePlain);

describe('the way to the database', () => {
  it.each([
    ['another machine', PLAIN],
    ['a private address', 'postgres://u@10.0.0.5/f'],
    ['an address that begins like loopback', 'postgres://u@127.0.0.1.evil.example/f'],
    ['another machine by a parameter', 'postgres:///f?host=db.example'],
  ])('to %s has TLS although the address does not ask for it', (_name, url) => {
    expect(client(url).ssl).toBe(true);
  });

  it.each(['sslmode=disable', 'ssl=0'])('is refused where the address says %s', (off) => {
    expect(() => client(`${PLAIN}?${off}`)).toThrow(/FILEWRIGHT_DATABASE_PLAINTEXT/);
    expect(client(`${PLAIN}?${off}`, true).ssl).toBe(false);
  });

  it('checks the certificate as the address says', () => {
    expect(client(`${PLAIN}?sslmode=verify-full`).ssl).toEqual({});
    expect(client(`${PLAIN}?sslmode=no-verify`).ssl).toEqual({ rejectUnauthorized: false });
  });

  it.each([
    'postgres://u@localhost/f',
    'postgres://u@127.0.0.1/f?sslmode=disable',
    'postgres://u@[::1]/f',
    'postgres:///f?host=/run/postgresql',
    '/run/postgresql f',
  ])('stays as it is on this machine: %s', (url) => {
    expect(client(url).ssl).toBe(false);
  });

  it('knows this machine by name and number', () => {
    for (const host of ['', '/tmp', 'localhost', 'LOCALHOST', '127.8.9.1', '::1']) {
      expect(isLocalHost(host)).toBe(true);
    }
    for (const host of ['localhost.example', '128.0.0.1', '::2', '0.0.0.0', 'db']) {
      expect(isLocalHost(host)).toBe(false);
    }
  });
});
