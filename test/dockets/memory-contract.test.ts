/**
 * The simulation's twin of the database, held against PostgreSQL: the same statements, by one player or by two whose
 * transactions interleave, come to the same answers, waits and errors. Without it the simulation would prove the twin.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEADLOCK } from '../../sim/routing/memory/pg-error.ts';
import { STATEMENTS } from '../../sim/routing/memory/statements.ts';
import { Draw } from '../../sim/world/draw.ts';
import { createFilewright } from '../../src/app.ts';
import type { Filewright } from '../../src/filewright.ts';
import { bytes } from '../../src/postgres/rows.ts';
import { docketId } from '../../src/core/ids.ts';
import { addMs, instant } from '../../src/core/time.ts';
import { closeDocketRow, findDocket } from '../../src/dockets/store/dockets.ts';
import { wakeManualDockets } from '../../src/dockets/store/manual.ts';
import { lockDockets, postponeDockets, writeSteps } from '../../src/dockets/store/steps.ts';
import { SeededIds } from '../../src/testing/virtual-clock.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { takeAnyRouting } from '../store-contract/postgres-world.ts';
import {
  admission,
  docketActs,
  factOf,
  handoffActs,
  over,
  setupActs,
  type Stage,
  step,
} from './memory-contract/acts.ts';
import type { Act, Player } from './memory-contract/player.ts';
import { recoveryActs, startOf } from './memory-contract/recovery-acts.ts';
import { calm, postgresSide, type Side, twinSide } from './memory-contract/sides.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const STEPS = 150;
/** Something must be there before anything can happen to it. */
const EARLY = 12;
const MINUTE_MS = 60_000;
const MINUTES_3_MS = 180_000;

let server: Server;
const used = new Set<string>();
beforeAll(async () => {
  server = await startServer();
}, MINUTE_MS);
afterAll(async () => server?.close());

interface Pair {
  readonly stage: Stage;
  readonly sides: readonly [Side, Side];
  readonly close: () => Promise<void>;
}

async function pairOf(seed: number): Promise<Pair> {
  const tenant = `contract-${process.pid}-${server.nextTenant()}`;
  const app = await createFilewright({ dataDirectory: server.dataDirectory, tenant });
  await takeAnyRouting(app.session);
  const draw = new Draw(seed, 'contract');
  const base = instant(Math.floor(Date.now() / 1_000) * 1_000);
  const ids = new SeededIds({ now: () => base }, new Draw(seed, 'ids').random);
  const target = { ...server.target, settings: { 'fw.tenant': tenant } };
  const real = postgresSide({ target, schema: 'filewright' }, tenant);
  const twin = twinSide(tenant, used);
  return {
    stage: { draw, tenant, base, nextId: () => ids.next(), label: await labelOf(app) },
    sides: [real, twin],
    close: async () => {
      await Promise.all([real.close(), twin.close()]);
      await app.close();
    },
  };
}

async function labelOf({ session, tenant }: Filewright): Promise<Uint8Array> {
  const text = 'select label from ledger_tenant_key where tenant = $1';
  const [row] = await session.run({ name: '', text }, [tenant]);
  return bytes(row?.['label']);
}

/** Moments in minutes from the beginning, bytes as text, lists in one order: what no statement promises is left out. */
function plain(value: unknown, base: number): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return plain([...value], base);
  if (typeof value === 'number')
    return value > 1e12 ? Math.round((value - base) / MINUTE_MS) : value;
  if (Array.isArray(value)) {
    const list = value.map((one) => plain(one, base));
    return list.every((one) => typeof one === 'object' && one !== null)
      ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one, base)]));
}

/** What each player has come to since the last look. */
function seen({ players }: Side, base: number): unknown {
  return players.map((player) => {
    const { result, isBusy } = player;
    player.result = undefined;
    return { isBusy, result: result === undefined ? undefined : plain(result, base) };
  });
}

function chosenAct(stage: Stage): Act {
  const { draw } = stage;
  const kind = draw.weighted({ admit: 1, step: 4, docket: 4, handoff: 4, recovery: 3, setup: 1 });
  switch (kind) {
    case 'admit':
      return admission(stage);
    case 'step':
      return step(stage);
    case 'docket':
      return draw.pick(docketActs(stage));
    case 'handoff':
      return draw.pick(handoffActs(stage));
    case 'recovery':
      return draw.pick(recoveryActs(stage));
    case 'setup':
      return draw.pick(setupActs(stage));
  }
}

type Turn =
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'act'; readonly act: Act };

