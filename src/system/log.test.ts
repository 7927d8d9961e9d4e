import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../core/ports.ts';
import { jsonLog } from './log.ts';

function written(record: LogRecord): Record<string, unknown> {
  const lines: string[] = [];
  jsonLog({ write: (line) => lines.push(line) }).write(record);
  expect(lines).toHaveLength(1);
  // A log line is an object, or the test fails on its fields.
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

describe('the log', () => {
  it('writes one JSON line with its level and moment, and the fields it was given', () => {
    expect(
      written({ level: 'error', event: 'filing.outcome', attempt: 2, error: 'HTTP_422' }),
    ).toEqual({
      level: 'error',
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'filing.outcome',
      attempt: 2,
      error: 'HTTP_422',
    });
  });

  it('lets no field through that is not in its list, whatever a caller hands in', () => {
    const record = { level: 'info', event: 'x', payload: 'SECRET', headers: { a: 'SECRET' } };
    // What a careless caller could do in spite of the types.
    expect(JSON.stringify(written(record as LogRecord))).not.toContain('SECRET');
  });

  it('cuts a field that is too long to be a code or an id', () => {
    const { error } = written({ level: 'warn', event: 'x', error: 'x'.repeat(5_000) });
    expect(error).toHaveLength(200);
  });
});
