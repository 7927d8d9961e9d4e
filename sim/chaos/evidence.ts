/**
 * What the database says, read with statements of its own: a check that went through the product's readers would
 * believe what it is there to doubt.
 */
import { FilewrightError } from '../../src/core/errors.ts';
import type { Session } from '../../src/postgres/session.ts';

type Row = Awaited<ReturnType<Session['run']>>[number];

/** PostgreSQL is restarted under our own connection too. */
const TRIES_MAX = 100;
const RETRY_MS = 200;

export interface AttemptRow {
  readonly filing: string;
  readonly no: number;
  readonly holder: string;
  readonly lane: string;
  readonly key: string;
  readonly action: string;
  readonly hasOutcome: boolean;
}

const ATTEMPTS = `
select a.filing, a.no, a.holder, a.action, e.lane, e.key, exists (select 1 from outcome o
  where o.tenant = a.tenant and o.filing = a.filing and o.no = a.no and o.holder = a.holder) as has_outcome
from attempt a join envelope e on e.tenant = a.tenant and e.id = a.filing`;

export class Evidence {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Every statement here only reads, so repeating it is harmless. */
  async read(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#session.run({ name: '', text }, values);
      } catch (error) {
        const isAway = error instanceof FilewrightError && error.code === 'DATABASE_UNREACHABLE';
        if (!isAway || tries >= TRIES_MAX) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async count(text: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.read(`select count(*)::int as n from ${text}`, values);
    return Number(row?.['n']);
  }

  /** Filings that a tick which wants these lanes would claim. */
  claimable(lanes: readonly string[]): Promise<number> {
    return this.count(
      `filing f join lane l on l.tenant = f.tenant and l.code = f.lane
       where f.lane = any($1) and f.next_at <= now() and f.last_safe > now() and l.open_from <= now()
         and (not l.asks_only or f.step->>'action' in ('ask', 'poll'))`,
      [lanes],
    );
  }

  async attempts(ids: readonly string[]): Promise<readonly AttemptRow[]> {
    return (await this.read(`${ATTEMPTS} where a.id = any($1::uuid[])`, [ids])).map(attemptOf);
  }

  async attempt(filing: string, no: number): Promise<AttemptRow | undefined> {
    const rows = await this.read(`${ATTEMPTS} where a.filing = $1 and a.no = $2`, [filing, no]);
    return rows.map(attemptOf)[0];
  }

  /** The latest try to send under a key. */
  async latestSend(key: string): Promise<AttemptRow | undefined> {
    const rows = await this.read(
      `${ATTEMPTS} where e.key = $1 and a.action in ('send', 'resend') order by a.no desc limit 1`,
      [key],
    );
    return rows.map(attemptOf)[0];
  }

  async pidOf(holder: string): Promise<number> {
    const [row] = await this.read('select pid from worker where id = $1', [holder]);
    return Number(row?.['pid'] ?? 0);
  }

  /** Filings in somebody's hands, as "filing/attempt". */
  async held(): Promise<readonly string[]> {
    const rows = await this.read(
      `select f.id || '/' || f.attempt as held from filing f
       where f.holder is not null and f.claim = 'turn' and f.status = 'submitted'`,
    );
    return rows.map((row) => String(row['held']));
  }

  /** Attempts whose intent is older than the server's start and whose outcome is not: they lived through it. */
  async survivors(held: readonly string[]): Promise<{ present: number; spanning: number }> {
    const [row] = await this.read(
      `select count(*)::int as present, count(*) filter (where not exists (select 1 from outcome o
         where o.tenant = a.tenant and o.filing = a.filing and o.no = a.no
           and o.at < pg_postmaster_start_time()))::int as spanning
       from attempt a where a.filing || '/' || a.no = any($1)`,
      [held],
    );
    return { present: Number(row?.['present']), spanning: Number(row?.['spanning']) };
  }

  open(): Promise<number> {
    return this.count(`filing where status in ('pending', 'submitted')`);
  }

  /** Filings that wait, by lane. */
  async backlog(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.read(
      `select l.code, count(f.id)::int as n from lane l
       left join filing f on f.tenant = l.tenant and f.lane = l.code and f.status = 'pending'
       group by l.code`,
    );
    return new Map(rows.map((row) => [String(row['code']), Number(row['n'])]));
  }
}

function attemptOf(row: Row): AttemptRow {
  return {
    filing: String(row['filing']),
    no: Number(row['no']),
    holder: String(row['holder']),
    lane: String(row['lane']),
    key: String(row['key']),
    action: String(row['action']),
    hasOutcome: row['has_outcome'] === true,
  };
}
