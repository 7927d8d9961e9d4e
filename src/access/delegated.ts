/**
 * What may be done without the person at the keyboard, and what only right after they have signed in. What cannot be undone, or
 * gives somebody rights, needs the person themselves: an open browser of an hour ago, or a program with a token, is not one.
 */
import { FilewrightError, type Instant } from '../core/index.ts';
import type { PersonActor } from './actor.ts';
import type { ActName } from './rights.ts';

/** Long enough to look at what is approved, short enough that a screen left alone approves nothing. */
const FRESH_MS = 15 * 60_000;

/** Asked for with a sign-in that is not older than `FRESH_MS`. */
const NEEDS_FRESH: ReadonlySet<ActName> = new Set([
  'audit.quarantine.approve',
  'batch.approve',
  'batch.cancel.approve',
  'docket.approve',
  'docket.close',
  'docket.decide',
  'grants.close',
  'grants.exception.approve',
  'grants.withdrawal.decide',
  'hand.approve',
  'key.rotate',
  'lane.decide',
  'mail.decide',
  'recovery.approve',
  'retention.release',
  'retention.run',
  'review.accept',
  'review.approve',
  'review.reject',
  'route.decide',
  'token.add',
  'user.add',
  'user.approve',
  'user.enable',
  'user.key.add',
  'user.key.replace',
  'user.link',
  'user.role',
  'webhook.decide',
] as const satisfies readonly ActName[]);

/** Ending something must never wait for a sign-in, but no program does it for a person either. */
const NEVER_BY_TOKEN: ReadonlySet<ActName> = new Set([
  ...NEEDS_FRESH,
  'audit.quarantine.decline',
  'audit.quarantine.propose',
  'session.list',
  'session.revoke',
  'token.list',
  'token.revoke',
  'user.disable',
  'user.key.list',
  'user.key.revoke',
  'user.refuse',
] as const satisfies readonly ActName[]);

export function needsFreshSignIn(act: ActName): boolean {
  return NEEDS_FRESH.has(act);
}

export function isDelegable(act: ActName): boolean {
  return !NEVER_BY_TOKEN.has(act);
}

/** How somebody came in over the wire. */
export type Entrance =
  | { readonly kind: 'session'; readonly id: string; readonly signedInAt: Instant }
  | { readonly kind: 'token'; readonly id: string; readonly acts: readonly string[] };

/** Asked beside `allow`, which asks for the roles: what this way in is good for. */
export function allowThrough(
  entrance: Entrance,
  actor: PersonActor,
  act: ActName,
  now: Instant,
): void {
  if (entrance.kind === 'token') {
    if (isDelegable(act) && entrance.acts.includes(act)) return;
    const why = isDelegable(act)
      ? 'the token was not made for it'
      : 'a person does it themselves, and no program for them';
    throw new FilewrightError('NOT_PERMITTED', `${act}: ${why} (token of ${actor.name})`, {
      details: { act },
    });
  }
  if (!needsFreshSignIn(act) || now - entrance.signedInAt <= FRESH_MS) return;
  throw new FilewrightError(
    'SIGN_IN_AGAIN',
    `${act}: expected a sign-in not older than ${FRESH_MS / 60_000} minutes, found an older one`,
    { details: { act } },
  );
}
