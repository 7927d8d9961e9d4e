/** What a conflict is about: the payload that exists and the one in the row, field by field. */
import {
  type Correctable,
  FilewrightError,
  type FilingDraft,
  type FilingId,
  type JsonValue,
  parseStrictJson,
  type PersonId,
  type RowError,
  type SealedPayload,
  toRfc3339,
  type Vault,
} from '../core/index.ts';

// A person reads this in one cell of a table; a row that differs in more is another filing altogether.
const FIELDS_SHOWN_MAX = 20;
const SHOWN_CHARACTERS_MAX = 80;

export interface FieldChange {
  /** The path in the payload, for instance `entity_name` or `fields.agent`. */
  readonly field: string;
  /** Undefined where the field is absent. */
  readonly old: JsonValue | undefined;
  readonly new: JsonValue | undefined;
}

/** The error row of a conflict. The filing that exists is left as it is. */
export function conflictError(input: {
  readonly vault: Vault;
  readonly filing: FilingId;
  readonly existing: SealedPayload;
  readonly payload: Uint8Array;
  readonly remedy: string;
}): RowError {
  const changes = changesFrom(input);
  const rule = `conflicts with filing ${input.filing}, which is unchanged`;
  if (changes === undefined) {
    return {
      where: 'payload',
      why: `${rule}; its sealed content could not be opened for comparison`,
    };
  }
  const listed = changes.slice(0, FIELDS_SHOWN_MAX).map((change) => {
    return `${change.field}: ${shown(change.old)} → ${shown(change.new)}`;
  });
  const more = changes.length - listed.length;
  if (more > 0) listed.push(`and ${more} more`);
  return {
    where: changes
      .map((change) => change.field)
      .slice(0, FIELDS_SHOWN_MAX)
      .join(', '),
    why: `${rule}; ${listed.join('; ')}. ${input.remedy}`,
  };
}

/** What can be done about a filing that exists, in the words of the row's report. */
export function remedyOf(correctable: Correctable | undefined, by: PersonId | undefined): string {
  if (correctable === undefined) return 'Remove the row, or correct the filing with review correct';
  const { batch, how, preparedBy } = correctable;
  if (how === 'stop') {
    return `It is approved in batch ${batch} and not sent yet: to take it back, stop the batch with batch cancel ${batch}`;
  }
  if (how === 'withdraw') {
    return `It was held back in batch ${batch}: withdraw it with batch withdraw, then import this row again`;
  }
  const waits = `It waits for approval in batch ${batch}`;
  if (preparedBy !== by) {
    return `${waits}; only the person who prepared that batch can correct it there`;
  }
  return `${waits}: to put this row in its place, import the file with --correct`;
}

/** The error row of a row whose payload is known and whose dates are not the filing's: never "unchanged" in silence. */
export function movedDates(
  existing: { readonly filing: FilingId; readonly dates: Dates },
  row: Dates,
  remedy: string,
): RowError | undefined {
  const moved = (
    [
      ['due', existing.dates.due, row.due],
      ['not_before', existing.dates.notBefore, row.notBefore],
    ] as const
  ).filter(([, old, now]) => old !== now);
  if (moved.length === 0) return undefined;
  const listed = moved.map(([name, old, now]) => `${name}: ${toRfc3339(old)} → ${toRfc3339(now)}`);
  return {
    where: moved.map(([name]) => name).join(', '),
    why: `conflicts with filing ${existing.filing}, which is unchanged; ${listed.join('; ')}. ${remedy}`,
  };
}

type Dates = Pick<FilingDraft, 'notBefore' | 'due'>;

function changesFrom(input: {
  readonly vault: Vault;
  readonly existing: SealedPayload;
  readonly payload: Uint8Array;
}): readonly FieldChange[] | undefined {
  let old: Uint8Array;
  try {
    old = input.vault.open(input.existing);
  } catch (error) {
    // Its key may have been destroyed on purpose. The conflict is still one, and the other rows go on.
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
  return changedFields(parseStrictJson(old), parseStrictJson(input.payload));
}

/** The leaves that differ, in the order of their names. Arrays are compared as a whole. */
export function changedFields(
  old: JsonValue | undefined,
  now: JsonValue | undefined,
  path = '',
): readonly FieldChange[] {
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    return names.flatMap((name) =>
      changedFields(own(old, name), own(now, name), path === '' ? name : `${path}.${name}`),
    );
  }
  // Both come from canonical bytes, so equal values have equal spellings.
  const same = JSON.stringify(old) === JSON.stringify(now);
  return same ? [] : [{ field: path, old, new: now }];
}

type JsonObject = Readonly<Record<string, JsonValue>>;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}
