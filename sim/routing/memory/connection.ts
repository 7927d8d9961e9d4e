/** What the driver's client is to a `Session`, before the twin instead of a server. */
import { EventEmitter } from 'node:events';
import type { Driver } from '../../../src/postgres/session.ts';
import type { Backend } from './database.ts';
import { PgError } from './pg-error.ts';

/** The way between a process and the server; a world makes it slow, lossy or cut. */
export interface Line {
  /** The server opens a connection, or fails to. */
  open(served: (backend: Backend) => void, failed: (error: Error) => void): void;
  /** Brings a statement to the server; `serve` runs there. */
  there(statement: string, serve: () => void, failed: (error: Error) => void): void;
  /** Brings the answer back; `take` runs in the process. */
  back(statement: string, take: () => void, failed: (error: Error) => void): void;
}

type Query = Parameters<Driver['query']>[0];

export class MemoryConnection extends EventEmitter implements Driver {
  readonly #line: Line;
  #backend: Backend | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(line: Line) {
    super();
    this.#line = line;
  }

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#line.open((backend) => {
        this.#backend = backend;
        resolve();
      }, reject);
    });
  }

  /** One after the other, as the driver sends them. */
  query(query: Query): ReturnType<Driver['query']> {
    // Settings of the session, which have no name.
    if (typeof query === 'string') return Promise.resolve({ rows: [] });
    const answer = this.#last.then(() => this.#ask(query));
    this.#last = answer.catch(() => undefined); // Its caller hears of it.
    return answer;
  }

  #ask({ name, values }: Exclude<Query, string>): ReturnType<Driver['query']> {
    return new Promise((resolve, reject) => {
      const backend = this.#backend;
      const cut = (error: Error): void => {
        this.#cut();
        reject(error);
      };
      if (backend === undefined) {
        reject(new PgError('ECONNRESET', 'the connection is closed'));
        return;
      }
      const serve = (): void =>
        backend.execute(name, values, (error, rows) =>
          this.#line.back(
            name,
            () => (error === undefined ? resolve({ rows }) : reject(error)),
            cut,
          ),
        );
      this.#line.there(name, serve, cut);
    });
  }

  end(): Promise<void> {
    this.#cut();
    return Promise.resolve();
  }

  #cut(): void {
    const backend = this.#backend;
    this.#backend = undefined;
    if (backend === undefined) return;
    backend.cut();
    this.emit('end');
  }
}
