/** Joins calls that come while one is under way into the next one: many small commits become few larger ones. */

/** More than a process has in hand at once gains nothing, and would hold locks for longer. */
const GROUP_MAX = 100;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Group<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #isBusy = false;

  /** `work` answers in the order of the items. */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#work = work;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isBusy) void this.#run();
    });
  }

  /** Never rejects: every error goes to whoever waits for it. */
  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      await this.#settle(group);
    }
    this.#isBusy = false;
  }

  async #settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(group.map(({ item }) => item));
      // One result for each item, as `work` promises.
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const [only, ...others] = group;
      if (only === undefined) return;
      if (others.length === 0) only.reject(error);
      // One bad item must not fail the others: each gets its own try.
      else for (const one of group) await this.#settle([one]);
    }
  }
}
