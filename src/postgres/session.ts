/**
 * One connection to PostgreSQL that comes back after it is cut. A statement that fails with the connection may or may
 * not have committed; it is never repeated here, because only the caller knows whether that is safe.
 */
import { Client, type ClientConfig, escapeLiteral } from 'pg';
import { FilewrightError, misuse } from '../core/index.ts';
import { protectedClient, withTlsRemedy } from './database-way.ts';
import { typeReaders } from './type-readers.ts';

export interface ConnectionTarget {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Said by the operator: a database on another machine may be spoken to without TLS. */
  readonly mayBePlain?: boolean;
  /** Settings of every session with this database, such as `fw.tenant`: whose rows it may see. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly watch?: RowWatch;
}

/** Asked before rows are shown to whoever ran the statement; a promise where something must be there first. */
type RowWatch = (rows: readonly Row[]) => Promise<void> | undefined;

/** By id, and by the name that dockets have; each empty where there is none. */
interface Acting {
  readonly person: string;
  readonly party: string;
}

export interface SessionOptions {
  readonly target: ConnectionTarget;
  readonly schema: string;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** Settings for this connection only. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A statement that takes longer is cut off; a hung server must not hang a worker for ever. */
  readonly statementMsMax?: number;
  /** One of the roles of roles.ts, without its prefix; has no effect where they could not be made. */
  readonly role?: string;
  /** Whose key was shown, asked before each statement or transaction and told to the database; nobody unless told. */
  readonly acting?: () => Acting;
  /** In place of the real driver: a simulation has a database of its own. */
  readonly driver?: () => Driver;
}

/** What a session needs of the driver's client. */
export interface Driver {
  connect(): Promise<unknown>;
  /** Several statements in one are answered by a list, which has no rows of its own. */
  query(
    query: (Statement & { readonly values: unknown[] }) | string,
    values?: unknown[],
  ): Promise<{ readonly rows?: Row[] }>;
  end(): Promise<unknown>;
  on(event: 'error' | 'end', act: () => void): unknown;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement under the name that the server keeps its plan by. */
export function sql(name: string) {
  return (texts: TemplateStringsArray, ...parts: readonly (string | number)[]): Statement => ({
    name,
    text: String.raw({ raw: texts }, ...parts),
  });
}

export type Row = Record<string, unknown>;

/** Runs a statement: on a session, or in a transaction. */
export type Run = Session['run'];

const CONNECT_MS_MAX = 5_000;
const STATEMENT_MS_MAX = 60_000;
/** Beyond the server's own limit: time for its refusal to arrive. */
const ANSWER_MS_MAX = 1_000;
/** Five characters, of which the system's error names (EPIPE) are none. */
const SQL_STATE = /^(?!E)[0-9A-Z]{5}$/;
/**
 * What a server that is there refuses for the moment, with nothing committed: a statement that took too long, the
 * victim of a deadlock or of a serializable neighbour, a lock that is held elsewhere, no memory or connection left, a
 * stand-by that does not take writes (yet), a transaction that stood still for longer than the server allows.
 */
const NOT_NOW = /^(57014|40001|40P01|55P03|53...|25006|25P03|25P04)$/;
/** Of these the connection is of no more use; after a fail-over only a new one leads to the server that writes. */
const NOT_NOW_NOR_HERE = /^(53300|25006|25P03|25P04)$/;
/** Who may not log in (class 28), and a database that is not there (class 3D) or lets nobody in (55000). */
const REFUSED_AT_THE_DOOR = /^(28|3D|55000)/;
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

const NOBODY: Acting = { person: '', party: '' };

/**
 * Begins with who acts, for the transaction alone: a connection that a pooler gives to somebody else next must carry nobody's
 * name. `set` is no query: a transaction may still choose its isolation after it.
 */
function beginFor(acting: Acting): string {
  if (isNobody(acting)) return 'begin';
  const [person, party] = [escapeLiteral(acting.person), escapeLiteral(acting.party)];
  return `begin; set local fw.person = ${person}; set local fw.party = ${party}`;
}

const ASSUME_ROLE = `select set_config('role', role_prefix || '_' || $1::text, false) from installation where roles = 'ready'`;

async function applySettings(
  client: Driver,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const pairs = Object.entries(settings);
  const list = pairs.map((_, index) => `set_config($${index * 2 + 1}, $${index * 2 + 2}, false)`);
  await client.query(`select ${list.join(', ')}`, pairs.flat());
}

function isNobody({ person, party }: Acting): boolean {
  return person === '' && party === '';
}

const ACT_FOR_NOW = sql('act-for-now')`select set_config('fw.person', $1, true)`;

/** Until the end of the transaction, for somebody who proved in it who they are and has no key yet. */
export async function actForNow(run: Run, person: string): Promise<void> {
  await run(ACT_FOR_NOW, [person]);
}

export class Session {
  readonly #options: SessionOptions;
  #opening: Promise<Driver> | undefined;
  #current: Driver | undefined;
  #closed = false;
  #last: Promise<void> = Promise.resolve();
  #watch: RowWatch | undefined;
  #remembered: Readonly<Record<string, string>> = {};

