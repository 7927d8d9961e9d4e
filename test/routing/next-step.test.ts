import { partyId, targetId } from '../../src/core/index.ts';
import { describe, expect, it } from 'vitest';
import { addMs, type Instant, toRfc3339 } from '../../src/core/time.ts';
import { canonicalText } from '../../src/core/canonical-json.ts';
import { requireFitting } from '../../src/core/facts/catalogue.ts';
import { activationOf } from '../../src/dockets/rules/routing/activation.ts';
import type { HandoffResult, Happening } from '../../src/dockets/rules/routing/happening.ts';
import { nextStep } from '../../src/dockets/rules/routing/next-step.ts';
import { startRouting, wakeAt } from '../../src/dockets/rules/routing/state.ts';
import { triggersOf } from '../../src/dockets/rules/routing/triggers.ts';
import { routingFact } from '../../src/dockets/routing/facts.ts';
import { ROUTER } from '../../src/dockets/routing/deps.ts';
import { at, desk, dice, docket, people } from './firm.ts';
import { NOW, Walk } from './walk.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const FAILED: HandoffResult = { kind: 'failed' };
const SENT: HandoffResult = { kind: 'sent' };

describe('a docket', () => {
  it('goes to its team and is done with the receipt', () => {
    const walk = new Walk();
    expect(walk.clock()).toMatchObject({
      kind: 'send',
      timeoutMs: 3_000,
      target: { id: 'bio-endpoint' },
      message: { tier: 'PRIMARY', labels: { privilege: ['attorney-client'] } },
    });
    expect(walk.answer({ kind: 'confirmed', receipt: 'R-1' }).kind).toBe('done');
    expect(walk.state).toMatchObject({ state: 'confirmed', by: 'bio-endpoint', receipt: 'R-1' });
  });

  it('has two attempts on each tier, 0.5 to 2 s apart, and then the next', () => {
    for (const [shown, backoffMs] of [
      [0, 500],
      [255, 2_000],
    ] as const) {
      const walk = new Walk({ random: dice(shown) });
      walk.clock();
      const step = walk.answer(FAILED);
      expect(step).toMatchObject({ kind: 'wait', until: walk.now + backoffMs });
      walk.clock();
      walk.answer(FAILED);
      expect(walk.sent).toEqual([
        'PRIMARY bio-endpoint',
        'PRIMARY bio-endpoint',
        'SECONDARY ruiz-mail',
      ]);
      expect(walk.transitions()).toEqual(['PRIMARY → SECONDARY ATTEMPTS_USED']);
    }
  });

  it('passes all tiers in order when no one confirms, and ends with a person', () => {
    const walk = new Walk();
    walk.clock();
    walk.answer(FAILED);
    walk.clock();
    walk.answer(FAILED);
    walk.answer(SENT);
    walk.clock();
    walk.answer(SENT);
    expect(walk.clock().kind).toBe('manual');
    expect(walk.transitions()).toEqual([
      'PRIMARY → SECONDARY ATTEMPTS_USED',
      'SECONDARY → TERTIARY NOT_CONFIRMED',
      'TERTIARY → MANUAL NOT_CONFIRMED',
    ]);
    expect(walk.facts.at(-1)).toMatchObject({
      kind: 'manual_required',
      flag: 'MANUAL_ESCALATION_REQUIRED',
      reviewBy: walk.now + 2 * HOUR_MS,
      target: 'desk-mail',
    });
  });

  it('keeps one message id on all tiers and attempts, and the payload’s hash', () => {
    const walk = new Walk();
    const messages = [walk.clock()];
    walk.answer(FAILED);
    messages.push(walk.clock(), walk.answer(FAILED));
    walk.answer(SENT);
    messages.push(walk.clock());
    const found = messages.flatMap((step) => (step.kind === 'send' ? [step.message] : []));
    expect(found).toHaveLength(4);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([docket().messageId]));
    expect(new Set(found.map(({ payloadSha256 }) => payloadSha256)).size).toBe(1);
    expect(new Set(found.map(({ handoff }) => handoff)).size).toBe(3);
  });
});

