/**
 * A request that changes something happens once under its key. What the act writes, the note in the ledger of who asked from where,
 * and the answer are one transaction: a process that dies before the commit has done nothing, and one that dies after it has left
 * the answer for the repeat. A refusal changes nothing and is not kept: the same request may be allowed later.
 */
import { createHash } from 'node:crypto';
import { type ActName, type Entrance, type PersonActor, whoActs } from '../access/index.ts';
import { entryId, FilewrightError, newFact, toRfc3339 } from '../core/index.ts';
import type { Filewright } from '../filewright.ts';
import { dataKeys, recordFact } from '../ledger/index.ts';
import { type Run, type Session, together } from '../postgres/index.ts';
import { findAnswer, keepAnswer, type RequestName, takeRequest } from './store/answers.ts';

interface KeyedRequest {
  readonly actor: PersonActor;
  readonly entrance: Entrance;
  readonly act: ActName | undefined;
  /** As the client chose it. */
  readonly key: string;
  /** Method, address and body: the same key for another request is a mistake. */
  readonly sha256: Uint8Array;
  readonly address: string;
  readonly requestId: string;
}

interface KeptAnswer {
  readonly status: number;
  /** As it was sent the first time, byte for byte. */
  readonly body: string;
  readonly isRepeat: boolean;
}

export async function once(
  app: Filewright,
  request: KeyedRequest,
  work: (app: Filewright) => Promise<{ readonly status: number; readonly body: string }>,
): Promise<KeptAnswer> {
  const keySha256 = createHash('sha256').update(request.key).digest();
  const name = { tenant: app.tenant, asked: request.actor.id, keySha256 };
  const answer = await together(app.session, whoActs, async (joined, run) => {
    if (!(await takeRequest(run, name, request.sha256))) return repeated(app, run, name, request);
    const done = await work(app.on(joined));
    await seal(app, { joined, run }, name, done);
    await note(app, run, request);
    return { ...done, isRepeat: false };
  });
  // What the act wrote is only there now.
  if (!answer.isRepeat) await app.sequencer.sequence();
  return answer;
}

async function repeated(
  app: Filewright,
  run: Run,
  name: RequestName,
  request: KeyedRequest,
): Promise<KeptAnswer> {
  const found = await findAnswer(run, name);
  if (found === undefined) {
    throw new FilewrightError(
      'KEY_REUSED',
      'The answer under this key was kept for a day and is gone',
    );
  }
  if (!Buffer.from(found.requestSha256).equals(request.sha256)) {
    throw new FilewrightError(
      'KEY_REUSED',
      'Expected the same request under this key, found another',
    );
  }
  const body = Buffer.from(app.vault.open(found.sealed)).toString('utf8');
  return { status: found.status, body, isRepeat: true };
}

async function seal(
  app: Filewright,
  { joined, run }: { readonly joined: Session; readonly run: Run },
  name: RequestName,
  answer: { readonly status: number; readonly body: string },
): Promise<void> {
  const month = toRfc3339(app.clock.now()).slice(0, 7);
  const subject = 'request_answer';
  const keys = await dataKeys(joined, { tenant: app.tenant, month }, [subject], () =>
    app.vault.newKey(month),
  );
  const key = keys.get(subject);
  if (key === undefined) throw new Error(`no data key for ${subject}`);
  const id = app.ids.next();
  const body = Buffer.from(answer.body, 'utf8');
  const { blob } = app.vault.seal({ key, entry: entryId(id), body });
  await keepAnswer(run, name, { status: answer.status, id, key: key.id, sealed: blob });
}

/** Which act, in which session or by which token, from where: the act's own fact names only the person. */
async function note(app: Filewright, run: Run, request: KeyedRequest): Promise<void> {
  const { actor, entrance, act, address, requestId } = request;
  const fact = newFact(
    app.ids,
    'request.done',
    { kind: 'user', id: actor.id },
    {
      act: act ?? 'compute',
      [entrance.kind]: entrance.id,
      address,
      request: requestId,
    },
  );
  const subject = { kind: 'request', id: requestId, ver: 1 };
  await recordFact(run, { tenant: app.tenant, boundary: 'access' }, subject, fact);
}
