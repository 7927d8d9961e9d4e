/** Requests of which no byte went out, and why. */
import type { Failure, FailureCode } from '../../core/index.ts';

export function notSent(code: FailureCode, message: string): Failure {
  return { kind: 'failure', written: false, code, message, elapsedMs: 0 };
}

export function closedAlready(): Failure {
  return notSent('connect', 'The portal connections are closed.');
}

export function collided(lane: string): Failure {
  return notSent(
    'session_collision',
    `A session token of ${lane} was seen in two places; its connections and sessions were destroyed.`,
  );
}
