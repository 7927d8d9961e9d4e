/** What a value looks like after a trip through the database. */

/** Keys of a jsonb value lie by length, then by bytes; what is `undefined` is absent. Frozen: rows share their values. */
export function jsonb(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return Object.freeze(value.map(jsonb));
  if (typeof value !== 'object') return value;
  const names = Object.entries(value).filter(([, one]) => one !== undefined);
  names.sort(([a], [b]) => (a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length));
  return Object.freeze(Object.fromEntries(names.map(([name, one]) => [name, jsonb(one)])));
}

/** A parameter of type json or jsonb, which comes as text. */
export function parsed(text: string | null): unknown {
  return text === null ? null : jsonb(JSON.parse(text));
}

/** `json_to_recordset`: whatever stands in the list, with the names of the caller's columns. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the statement declares its columns
export function recordset<Record>(text: string): readonly Record[] {
  // The statement declares the columns; the caller names them once more as its type.
  return parsed(text) as readonly Record[];
}

/** `to_timestamp(ms / 1000)`, where null stays null. */
export function moment(ms: number | null | undefined): number | null {
  return ms ?? null;
}

export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

const TIMES = new Set([
  'now',
  'at',
  'oldest',
  'received_at',
  'next_at',
  'closed_at',
  'started_at',
  'ended_at',
  'created_at',
  'claimed_at',
  'changed_at',
  'activated_at',
  'expires_at',
  'acknowledged_at',
  'found_at',
  'review_by',
  'reviewed_at',
]);

/** A row with those columns alone. Moments have microseconds inside and whole milliseconds outside. */
export function shown(row: object, columns: readonly string[]): Record<string, unknown> {
  const found = row as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const name of columns) {
    const value = found[name] ?? null;
    result[name] = typeof value === 'number' && TIMES.has(name) ? Math.floor(value) : value;
  }
  return result;
}
