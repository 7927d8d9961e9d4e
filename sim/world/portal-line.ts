/** The Portal port in front of the portal models: connect, write, travel, answer, on virtual time. */
import { createHash } from 'node:crypto';
import type { Exchange } from '../../src/core/exchange.ts';
import type { Portal, SendRequest, StatusRequest, WriteGuard } from '../../src/core/ports.ts';
import type { Profile } from '../../src/core/profile.ts';
import type { Endpoint } from '../../src/testing/simulator/faults.ts';
import type { PortalRequest } from '../../src/testing/simulator/plan.ts';
import { Exchanging } from './exchanging.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const EMPTY = new Uint8Array(0);

export class PortalLine implements Portal {
  readonly #world: World;
  readonly #process: SimProcess;

  constructor(world: World, process: SimProcess) {
    this.#world = world;
    this.#process = process;
  }

  send({ profile, key, payload, contentType }: SendRequest, guard: WriteGuard): Promise<Exchange> {
    const { submit, idempotency } = profile;
    const headers = { [idempotency.header.toLowerCase()]: key, 'content-type': contentType };
    const request = { method: submit.method, path: submit.path, headers, body: payload };
    return this.#exchange('submit', profile, { request, key }, guard);
  }

  ask({ profile, key, submissionId = '' }: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    const path = (profile.status?.path ?? '/')
      .replace('{key}', encodeURIComponent(key))
      .replace('{submissionId}', encodeURIComponent(submissionId));
    const request = { method: 'GET', path, headers: {}, body: EMPTY };
    return this.#exchange('status', profile, { request, key }, guard);
  }

  probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    const { method, path } = profile.health;
    const request = { method, path, headers: {}, body: EMPTY };
    return this.#exchange('health', profile, { request, key: '' }, guard);
  }

  #exchange(
    endpoint: Endpoint,
    profile: Profile,
    what: { readonly request: PortalRequest; readonly key: string },
    guard: WriteGuard,
  ): Promise<Exchange> {
    return new Promise((resolve) => {
      if (this.#process.isDead) return;
      const world = this.#world;
      const flight = world.openFlight({
        lane: profile.code,
        endpoint,
        key: what.key,
        bodySha256:
          endpoint === 'submit' ? createHash('sha256').update(what.request.body).digest('hex') : '',
        pid: this.#process.pid,
      });
      const { request } = what;
      new Exchanging(
        { world, process: this.#process, profile, request, guard, flight },
        resolve,
      ).begin();
    });
  }
}
