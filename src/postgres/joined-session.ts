/**
 * One transaction over several acts: each act runs its own transactions on this session, and they are savepoints of the one
 * that is open. So what an act did, and the note that it was done, are committed together or not at all.
 */
import { FilewrightError, invariant } from '../core/index.ts';
import { type Run, Session, type Statement } from './session.ts';

interface Acting {
  readonly person: string;
  readonly party: string;
}

/** An act is asked who acts as on any session; a stage's role that it took ends with its own transaction. */
const BEGIN = { name: 'joined-begin', text: 'savepoint joined' };
const WHO = {
  name: 'joined-who',
  text: `select set_config('fw.person', $1, true), set_config('fw.party', $2, true), set_config('role', 'none', true)`,
};
const END = { name: 'joined-end', text: 'release savepoint joined' };
const UNDO = { name: 'joined-undo', text: 'rollback to savepoint joined' };

class JoinedSession extends Session {
  readonly #run: Run;
  readonly #acting: () => Acting;
  #end: Promise<unknown> = Promise.resolve();

  constructor(run: Run, acting: () => Acting) {
    super({ target: {}, schema: 'joined', name: 'joined' });
    this.#run = run;
    this.#acting = acting;
  }

  override run(statement: Statement, values: readonly unknown[] = []): ReturnType<Run> {
    return this.transaction((run) => run(statement, values));
  }

  override transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const { person, party } = this.#acting();
    const done = this.#end.then(async () => {
      await this.#run(BEGIN);
      try {
        await this.#run(WHO, [person, party]);
        const result = await work(this.#run);
        await this.#run(WHO, [person, party]);
        await this.#run(END);
        return result;
      } catch (error) {
        // A failed rollback means that the connection is gone, and with it all of it; the first error is the one to report.
        await this.#run(UNDO).catch(() => undefined);
        throw error;
      }
    });
    // The next one waits for the end of this one, not for its success.
    this.#end = done.catch(() => undefined);
    return done;
  }

  override maintain(): never {
    throw new FilewrightError(
      'BROKEN_INVARIANT',
      'Expected nothing that needs to be outside a transaction',
    );
  }

  override remember(): never {
    throw new FilewrightError(
      'BROKEN_INVARIANT',
      'Expected no settings that outlive the transaction',
    );
  }

  override async close(): Promise<void> {
    // It is the other session's connection.
  }

  /** Everything that was begun on it. */
  settled(): Promise<unknown> {
    return this.#end;
  }
}

/** `work` gets a session whose transactions are all committed together, when it is done, or none of them. */
export function together<T>(
  session: Session,
  acting: () => Acting,
  work: (joined: Session, run: Run) => Promise<T>,
): Promise<T> {
  let isOver = false;
  return session.transaction(async (run) => {
    const joined = new JoinedSession((statement, values) => {
      invariant(!isOver, 'Expected nothing to be written after the transaction had ended.');
      return run(statement, values);
    }, acting);
    try {
      return await work(joined, run);
    } finally {
      // What an act began and did not wait for belongs to it all the same.
      await joined.settled();
      isOver = true;
    }
  });
}
