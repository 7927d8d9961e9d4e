import { describe, expect, it } from 'vitest';
import type { Clock, WriteGuard } from '../../core/ports.ts';
import { idempotencyKey } from '../../core/ids.ts';
import { instant } from '../../core/time.ts';
import type { BehaviourChange } from './behaviour.ts';
import { MemoryPortal } from './memory-portal.ts';
import { PortalModel } from './portal-model.ts';
import { sampleProfile } from './sample-profile.ts';

const START = Date.parse('2026-03-02T15:00:00Z');

/** Time that moves only when told, waking sleepers in order. */
class HandClock implements Clock {
  private ms = 0;
  private sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  now() {
    return instant(START + this.ms);
  }

  monotonicMs() {
    return this.ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      this.sleepers.push({ at: this.ms + ms, wake });
      signal?.addEventListener('abort', () => wake());
    });
  }

  async advance(ms: number): Promise<void> {
    this.ms += ms;
    const due = this.sleepers.filter(({ at }) => at <= this.ms);
    this.sleepers = this.sleepers.filter(({ at }) => at > this.ms);
    for (const { wake } of due.sort((a, b) => a.at - b.at)) wake();
    // Whatever the woken ones do next is done in microtasks, which an immediate lets run out.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function world(behaviour: BehaviourChange) {
  const profile = sampleProfile();
  const model = new PortalModel({ profile, behaviour });
  const clock = new HandClock();
  const portal = new MemoryPortal({ models: new Map([[profile.code, model]]), clock });
  const abort = new AbortController();
  const guard: WriteGuard = { mayWrite: () => true, signal: abort.signal };
  const request = {
    profile,
    key: idempotencyKey('k/1'),
    payload: Buffer.from('p'),
    contentType: 'application/json',
  };
  return { profile, model, clock, portal, abort, guard, request };
}

describe('the portal in memory', () => {
  it('sends, asks and probes on a virtual clock', async () => {
    const { profile, clock, portal, guard, request } = world({});
    const sent = portal.send(request, guard);
    await clock.advance(5);
    expect(await sent).toMatchObject({ kind: 'answer', status: 200, elapsedMs: 5 });
    await clock.advance(400);
    const asked = portal.ask({ profile, key: request.key }, guard);
    const probed = portal.probe(profile, guard);
    await clock.advance(5);
    const answer = await asked;
    expect(answer.kind === 'answer' && Buffer.from(answer.body).toString()).toContain('FILED');
    expect(await probed).toMatchObject({ status: 200 });
  });

  it('times out for the client while the portal still works and then accepts', async () => {
    const { model, clock, portal, guard, request } = world({ faults: { slow: 1 } });
    const sent = portal.send(request, guard);
    await clock.advance(1_000);
    expect(await sent).toMatchObject({ kind: 'failure', code: 'timeout', written: true });
    expect(model.truth.summary()).toMatchObject({ inFlight: 1, accepted: 1 });
    await clock.advance(500);
    expect(model.truth.summary().inFlight).toBe(0);
  });

  it('shows a cut body as cut', async () => {
    const { clock, portal, guard, request } = world({ faults: { truncated_body: 1 } });
    const sent = portal.send(request, guard);
    await clock.advance(5);
    expect(await sent).toMatchObject({ kind: 'answer', bodyEnd: 'cut' });
  });

  it('writes nothing without a lease, and gives up when it is lost', async () => {
    const { model, clock, portal, abort, guard, request } = world({});
    const unwritten = await portal.send(request, { ...guard, mayWrite: () => false });
    expect(unwritten).toMatchObject({ code: 'lease_lost', written: false });
    expect(model.truth.summary().requests.submit).toBe(0);
    const sent = portal.send(request, guard);
    abort.abort();
    expect(await sent).toMatchObject({ code: 'lease_lost', written: true });
    await clock.advance(5);
    expect(model.truth.summary()).toMatchObject({ accepted: 1, inFlight: 0 });
  });
});
