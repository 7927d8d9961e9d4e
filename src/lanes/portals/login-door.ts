import type { Failure } from '../../core/index.ts';

// So long after a login that worked, several may sign in at once. Later the password may have been changed meanwhile.
const TRUSTED_MS = 60_000;

/**
 * Where the sessions of one lane sign in. Portals lock an account after a few wrong passwords, and a lane has as many
 * sessions as slots: until one login has worked they go in one at a time, and after a refused one nobody who was
 * already on the way tries again. The lane is held by then; whoever comes later was let through by a person.
 */
export class LoginDoor {
  /** How often somebody was turned away. A visit remembers the number with which it began. */
  refusals = 0;
  private refusal: Failure | undefined;
  private workedAtMs: number | undefined;
  private inside: Promise<unknown> | undefined;
  private readonly monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
  }

  /** A login has worked since the last refused one. */
  get hasWorked(): boolean {
    return this.workedAtMs !== undefined;
  }

  worked(): void {
    this.workedAtMs = this.monotonicMs();
  }

  refuse(failure: Failure): Failure {
    this.refusals += 1;
    this.refusal = failure;
    this.workedAtMs = undefined;
    return failure;
  }

  /** Why a visit that began after so many refusals must not post the password. */
  refusedSince(refusals: number): Failure | undefined {
    return refusals === this.refusals ? undefined : this.refusal;
  }

  async pass<T>(signIn: () => Promise<T>): Promise<T> {
    while (this.inside !== undefined && !this.isTrusted()) await this.inside;
    const passing = signIn();
    const done = passing.then(noop, noop);
    this.inside = done;
    try {
      return await passing;
    } finally {
      if (this.inside === done) this.inside = undefined;
    }
  }

  private isTrusted(): boolean {
    return this.workedAtMs !== undefined && this.monotonicMs() - this.workedAtMs < TRUSTED_MS;
  }
}

function noop(): void {}
