import {
  type Exchange,
  invariant,
  type Profile,
  type SendRequest,
  type StatusRequest,
  type WriteGuard,
} from '../../core/index.ts';
import type { Exchanger } from './exchanger.ts';
import { collided, notSent } from './not-sent.ts';
import type { Leg } from './exchange-run.ts';
import type { LaneWire } from './lane-wire.ts';
import { fillStatusPath } from './request-plan.ts';

/** The driver `json-api`: one filing is one request with a JSON body. Every outcome is a value; nothing is retried. */
export class JsonApi {
  private readonly exchanger: Exchanger;

  constructor(exchanger: Exchanger) {
    this.exchanger = exchanger;
  }

  send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, payload: body, contentType } = request;
    const { exchanger } = this;
    if (exchanger.takeIsolation(profile.code)) return Promise.resolve(collided(profile.code));
    const { method } = profile.submit;
    const wire = exchanger.wireFor(profile);
    const path = wire.plan(profile).submitPath;
    return this.exchange(wire, profile, guard, { method, path, body, contentType }, key);
  }

  ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, submissionId } = request;
    const wire = this.exchanger.wireFor(profile);
    const { statusPath } = wire.plan(profile);
    invariant(statusPath !== undefined, `Expected ${profile.code} to have a status endpoint.`);
    const path = fillStatusPath(statusPath, { key, submissionId });
    if (path === undefined) {
      return Promise.resolve(notSent('protocol', 'The status path needs a submission id.'));
    }
    return this.exchange(wire, profile, guard, get(path), key);
  }

  probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    const wire = this.exchanger.wireFor(profile);
    const path = wire.plan(profile).healthPath;
    const { method } = profile.health;
    return this.exchange(wire, profile, guard, { ...get(path), method }, undefined);
  }

  /** A page or document below the base address, without effect. */
  read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange> {
    return this.exchange(this.exchanger.wireFor(profile), profile, guard, get(path), undefined);
  }

  private exchange(
    wire: LaneWire,
    profile: Profile,
    guard: WriteGuard,
    leg: Leg,
    key: string | undefined,
  ): Promise<Exchange> {
    if (profile.session !== undefined)
      return this.exchangeInSession(wire, profile, guard, { leg, key });
    const session = wire.sessions.common;
    return this.exchanger.exchange(wire, profile, guard, { leg, key, session });
  }

  private async exchangeInSession(
    wire: LaneWire,
    profile: Profile,
    guard: WriteGuard,
    request: { readonly leg: Leg; readonly key: string | undefined },
  ): Promise<Exchange> {
    const session = wire.sessions.take();
    try {
      const exchange = await this.exchanger.exchange(wire, profile, guard, { ...request, session });
      session.usedAtMs = this.exchanger.monotonicMs();
      session.isSignedIn = exchange.kind === 'answer';
      return exchange;
    } finally {
      wire.sessions.giveBack(session);
    }
  }
}

function get(path: string): Leg {
  return { method: 'GET', path, body: null, contentType: undefined };
}
