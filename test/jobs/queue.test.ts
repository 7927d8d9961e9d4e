/** The worst that can happen to the queue: two that want one row, death in the middle, sleep, crowds, slow receivers. */
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instant } from '../../src/core/time.ts';
import { startBackgroundWork } from '../../src/oversight/jobs.ts';
import type { EventConsumer } from '../../src/people/consumers.ts';
import { Session } from '../../src/postgres/session.ts';
import { Crew } from '../../src/work/crew.ts';
import { addWork, claimWork, dueTargets, recordWork } from '../../src/work/store/queue.ts';
import { nextTurn, postTimetable, type TimetableEntry } from '../../src/work/timetable.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { startReceiver } from '../notify/receiver.ts';
import { House } from './house.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DEATH_MS = 120_000;

let server: Server;
let house: House;
let sessions: Session[];

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  house = await House.open(server);
  sessions = [];
});
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await house.close();
});

/** The connection of another process. */
function another(): Session {
  const session = new Session({ target: server.target, schema: 'filewright', name: 'another' });
  sessions.push(session);
  return session;
}

const runOf = (session: Session): Session['run'] => session.run.bind(session);

async function letters(count: number): Promise<void> {
  const run = runOf(house.app.session);
  const body = { origin: 'test', recipient: 'a@example.org', subject: 's', text: 't' };
  for (let n = 0; n < count; n += 1) {
    const id = house.app.ids.next();
    await addWork(run, house.app.tenant, { id, kind: 'mail', target: 'mail', body });
  }
}

describe('a row', () => {
  it('goes to one of two that claim at the same moment', async () => {
    await letters(20);
    const wish = { tenant: house.app.tenant, kind: 'mail', target: 'mail', limit: 3 } as const;
    const claims = Array.from({ length: 8 }, () => another()).map((session) =>
      claimWork(runOf(session), { ...wish, claimMs: DEATH_MS }),
    );
    const taken = (await Promise.all(claims)).flat().map(({ id }) => id);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.length).toBe(20);
  });

  it('of a process that died is had again when its claim ends, and what the dead one says then is too late', async () => {
    await letters(1);
    const wish = { tenant: house.app.tenant, kind: 'mail', target: 'mail', limit: 9 } as const;
    const claim = () => claimWork(runOf(house.app.session), { ...wish, claimMs: DEATH_MS });
    const [dead] = await claim();
    expect(await claim()).toEqual([]);
    await house.later(DEATH_MS);
    const [living] = await claim();
    expect(living).toMatchObject({ id: dead?.id, attempt: 2 });
    const record = (attempt: number) =>
      recordWork(runOf(house.app.session), house.app.tenant, [{ id: living?.id ?? '', attempt }], {
        state: 'failed',
        code: 'LATE',
      });
    expect(await record(1)).toBe(0);
    expect(await record(2)).toBe(1);
  });

  it('is there exactly when the fact is that asked for it', async () => {
    const { session, tenant, ids } = house.app;
    const lost = session.transaction(async (run) => {
      await addWork(run, tenant, {
        id: ids.next(),
        kind: 'event',
        target: 'all',
        body: { type: 'LOST' },
      });
      throw new Error('planned');
    });
    await expect(lost).rejects.toThrow('planned');
    expect(await house.count('work where true')).toBe(0);
  });
});

describe('the walls around it', () => {
  const inRole = async (role: string, tenant: string): Promise<Session> => {
    const [row] = await house.app.session.run({
      name: '',
      text: 'select role_prefix from installation',
    });
    const settings = { 'fw.tenant': tenant, role: `${String(row?.['role_prefix'])}_${role}` };
    const target = { ...server.target, settings };
    const session = new Session({ target, schema: 'filewright', name: 'walls' });
    sessions.push(session);
    return session;
  };

  it('show a tenant its own work alone, and a stage of the grants pipeline none', async () => {
    await letters(2);
    const { tenant, ids } = house.app;
    const wish = { kind: 'mail', target: 'mail', limit: 9, claimMs: DEATH_MS } as const;
    const stranger = await inRole('filing', 'stranger');
    expect(await dueTargets(stranger, tenant)).toEqual([]);
    expect(await claimWork(runOf(stranger), { ...wish, tenant })).toEqual([]);
    const smuggled = { id: ids.next(), kind: 'alert', target: 'all' } as const;
    await expect(addWork(runOf(stranger), tenant, smuggled)).rejects.toThrow('row-level security');
    await expect(dueTargets(await inRole('ingestion', tenant), tenant)).rejects.toThrow(
      'permission denied',
    );
    expect(
      await claimWork(runOf(await inRole('filing', tenant)), { ...wish, tenant }),
    ).toHaveLength(2);
    const tries = { name: '', text: 'select 1 from work_try' };
    expect(await stranger.run(tries)).toEqual([]);
  });
});

