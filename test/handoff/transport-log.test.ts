import { describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import {
  isVerbose,
  logTransport,
  openWindow,
  redact,
  redactUrl,
  VERBOSE_MS_DEFAULT,
  VERBOSE_MS_MAX,
  type VerboseWindow,
} from '../../src/people/notify/transport-log.ts';

const NOW = instant(1_900_000_000_000);
const window = openWindow({ target: 'team-a', by: 'ada' }, NOW);

describe('verbose logging', () => {
  it('ends by itself after a quarter of an hour', () => {
    expect(isVerbose(window, NOW)).toBe(true);
    expect(isVerbose(window, addMs(NOW, VERBOSE_MS_DEFAULT - 1))).toBe(true);
    expect(isVerbose(window, addMs(NOW, VERBOSE_MS_DEFAULT))).toBe(false);
    expect(isVerbose(undefined, NOW)).toBe(false);
  });

  it('cannot be made to last longer: by asking, by a row in the store, or by putting the clock back', () => {
    for (const forMs of [0, -1, 0.5, VERBOSE_MS_MAX + 1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => openWindow({ target: 't', by: 'a', forMs }, NOW)).toThrow(
        'Expected verbose logging to last',
      );
    }
    expect(openWindow({ target: 't', by: 'a', forMs: VERBOSE_MS_MAX }, NOW).until).toBe(
      NOW + VERBOSE_MS_MAX,
    );
    expect(isVerbose({ ...window, until: addMs(NOW, VERBOSE_MS_MAX + 1) }, NOW)).toBe(false);
    expect(isVerbose(window, instant(NOW - 1))).toBe(false);
  });

  it('writes only while its window is open, and only for its target', async () => {
    const windows = new Map<string, VerboseWindow>([['team-a', window]]);
    const lines: Readonly<Record<string, JsonValue>>[] = [];
    let now = NOW;
    const parts = {
      clock: { now: () => now },
      windows: { read: async (target: string) => windows.get(target) },
      write: async (line: Readonly<Record<string, JsonValue>>) => void lines.push(line),
    };
    const record = { target: 'team-a', at: NOW, direction: 'out' } as const;
    await logTransport(record, parts);
    await logTransport({ ...record, target: 'team-b' }, parts);
    now = window.until;
    await logTransport(record, parts);
    expect(lines).toHaveLength(1);
  });
});

describe('a line of it', () => {
  it('holds no secret, no payload and no password, wherever they stood', () => {
    const line = JSON.stringify(
      redact({
        target: 'team-a',
        at: NOW,
        direction: 'out',
        url: 'https://user:hush1@host.example:8443/in/hush2-hush2-hush2-hush2-hush2?token=hush3&a=b',
        status: 403,
        headers: {
          Authorization: 'Bearer hush4',
          Cookie: 'hush5',
          'X-Api-Key': 'hush6',
          'Content-Type': 'application/json',
          'Retry-After': '7',
          'Set-Cookie': 'hush7',
          'X-Anything': 'hush8',
        },
        body: Buffer.from('{"client":"hush9"}'),
        evidence: {
          tlsHandshakeMs: 2_900,
          message: 'at amqp://u:hush10@h/x',
          nested: { a: 'hush11' },
        },
        error: 'connect redis://:hush12@h:1 failed, password=hush13 bearer hush14',
      }),
    );
    expect(line).not.toMatch(/hush/);
    expect(line).toContain('host.example:8443/in/');
    expect(line).toContain('"content-type":"application/json"');
    expect(line).toContain('"retry-after":"7"');
    expect(line).toContain('"tlsHandshakeMs":2900');
    expect(line).toContain('"bytes":18');
    expect(line).toContain('token=…');
  });

  it('shows nothing of an address that is none', () => {
    expect(redactUrl('hush')).toBe('[4 characters]');
  });
});
