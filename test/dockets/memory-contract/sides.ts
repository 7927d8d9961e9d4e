/** The same two players before PostgreSQL and before its twin. */
import { setTimeout as pass } from 'node:timers/promises';
import { MemoryConnection } from '../../../sim/routing/memory/connection.ts';
import { MemoryDatabase } from '../../../sim/routing/memory/database.ts';
import { Session, type SessionOptions } from '../../../src/postgres/session.ts';
import { Player } from './player.ts';

export interface Side {
  readonly players: readonly [Player, Player];
  close(): Promise<void>;
}

export function postgresSide(where: Pick<SessionOptions, 'target' | 'schema'>, tag: string): Side {
  const watch = new Session({ ...where, name: `watch ${tag}` });
  const player = (name: string): Player => {
    const session = new Session({ ...where, name });
    // By the table of locks: an activity is shown as waiting for a moment after it has been let go on.
    const isBlocked = async (): Promise<boolean> => {
      const rows = await watch.run(
        {
          name: 'contract-blocked',
          text: `select 1 from pg_stat_activity where application_name = $1 and cardinality(pg_blocking_pids(pid)) > 0`,
        },
        [`filewright ${name} ${process.pid}`],
      );
      return rows.length > 0;
    };
    return new Player(session, isBlocked);
  };
  return sideOf([player(`first ${tag}`), player(`second ${tag}`)], [watch]);
}

export function twinSide(tenant: string, used: Set<string>): Side {
  let ticks = 0;
  let ids = 0;
  const database = new MemoryDatabase({
    tenant,
    // No two looks at the clock are the same, as with microseconds.
    now: () => Date.now() + (ticks++ % 1_000) / 1_000,
    after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    onStatement: (name) => used.add(name),
  });
  const player = (name: string): Player => {
    const backend = database.connect(name);
    const driver = (): MemoryConnection =>
      new MemoryConnection({
        open: (served) => served(backend),
        there: (_statement, serve) => serve(),
        back: (_statement, take) => take(),
      });
    const session = new Session({ target: {}, schema: 'filewright', name, driver });
    return new Player(session, () => Promise.resolve(backend.isWaiting));
  };
  return sideOf([player('first'), player('second')], []);
}

function sideOf(players: Side['players'], others: readonly Session[]): Side {
  return {
    players,
    close: async () => {
      await Promise.all(
        [...players.map(({ session }) => session), ...others].map((one) => one.close()),
      );
    },
  };
}

/** Looks in a row at which a player who waits must be seen to wait: a server tells of an error before it lets go of its locks. */
const LOOKS = 3;

/** Until every act is over or has to wait for the other player; where both wait, until one of them is over. */
export async function calm({ players }: Side): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const busy = players.filter(({ isBusy }) => isBusy);
    if (busy.length === 0) return;
    const waits = await Promise.all(busy.map((player) => player.isBlocked()));
    const isCalm =
      waits.every(Boolean) && busy.length < players.length && busy.every(({ isBusy }) => isBusy);
    if (!isCalm) looks = -1;
    await pass(3);
  }
}
