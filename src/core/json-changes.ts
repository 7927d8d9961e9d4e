/** What one document says otherwise than another: what a second person is shown of a change. */
import { canonicalText, type JsonValue } from './canonical-json.ts';

export interface JsonChange {
  /** A JSON pointer. */
  readonly field: string;
  /** Absent: there was none. */
  readonly from?: JsonValue;
  /** Absent: there is none any more. */
  readonly to?: JsonValue;
}

/** Field by field in the order of their names; lists are compared whole. */
export function changesBetween(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  field = '',
): JsonChange[] {
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      changesBetween(
        before[name],
        after[name],
        `${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ),
    );
  }
  if (sameValue(before, after)) return [];
  return [
    {
      field,
      ...(before === undefined ? {} : { from: before }),
      ...(after === undefined ? {} : { to: after }),
    },
  ];
}

function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === undefined || other === undefined
    ? one === other
    : canonicalText(one, { numbers: 'any' }) === canonicalText(other, { numbers: 'any' });
}

function isFields(
  value: JsonValue | undefined,
): value is { readonly [name: string]: JsonValue } & JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
