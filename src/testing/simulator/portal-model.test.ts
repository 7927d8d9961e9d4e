import { describe, expect, it } from 'vitest';
import {
  bench,
  bodyOf,
  moment,
  START,
  statusOf,
  withoutKeys,
} from '../../../test/fixtures/portal-model-bench.ts';

const filed = (key: string, number: string) => ({
  receipt: { number },
  filing: { state: 'FILED', key },
});

describe('an honest portal', () => {
  it('accepts a filing once and gives a receipt that fits the rule', () => {
    const { model, submit } = bench();
    const plan = submit('k1', 0, 'p');
    expect(bodyOf(plan.answer)).toEqual({
      receipt: { number: 'DE-00000001' },
      filing: { key: 'k1' },
    });
    expect(plan).toMatchObject({ delayMs: 5, acceptsAfterMs: 5, finishAfterMs: 5 });
    expect([...model.truth.accepted()]).toEqual([
      {
        key: 'k1',
        receipt: 'DE-00000001',
        sha256: '148de9c5a7a44d19e56cd9ae1a554bf67847afb0c58f6e12fa29ac7ddfca9940',
        at: START + 5,
        nth: 1,
        received: 1,
        repeats: 0,
      },
    ]);
  });

  it('gives the same receipt to a repeat with the same key and accepts it once', () => {
    const { model, submit } = bench();
    const first = submit('k1', 0);
    const second = submit('k1', 3_600_000);
    expect(bodyOf(second.answer)).toEqual(bodyOf(first.answer));
    expect(second.acceptsAfterMs).toBeUndefined();
    expect(model.truth.summary()).toMatchObject({ accepted: 1, repeats: 1, keysAcceptedTwice: 0 });
  });

  it('accepts a second time when the key is older than it is honored', () => {
    const { model, submit } = bench();
    submit('k1', 0);
    submit('k1', 86_400_001);
    expect(model.truth.summary().duplicates).toEqual([{ key: 'k1', times: 2 }]);
  });

  it('accepts every submission where keys are not honored: a double filing shows in the truth', () => {
    const { model, submit } = bench({}, withoutKeys());
    submit('k1', 0);
    submit('k1', 10);
    expect(model.truth.summary()).toMatchObject({ accepted: 2, keysAccepted: 1 });
    expect(model.truth.summary().keysAcceptedTwice).toBe(1);
  });

  it('refuses a duplicate inside 72 hours with 409 and accepts it after them', () => {
    const window = 72 * 3_600_000;
    const { model, submit } = bench({ duplicateWindowMs: window }, withoutKeys());
    submit('k1', 0);
    expect(statusOf(submit('k1', window).answer)).toBe(409);
    expect(model.truth.summary()).toMatchObject({ accepted: 1, refusals: { duplicate: 1 } });
    expect(statusOf(submit('k1', window + 5).answer)).toBe(200);
  });

  it('refuses a key that comes back with another payload', () => {
    const { model, submit } = bench();
    submit('k1', 0, 'one');
    expect(statusOf(submit('k1', 10, 'two').answer)).toBe(422);
    expect(model.truth.summary()).toMatchObject({ accepted: 1, refusals: { key_reused: 1 } });
  });

  it('knows a filing without a key by its payload', () => {
    const { model } = bench();
    for (const at of [0, 1]) {
      const body = Buffer.from('same');
      model.arrive({ method: 'POST', path: '/submit', headers: {}, body }, moment(at));
    }
    expect(model.truth.summary()).toMatchObject({ accepted: 2, keysAcceptedTwice: 1 });
  });

  it('shows an acceptance at the status endpoint only after the visibility lag', () => {
    const { submit, ask } = bench();
    submit('k1', 0);
    const early = ask('k1', 304);
    expect(statusOf(early.answer)).toBe(404);
    expect(bodyOf(early.answer)).toEqual({ filing: { state: 'UNKNOWN_KEY', key: 'k1' } });
    expect(bodyOf(ask('k1', 305).answer)).toEqual(filed('k1', 'DE-00000001'));
  });

  it('answers other paths with 404 and other methods with 405', () => {
    const { model } = bench();
    const at = (method: string, path: string) =>
      statusOf(
        model.arrive({ method, path, headers: {}, body: Buffer.alloc(0) }, moment(0)).answer,
      );
    expect(at('GET', '/nowhere')).toBe(404);
    expect(at('GET', '/submit')).toBe(405);
    expect(at('HEAD', '/health')).toBe(200);
  });
});

describe('processing', () => {
  const cases = [
    ['received_202_then_accepted', 'IN_REVIEW', 'FILED', 1],
    ['received_202_then_refused', 'IN_REVIEW', 'REFUSED', 0],
    ['received_202_stuck', 'IN_REVIEW', 'IN_REVIEW', 0],
  ] as const;
  it.each(cases)('%s: the status says %s, then %s', (fault, before, after, accepted) => {
    const { model, submit, ask } = bench({ schedule: [{ fault, request: 1 }] });
    const plan = submit('k1', 0);
    expect(statusOf(plan.answer)).toBe(202);
    expect(bodyOf(plan.answer)).toMatchObject({ submission: { id: 'S1' } });
    expect(bodyOf(ask('k1', 500).answer)).toMatchObject({ filing: { state: before } });
    expect(bodyOf(ask('', 1_306, 'S1').answer)).toMatchObject({ filing: { state: after } });
    expect(model.truth.summary().accepted).toBe(accepted);
  });

  it('answers a repeat during processing with the same submission id', () => {
    const { model, submit } = bench({
      schedule: [{ fault: 'received_202_then_accepted', key: 'k1', nth: 1 }],
    });
    const first = submit('k1', 0);
    expect(bodyOf(submit('k1', 100).answer)).toEqual(bodyOf(first.answer));
    expect(statusOf(submit('k1', 2_000).answer)).toBe(200);
    expect(model.truth.summary().accepted).toBe(1);
  });
});

describe('a slow acceptance', () => {
  it('is in the truth with its moment, and a quick repeat brings it forward', () => {
    const { model, submit } = bench({ schedule: [{ fault: 'slow', key: 'k1', nth: 1 }] });
    expect(submit('k1', 0)).toMatchObject({ delayMs: 1_500, acceptsAfterMs: 1_500 });
    expect([...model.truth.accepted()][0]?.at).toBe(START + 1_500);
    submit('k1', 200);
    expect([...model.truth.accepted()]).toMatchObject([{ at: START + 205, received: 2 }]);
  });
});
