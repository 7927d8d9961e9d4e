import { describe, expect, it } from 'vitest';
import { bench, moment, START, statusOf } from '../../../test/fixtures/portal-model-bench.ts';
import { PortalModel } from './portal-model.ts';
import { sampleProfile } from './sample-profile.ts';

describe('doors', () => {
  it('blocks everyone after the ceiling was exceeded, until the stamp it gave', () => {
    const model = new PortalModel({
      profile: sampleProfile({ ceiling: 1 }),
      behaviour: { overCeiling: 'blocked', blockMs: 1_000 },
    });
    const arrive = (key: string, at: number) =>
      model.arrive(
        {
          method: 'POST',
          path: '/submit',
          headers: { 'x-idempotency-key': key },
          body: Buffer.from(key),
        },
        moment(at),
      );
    const first = arrive('k1', 0);
    const second = arrive('k2', 1);
    expect(second.answer).toMatchObject({
      status: 403,
      headers: { 'x-ratelimit-reset': String(Math.ceil((START + 1_001) / 1_000)) },
    });
    model.finish(first.request);
    model.finish(second.request);
    const third = arrive('k3', 1_000);
    expect(statusOf(third.answer)).toBe(403);
    model.finish(third.request);
    expect(statusOf(arrive('k4', 1_001).answer)).toBe(200);
    expect(model.truth.summary()).toMatchObject({
      accepted: 2,
      inFlightMax: 2,
      arrivedOverCeiling: 1,
      refusals: { blocked: 2 },
    });
  });

  it('refuses to finish a request twice', () => {
    const { model, submit } = bench();
    const plan = submit('k1', 0);
    expect(() => model.finish(plan.request)).toThrow('finished once');
  });

  const hours = {
    zone: 'America/New_York',
    weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'] as const, from: '06:00', to: '19:30' }],
    closedOn: ['2026-03-03'],
  };
  const moments = [
    ['2026-03-02T10:59:00Z', 503, 'a minute before six in New York'],
    ['2026-03-02T11:00:00Z', 200, 'six in New York'],
    ['2026-03-03T00:29:00Z', 200, 'the last open minute'],
    ['2026-03-03T00:30:00Z', 503, 'half past seven'],
    ['2026-03-03T15:00:00Z', 503, 'a day on which it is closed'],
    ['2026-03-07T15:00:00Z', 503, 'a Saturday'],
    ['2026-03-09T10:00:00Z', 200, 'six in New York after the clocks went forward'],
  ] as const;
  it.each(moments)('at %s answers %i: %s', (at, status) => {
    const { submit } = bench({}, sampleProfile({ hours }));
    expect(statusOf(submit('k1', Date.parse(at) - START).answer)).toBe(status);
  });

  it('answers 403 in closed hours, or ignores them, as configured', () => {
    const saturday = Date.parse('2026-03-07T15:00:00Z') - START;
    const at = (closedHours: 'denied_403' | 'ignored') =>
      statusOf(bench({ closedHours }, sampleProfile({ hours })).submit('k1', saturday).answer);
    expect(at('denied_403')).toBe(403);
    expect(at('ignored')).toBe(200);
  });

  it('counts requests that come although the portal asked for a pause', () => {
    const { model, submit } = bench({ schedule: [{ fault: 'throttle_429_seconds', request: 1 }] });
    submit('k1', 0);
    submit('k2', 4);
    submit('k3', 5);
    submit('k4', 1_999);
    submit('k1', 2_000);
    expect(model.truth.summary().arrivedWhilePaused).toBe(2);
  });
});

describe('sessions', () => {
  it('sees a token of another lane, and one token in two requests at once', () => {
    const model = new PortalModel({
      profile: sampleProfile(),
      behaviour: { sessions: 'tracked' },
    });
    const get = (cookie?: string) =>
      model.arrive(
        { method: 'GET', path: '/health', headers: { cookie }, body: Buffer.alloc(0) },
        moment(0),
      );
    const issued = get().answer;
    expect(issued).toMatchObject({
      headers: { 'set-cookie': 'FWSESSION=US-DE.1; Path=/; HttpOnly' },
    });
    get('a=b; FWSESSION=US-DE.1');
    get('FWSESSION=US-DE.1');
    get('FWSESSION=US-CA.1');
    expect(model.truth.summary().sessions).toEqual({ foreign: 1, shared: 1 });
  });
});
