/**
 * Control characters, refused with their place where nothing may be taken out: in what says whose filing it is, the
 * number that is left may be another entity's. Texts that only describe are cleaned by the gates, which report it.
 */
import type { JsonValue, RowError } from '../../core/index.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// Free text may have tabs and line breaks (an address has lines); a carriage return only as part of one.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const CONTROL_IN_FREE_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/;

/** Why a text of one line is not fit to be sent; undefined when it is. */
export function controlFault(text: string): string | undefined {
  return faultAt(text, text.search(CONTROL));
}

/** Every control character in a further column: in its texts, and in the keys and texts of a JSON value. */
export function freeTextFaults(value: JsonValue, where: string): readonly RowError[] {
  if (typeof value === 'string') {
    const why = faultAt(value, value.search(CONTROL_IN_FREE_TEXT));
    return why === undefined ? [] : [{ where, why }];
  }
  if (typeof value !== 'object' || value === null) return [];
  const pointer = where.startsWith('/') ? where : `/${escapeStep(where)}`;
  // The depth is bounded by the strict JSON reader (64 levels).
  return Object.entries(value).flatMap(([key, inner]) => {
    const keyFault = controlFault(key);
    if (keyFault !== undefined) return [{ where: pointer, why: `has a key that ${keyFault}` }];
    return freeTextFaults(inner, `${pointer}/${escapeStep(key)}`);
  });
}

/** One step of a JSON pointer (RFC 6901). */
export function escapeStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function faultAt(text: string, at: number): string | undefined {
  if (at < 0) return undefined;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return `holds the control character U+${code} as character ${at + 1}; remove it in the source file`;
}