  constructor(options: SessionOptions) {
    if (!SCHEMA_NAME.test(options.schema)) {
      throw misuse(`Expected a schema name, found "${options.schema}"`);
    }
    this.#options = options;
    this.#watch = options.target.watch;
  }

  /** Runs one statement in its own transaction. Named statements are prepared once per connection. */
  run(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const acting = this.#acting();
    // What nobody is named for needs no transaction around it: workers and jobs pay for one round trip only.
    if (isNobody(acting)) {
      return this.#alone(async () => this.#execute(await this.#connected(), statement, values));
    }
    return this.#whole(acting, (run) => run(statement, values));
  }

  /** What the database does only outside a transaction, and what is done in nobody's name. */
  maintain(statement: Statement): Promise<Row[]> {
    return this.#alone(async () => this.#execute(await this.#connected(), statement, []));
  }

  /** Several statements as one transaction, rolled back when `work` throws. Nobody else's statement comes between. */
  transaction<T>(work: (run: Session['run']) => Promise<T>): Promise<T> {
    return this.#whole(this.#acting(), work);
  }

  #whole<T>(acting: Acting, work: (run: Session['run']) => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      // One connection for all of it: one opened anew midway would run the rest outside the transaction.
      const client = await this.#connected();
      const run: Session['run'] = (statement, values) =>
        this.#execute(client, statement, values ?? []);
      // Without a name of its own it is not prepared: several statements in one.
      const text = beginFor(acting);
      await run({ name: text === 'begin' ? text : '', text });
      try {
        const result = await work(run);
        await run({ name: 'commit', text: 'commit' });
        return result;
      } catch (error) {
        // A failed rollback means that the connection is gone, and with it the transaction; the first error is the
        // one to report.
        await run({ name: 'rollback', text: 'rollback' }).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Further settings, now and on every connection to come. */
  remember(settings: Readonly<Record<string, string>>): Promise<void> {
    this.#remembered = { ...this.#remembered, ...settings };
    return this.#alone(async () => {
      if (this.#current !== undefined) await applySettings(this.#current, settings);
    });
  }

  /** Where it cannot be given with the target. */
  watchRows(watch: RowWatch): void {
    this.#watch = watch;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening === undefined) return;
    // A connection that never opened, or is already broken, needs no goodbye.
    await opening.then((client) => client.end()).catch(() => undefined);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // The next one waits for the end of this one, not for its success.
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** As it is now: whoever acts may be another by the time that the connection is free. */
  #acting(): Acting {
    return { ...(this.#options.acting?.() ?? NOBODY) };
  }

  async #execute(client: Driver, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const rows = await this.#answer(client, statement, values);
    // Its failure is its own: it says nothing of this connection.
    const awaited = this.#watch?.(rows);
    if (awaited !== undefined) await awaited;
    return rows;
  }

  async #answer(client: Driver, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      const { rows = [] } = await client.query({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      const { failure, isCut } = understood(error);
      // Nobody waits for what is still running there, so the connection must not go on without an owner.
      if (isCut) this.#forget(client);
      throw failure;
    }
  }

