/** A grantor's own ledger: read over a lane like any portal, or from a file that the grantor sent. */
import {
  FilewrightError,
  type Instant,
  type JsonValue,
  parseStrictJson,
  type Profile,
} from '../../core/index.ts';
import type { Filewright } from '../../app.ts';
import { type GrantorLedger, laneLedger } from '../../pipeline/index.ts';
import type { LanePortal } from '../../portals/index.ts';
import { lanes, type LaneWithProfile } from '../lanes.ts';

export interface GrantorLane {
  readonly portal: Pick<LanePortal, 'read'>;
  readonly profile: Profile;
  /** Below the profile's base address; `{grantor}` is replaced. */
  readonly path: string;
}

/** The profile of a lane that may be read now; a lane that rests, rests for this too. */
export async function profileToRead(app: Filewright, code: string): Promise<Profile> {
  const lane = (await lanes(app)).find(({ state }) => state.code === code);
  if (lane === undefined) {
    throw new FilewrightError('NOT_FOUND', `There is no lane "${code}"; see lane list`);
  }
  const obstacle = obstacleTo(lane, app.clock.now());
  if (obstacle === undefined) return lane.profile;
  throw new FilewrightError(
    'REFUSED_BY_RULE',
    `Lane ${code} ${obstacle}; read the ledger by hand and give it with --file, or try later`,
  );
}

function obstacleTo({ state, profile }: LaneWithProfile, now: Instant): string | undefined {
  if (profile.automation !== 'allowed') return 'does not say that automation is allowed';
  const { pause } = state;
  if (pause.kind === 'held') return `is held (${pause.reason})`;
  return pause.kind === 'until' && pause.until > now ? `is paused (${pause.reason})` : undefined;
}

export function ledgerOfLane({ portal, profile, path }: GrantorLane): GrantorLedger {
  const pathOf = (grantor: string): string =>
    path.replaceAll('{grantor}', () => encodeURIComponent(grantor));
  return laneLedger({ portal, profile, pathOf });
}

/** A file that is no JSON is refused at once: somebody is there to give the right one. */
export function ledgerOfFile(path: string, bytes: Uint8Array): GrantorLedger {
  let document: JsonValue;
  try {
    document = parseStrictJson(bytes);
  } catch (cause) {
    if (!(cause instanceof FilewrightError)) throw cause;
    throw new FilewrightError(cause.code, `${path}: ${cause.message}`, { cause });
  }
  return { read: () => Promise.resolve({ kind: 'read', document }) };
}
