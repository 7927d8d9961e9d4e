/**
 * Where a lane leads. A profile decides it, so a profile is named by the hash of its canonical JSON: whoever approves that
 * something is sent approves it for these destinations, and for no other (sql/0004_lanes.sql computes the same hash).
 */
import { canonicalText, type JsonValue, type Profile, sha256Of } from '../../core/index.ts';

/** As a proposal names it. */
export interface Destination {
  readonly lane: string;
  readonly profile_sha256: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** Fields that are absent are left out, so that one profile has one text. */
export function profileText(profile: Profile): string {
  return canonicalText(JSON.parse(JSON.stringify(profile)) as JsonValue, { numbers: 'any' });
}

export function destinationOf(profile: Profile): Destination {
  return {
    lane: profile.code,
    profile_sha256: sha256Of(profileText(profile)),
    origin: new URL(profile.baseUrl).origin,
  };
}

export interface ProfileChange {
  /** A JSON pointer. */
  readonly field: string;
  /** Absent: there was none. */
  readonly from?: JsonValue;
  /** Absent: there is none any more. */
  readonly to?: JsonValue;
}

/** What a new profile says otherwise than the old one, field by field in the order of their names; lists are compared whole. */
export function profileChanges(before: Profile, after: Profile): readonly ProfileChange[] {
  // What a profile holds is JSON.
  return changesBetween(plain(before), plain(after), '');
}

function plain(profile: Profile): JsonValue {
  return JSON.parse(profileText(profile)) as JsonValue;
}

function changesBetween(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  field: string,
): ProfileChange[] {
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