describe('the timetable', () => {
  const entry = (name: string, run: () => Promise<unknown>, everyMs = DAY_MS): TimetableEntry => ({
    name,
    everyMs,
    run,
  });

  async function crewOf(entries: readonly TimetableEntry[]): Promise<Crew> {
    const parts = { ...house.app, session: another(), pollMs: 20 };
    return new Crew(parts, await postTimetable(parts, entries));
  }

  /** Until it is done, and for some looks more: what would come too often comes then. */
  async function during(crews: readonly Crew[], isDone: () => boolean): Promise<void> {
    const stopping = new AbortController();
    const ended = crews.map((crew) => crew.run(stopping.signal));
    await until(isDone);
    await pass(150);
    stopping.abort();
    await Promise.all(ended);
  }

  const nextAt = async (name: string): Promise<number> => {
    const of = `select next_at from work where tenant = $1 and kind = 'timetable' and target = $2`;
    return Number((await house.rows(of, name))[0]?.['next_at']);
  };

  it('has an entry once, in whichever of several processes, also after days of sleep', async () => {
    let turns = 0;
    const look = entry('look', async () => {
      turns += 1;
      await pass(50);
    });
    const crews = await Promise.all([look, look, look].map((one) => crewOf([one])));
    await during(crews, () => turns > 0);
    expect(turns).toBe(1);
    await house.later(4 * DAY_MS);
    const before = Date.now();
    await during(crews, () => turns > 1);
    expect(turns).toBe(2);
    expect([before, Date.now()].map((now) => nextTurn(look, instant(now)))).toContain(
      await nextAt('look'),
    );
    await during(crews, () => true);
    expect(turns).toBe(2);
  });

  it('gives an entry that failed another turn a minute later, and keeps the others', async () => {
    const turns = { broken: 0, sound: 0 };
    const crew = await crewOf([
      entry('broken', async () => {
        turns.broken += 1;
        throw new Error('planned');
      }),
      entry('sound', async () => void (turns.sound += 1)),
    ]);
    await during([crew], () => turns.broken + turns.sound > 1);
    expect(turns).toEqual({ broken: 1, sound: 1 });
    await house.later(MINUTE_MS);
    await during([crew], () => turns.broken > 1);
    expect(turns).toEqual({ broken: 2, sound: 1 });
    expect(house.logged).toContainEqual(expect.objectContaining({ event: 'jobs.turn_failed' }));
  });

  it('has an entry again whose process died in the middle of it', async () => {
    let turns = 0;
    const crew = await crewOf([entry('look', async () => void (turns += 1))]);
    const wish = { tenant: house.app.tenant, kind: 'timetable', target: 'look', limit: 1 } as const;
    await claimWork(runOf(house.app.session), { ...wish, claimMs: DEATH_MS });
    await during([crew], () => true);
    expect(turns).toBe(0);
    await house.later(DEATH_MS);
    await during([crew], () => turns > 0);
    expect(turns).toBe(1);
  });
});

describe('a crowd', () => {
  it('of ten thousand events is heard whole and once, in groups, while a look stays one indexed read', async () => {
    const heard: string[] = [];
    let groups = 0;
    const consumer: EventConsumer = {
      name: 'counting',
      types: [],
      async consume(events) {
        groups += 1;
        heard.push(...events.map(({ id }) => id));
      },
    };
    await house.once({ consumers: [consumer] });
    await house.rows(
      `insert into work (tenant, id, kind, target, body)
       select $1, gen_random_uuid(), 'event', 'all', '{"type":"CROWD"}' from generate_series(1, 10000)`,
    );
    const read = await house.app.session.transaction(async (run) => {
      const due = await dueTargets({ run }, house.app.tenant);
      expect(due).toEqual([{ kind: 'event', target: 'all' }]);
      const text = `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as n
        from pg_stat_xact_user_tables where relname = 'work'`;
      return Number((await run({ name: '', text }))[0]?.['n']);
    });
    expect(read).toBeLessThan(10);
    expect(await house.once({ consumers: [consumer] })).toMatchObject({ events: 10_000 });
    expect(heard).toHaveLength(10_000);
    expect(new Set(heard).size).toBe(10_000);
    expect(groups).toBeLessThanOrEqual(201);
  });

  it('of receivers that never answer does not delay those that do', async () => {
    const receiver = await startReceiver();
    const silent = await Promise.all(Array.from({ length: 8 }, () => startReceiver()));
    for (const one of silent) {
      one.answer = () => undefined;
      await house.webhook(one.url);
    }
    await house.webhook(receiver.url);
    for (let n = 0; n < 8; n += 1) await house.publish();
    const jobs = await startBackgroundWork(house.options({ network: { webhookMs: 120_000 } }));
    await until(() => silent.every((one) => one.taken.length > 0));
    await until(() => receiver.taken.length === 8);
    await Promise.all(silent.map((one) => one.close()));
    await jobs.stop();
    await receiver.close();
  });
});
