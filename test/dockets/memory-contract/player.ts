/** One who talks to a database over a connection of its own, statement by statement, with transactions that stay open. */
import { FilewrightError } from '../../../src/core/errors.ts';
import type { Session } from '../../../src/postgres/session.ts';

export type Run = Session['run'];

/** Something that is done on both databases, and must come to the same. */
export interface Act {
  readonly name: string;
  /** Locks rows in an order that no statement promises: only while the other player has no transaction open. */
  readonly isMany?: true;
  play(run: Run): Promise<unknown>;
}

/** Takes a transaction back. */
class TakenBack extends Error {}

export class Player {
  readonly session: Session;
  readonly isBlocked: () => Promise<boolean>;
  isBusy = false;
  /** What its last act came to, once. */
  result: { readonly act: string; readonly value: unknown } | undefined;
  #open: { readonly run: Run; commit(): void; rollback(error: Error): void } | undefined;
  #over: Promise<unknown> = Promise.resolve();

  constructor(session: Session, isBlocked: () => Promise<boolean>) {
    this.session = session;
    this.isBlocked = isBlocked;
  }

  get isInTransaction(): boolean {
    return this.#open !== undefined;
  }

  async begin(): Promise<void> {
    await new Promise<void>((opened, failed) => {
      this.#over = this.session
        .transaction((run) => {
          const held = new Promise<void>((commit, rollback) => {
            this.#open = { run, commit, rollback };
          });
          opened();
          return held;
        })
        .catch((error: unknown) => {
          if (error instanceof TakenBack) return 'rolled back';
          failed(error);
          return codeOf(error);
        });
    });
  }

  async end(how: 'commit' | 'rollback'): Promise<unknown> {
    const open = this.#open;
    this.#open = undefined;
    if (how === 'commit') open?.commit();
    else open?.rollback(new TakenBack());
    return this.#over;
  }

  /** Does not wait for its end: it may have to wait for the other player. */
  start(act: Act): void {
    const run: Run =
      this.#open?.run ?? ((statement, values) => this.session.run(statement, values));
    this.isBusy = true;
    void act.play(run).then(
      (value) => this.#ended(act, value),
      (error: unknown) => this.#ended(act, { error: codeOf(error) }),
    );
  }

  #ended({ name }: Act, value: unknown): void {
    this.isBusy = false;
    this.result = { act: name, value };
  }
}

/** The code of an error, and of what it was made of: messages differ. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : error.message;
  return error instanceof FilewrightError && error.cause !== undefined
    ? `${code} ${codeOf(error.cause)}`
    : code;
}
