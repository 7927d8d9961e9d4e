/** Sealing and opening what the register keeps of an entity, and what has changed in it. */
import {
  canonicalBytes,
  canonicalText,
  type EntryId,
  FilewrightError,
  type JsonValue,
  parseStrictJson,
  type Vault,
  type WrappedKey,
} from '../../core/index.ts';
import { changedFields, type FieldChange } from '../../intake/index.ts';
import {
  type EntityRecord,
  plainFacts,
  type SealedFacts,
  sealedFacts,
} from '../rules/register/entity-record.ts';
import type { StoredEntity } from '../store/entities.ts';

/** More changes than a person reads; the sealed body has the whole record anyway. */
const CHANGES_MAX = 200;

export function sealRecord(
  vault: Vault,
  where: { readonly key: WrappedKey; readonly entry: EntryId },
  record: EntityRecord,
  changes: readonly FieldChange[],
): ReturnType<Vault['seal']> {
  const listed = changes.slice(0, CHANGES_MAX).map((change) => ({
    field: change.field,
    old: change.old ?? null,
    new: change.new ?? null,
  }));
  const body = canonicalBytes({ entity: sealedFacts(record.sealed), changes: listed });
  return vault.seal({ ...where, body });
}

/** Undefined where the body is gone or its key was destroyed: what was sealed is then lost on purpose. */
export function openRecord(vault: Vault, stored: StoredEntity): EntityRecord | undefined {
  if (stored.sealed === undefined) return undefined;
  let opened: JsonValue;
  try {
    opened = parseStrictJson(vault.open(stored.sealed));
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
  // Written by sealRecord; the seal has just proved that it is unchanged.
  const { entity } = opened as { readonly entity: JsonValue };
  return { ...stored, sealed: entity as unknown as SealedFacts };
}

/** The record without what is sealed, for rules that need none of it. */
export function wholeFacts(record: EntityRecord): Readonly<Record<string, JsonValue>> {
  return { ...plainFacts(record), ...sealedFacts(record.sealed) };
}

export function isSameRecord(a: EntityRecord, b: EntityRecord): boolean {
  return canonicalText(wholeFacts(a)) === canonicalText(wholeFacts(b));
}

export function recordChanges(
  before: EntityRecord | undefined,
  after: EntityRecord,
): readonly FieldChange[] {
  return before === undefined ? [] : changedFields(wholeFacts(before), wholeFacts(after));
}

/** Plain fields with both values, sealed ones by name alone: the fact itself is not sealed. */
export function changeSummary(
  changes: readonly FieldChange[],
  record: EntityRecord,
): Readonly<Record<string, JsonValue>> {
  const plain = new Set(
    Object.keys(plainFacts(record)).concat('formation_date', 'fiscal_year_end', 'rule_id'),
  );
  const isPlain = (change: FieldChange): boolean => plain.has(change.field.split('.')[0] ?? '');
  return {
    changed: changes
      .filter(isPlain)
      .map((change) => ({ field: change.field, old: change.old ?? null, new: change.new ?? null })),
    changed_sealed: [...new Set(changes.filter((one) => !isPlain(one)).map(sealedName))].slice(
      0,
      CHANGES_MAX,
    ),
  };
}

/** A column's name is data of the file and may itself say something; only that a form field changed is told. */
function sealedName(change: FieldChange): string {
  return change.field.split('.')[0] ?? '';
}
