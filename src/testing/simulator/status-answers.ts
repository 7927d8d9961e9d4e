import type { Own } from '../../lanes/index.ts';
import type { StatusRule } from '../../core/index.ts';
import type { AnswerBodies } from './answer-bodies.ts';
import type { StatusFault } from './faults.ts';
import type { AnswerPlan } from './plan.ts';
import { respond, respondPage } from './submit-answers.ts';

/** What the status endpoint may say about a key at one moment. */
export type Standing =
  | { readonly kind: 'accepted'; readonly receipt: string }
  | { readonly kind: 'processing' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'not_found' };

export interface StatusScene {
  readonly bodies: AnswerBodies;
  readonly rule: StatusRule;
  readonly key: string;
  readonly standing: Standing;
  readonly throttleMs: number;
  readonly own: Own;
  /** The filing that was taken last, if it is another one. */
  readonly another: { readonly receipt: string; readonly own: Own } | undefined;
  /** A receipt of the right shape that belongs to no filing. */
  inventReceipt(): string;
}

export function honestStatus(scene: StatusScene): AnswerPlan {
  const { bodies, rule, key, standing } = scene;
  switch (standing.kind) {
    case 'accepted':
      return respond(
        200,
        bodies.statusWithReceipt(key, word(rule.accepted, 'accepted'), standing.receipt, scene.own),
      );
    case 'processing':
      return respond(200, bodies.status(key, word(rule.processing, 'processing')));
    case 'refused':
      return respond(200, bodies.status(key, word(rule.refused, 'refused')));
    case 'not_found':
      return notFound(scene);
  }
}

export function faultyStatus(fault: StatusFault, scene: StatusScene): AnswerPlan {
  const { bodies, rule, key } = scene;
  switch (fault) {
    case 'status_500':
      return respondPage(500, bodies.errorPage(500));
    case 'status_cut':
      return { kind: 'cut' };
    case 'status_silence':
      return { kind: 'silence' };
    case 'status_throttled_429':
      return respondPage(429, bodies.errorPage(429), {
        'retry-after': String(Math.ceil(scene.throttleMs / 1000)),
      });
    case 'status_truncated_json': {
      const whole = bodies.status(key, word(rule.accepted, 'accepted'));
      return respond(200, whole.subarray(0, whole.length - 3));
    }
    case 'status_login_page_200':
      return respondPage(200, bodies.loginPage());
    case 'status_404_page':
      return respondPage(404, bodies.errorPage(404));
    case 'status_no_receipt':
      return respond(200, bodies.status(key, word(rule.accepted, 'accepted')));
    case 'status_other_key':
      return respond(
        200,
        bodies.statusWithReceipt(
          `${key}-other`,
          word(rule.accepted, 'accepted'),
          scene.inventReceipt(),
          scene.own,
        ),
      );
    case 'status_unknown_word':
      return respond(200, bodies.status(key, 'in limbo'));
    case 'status_hidden':
      return notFound(scene);
    case 'status_says_refused':
      return respond(200, bodies.status(key, word(rule.refused, 'refused')));
    case 'status_invents_receipt':
      return respond(
        200,
        bodies.statusWithReceipt(
          key,
          word(rule.accepted, 'accepted'),
          scene.inventReceipt(),
          scene.own,
        ),
      );
    case 'status_receipt_of_another':
    case 'status_other_entity': {
      const isNamed = fault === 'status_other_entity';
      const receipt = isNamed
        ? scene.inventReceipt()
        : (scene.another?.receipt ?? scene.inventReceipt());
      const own: Own = isNamed ? (of) => `${scene.own(of) ?? ''}9` : scene.own;
      return respond(
        200,
        bodies.statusWithReceipt(key, word(rule.accepted, 'accepted'), receipt, own),
      );
    }
  }
}

/** 404 and the word: a client may go by either. */
function notFound({ bodies, rule, key }: StatusScene): AnswerPlan {
  return respond(404, bodies.status(key, word(rule.notFound, 'not found')));
}

function word(words: readonly string[], fallback: string): string {
  return words[0] ?? fallback;
}