describe('a handing over counts only when confirmed', () => {
  function atLead(): Walk {
    const walk = new Walk();
    walk.clock();
    walk.answer({ kind: 'denied' });
    walk.answer(SENT);
    return walk;
  }

  it('an accepted email waits for a person, whatever the mail server calls it', () => {
    const walk = new Walk();
    walk.clock();
    walk.answer({ kind: 'denied' });
    expect(walk.answer({ kind: 'confirmed', receipt: '250 OK' }).kind).toBe('wait');
    expect(walk.state.state).toBe('awaiting');
  });

  it('who was given it can confirm', () => {
    const walk = atLead();
    expect(walk.tell({ kind: 'acknowledged', by: partyId('ruiz') }).kind).toBe('done');
    expect(walk.state).toMatchObject({ by: 'ruiz', hop: { tier: 'SECONDARY' } });
  });

  it('who was not given it cannot', () => {
    const walk = atLead();
    for (const by of ['moreau', 'nobody', 'hart']) {
      expect(walk.tell({ kind: 'acknowledged', by: partyId(by) }).kind).toBe('nothing');
    }
    expect(walk.state.state).toBe('awaiting');
  });

  it('nor who lost the right meanwhile', () => {
    const ruiz = people.parties.get('ruiz');
    if (ruiz === undefined) throw new Error('she is in the sample');
    const walk = atLead();
    const walled = {
      ...people,
      parties: new Map(people.parties).set('ruiz', { ...ruiz, deny: ['client:Northwind'] }),
    };
    const step = nextStep(
      walk.state,
      { kind: 'acknowledged', by: partyId('ruiz') },
      walk.now,
      desk({ people: walled }),
    );
    expect(step.kind).toBe('nothing');
  });

  it('a member of the team can confirm, even after it went on', () => {
    const walk = atLead();
    walk.clock();
    walk.answer(SENT);
    expect(walk.tell({ kind: 'acknowledged', by: partyId('okafor') }).kind).toBe('done');
    expect(walk.state).toMatchObject({ hop: { tier: 'PRIMARY' } });
  });

  it('a late receipt of the first tier ends it too', () => {
    const walk = new Walk();
    walk.clock();
    const { state } = walk;
    if (state.state !== 'sending') throw new Error('it is being sent');
    walk.clock();
    expect(walk.state.state).toBe('queued');
    const late: Happening = {
      kind: 'outcome',
      hop: state.hop,
      attempt: 1,
      result: { kind: 'confirmed', receipt: 'R' },
    };
    expect(walk.tell(late).kind).toBe('done');
    expect(walk.tell(late).kind).toBe('nothing');
  });

  it('the manual desk’s endpoint confirms nothing', () => {
    const walk = new Walk({}, at('2027-02-02T15:00:00Z'));
    walk.clock();
    const { state } = walk;
    if (state.state !== 'manual' || state.hop === undefined) throw new Error('it is manual');
    const result = { kind: 'confirmed', receipt: 'x' } as const;
    const told = walk.tell({ kind: 'outcome', hop: state.hop, attempt: 1, result });
    expect(told).toMatchObject({ kind: 'wait', next: { state: 'manual', toldAt: walk.now } });
    expect(walk.tell({ kind: 'acknowledged', by: partyId('moreau') }).kind).toBe('done');
  });
});

