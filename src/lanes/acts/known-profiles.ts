/** The profiles that a running worker goes by: those that it began with, and what `lane add` has brought since. */
import { FilewrightError, type LaneCode, type Log, type Profile } from '../../core/index.ts';
import { readProfile } from '../profile/read-profile.ts';
import { changedProfiles } from '../store/lanes.ts';
import type { Session } from '../../postgres/index.ts';

interface KnownProfiles {
  /** Always the same map; `refresh` changes what is in it. */
  readonly profiles: ReadonlyMap<LaneCode, Profile>;
  refresh(): Promise<void>;
}

export function knownProfiles(deps: {
  readonly session: Pick<Session, 'run'>;
  readonly tenant: string;
  readonly log: Log;
  readonly first: ReadonlyMap<LaneCode, Profile>;
}): KnownProfiles {
  const profiles = new Map(deps.first);
  const hashes = new Map<LaneCode, string>();
  return {
    profiles,
    refresh: async () => {
      const { session, tenant, log } = deps;
      const changed = await changedProfiles(session, tenant, [...hashes.values()]);
      for (const { code, hash, profile } of changed) {
        hashes.set(code, hash);
        try {
          profiles.set(code, readProfile(JSON.stringify(profile), `lane ${code}`));
        } catch (error) {
          if (!(error instanceof FilewrightError)) throw error;
          // Written by a newer version: the lane goes by what we could read, and somebody should know.
          log.write({
            level: 'error',
            event: 'worker.profile_unreadable',
            lane: code,
            error: error.code,
          });
        }
      }
    },
  };
}
