/** The house of the model, and the same acts on a real database with real portals: what one allows, refuses or sends, the other does too. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { approve, proposeAgain, runBatch } from '../../src/filings/acts/batches.ts';
import {
  addProfile,
  approveProfile,
  proposedProfiles,
  refuseProfile,
} from '../../src/filings/acts/lane-profiles.ts';
import { watchApprovals } from '../../src/filings/watch/approval-watch.ts';
import { OPERATOR } from '../operator.ts';
import { DestinationModel, type Move, MOVES, type Outcome } from './destination-model.ts';
import { TrustWorld } from './world.ts';

const MOVES_MADE = 120;

let world: TrustWorld;
beforeAll(async () => {
  world = await TrustWorld.make();
});
afterAll(() => world.close());

class RealHouse {
  readonly model: DestinationModel;
  readonly #batches: BatchId[] = [];
  #unsent: readonly BatchId[] = [];
  readonly #profiles = [
    world.profile('authority'),
    world.profile('thief'),
    world.profile('authority', { title: 'moved' }),
    world.profile('thief', { title: 'moved' }),
  ];

  constructor() {
    const people = world.people.map(({ id, party }, human) => ({ id, party, human }));
    this.model = new DestinationModel(this.#profiles, people);
  }

  /** What the model says, and what the program does. */
  async do(move: Move): Promise<readonly [Outcome, Outcome]> {
    const batch = this.#batches[this.model.batchOf(move)];
    this.#unsent = this.#batches.filter((_, at) => this.model.batches[at]?.sent === 0);
    const said = this.model.do(move);
    if (said === 'nothing') return [said, said];
    const actor = world.people[this.model.personOf(move)];
    if (actor === undefined) throw new Error('nobody acts');
    try {
      await this.#act(move, actor, batch);
      return [said, 'done'];
    } catch (error) {
      if (!(error instanceof FilewrightError) || error.code === 'BROKEN_INVARIANT') throw error;
      return [said, 'refused'];
    }
  }

  async #act(move: Move, actor: PersonActor, batch: BatchId | undefined): Promise<unknown> {
    const { app } = world;
    switch (move.act) {
      case 'profile': {
        const profile = this.#profiles[this.model.profileOf(move)];
        if (profile === undefined) throw new Error('no such profile');
        return addProfile(app, actor, profile, 'the portal has a new address');
      }
      case 'agree': {
        const [open] = await proposedProfiles(app, actor);
        const expectHash = open?.sha256 ?? '0'.repeat(64);
        return approveProfile(app, actor, { lane: 'US-DE', expectHash });
      }
      case 'refuse':
        return refuseProfile(app, actor, { lane: 'US-DE', reason: 'not this one, thank you' });
      case 'import':
        return this.#batches.push(await world.batch(1, actor));
      case 'again':
        return proposeAgain(app, actor, known(batch));
      case 'approve':
        return approve(app, actor, known(batch));
      case 'send':
        return this.#sendAll();
      case 'wait': {
        // The database's clock cannot be set, so what it compares is moved into the past.
        const passed = `interval '11 days'`;
        await world.sql(`update filing set approved_until = approved_until - ${passed}`);
        return watchApprovals(app);
      }
    }
  }

  /** Each that is not sent yet, also those whose approval has ended. */
  async #sendAll(): Promise<void> {
    const { signal } = new AbortController();
    for (const id of this.#unsent) {
      await runBatch(world.app, OPERATOR, id, { signal }).catch((error: unknown) => {
        if (!(error instanceof FilewrightError) || error.code !== 'NOT_APPROVED') throw error;
      });
    }
  }

  /** By where it arrived. */
  arrived(): Readonly<Record<string, number>> {
    const at = (of: 'authority' | 'thief') => [...world[of].truth('US-DE').accepted()].length;
    return { authority: at('authority'), thief: at('thief') };
  }

  modelled(): Readonly<Record<string, number>> {
    const to = (thief: number) =>
      this.model.sent.filter(({ profile }) => profile % 2 === thief).length;
    return { authority: to(0), thief: to(1) };
  }
}

function known(batch: BatchId | undefined): BatchId {
  if (batch === undefined) throw new Error('no such batch');
  return batch;
}

it('the program allows, refuses and sends what the model does', async () => {
  const place = fc.nat({ max: 11 });
  const move = (act: Move['act'], as: number, rest: Partial<Move> = {}): Move => ({
    act,
    as,
    about: 0,
    profile: 0,
    ...rest,
  });
  // To the authority, and after two have agreed to it to another host: then whatever comes.
  const first = [
    move('profile', 2),
    move('import', 0),
    move('approve', 1),
    move('send', 0),
    move('profile', 2, { profile: 1 }),
    move('agree', 1),
    move('import', 0),
    move('approve', 2, { about: 1 }),
    move('send', 0),
  ];
  const acts = fc.constantFrom(...MOVES, 'approve' as const, 'agree' as const);
  const moves = fc.record({ act: acts, as: place, about: place, profile: place });
  const house = new RealHouse();
  const done = new Map<string, number>();
  const sequence = [...first, ...fc.sample(moves, MOVES_MADE)];
  for (const [at, one] of sequence.entries()) {
    const [model, real] = await house.do(one);
    const shown = `move ${at} of ${JSON.stringify(sequence)}`;
    expect(real, shown).toBe(model);
    expect(house.arrived(), shown).toEqual(house.modelled());
    expect(house.model.fault).toBeUndefined();
    done.set(`${one.act} ${real}`, (done.get(`${one.act} ${real}`) ?? 0) + 1);
  }
  expect(house.model.sent.length, JSON.stringify([...done])).toBeGreaterThanOrEqual(2);
  expect(await world.isSound()).toBe(true);
}, 240_000);
