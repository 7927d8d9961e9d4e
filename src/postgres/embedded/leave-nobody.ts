/** A cluster that an earlier version gave to nobody gets a user of its own, before its server is started again. */
import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStep, isMissing } from './failure.ts';
import { makePlace, type Place, type PlaceOptions } from './place.ts';
import { chooseServerUser, isOfNobody, type ServerUser } from './server-user.ts';

/**
 * To be called while no server runs. The top of the cluster goes last: it says whose the cluster is, so that what dies
 * midway is done again as a whole. Links are given away themselves and not followed.
 */
export async function leaveNobody(
  place: Place,
  options: PlaceOptions & { readonly say?: ((text: string) => void) | undefined },
): Promise<Place> {
  if (!(await isOfNobody(place.user))) return place;
  const user = await chooseServerUser(options.databaseUser);
  await fileStep('give the cluster to a user of its own', place.cluster, async () => {
    await give(place.socketDirectory, user);
    await give(place.cluster, user);
  });
  options.say?.(
    `The database in ${place.cluster} belonged to uid ${place.user.uid}, a user that other services share. It now belongs to uid ${user.uid}, as which its server runs from now on.`,
  );
  return makePlace(place.dataDirectory, options);
}

async function give(path: string, user: ServerUser): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (found.isDirectory()) {
    for (const name of await readdir(path)) await give(join(path, name), user);
  }
  await lchown(path, user.uid, user.gid);
}
