/** Review: what a person does with an exception. */
import {
  FilewrightError,
  parseStrictJson,
  type JsonValue,
  type Profile,
  type Step,
} from '../core/index.ts';
import type { Filewright } from '../app.ts';
import { type ExceptionView, findException, type Person, replayFiling } from '../store/index.ts';
import { profilesByLane } from './lanes.ts';
import { userFact } from './people.ts';

export interface OpenedException {
  readonly exception: ExceptionView;
  readonly envelope: { readonly [name: string]: JsonValue };
}

export async function openException(app: Filewright, id: string): Promise<OpenedException> {
  const exception = await findException(app.session, app.tenant, id);
  const opened = parseStrictJson(app.vault.open(exception.envelope), {
    bytesMax: 64 * 1024 * 1024,
  });
  // Written by the recorder as an object; the seal has just proved that it is unchanged.
  return { exception, envelope: opened as OpenedException['envelope'] };
}

/**
 * Sends the same payload again under the same key. Where an earlier send may have been accepted, the portal is asked
 * first; where it cannot be asked and honours no keys, a person must state the evidence that it was not filed.
 */
export async function replay(
  app: Filewright,
  id: string,
  actor: Person,
  notFiled: string | undefined,
): Promise<ExceptionView> {
  const exception = await findException(app.session, app.tenant, id);
  const { filing } = exception;
  if (filing.status !== 'rejected' && filing.status !== 'fallout') {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Filing ${id} is ${filing.status}; only rejected and fallout can be replayed`,
    );
  }
  if (filing.lastSafe <= app.clock.now()) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `The last safe moment of filing ${id} has passed; file it by hand`,
    );
  }
  const profile = (await profilesByLane(app)).get(filing.lane);
  const step = replayStep(exception, profile, notFiled);
  const fact = userFact(app, 'filing.state', actor, {
    from: filing.status,
    to: 'pending',
    cause: 'replay',
    action: step.action,
    payload_sha256: filing.payloadSha256,
    ...(notFiled === undefined ? {} : { not_filed: notFiled.slice(0, 500) }),
  });
  await replayFiling(app.session, app.tenant, exception, step, actor.id, fact);
  await app.sequencer.sequence();
  return exception;
}

function replayStep(
  exception: ExceptionView,
  profile: Profile | undefined,
  notFiled: string | undefined,
): Step {
  const { unsettled, filing } = exception;
  if (unsettled === undefined || notFiled !== undefined) return { action: 'send' };
  const sent = { firstSentAt: unsettled.firstSentAt, lastSentAt: unsettled.lastSentAt };
  if (profile?.status !== undefined)
    return { action: 'ask', cause: 'unknown', ...sent, unclear: 0 };
  throw new FilewrightError(
    'REFUSED_BY_RULE',
    `An earlier send of filing ${filing.id} may have been accepted, and its portal cannot be asked. ` +
      'Find out, and replay with --not-filed "<how you know>" only if it was not',
  );
}
