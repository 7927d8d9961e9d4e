/**
 * Where a lane leads. A profile decides it, so a profile is named by the hash of its canonical JSON: whoever approves that
 * something is sent approves it for these destinations, and for no other (sql/0004_lanes.sql computes the same hash).
 */
import {
  canonicalText,
  changesBetween,
  type JsonChange,
  type JsonValue,
  type Profile,
  sha256Of,
} from '../../core/index.ts';

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

/** What a new profile says otherwise than the old one, field by field. */
export function profileChanges(before: Profile, after: Profile): readonly JsonChange[] {
  // What a profile holds is JSON.
  return changesBetween(plain(before), plain(after));
}

function plain(profile: Profile): JsonValue {
  return JSON.parse(profileText(profile)) as JsonValue;
}
