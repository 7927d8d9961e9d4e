/** Makes sure that a data directory's server runs: attaches to it, or starts it first. */

import { setTimeout as sleep } from 'node:timers/promises';
import { attach, type EmbeddedServer } from './attach.ts';
import { configure, ensureCluster } from './cluster.ts';
import { fileStep, serverFailure } from './failure.ts';
import { launch, trimLog } from './launch.ts';
import { leaveNobody } from './leave-nobody.ts';
import { findNative, prepareNative } from './native.ts';
import { copiesDirectory, makePlace, type Place, type PlaceOptions } from './place.ts';
import { clearReusedPid } from './postmaster.ts';
import type { Tuning } from './settings.ts';
import { embeddedFailed } from './refusals.ts';

export interface EnsureOptions extends PlaceOptions {
  readonly dataDirectory: string;
  /** Takes effect when the server is started; `default` suits a small machine. */
  readonly tuning?: Tuning;
  /** Told, in one sentence, what was changed about an older cluster. */
  readonly say?: ((text: string) => void) | undefined;
}

// Someone else is starting, or the orphans of a killed server still hold its memory; both pass by themselves.
const PASSING =
  /lock file "[^"]*" (already exists|is empty)|pre-existing shared memory block|bogus data/;
const PASSING_WAIT_MS = 100;
// Thirty seconds in all: an orphan ends when its running query does.
const STARTS_MAX = 300;

/**
 * Attaches to the server of this data directory, starting it (and making its cluster) when none runs. Any number
 * of processes may call this at once: they end with one server, which outlives them.
 *
 * There is no lock of our own to go stale. One rename decides who makes the cluster, and `postmaster.pid`, which
 * PostgreSQL guards itself, decides who starts the server.
 */
export async function ensureEmbedded(options: EnsureOptions): Promise<EmbeddedServer> {
  const place = await makePlace(options.dataDirectory, options);
  await fileStep('trim the server log', place.log, () => trimLog(place.log));
  const running = await attach(place);
  if (running !== undefined) return { ...running, startedHere: false };
  return start(place, options);
}

async function start(found: Place, options: EnsureOptions): Promise<EmbeddedServer> {
  const place = await leaveNobody(found, options);
  const native = await prepareNative(await findNative(), {
    user: place.user,
    copies: () => copiesDirectory(place, options.reachableDirectory),
  });
  await ensureCluster(place, native);
  for (let count = 0; count < STARTS_MAX; count += 1) {
    const running = await attach(place);
    if (running !== undefined) return { ...running, startedHere: false };
    await fileStep('configure the server', place.cluster, async () => {
      await clearReusedPid(place);
      await configure(place, place.cluster, options.tuning ?? 'default');
    });
    const launched = await launch(place, native);
    if (launched.outcome === 'ready') {
      const server = await attach(place);
      // Gone again at once: someone stopped it, or it crashed; the next round finds out which.
      if (server !== undefined) return { ...server, startedHere: server.pid === launched.pid };
    } else if (!PASSING.test(launched.output)) {
      throw await serverFailure({
        doing: 'start the server',
        output: launched.output,
        log: place.log,
        directory: place.home,
      });
    }
    await sleep(PASSING_WAIT_MS);
  }
  throw embeddedFailed(
    `The server for ${place.cluster} did not start: another process prevented it for ${(STARTS_MAX * PASSING_WAIT_MS) / 1000} seconds; see ${place.log}.`,
    { details: { log: place.log } },
  );
}
