/** The profiles that a running worker goes by: those that it began with, and what two people have approved since. */
import { FilewrightError, type LaneCode, type Log, type Profile } from '../../core/index.ts';
import { readProfile } from '../profile/read-profile.ts';
import { changedProfiles } from '../store/lanes.ts';
import type { Session } from '../../postgres/index.ts';

interface KnownProfiles {
  /** Always the same map; `refresh` changes what is in it. */
  readonly profiles: ReadonlyMap<LaneCode, Profile>;
  /** Which profile of its lane it is: a filing goes only by the one that it was approved for. */
  readonly numberOf: (profile: Profile) => number | undefined;
  refresh(): Promise<void>;
}

export function knownProfiles(deps: {
  readonly session: Pick<Session, 'run'>;
  readonly tenant: string;
  readonly log: Log;
  readonly first: ReadonlyMap<LaneCode, Profile>;
}): KnownProfiles {
  // A lane whose filings people carry is none to a worker: it takes no slot there and asks for no claim.
  const profiles = new Map([...deps.first].filter(([, { driver }]) => driver !== 'person'));
  const known = new Map<LaneCode, number>();
  const numbers = new WeakMap<Profile, number>();
  return {
    profiles,
    numberOf: (profile) => numbers.get(profile),
    refresh: async () => {
      const { session, tenant, log } = deps;
      for (const { code, n, profile } of await changedProfiles(session, tenant, known)) {
        known.set(code, n);
        try {
          const read = readProfile(profile, `lane ${code}`);
          // What a worker still has in hand there it ends by the former profile, and claims nothing for it.
          if (read.driver === 'person') continue;
          numbers.set(read, n);
          profiles.set(code, read);
        } catch (error) {
          if (!(error instanceof FilewrightError)) throw error;
          // Written by a newer version: what was approved for it is left to who can read it, and somebody should know.
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
