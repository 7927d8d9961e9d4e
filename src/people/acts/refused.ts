/** Who was refused: as many entries as `afterRefusal` says, in the name of who asked. */
import { type Actor, asActor, lastAsked } from '../../access/index.ts';
import { type ActorRef, FilewrightError, newFact } from '../../core/index.ts';
import { type Installation, recordFact } from '../../ledger/index.ts';
import { actorRef } from '../access-notes.ts';
import { countRefusal } from '../store/refusals.ts';

const REFUSED: ReadonlySet<string> = new Set([
  'NOT_PERMITTED',
  'NO_CREDENTIAL',
  'BAD_CREDENTIAL',
  'SELF_APPROVAL',
  'SIGHT_NEEDED',
]);
/** What is hidden answers as what is not there: then both are noted, and the entry tells nothing of either. */
const HIDING: ReadonlySet<string> = new Set(['docket', 'recovery', 'route']);

/** Before it is known who asks. */
const UNKNOWN_KEY = 'key.use';

/**
 * To be asked with whatever ended a command. The entry names who, the act and the kind of its subject, never the subject: to
 * name it would be to say that it is there. What cannot be written changes nothing of the refusal, and is in the log.
 */
export async function noteRefused(
  app: Installation,
  actor: Actor | undefined,
  error: unknown,
): Promise<void> {
  if (!(error instanceof FilewrightError)) return;
  const act = actor === undefined ? UNKNOWN_KEY : (lastAsked(actor) ?? UNKNOWN_KEY);
  const subject = act.slice(0, act.indexOf('.'));
  const isRefusal = REFUSED.has(error.code) || (error.code === 'NOT_FOUND' && HIDING.has(subject));
  if (!isRefusal) return;
  const by: ActorRef =
    actor === undefined ? { kind: 'service', id: 'unknown key' } : actorRef(actor);
  try {
    const note = (): Promise<void> => addRefusal(app, by, act, subject);
    await (actor === undefined ? note() : asActor(actor, note));
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure);
    app.log.write({ level: 'warn', event: 'access.refusal_not_noted', error: message });
  }
}

async function addRefusal(
  app: Installation,
  by: ActorRef,
  act: string,
  subject: string,
): Promise<void> {
  await app.session.transaction(async (run) => {
    const times = await countRefusal(run, app.tenant, { actor: `${by.kind} ${by.id}`, act });
    if (times === undefined) return;
    const fact = newFact(app.ids, 'access.refused', by, { act, subject, times });
    const about = { kind: 'access', id: fact.id, ver: 1 };
    await recordFact(run, { tenant: app.tenant, boundary: 'access' }, about, fact);
  });
}