/** Decided by how PostgreSQL stands; the twin must stand the same. */
function nextTurn(
  stage: Stage,
  own: Player,
  other: Player,
  hasFailed: boolean,
  isEarly: boolean,
): Turn {
  const { draw } = stage;
  if (hasFailed) return { kind: 'rollback' };
  if (isEarly) return { kind: 'act', act: draw.chance(0.6) ? admission(stage) : startOf(stage) };
  if (own.isInTransaction && draw.chance(other.isBusy ? 0.5 : 0.15)) {
    return { kind: draw.chance(0.8) ? 'commit' : 'rollback' };
  }
  if (!own.isInTransaction && draw.chance(0.3)) return { kind: 'begin' };
  for (;;) {
    const act = chosenAct(stage);
    if (act.isMany !== true || !(other.isInTransaction || other.isBusy))
      return { kind: 'act', act };
  }
}

async function take(player: Player, turn: Turn): Promise<unknown> {
  switch (turn.kind) {
    case 'begin':
      return player.begin();
    case 'commit':
    case 'rollback':
      return player.end(turn.kind);
    case 'act':
      player.start(turn.act);
      return undefined;
  }
}

interface Came {
  readonly result?: { readonly value?: { readonly error?: string } };
}

function isVictim({ result }: Came): boolean {
  return result?.value?.error?.includes(DEADLOCK) === true;
}

async function play(seed: number): Promise<void> {
  const { stage, sides, close } = await pairOf(seed);
  const [real, twin] = sides;
  const failed = [false, false];
  const story: string[] = [];
  try {
    for (let count = 0; count < STEPS; count += 1) {
      const free = [0, 1].filter((index) => !real.players[index as 0 | 1].isBusy);
      const who = stage.draw.pick(free) as 0 | 1;
      const [own, other] = [real.players[who], real.players[who === 0 ? 1 : 0]];
      const turn = nextTurn(stage, own, other, failed[who] === true, count < EARLY);
      story.push(`${who} ${turn.kind === 'act' ? turn.act.name : turn.kind}`);
      const ends = await Promise.all(sides.map(({ players }) => take(players[who], turn)));
      await Promise.all(sides.map(calm));
      const where = `seed ${seed}, step ${count}: ${story.slice(-6).join('; ')}`;
      expect(ends[1], where).toEqual(ends[0]);
      const came = seen(real, stage.base) as readonly Came[];
      const same = seen(twin, stage.base) as typeof came;
      const victims = [came, same].map((one) => one.findIndex(isVictim));
      // In a circle whose second is over first gives up; where the machine is busy, that may be either of them.
      if (!victims.includes(-1) && victims[0] !== victims[1]) break;
      expect(same, where).toEqual(came);
      for (const [index, { result }] of came.entries()) {
        if (turn.kind !== 'act' && index === who) failed[index] = false;
        if (result !== undefined) {
          failed[index] =
            result.value?.error !== undefined && real.players[index as 0 | 1].isInTransaction;
        }
      }
    }
    // All at once: one of them may wait for the other.
    const open = sides.flatMap(({ players }) => players.filter((one) => one.isInTransaction));
    await Promise.all(open.map((player) => player.end('rollback')));
  } finally {
    await close();
  }
}

