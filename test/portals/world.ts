/** A portal driver in front of simulated portals on real sockets, for the tests of this folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, type JsonValue } from '../../src/core/canonical-json.ts';
import { classifySend, classifyStatus } from '../../src/lanes/rules/classify.ts';
import { ownOf } from '../../src/lanes/rules/echoes.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import { idempotencyKey } from '../../src/core/ids.ts';
import { instant, type Instant } from '../../src/core/time.ts';
import type { Profile } from '../../src/core/profile.ts';
import type { StatusAnswer, Verdict } from '../../src/core/verdict.ts';
import type { WriteGuard } from '../../src/core/ports.ts';
import { createPortal, type LanePortal } from '../../src/lanes/portals/portal.ts';
import type { PortalOptions } from '../../src/lanes/portals/exchanger.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import type { SessionCollision } from '../../src/lanes/portals/collision-watch.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

/** A Wednesday noon in New York, when every shipped portal is open. */
export const NOON: Instant = instant(Date.UTC(2026, 8, 16, 16, 0, 0));

export function shipped(name: string, changes: Partial<Profile> = {}): Profile {
  const path = join(ROOT, 'profiles', `${name}.json`);
  const profile = readProfile(readFileSync(path), path);
  return { ...profile, automation: 'allowed', timeoutMs: 2_000, longestServiceMs: 500, ...changes };
}

export const SECRETS = {
  ...OWN_MACHINE,
  PORTAL_US_NY_USER: 'clerk',
  PORTAL_US_NY_PASSWORD: 'secret',
};

export class PortalWorld {
  readonly collisions: SessionCollision[] = [];
  readonly portal: LanePortal;
  private readonly simulator: Simulator;
  private readonly clock: { now: Instant; ms: number };

  private constructor(
    simulator: Simulator,
    clock: { now: Instant; ms: number },
    options: Partial<PortalOptions>,
  ) {
    this.simulator = simulator;
    this.clock = clock;
    this.portal = createPortal({
      clock: { now: () => clock.now, monotonicMs: () => clock.ms },
      onCollision: (collision) => this.collisions.push(collision),
      ...options,
      environment: { ...OWN_MACHINE, ...(options.environment ?? SECRETS) },
    });
  }

  static async open(
    profiles: readonly Profile[],
    behaviour: Readonly<Record<string, BehaviourChange>> = {},
    options: Partial<PortalOptions> = {},
  ): Promise<PortalWorld> {
    const clock = { now: NOON, ms: 0 };
    const quick = { '*': { latencyMs: { mean: 0, spread: 0 }, ...behaviour['*'] } };
    const simulator = await startSimulator({
      profiles,
      port: 0,
      clock: { now: () => clock.now },
      behaviour: { ...behaviour, ...quick },
    });
    return new PortalWorld(simulator, clock, options);
  }

  get now(): Instant {
    return this.clock.now;
  }

  pass(ms: number): void {
    this.clock.now = instant(this.clock.now + ms);
    this.clock.ms += ms;
  }

  profile(lane: string, changes: Partial<Profile> = {}): Profile {
    return { ...this.simulator.profile(lane), ...changes };
  }

  truth(lane: string) {
    return this.simulator.truth(lane);
  }

  behave(lane: string, change: BehaviourChange): void {
    this.simulator.behave(lane, change);
  }

  async send(
    profile: Profile,
    key: string,
    payload: JsonValue,
    guard: WriteGuard = freeGuard(),
  ): Promise<{ readonly exchange: Exchange; readonly verdict: Verdict }> {
    const filed = { key: idempotencyKey(key), payload: canonicalBytes(payload) };
    const exchange = await this.portal.send(
      { profile, ...filed, contentType: 'application/json; charset=utf-8' },
      guard,
    );
    const own = ownOf(filed, filed.payload);
    return { exchange, verdict: classifySend(exchange, profile, own, this.now) };
  }

  async ask(profile: Profile, key: string, submissionId?: string): Promise<StatusAnswer> {
    const request = { profile, key: idempotencyKey(key) };
    const exchange = await this.portal.ask(
      submissionId === undefined ? request : { ...request, submissionId },
      freeGuard(),
    );
    return classifyStatus(exchange, profile, ownOf(request, undefined), this.now);
  }

  /** Requests that reached the portal, as `GET /path`. */
  requests(lane: string): readonly string[] {
    return [...this.truth(lane).log.entries()].map(
      ({ method, path }) => `${method} ${path.split('?')[0]}`,
    );
  }

  async close(): Promise<void> {
    await this.portal.close();
    await this.simulator.close();
  }
}

export function freeGuard(mayWrite: () => boolean = () => true): WriteGuard {
  return { mayWrite, signal: new AbortController().signal };
}

export function statement(changes: Readonly<Record<string, JsonValue>> = {}): JsonValue {
  return {
    entity_name: 'Alder Point Holdings, Inc.',
    fields: { business_description: 'Ropes & twine — "coïr"', payment_rail: 'card' },
    filing_kind: 'biennial_statement',
    jurisdiction: 'US-NY',
    period: '2026-09',
    registry_number: '4810233',
    ...changes,
  };
}
