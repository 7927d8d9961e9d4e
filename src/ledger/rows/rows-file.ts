/** Rows in an export: one line of JSON for each, in the order in which they are compared. */
import { type JsonValue, LEDGER_BOUNDARIES } from '../../core/index.ts';
import { type Fields, type FoundRow, ROW_KINDS, type Told } from './saying.ts';

export const ROWS_FOLDER = 'rows';
/** Both offline verifiers refuse a file of 64 MB; a line is some hundred bytes. */
export const ROWS_PER_FILE = 40_000;

export function rowsFile(n: number): string {
  return `${ROWS_FOLDER}/${String(n).padStart(6, '0')}.ndjson`;
}

/** Facts that were committed with those rows and that no signed head covers yet. */
export const UNSIGNED_FILE = 'unsigned.ndjson';

/** Filing first: a batch is closed in that log before it is approved in another. */
export const LOGS_IN_ORDER = [...LEDGER_BOUNDARIES].sort((a, b) => rankOf(a) - rankOf(b));

export function rankOf(boundary: string): number {
  return boundary === 'filing' ? 0 : 1;
}

export function rowLine({ kind, id, fields, isQuiet = false }: FoundRow): Uint8Array {
  return Buffer.from(JSON.stringify([kind, id, fields, isQuiet ? 1 : 0]), 'utf8');
}

export function unsignedLine(told: Told): Uint8Array {
  const { boundary, type, subj, actor, cls, data, body } = told;
  return Buffer.from(JSON.stringify({ boundary, type, subj, actor, cls, data, body }), 'utf8');
}

/** Undefined when it is no row. */
export function rowOf(value: JsonValue): FoundRow | undefined {
  if (!Array.isArray(value)) return undefined;
  const [name, id, fields, quiet] = value as readonly JsonValue[];
  const kind = ROW_KINDS.find((known) => known === name);
  if (kind === undefined || typeof id !== 'string' || !isFields(fields)) return undefined;
  return { kind, id, fields, isQuiet: quiet === 1 };
}

function isFields(value: JsonValue | undefined): value is Fields & JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
