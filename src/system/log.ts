/** JSON lines on stderr. Only the fields of LogRecord exist, so neither a secret nor a payload can get in. */
import { type DestinationStream, destination, pino } from 'pino';
import { type Log, type LogRecord, plain } from '../core/index.ts';

const FIELDS = [
  'event',
  'trace_id',
  'filing_id',
  'entity_id',
  'jurisdiction',
  'lane',
  'status',
  'payload_sha256',
  'verdict',
  'attempt',
  'route',
  'http_status',
  'ms',
  'error',
] as const satisfies readonly (keyof LogRecord)[];

/** A field longer than this is not a code or an id, and is cut. */
const FIELD_CHARS_MAX = 200;

export function jsonLog(stream: DestinationStream = destination({ dest: 2, sync: true })): Log {
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return { write: (record) => logger[record.level](allowed(record)) };
}

function allowed(record: LogRecord): Record<string, string | number> {
  const line: Record<string, string | number> = {};
  for (const field of FIELDS) {
    const value = record[field];
    if (typeof value === 'string') line[field] = plain(value.slice(0, FIELD_CHARS_MAX));
    else if (typeof value === 'number') line[field] = value;
  }
  return line;
}
