/** What a machine knows of the time after it stood still between a question to the database and the answer. */
import { expect, it } from 'vitest';
import { type Clock, type Instant, instant, workerId } from '../../core/index.ts';
import { Leases, momentOf } from './leases.ts';

const START = 1_772_000_000_000;
const LEASE_MS = 8_000;

/** Both clocks of a machine, and the database's, which never stands still. */
class Machine implements Clock {
  database = START;
  #wallMs = START;
  #monotonicMs = 0;

  now(): Instant {
    return instant(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(): Promise<void> {
    throw new Error('a lease does not wait');
  }

  pass(ms: number): void {
    this.#monotonicMs += ms;
    this.#passElsewhere(ms);
  }

  /** The monotonic clock stands still. */
  suspended(ms: number): void {
    this.#passElsewhere(ms);
  }

  setWallBack(ms: number): void {
    this.#wallMs -= ms;
  }

  #passElsewhere(ms: number): void {
    this.database += ms;
    this.#wallMs += ms;
  }
}

function begun(machine: Machine): Leases {
  const leases = new Leases(machine, LEASE_MS);
  leases.begin(workerId('w1'), instant(machine.database), momentOf(machine));
  return leases;
}

function beat(machine: Machine, leases: Leases, meanwhile: () => void): void {
  const askedAt = momentOf(machine);
  const answer = instant(machine.database);
  meanwhile();
  leases.extend(answer, askedAt);
}

it('a clock that is off stays known as off when the machine stood still before the answer was read', () => {
  const machine = new Machine();
  const leases = begun(machine);
  machine.setWallBack(5_500);
  machine.pass(2_000);
  beat(machine, leases, () => machine.pass(5));
  expect(leases.isSkewed).toBe(true);
  machine.pass(2_000);
  // 4.5 s later the wrong clock reads nearly what the database said before: by then it is as wrong as ever.
  beat(machine, leases, () => machine.suspended(4_500));
  expect(leases.isSkewed).toBe(true);
  expect(leases.guard().mayWrite()).toBe(false);
});

it('writes nothing after a suspension within a heartbeat until the next one has told the time', () => {
  const machine = new Machine();
  const leases = begun(machine);
  machine.pass(2_000);
  beat(machine, leases, () => machine.suspended(1_900));
  expect(leases.knowsTime).toBe(false);
  expect(leases.guard().mayWrite()).toBe(false);
  machine.pass(1_000);
  beat(machine, leases, () => machine.pass(5));
  expect(leases.guard().mayWrite()).toBe(true);
  expect(Math.abs(leases.now() - machine.database)).toBeLessThanOrEqual(5);
});

it('a lease that begins across a suspension knows no time either', () => {
  const machine = new Machine();
  const leases = new Leases(machine, LEASE_MS);
  const [askedAt, answer] = [momentOf(machine), instant(machine.database)];
  machine.suspended(1_900);
  leases.begin(workerId('w1'), answer, askedAt);
  expect(leases.guard().mayWrite()).toBe(false);
});
