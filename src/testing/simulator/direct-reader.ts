/** Reads from a portal that nobody else uses, so that no slot is needed: a simulated one. */
import type { Profile } from '../../core/index.ts';
import { createPortal, type LanePortal } from '../../lanes/index.ts';
import type { Environment } from '../../wire/index.ts';

export interface DirectReader {
  readonly mayRead: true;
  read(path: string): ReturnType<LanePortal['read']>;
  close(): Promise<void>;
}

export function openDirectReader(profile: Profile, environment: Environment): DirectReader {
  const portal = createPortal({ environment });
  const guard = { mayWrite: () => true, signal: new AbortController().signal };
  return {
    mayRead: true,
    read: (path) => portal.read(profile, path, guard),
    close: () => portal.close(),
  };
}