describe('triggers', () => {
  const [saturated] = triggersOf({ kind: 'queue', queue: 'q', backlog: 1_001, lagMs: 0 });
  if (saturated === undefined) throw new Error('1,001 is a trigger');
  const activation = activationOf(saturated, { messageId: docket().messageId, tier: 'PRIMARY' });

  it('leave the tier at once, with their evidence', () => {
    const walk = new Walk();
    walk.tell({ kind: 'activation', activation });
    expect(walk.sent).toEqual(['SECONDARY ruiz-mail']);
    expect(walk.facts).toMatchObject([
      {
        kind: 'transition',
        reason: 'TRIGGERED',
        activation: activation.id,
        evidence: { measured: 1_001 },
      },
    ]);
  });

  it('twice, or another for the same tier, is one escalation', () => {
    const walk = new Walk();
    walk.tell({ kind: 'activation', activation });
    const [slow] = triggersOf({ kind: 'tls', target: 'bio-endpoint', handshakeMs: 3_200 });
    const other = activationOf(slow ?? saturated, {
      messageId: docket().messageId,
      tier: 'PRIMARY',
    });
    for (const again of [activation, other, activation]) {
      expect(walk.tell({ kind: 'activation', activation: again }).kind).toBe('nothing');
    }
    expect(walk.transitions()).toHaveLength(1);
    expect(walk.sent).toHaveLength(1);
  });

  it('of another docket do nothing', () => {
    const walk = new Walk();
    const other = activationOf(saturated, { messageId: 'x', tier: 'PRIMARY' });
    expect(walk.tell({ kind: 'activation', activation: other }).kind).toBe('nothing');
  });

  it('seen in an attempt are named when its tier is left', () => {
    const walk = new Walk();
    const [trigger] = triggersOf({ kind: 'http', target: 'bio-endpoint', status: 503 });
    if (trigger === undefined) throw new Error('503 is a trigger');
    walk.clock();
    walk.answer({ kind: 'failed', trigger });
    walk.clock();
    walk.answer({ kind: 'failed', trigger });
    expect(walk.facts).toMatchObject([{ reason: 'ATTEMPTS_USED', evidence: { measured: 503 } }]);
  });
});

describe('breakers', () => {
  it('open after three failures in a row; the docket goes on at once, and both states are recorded', () => {
    const walk = new Walk({
      breakers: new Map([['bio-endpoint', { state: 'closed', failures: 2 }]]),
    });
    walk.clock();
    walk.answer(FAILED);
    expect(walk.sent).toEqual(['PRIMARY bio-endpoint', 'SECONDARY ruiz-mail']);
    expect(walk.facts).toMatchObject([
      {
        reason: 'BREAKER_OPEN',
        from: {
          tier: 'PRIMARY',
          target: 'bio-endpoint',
          breaker: { state: 'open', until: walk.now + 30_000 },
        },
        to: { tier: 'SECONDARY', target: 'ruiz-mail', breaker: { state: 'closed', failures: 0 } },
      },
    ]);
  });

  it.each([
    { state: 'open', since: NOW, until: addMs(NOW, 30_000) },
    { state: 'open', since: addMs(NOW, -60_000), until: addMs(NOW, -30_000) },
    { state: 'half_open', good: 1, nextProbeAt: NOW },
  ] as const)('%j lets no docket through', (breaker) => {
    const walk = new Walk({ breakers: new Map([['bio-endpoint', breaker]]) });
    walk.clock();
    expect(walk.sent).toEqual(['SECONDARY ruiz-mail']);
    expect(walk.transitions()).toEqual(['PRIMARY → SECONDARY BREAKER_OPEN']);
  });

  it('another of the same tier takes it where there is one', () => {
    const open = { state: 'open', since: NOW, until: addMs(NOW, 30_000) } as const;
    const walk = new Walk({
      breakers: new Map([
        ['bio-endpoint', open],
        ['ruiz-mail', open],
      ]),
    });
    walk.clock();
    expect(walk.sent).toEqual(['SECONDARY okafor-mail']);
  });

  it('a failure reported twice counts once', () => {
    const walk = new Walk();
    walk.clock();
    const { state } = walk;
    if (state.state !== 'sending') throw new Error('it is being sent');
    const outcome: Happening = { kind: 'outcome', hop: state.hop, attempt: 1, result: FAILED };
    walk.tell(outcome);
    walk.tell(outcome);
    expect(walk.breakers.get('bio-endpoint')).toEqual({ state: 'closed', failures: 1 });
  });

  it('a refusal says nothing against the target, and is not repeated', () => {
    const walk = new Walk({
      breakers: new Map([['bio-endpoint', { state: 'closed', failures: 2 }]]),
    });
    walk.clock();
    walk.answer({ kind: 'refused' });
    expect(walk.breakers.get('bio-endpoint')).toEqual({ state: 'closed', failures: 0 });
    expect(walk.transitions()).toEqual(['PRIMARY → SECONDARY REFUSED']);
  });

  it('with all open, a person gets it', () => {
    const open = { state: 'open', since: NOW, until: addMs(NOW, 30_000) } as const;
    const targets = ['bio-endpoint', 'ruiz-mail', 'okafor-mail', 'moreau-mail', 'desk-mail'];
    const walk = new Walk({ breakers: new Map(targets.map((id) => [id, open])) });
    expect(walk.clock().kind).toBe('manual');
    expect(walk.transitions()).toHaveLength(3);
    expect(walk.sent).toEqual(['MANUAL desk-mail']);
  });
});

