/** Work that nobody waits for: what breaks there ends the worker like a loop of its own, not the process with a stack trace. */
export class Unawaited {
  readonly #stopped: AbortController;
  #broken: { readonly error: unknown } | undefined;

  constructor(stopped: AbortController) {
    this.#stopped = stopped;
  }

  watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#broken ??= { error };
      this.#stopped.abort();
    });
  }

  /** Throws what broke first. */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }
}
