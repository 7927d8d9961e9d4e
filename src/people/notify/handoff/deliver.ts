import { contentTypeFault, invariant, sha256Of, type WriteGuard } from '../../../core/index.ts';
import type { HandoffLoad, HandoffOutcome, HandoffTarget } from './handoff.ts';
import { handOverByHttp } from './http-target.ts';
import { handOverByMail } from './mail-target.ts';
import type { HandoffDeps } from './deps.ts';
import { handOverByQueue } from './queue-target.ts';

export interface Handoffs {
  /** One attempt. Every outcome is a value; nothing is retried here. */
  deliver(target: HandoffTarget, load: HandoffLoad, guard: WriteGuard): Promise<HandoffOutcome>;
}

const BY_KIND = {
  http: handOverByHttp,
  mail: handOverByMail,
  rabbitmq: handOverByQueue,
} as const;

export function createHandoffs(deps: HandoffDeps): Handoffs {
  return {
    deliver: async (target, load, guard) => {
      // The last place where a changed byte can be noticed before somebody acts on it.
      invariant(
        sha256Of(load.payload) === load.payloadSha256,
        'Expected the payload of a handoff to have the hash it was frozen with.',
        { message: load.id, target: target.id },
      );
      // A letter holds no content type; on the other wires one that cannot be written is no fault of who would read it.
      const fault = target.kind === 'mail' ? undefined : contentTypeFault(load.contentType);
      if (fault !== undefined) {
        const evidence = { code: 'CONTENT_TYPE_UNSENDABLE', elapsedMs: 0, message: fault };
        return { kind: 'unsendable', evidence, signs: [] };
      }
      return BY_KIND[target.kind](target, load, guard, deps);
    },
  };
}