describe('timers', () => {
  function waitOn(changes: Parameters<typeof docket>[0], now: Instant): string {
    const walk = new Walk({ docket: docket(changes) }, now);
    walk.clock();
    walk.answer({ kind: 'denied' }, 0);
    const step = walk.answer(SENT, 0);
    if (step.kind !== 'wait') throw new Error(step.kind);
    return toRfc3339(step.until);
  }

  it('run in the office’s working hours while there is slack', () => {
    expect(waitOn({}, NOW)).toBe('2026-11-16T17:00:00.000Z');
    // Wednesday 16:00 before Thanksgiving: one hour today, one on Friday.
    expect(waitOn({}, at('2026-11-25T21:00:00Z'))).toBe('2026-11-27T15:00:00.000Z');
  });

  it('tighten with the slack', () => {
    // Due on Tuesday, 2 February: the slack ends at midnight before it. Saturday noon would wait until Monday.
    expect(waitOn({}, at('2027-01-30T17:00:00Z'))).toBe('2027-01-31T23:00:00.000Z');
    // One hour of slack for two tiers.
    expect(waitOn({}, at('2027-02-02T04:00:00Z'))).toBe('2027-02-02T04:30:00.000Z');
    // Five minutes are the least, but never past the end of the slack.
    expect(waitOn({}, at('2027-02-02T04:58:00Z'))).toBe('2027-02-02T05:00:00.000Z');
  });

  it('are shortest where the date is not known', () => {
    expect(waitOn({ event_code: 'XYZ' }, NOW)).toBe(toRfc3339(addMs(NOW, 5 * MINUTE_MS)));
  });

  it('shorten when the date comes nearer, and never lengthen', () => {
    const walk = new Walk();
    walk.clock();
    walk.answer({ kind: 'denied' }, 0);
    walk.answer(SENT, 0);
    const nearer = desk({ docket: docket({ due_date: '2026-11-17' }) });
    const step = nextStep(walk.state, { kind: 'clock' }, addMs(NOW, MINUTE_MS), nearer);
    expect(step).toMatchObject({ kind: 'wait', until: at('2026-11-16T17:00:00Z') });
    expect(step.facts).toMatchObject([
      { kind: 'redated', from: { due: '2027-02-02' }, to: { due: '2026-11-17' } },
    ]);
    const today = desk({ docket: docket({ due_date: '2026-11-16' }) });
    const gone = nextStep(walk.state, { kind: 'clock' }, addMs(NOW, MINUTE_MS), today);
    expect(gone.kind).toBe('manual');
  });

  it('without slack there are none: a person gets it at once, and each tier passed is recorded', () => {
    const walk = new Walk({}, at('2027-02-02T05:00:00Z'));
    expect(walk.clock().kind).toBe('manual');
    expect(walk.transitions()).toEqual([
      'PRIMARY → SECONDARY SLACK_GONE',
      'SECONDARY → TERTIARY SLACK_GONE',
      'TERTIARY → MANUAL SLACK_GONE',
    ]);
  });
});

