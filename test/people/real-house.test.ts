/** The house of the model, and the same acts on a real database: whatever one allows or refuses, the other does too. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import { may } from '../../src/access/may.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { Filewright } from '../../src/filewright.ts';
import { enrollUser, replaceKey } from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import {
  addUser,
  changeRoles,
  disableUser,
  enableUser,
  foundUser,
  listUsers,
} from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, prepared, sent } from './firm.ts';
import { HouseModel, type Move, type Outcome } from './house-model.ts';
import { moves } from './moves.ts';

const SEQUENCES = 30;
const MOVES_MAX = 24;

let firm: Firm;
beforeAll(async () => {
  firm = await Firm.make();
});
afterAll(() => firm.close());

class RealHouse {
  readonly app: Filewright;
  readonly model: HouseModel;
  /** By name, which is the id of the model. */
  readonly #keys = new Map<string, string>();
  readonly #asked: { readonly id: string; readonly sha256: string; readonly code?: string }[] = [];
  readonly #batches: string[] = [];

  constructor(app: Filewright, founders: number) {
    this.app = app;
    this.model = new HouseModel(founders);
  }

  async found(): Promise<void> {
    for (const { id } of this.model.people) {
      this.#keys.set(id, (await foundUser(this.app, OPERATOR, id)).key);
    }
  }

  /** What the model says, and what the database does. */
  async do(move: Move): Promise<readonly [Outcome['kind'], Outcome['kind']]> {
    const { model } = this;
    const person = model.actorOf(move);
    const name = model.nextId();
    const subject = model.subjectOf(move)?.id ?? '';
    const open = model.openProposal(move);
    const proposal = model.proposals.findIndex((one) => one === open);
    const unsent = model.unsent(move);
    const batch = model.batches.findIndex((one) => one === unsent);
    const { kind } = model.do(move);
    if (person === undefined || kind === 'nothing') return [kind, kind];
    const actor = await personOf(this.app, this.#keys.get(person.id) ?? '');
    try {
      return [kind, await this.#act(move, actor, { name, subject, proposal, batch })];
    } catch (error) {
      if (!(error instanceof FilewrightError) || error.code === 'BROKEN_INVARIANT') throw error;
      return [kind, 'refused'];
    }
  }

  async #act(
    move: Move,
    actor: PersonActor,
    at: { name: string; subject: string; proposal: number; batch: number },
  ): Promise<Outcome['kind']> {
    const { app, model } = this;
    const roles = model.rolesOf(move);
    switch (move.act) {
      case 'add': {
        const done = await addUser(app, actor, { name: at.name, roles });
        if (done.state === 'added') this.#keys.set(at.name, done.key);
        return done.state === 'added' ? 'issued' : this.#wait(done);
      }
      case 'approve':
        return this.#approve(actor, at.proposal);
      case 'disable':
        await disableUser(app, actor, at.subject);
        return 'done';
      case 'enable': {
        const done = await enableUser(app, actor, { name: at.subject });
        return done.state === 'waiting' ? this.#wait(done) : 'done';
      }
      case 'replace': {
        const done = await replaceKey(app, actor, { name: at.subject });
        if (done.state === 'issued') this.#keys.set(at.subject, done.key);
        return done.state === 'waiting' ? this.#wait(done) : 'issued';
      }
      case 'give':
      case 'take': {
        const done = await changeRoles(app, actor, { name: at.subject, act: move.act, roles });
        return done.state === 'waiting' ? this.#wait(done) : 'done';
      }
      case 'prepare':
        if (!may(actor, 'batch.import').allowed) return 'refused';
        this.#batches.push(await prepared(app, actor.id));
        return 'done';
      case 'send':
        if (!may(actor, 'batch.approve').allowed) return 'refused';
        await sent(app, this.#batches[at.batch] ?? '', actor.id);
        return 'done';
    }
  }

  async #approve(actor: PersonActor, index: number): Promise<Outcome['kind']> {
    const asked = this.#asked[index];
    if (asked === undefined) throw new Error('the model has a proposal that is not there');
    const { name, code } = await approveUser(this.app, actor, asked);
    if (code === undefined) return 'done';
    try {
      const codes = [asked.code ?? '', code];
      this.#keys.set(name, (await enrollUser(this.app, OPERATOR, { name, codes })).key);
      return 'issued';
    } catch {
      // Of somebody who is disabled by now.
      return 'done';
    }
  }

  #wait(asked: { proposal: string; sha256: string; code: string | undefined }): 'waiting' {
    const { proposal, sha256, code } = asked;
    this.#asked.push({ id: proposal, sha256, ...(code !== undefined && { code }) });
    return 'waiting';
  }

  async standing(): Promise<unknown> {
    const people = await listUsers(this.app, OPERATOR);
    const names = new Map(people.map(({ id, name }) => [id, name]));
    return sorted(
      people.map(({ name, party, roles, disabledAt }) => ({
        name,
        party: names.get(party) ?? '',
        roles: [...roles].sort(),
        isDisabled: disabledAt !== undefined,
      })),
    );
  }

  modelled(): unknown {
    return sorted(
      this.model.people.map(({ id, party, roles, isDisabled }) => ({
        name: String(id),
        party: String(party),
        roles: [...roles].sort(),
        isDisabled,
      })),
    );
  }
}

function sorted<T extends { readonly name: string }>(people: T[]): T[] {
  return people.sort((a, b) => (a.name < b.name ? -1 : 1));
}

it('the database allows and refuses what the model does, and has the same people at the end', async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(moves(MOVES_MAX), fc.constantFrom(1, 2, 2), async (sequence, founders) => {
      const house = new RealHouse(await firm.tenant(), founders);
      await house.found();
      for (const [at, move] of sequence.entries()) {
        const [model, real] = await house.do(move);
        expect(real, `move ${at}: ${JSON.stringify(move)}`).toBe(model);
        if (real !== 'refused' && real !== 'nothing') done += 1;
      }
      expect(await house.standing()).toEqual(house.modelled());
      await house.app.close();
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  );
  expect(done).toBeGreaterThan(SEQUENCES);
});