describe('the twin of the database', () => {
  it.each(SEEDS)('answers, waits and refuses as PostgreSQL does, seed %i', play, MINUTES_3_MS);

  it(
    'lets one of two who wait for each other give up',
    async () => {
      const { stage, sides, close } = await pairOf(99);
      const { tenant } = stage;
      const ids = ['d0', 'd1'];
      const lock = (id: string): Act => ({
        name: id,
        play: async (run) => (await lockDockets(run, tenant, [id])).dockets.length,
      });
      const results: unknown[][] = [];
      for (const side of sides) {
        const { players } = side;
        const act = async (player: Player, one: Act): Promise<void> => {
          player.start(one);
          await calm(side);
        };
        for (const id of ids) {
          const one = new Draw(7, id);
          await act(players[0], admission({ ...stage, draw: pickOnly(one, id) }));
        }
        await Promise.all(players.map((player) => player.begin()));
        await act(players[0], lock('d0'));
        await act(players[1], lock('d1'));
        await act(players[0], lock('d1'));
        await act(players[1], lock('d0'));
        results.push(players.map(({ result }) => result?.value));
        await Promise.all(players.map((player) => player.end('rollback')));
      }
      await close();
      // Which of them it is hangs on whose second is over first.
      const ends = [{ error: 'DATABASE_UNREACHABLE 40P01' }, 1];
      for (const values of results) expect(new Set(values)).toEqual(new Set(ends));
    },
    MINUTE_MS,
  );

  it(
    'tells the time of before a wait for a row that stayed as it was',
    async () => {
      const { stage, sides, close } = await pairOf(98);
      const { tenant, base } = stage;
      const waits: (readonly [boolean, boolean])[] = [];
      for (const side of sides) {
        const [first, second] = side.players;
        first.start(admission({ ...stage, draw: pickOnly(new Draw(7, 'd0'), 'd0') }));
        await calm(side);
        const isOld: boolean[] = [];
        for (const isChanged of [false, true]) {
          await Promise.all([first.begin(), second.begin()]);
          first.start({ name: 'lock', play: (run) => lockDockets(run, tenant, ['d0']) });
          await calm(side);
          if (isChanged) {
            first.start({
              name: 'move',
              play: (run) => postponeDockets(run, tenant, [docketId('d0')], base),
            });
            await calm(side);
          }
          second.start({ name: 'lock', play: (run) => lockDockets(run, tenant, ['d0']) });
          await calm(side);
          await new Promise((resolve) => setTimeout(resolve, 300));
          const letGoAt = Date.now();
          await first.end('commit');
          await calm(side);
          // What `lockDockets` gives.
          const seen = second.result?.value as { readonly now: number } | undefined;
          isOld.push((seen?.now ?? letGoAt) < letGoAt - 100);
          await second.end('rollback');
        }
        waits.push([isOld[0] === true, isOld[1] === true]);
      }
      await close();
      expect(waits).toEqual([
        [true, false],
        [true, false],
      ]);
    },
    MINUTE_MS,
  );

  it(
    'leaves a docket at rest that is closed while somebody wakes it',
    async () => {
      const { stage, sides, close } = await pairOf(96);
      const { tenant } = stage;
      const moments: unknown[] = [];
      for (const side of sides) {
        const [first, second] = side.players;
        const act = async (player: Player, play: Act['play']): Promise<void> => {
          player.start({ name: 'act', play });
          await calm(side);
        };
        first.start(admission({ ...stage, draw: pickOnly(new Draw(7, 'd0'), 'd0') }));
        await calm(side);
        await act(first, (run) => writeSteps(run, tenant, [waiting(stage)], NO_HANDOFFS));
        await first.begin();
        await act(first, (run) =>
          closeDocketRow(run, tenant, docketId('d0'), {
            by: 'hart',
            closing: { how: 'override' },
            fact: factOf(stage, 'docket.closed', { how: 'override' }),
          }),
        );
        await act(second, (run) => wakeManualDockets(over(run), tenant, ['team']));
        expect(second.isBusy).toBe(true);
        await first.end('commit');
        await calm(side);
        await act(second, (run) => findDocket(over(run), tenant, docketId('d0')));
        // What `findDocket` gives.
        const found = second.result?.value as { nextAt?: number; closed?: object } | undefined;
        moments.push([found?.closed !== undefined, found?.nextAt]);
      }
      await close();
      expect(moments).toEqual([
        [true, undefined],
        [true, undefined],
      ]);
    },
    MINUTE_MS,
  );

  it('refuses a statement that it does not know', async () => {
    const { stage, sides, close } = await pairOf(97);
    const [, twin] = sides;
    const run = twin.players[0].session.run({ name: 'docket-new', text: '' }, [stage.tenant]);
    await expect(run).rejects.toThrow('no statement "docket-new"');
    await close();
  });

  it('was held against PostgreSQL with every statement that it knows', () => {
    expect([...STATEMENTS.keys()].filter((name) => !used.has(name))).toEqual([]);
  });
});

/** `d0` with people, waiting for a target that is to come back. */
function waiting({ base }: Stage): Parameters<typeof writeSteps>[2][number] {
  return {
    docket: docketId('d0'),
    state: { state: 'manual', waitsFor: ['team'] },
    phase: 'manual',
    tier: 'MANUAL',
    target: undefined,
    nextAt: addMs(base, 60 * MINUTE_MS),
    ver: 2,
    accessVer: 0,
    handoffs: 0,
  };
}

const NO_HANDOFFS = { started: [], ended: [] };

/** Draws as before, but picks only this docket. */
function pickOnly(draw: Draw, id: string): Draw {
  draw.shuffled = <T>(list: readonly T[]): T[] => list.filter((one) => (one as unknown) === id);
  return draw;
}
