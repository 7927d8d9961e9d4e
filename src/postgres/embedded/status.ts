/** What there is of a data directory's server, without starting or changing anything. */

import { connectionOf, type EmbeddedConnection } from './attach.ts';
import { clusterMajor } from './cluster.ts';
import { fileStep } from './failure.ts';
import { findPlace } from './place.ts';
import { findPostmaster, type Phase } from './postmaster.ts';

interface Made {
  /** Where the cluster lies. */
  readonly cluster: string;
  /** `elsewhere` when root runs it for a data directory that the server's user cannot enter. */
  readonly location: 'data directory' | 'elsewhere';
  readonly log: string;
  /** The PostgreSQL major version that made the cluster. */
  readonly major: number;
  /** The uid that the server runs as. */
  readonly uid: number;
}

type EmbeddedStatus =
  | { readonly state: 'absent' }
  | (Made & { readonly state: 'stopped' })
  | (Made & {
      readonly state: 'running';
      readonly pid: number;
      readonly phase: Phase;
      readonly connection: EmbeddedConnection;
    });

export async function embeddedStatus(dataDirectory: string): Promise<EmbeddedStatus> {
  const place = await findPlace(dataDirectory);
  if (place === undefined) return { state: 'absent' };
  return fileStep('look at the cluster', place.cluster, async () => {
    const major = await clusterMajor(place.cluster);
    if (major === undefined) return { state: 'absent' };
    const made: Made = {
      cluster: place.cluster,
      location: place.home === place.dataDirectory ? 'data directory' : 'elsewhere',
      log: place.log,
      major,
      uid: place.user.uid,
    };
    const file = await findPostmaster(place.cluster);
    if (file === undefined) return { ...made, state: 'stopped' };
    return {
      ...made,
      state: 'running',
      pid: file.pid,
      phase: file.phase,
      connection: connectionOf(place, file),
    };
  });
}