describe('the two-hour clock', () => {
  it('is raised again each time it runs out, to the next person, until someone confirms', () => {
    const walk = new Walk({}, at('2027-02-02T15:00:00Z'));
    walk.clock();
    const before = walk.now;
    walk.now = addMs(before, 2 * HOUR_MS - 1);
    expect(walk.tell({ kind: 'clock' }).kind).toBe('wait');
    walk.now = addMs(before, 2 * HOUR_MS);
    expect(walk.tell({ kind: 'clock' })).toMatchObject({
      kind: 'manual',
      target: { id: 'hart-mail' },
    });
    expect(walk.facts.at(-1)).toMatchObject({ kind: 'manual_overdue', round: 1 });
    expect(walk.clock()).toMatchObject({ target: { id: 'desk-mail' } });
    expect(walk.tell({ kind: 'acknowledged', by: partyId('hart') }).kind).toBe('done');
  });

  it('says once that the date has passed', () => {
    const walk = new Walk({}, at('2027-02-03T05:00:00Z'));
    walk.clock();
    walk.clock();
    expect(walk.facts.filter(({ kind }) => kind === 'late')).toMatchObject([{ due: '2027-02-02' }]);
  });

  it('says that the date has passed when it passes, though the clock has an hour and a half left', () => {
    // Half an hour before the day of Alexandria, Virginia, is over.
    const walk = new Walk({}, at('2027-02-03T04:30:00Z'));
    walk.clock();
    expect(walk.facts.at(-1)).toMatchObject({ kind: 'manual_required' });
    expect(walk.clock().kind).toBe('wait');
    expect(toRfc3339(walk.now)).toBe('2027-02-03T05:00:00.000Z');
    expect(walk.facts.at(-1)).toMatchObject({ kind: 'late', due: '2027-02-02' });
    expect(walk.clock().kind).toBe('manual');
    expect(toRfc3339(walk.now)).toBe('2027-02-03T06:30:00.000Z');
  });

  it('asks a newly named person at once where no one could be asked, and keeps its clock', () => {
    const hart = people.parties.get('hart');
    if (hart === undefined) throw new Error('she is in the sample');
    const barred = { ...hart, deny: ['class:export-controlled'] } as const;
    const secret = docket({ classification: ['export-controlled'] });
    const hidden = { ...people, parties: new Map(people.parties).set('hart', barred) };
    const start = desk({ docket: secret, people: hidden, breakers: new Map() });
    const stuck = nextStep(startRouting(NOW), { kind: 'clock' }, NOW, start);
    expect(stuck).toMatchObject({ kind: 'manual', target: undefined });
    const now = addMs(NOW, MINUTE_MS);
    const woken = desk({ docket: secret, breakers: new Map() });
    const asked = nextStep(stuck.next, { kind: 'clock' }, now, woken);
    const reviewBy = addMs(NOW, 2 * HOUR_MS);
    expect(asked).toMatchObject({
      kind: 'manual',
      target: { id: 'hart-mail' },
      next: { round: 0, reviewBy },
      facts: [{ kind: 'manual_found', at: now, reviewBy, target: 'hart-mail' }],
    });
    const again = nextStep(asked.next, { kind: 'clock' }, addMs(now, MINUTE_MS), woken);
    expect(again.kind).toBe('wait');
    const acknowledged = { kind: 'acknowledged', by: partyId('hart') } as const;
    expect(nextStep(asked.next, acknowledged, addMs(now, 1), woken).kind).toBe('done');
  });

  it('asks who is there by now when a target that came back did not get it through, also before it runs out', () => {
    const reviewBy = addMs(NOW, 90 * MINUTE_MS);
    const held = { reason: 'NOT_CONFIRMED', since: NOW, reviewBy, round: 0, hop: undefined };
    const hop = {
      node: 'TERTIARY-0',
      tier: 'TERTIARY',
      target: targetId('moreau-mail'),
      party: partyId('moreau'),
      standsInFor: [],
    } as const;
    const back = { state: 'sending', attempt: 1, hop, until: addMs(NOW, 7_000), held } as const;
    const state = { ...back, handed: [], known: undefined, lateSince: undefined };
    const refused: Happening = { kind: 'outcome', hop, attempt: 1, result: { kind: 'denied' } };
    const desks = desk({ breakers: new Map() });
    const step = nextStep(state, refused, NOW, desks);
    expect(step).toMatchObject({ kind: 'manual', target: { id: 'desk-mail' }, next: { reviewBy } });
    expect(step.facts.at(-1)).toMatchObject({ kind: 'manual_found', target: 'desk-mail' });
    const asked = { ...state, held: { ...held, hop } };
    expect(nextStep(asked, refused, NOW, desks)).toMatchObject({ kind: 'wait' });
  });

  it('runs without a target where no one may see the docket', () => {
    const hart = people.parties.get('hart');
    if (hart === undefined) throw new Error('she is in the sample');
    const parties = new Map(people.parties).set('hart', {
      ...hart,
      deny: ['class:export-controlled'],
    });
    const walk = new Walk({
      docket: docket({ classification: ['export-controlled'] }),
      people: { ...people, parties },
    });
    expect(walk.clock()).toMatchObject({ kind: 'manual', target: undefined, message: undefined });
    expect(walk.facts.filter(({ kind }) => kind === 'skipped')).toHaveLength(6);
  });
});

