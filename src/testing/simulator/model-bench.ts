import { type Instant, instant, type Profile } from '../../core/index.ts';
import type { BehaviourChange } from './behaviour.ts';
import type { AnswerPlan, Plan } from './plan.ts';
import { PortalModel } from './portal-model.ts';
import { sampleProfile } from './sample-profile.ts';

// Shared by the tests of this folder.

export const START = Date.parse('2026-03-02T15:00:00Z');

export interface Bench {
  readonly model: PortalModel;
  readonly submit: (key: string, at: number, payload?: string) => Plan;
  readonly ask: (key: string, at: number, submissionId?: string) => Plan;
}

/** A portal that is driven one request at a time; `at` is in milliseconds from the start. */
export function bench(behaviour: BehaviourChange = {}, profile: Profile = sampleProfile()): Bench {
  const model = new PortalModel({ profile, behaviour });
  const drive = (method: string, path: string, at: number, key?: string, payload = ''): Plan => {
    const headers = { 'x-idempotency-key': key };
    const body = Buffer.from(payload);
    const plan = model.arrive({ method, path, headers, body }, moment(at));
    model.finish(plan.request);
    return plan;
  };
  return {
    model,
    submit: (key, at, payload = `payload of ${key}`) => drive('POST', '/submit', at, key, payload),
    ask: (key, at, submissionId = '') =>
      drive('GET', `/status?key=${encodeURIComponent(key)}&submission=${submissionId}`, at),
  };
}

export function moment(ms: number): Instant {
  return instant(START + ms);
}

export function statusOf(answer: AnswerPlan): number | 'cut' | 'silence' {
  return answer.kind === 'respond' ? answer.status : answer.kind;
}

export function bodyOf(answer: AnswerPlan): unknown {
  if (answer.kind !== 'respond') throw new Error(`no body in a ${answer.kind}`);
  return JSON.parse(Buffer.from(answer.body).toString('utf8'));
}

export function withoutKeys(): Profile {
  return sampleProfile({ idempotency: { header: 'X-Idempotency-Key', honouredMs: 0 } });
}