  #connected(): Promise<Driver> {
    if (this.#closed) throw new FilewrightError('DATABASE_UNREACHABLE', 'The session is closed');
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<Driver> {
    const { schema, name, settings, statementMsMax, role, driver } = this.#options;
    const { settings: ofTarget, mayBePlain = false, watch: _, ...target } = this.#options.target;
    const msMax = statementMsMax ?? STATEMENT_MS_MAX;
    const client =
      driver?.() ??
      clientOf(mayBePlain, {
        ...target,
        // With the process: whoever stops the server has to know its own connections from those of others.
        application_name: `filewright ${name} ${process.pid}`,
        connectionTimeoutMillis: CONNECT_MS_MAX,
        // The server cuts a statement off first, and then it is certain that nothing was committed.
        query_timeout: msMax + ANSWER_MS_MAX,
        keepAlive: true,
        types: typeReaders(),
      });
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    try {
      await client.connect();
      await applySettings(client, {
        // Temporary tables last: by default one would be found before ours of the same name.
        search_path: `${schema}, pg_temp`,
        timezone: 'UTC',
        statement_timeout: String(msMax),
        'fw.person': NOBODY.person,
        'fw.party': NOBODY.party,
        ...ofTarget,
        ...settings,
        ...this.#remembered,
      });
      if (role !== undefined) await client.query(ASSUME_ROLE, [role]);
      this.#current = client;
      return client;
    } catch (error) {
      // Nobody shares this promise yet who would not get the same error.
      this.#opening = undefined;
      void client.end().catch(() => undefined); // It never served anybody.
      throw understood(error).failure;
    }
  }

  /** Leaves a broken connection; a newer one that has taken its place stays. */
  #forget(client: Driver): void {
    if (this.#current === client) {
      this.#current = undefined;
      this.#opening = undefined;
    }
    void client.end().catch(() => undefined); // It is broken already; what it had to say is lost.
  }
}

/** The driver reads the address here, and would let the parser's own error through. */
function clientOf(mayBePlain: boolean, config: ClientConfig): Driver {
  try {
    return protectedClient((more) => new Client({ ...config, ...more }), mayBePlain);
  } catch (error) {
    if (error instanceof FilewrightError) throw error;
    throw misuse(
      // Not repeated in the message: it may hold a password.
      'DATABASE_URL: expected an address like postgres://user@host:5432/database, and it cannot be read as one',
      { cause: error },
    );
  }
}

/** The driver's error in our words, and whether the connection is of no more use. */
function understood(error: unknown): { readonly failure: unknown; readonly isCut: boolean } {
  if (!(error instanceof Error)) return { failure: error, isCut: false };
  const code = codeOf(error);
  if (code === '53100' || code === 'ENOSPC') {
    const message = 'The database has no space left on its disk';
    return { failure: new FilewrightError('DISK_FULL', message, { cause: error }), isCut: false };
  }
  if (REFUSED_AT_THE_DOOR.test(code)) {
    const message = `The database refused the connection: ${error.message}`;
    const failure = new FilewrightError('DATABASE_UNREACHABLE', message, { cause: error });
    return { failure, isCut: true };
  }
  const isCut =
    !SQL_STATE.test(code) ||
    code.startsWith('08') ||
    code.startsWith('57P') ||
    NOT_NOW_NOR_HERE.test(code);
  if (!isCut && !NOT_NOW.test(code)) return { failure: error, isCut };
  const message = `The database did not answer: ${withTlsRemedy(error.message)}`;
  const failure = new FilewrightError('DATABASE_UNREACHABLE', message, { cause: error });
  return { failure, isCut };
}

/** The driver puts the SQLSTATE, or the system's error name, in `code`. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
