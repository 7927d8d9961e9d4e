import {
  type Clock,
  type Exchange,
  notFound,
  type Portal,
  type Profile,
  type SendRequest,
  type StatusRequest,
  type WriteGuard,
} from '../../core/index.ts';
import { seenByClient } from './client-view.ts';
import type { PortalRequest } from './plan.ts';
import type { PortalModel } from './portal-model.ts';

export interface MemoryPortalOptions {
  /** By lane code. */
  readonly models: ReadonlyMap<string, PortalModel>;
  readonly clock: Clock;
}

const EMPTY = new Uint8Array(0);

/** The `Portal` port in front of portal models, with no network between: for simulations on a virtual clock. */
export class MemoryPortal implements Portal {
  private readonly models: ReadonlyMap<string, PortalModel>;
  private readonly clock: Clock;

  constructor(options: MemoryPortalOptions) {
    this.models = options.models;
    this.clock = options.clock;
  }

  send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    const { submit, idempotency } = request.profile;
    const headers = {
      [idempotency.header.toLowerCase()]: request.key,
      'content-type': request.contentType,
    };
    const body = request.payload;
    return this.exchange(
      request.profile,
      { method: submit.method, path: submit.path, headers, body },
      guard,
    );
  }

  ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, submissionId = '' } = request;
    const path = (profile.status?.path ?? '')
      .replaceAll('{key}', () => encodeURIComponent(key))
      .replaceAll('{submissionId}', () => encodeURIComponent(submissionId));
    return this.exchange(profile, { method: 'GET', path, headers: {}, body: EMPTY }, guard);
  }

  probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    const { method, path } = profile.health;
    return this.exchange(profile, { method, path, headers: {}, body: EMPTY }, guard);
  }

  private async exchange(
    profile: Profile,
    request: PortalRequest,
    guard: WriteGuard,
  ): Promise<Exchange> {
    const model = this.models.get(profile.code);
    if (model === undefined) {
      throw notFound(`There is no simulated portal ${profile.code}.`, {
        details: { lane: profile.code },
      });
    }
    if (!guard.mayWrite()) {
      return {
        kind: 'failure',
        written: false,
        code: 'lease_lost',
        message: 'The lease ran out before the write.',
        elapsedMs: 0,
      };
    }
    const startedMs = this.clock.monotonicMs();
    const plan = model.arrive(request, this.clock.now());
    const view = seenByClient(plan, profile.timeoutMs);
    // The portal goes on by itself, whatever becomes of this client; `sleep` without a signal never fails.
    void this.clock.sleep(plan.finishAfterMs).then(() => model.finish(plan.request));
    await this.clock.sleep(view.afterMs, guard.signal);
    if (!guard.signal.aborted) return view.exchange;
    return {
      kind: 'failure',
      written: true,
      code: 'lease_lost',
      message: 'The lease was lost while the request was in flight.',
      elapsedMs: this.clock.monotonicMs() - startedMs,
    };
  }
}
