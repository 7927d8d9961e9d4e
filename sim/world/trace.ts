import { createHash } from 'node:crypto';

/** Lines are hashed in groups: a call for each would cost more than the hashing. */
const GROUP_CHARS = 32_768;

/** Everything that happened, in order, as a running hash; and as readable lines where somebody wants to read them. */
export class Trace {
  readonly lines: string[] | undefined;
  readonly #hash = createHash('sha256');
  readonly #startMs: number;
  #group = '';

  constructor(options: { readonly startMs: number; readonly readable: boolean }) {
    this.#startMs = options.startMs;
    this.lines = options.readable ? [] : undefined;
  }

  add(atMs: number, text: string): void {
    const ms = atMs - this.#startMs;
    this.#group += `${ms} ${text}\n`;
    if (this.#group.length > GROUP_CHARS) this.#flush();
    this.lines?.push(`${(ms / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex').slice(0, 32);
  }

  #flush(): void {
    this.#hash.update(this.#group);
    this.#group = '';
  }
}
