import type { Profile } from '../../core/index.ts';
import type { BehaviourChange } from './behaviour.ts';
import type { AnswerPlan } from './plan.ts';
import type { Twist } from './portal-server.ts';

/** A portal that breaks one promise of its profile on purpose. */
export interface WrongPortal {
  readonly name: string;
  /** What `portal check` must say about it. */
  readonly reason: string;
  readonly driver: Profile['driver'];
  /** What the portal plays instead of the profile that it claims to be. */
  readonly play?: (profile: Profile) => Profile;
  readonly behaviour?: BehaviourChange;
  readonly twist?: () => Twist;
}

/** Each is right in everything but one thing, so that a check cannot pass by accident of another. */
export const WRONG_PORTALS: readonly WrongPortal[] = [
  json('unhealthy', 'HEALTH_BAD', { behaviour: { health: 'bad' } }),
  json('answers every path', 'UNKNOWN_PATH_ANSWERED', {
    twist: () => (answer, plan) =>
      plan.endpoint === 'other' && answer.kind === 'respond' && answer.status === 404
        ? { ...answer, status: 200 }
        : answer,
  }),
  json('asks for no credentials', 'AUTH_NOT_REQUIRED', { behaviour: { credentials: 'ignored' } }),
  json('knows every entity', 'REGISTRY_INVENTS', {
    play: (profile) =>
      profile.registry === undefined
        ? profile
        : { ...profile, registry: { ...profile.registry, pattern: '.+' } },
  }),
  json('finds every key', 'STATUS_INVENTS', {
    behaviour: { faults: { status_invents_receipt: 1 } },
  }),
  json('answers about another key', 'STATUS_OTHER_KEY', {
    behaviour: { faults: { status_other_key: 1 } },
  }),
  json('shows a page as status', 'STATUS_UNREADABLE', {
    behaviour: { faults: { status_login_page_200: 1 } },
  }),
  json('gives receipts of another shape', 'RECEIPT_MALFORMED', {
    behaviour: { faults: { receipt_malformed: 1 } },
  }),
  json('forgets the receipt', 'RECEIPT_MISSING', { behaviour: { faults: { receipt_missing: 1 } } }),
  json('gives every filing one receipt', 'RECEIPT_NOT_UNIQUE', { twist: oneReceipt }),
  json('redirects elsewhere', 'REDIRECT_UNDECLARED', {
    behaviour: { faults: { redirect_after_accept: 1 } },
  }),
  json('throttles without saying until when', 'THROTTLE_STAMP_UNREADABLE', {
    behaviour: { faults: { throttle_429_absurd_garbage: 1 } },
  }),
  json('cuts the connection', 'OUTCOME_UNKNOWN', { behaviour: { faults: { accept_then_cut: 1 } } }),
  json('contradicts itself about a repeat', 'CONFLICT_UNSETTLED', { twist: contradicts }),
  json('forgets keys', 'IDEMPOTENCY_NOT_HONOURED', {
    play: (profile) => ({ ...profile, idempotency: { ...profile.idempotency, honouredMs: 0 } }),
  }),
  json('accepts another payload under a used key', 'KEY_REUSE_ACCEPTED', { twist: keyReuse }),
  json('loses what it accepted', 'STATUS_NOT_FOUND', {
    behaviour: { faults: { status_hidden: 1 } },
  }),
  json('accepts any payload', 'LIMIT_NOT_ENFORCED', {
    play: ({ limits: _limits, ...profile }) => profile,
  }),
  json('accepts duplicates', 'DUPLICATE_ACCEPTED', {
    play: (profile) =>
      profile.limits === undefined
        ? profile
        : { ...profile, limits: { ...profile.limits, duplicateWindowMs: 0 } },
  }),
  page('shows the form without a login', 'SESSION_NOT_REQUIRED', { behaviour: { login: 'open' } }),
  page('refuses every login', 'LOGIN_REFUSED', { behaviour: { login: 'refused' } }),
  page('has another form', 'FORM_CHANGED', { behaviour: { form: 'changed' } }),
  page('has one session for all', 'SESSION_SHARED', {
    behaviour: { login: 'shared', latencyMs: { mean: 20, spread: 0 } },
  }),
];

type Rest = Omit<WrongPortal, 'name' | 'reason' | 'driver'>;

function json(name: string, reason: string, rest: Rest): WrongPortal {
  return { name, reason, driver: 'json-api', ...rest };
}

function page(name: string, reason: string, rest: Rest): WrongPortal {
  return { name, reason, driver: 'html-form', ...rest };
}

/** Every success repeats the first success. */
function oneReceipt(): Twist {
  let first: AnswerPlan | undefined;
  return (answer, plan) => {
    if (plan.endpoint !== 'submit' || plan.acceptsAfterMs === undefined) return answer;
    first ??= answer;
    return first;
  };
}

/** Says "filed before" to the second filing of a key, and "no such filing" to whoever then asks. */
function contradicts(): Twist {
  const seen = new Set<string>();
  const denied = new Set<string>();
  let notFound: AnswerPlan | undefined;
  return (answer, plan, request) => {
    const key = String(request.headers['x-idempotency-key']);
    if (plan.endpoint === 'status') {
      if (answer.kind === 'respond' && answer.status === 404) notFound = answer;
      return denied.has(key) && notFound !== undefined ? named(notFound, key) : answer;
    }
    if (plan.endpoint !== 'submit' || answer.kind !== 'respond') return answer;
    if (!seen.has(key)) {
      seen.add(key);
      return answer;
    }
    denied.add(key);
    return { ...answer, status: 409 };
  };
}

/** The answer about another key, told about this one. */
function named(answer: AnswerPlan, key: string): AnswerPlan {
  if (answer.kind !== 'respond') return answer;
  const text = Buffer.from(answer.body).toString('utf8');
  return {
    ...answer,
    body: Buffer.from(
      text.replace(/check-[\w-]+/, () => key),
      'utf8',
    ),
  };
}

/** A refused reuse is told as the success that came before it. */
function keyReuse(): Twist {
  let last: AnswerPlan | undefined;
  return (answer, plan, request) => {
    if (plan.endpoint !== 'submit' || answer.kind !== 'respond') return answer;
    if (plan.acceptsAfterMs !== undefined) last = answer;
    const isReuse = answer.status === 422 && Buffer.from(request.body).includes('another text');
    return isReuse && last !== undefined ? last : answer;
  };
}
