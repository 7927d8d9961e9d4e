/** The lanes of people that are shipped, one for each jurisdiction, put in together. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Actor, allow } from '../../access/index.ts';
import { notFound, type Profile } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { addPortal, destinationOf, lanes, readProfile } from '../../lanes/index.ts';
import { raiseTrustAlert } from '../../people/index.ts';
import { packageRoot } from '../../postgres/index.ts';

export interface ByHandLanes {
  readonly added: readonly string[];
  /** Have this profile already. */
  readonly unchanged: readonly string[];
  /** Have another profile, and keep it: one file at a time is proposed to a second person. */
  readonly kept: readonly string[];
}

/** `codes`: those jurisdictions, or all. What is there stays as it is, so it can be repeated. */
export async function addByHandLanes(
  app: Installation,
  actor: Actor,
  codes: readonly string[] | 'all',
): Promise<ByHandLanes> {
  allow(actor, 'lane.add');
  const known = new Map(
    (await lanes(app)).map(({ state, profile }) => [String(state.code), profile]),
  );
  const done = { added: [] as string[], unchanged: [] as string[], kept: [] as string[] };
  for (const profile of shippedByHand(codes)) {
    const now = known.get(profile.code);
    const isNew = now === undefined && (await addPortal(app, actor, profile)).added;
    const isSame =
      now !== undefined &&
      destinationOf(now).profile_sha256 === destinationOf(profile).profile_sha256;
    (isNew ? done.added : isSame ? done.unchanged : done.kept).push(profile.code);
  }
  if (done.added.length > 0) {
    // One letter to the others, not fifty: nothing leaves by these lanes but what people carry.
    await app.session.transaction((run) =>
      raiseTrustAlert(run, app, actor, {
        kind: 'profile_changed',
        subject: 'lanes by hand',
        did: `added ${done.added.length} lanes of people as they are shipped: ${done.added.join(', ')}`,
      }),
    );
  }
  return done;
}

function shippedByHand(codes: readonly string[] | 'all'): readonly Profile[] {
  const folder = join(packageRoot(), 'profiles', 'by-hand');
  const shipped = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => readProfile(readFileSync(join(folder, name)), name));
  if (codes === 'all') return shipped;
  return codes.map((code) => {
    const found = shipped.find((profile) => profile.code === code);
    if (found !== undefined) return found;
    throw notFound(`No lane by hand is shipped for ${code}; expected a code such as US-NV, or all`);
  });
}