describe('a crash', () => {
  it('after the intent repeats the same message on the same tier, then goes on', () => {
    const walk = new Walk();
    walk.clock();
    expect(toRfc3339(wakeAt(walk.state) ?? NOW)).toBe(toRfc3339(addMs(NOW, 7_000)));
    walk.clock();
    walk.clock();
    walk.clock();
    expect(walk.sent).toEqual([
      'PRIMARY bio-endpoint',
      'PRIMARY bio-endpoint',
      'SECONDARY ruiz-mail',
    ]);
    // Nobody knows whose fault it was: the target's breaker is not touched.
    expect(walk.breakers.size).toBe(0);
  });
});

describe('facts', () => {
  it('of a whole way down are canonical JSON, with both breaker states in each transition', () => {
    const walk = new Walk({
      breakers: new Map([
        ['bio-endpoint', { state: 'closed', failures: 2 }],
        ['moreau-mail', { state: 'half_open', good: 1, nextProbeAt: NOW }],
      ]),
    });
    walk.clock();
    walk.answer(FAILED);
    walk.answer(SENT);
    walk.clock();
    walk.clock();
    const ids = { next: () => '01900000-0000-7000-8000-000000000000' };
    const data = walk.facts.map((fact) => routingFact(ids, ROUTER, fact));
    for (const one of data) {
      expect(() => canonicalText(one.data)).not.toThrow();
      expect(() => requireFitting(one.type, one.data)).not.toThrow();
    }
    expect(data.map(({ type }) => type)).toEqual([
      'docket.transition',
      'docket.transition',
      'docket.transition',
      'docket.manual_required',
      'docket.manual_overdue',
    ]);
    expect(data[2]?.data).toMatchObject({
      from: { tier: 'TERTIARY', breaker: { state: 'half_open' } },
      to: { tier: 'MANUAL', target: 'desk-mail', breaker: { state: 'closed' } },
      reason: 'BREAKER_OPEN',
    });
  });
});
