/** The first check of the way back: whether a target answers at all. Each kind of target is asked in its own way. */
import type { Clock } from '../../core/index.ts';
import { type greetMailServer, usableServer } from '../../people/index.ts';
import type { Target } from '../rules/routing/matrix.ts';
import { bad, type CheckResult, good } from './check-result.ts';
import type { GetOutcome } from './get-once.ts';
import type { HandoverOptions } from './handover-options.ts';
import type { WatchedQueue } from './queue-watch.ts';
import type { ActiveRouting } from './setup.ts';

interface HealthDeps {
  readonly clock: Clock;
  readonly transport: HandoverOptions['transport'];
  readonly greet: typeof greetMailServer;
  readonly queues: () => Promise<readonly WatchedQueue[]>;
  readonly get: (path: string) => Promise<GetOutcome>;
  readonly path: string;
}

export function targetHealth(
  target: Target,
  routing: ActiveRouting,
  deps: HealthDeps,
): Promise<CheckResult> {
  switch (target.kind) {
    case 'http':
      return httpHealth(deps);
    case 'mail':
      return mailHealth(routing, deps);
    case 'rabbitmq':
      return queueHealth(target, deps);
  }
}

async function httpHealth({ get, path }: HealthDeps): Promise<CheckResult> {
  const answer = await get(path);
  const { elapsedMs, times } = answer;
  if (answer.kind === 'failed') {
    const { code } = answer;
    return bad(`no answer: ${code}`, { code, elapsedMs, ...times });
  }
  const { status } = answer;
  const evidence = { status, elapsedMs, ...times };
  return status === 200 ? good(evidence) : bad(`status ${status}`, evidence);
}

/** Of a mailbox only its server can be asked; that it takes a letter shows at the synthetic transaction. */
async function mailHealth(
  { matrix }: ActiveRouting,
  { clock, transport, greet }: HealthDeps,
): Promise<CheckResult> {
  const { mail, lookup, certificateAuthorities } = transport;
  if (mail === undefined) return bad('no mail server is set', { code: 'MAIL_NOT_SET' });
  const server = await usableServer(mail.server);
  if (server === undefined) {
    const code = 'CREDENTIAL_UNREADABLE';
    return bad('the address of the mail server cannot be read', { code });
  }
  const { timeoutMs } = matrix.policy;
  const startedMs = clock.monotonicMs();
  const { isWell, code } = await greet(server, {
    connectMs: timeoutMs,
    answerMs: timeoutMs,
    ...(lookup === undefined ? {} : { lookup }),
    ...(certificateAuthorities === undefined ? {} : { certificateAuthorities }),
  });
  const elapsedMs = Math.round(clock.monotonicMs() - startedMs);
  const evidence = { asked: 'EHLO', code, elapsedMs };
  return isWell ? good(evidence) : bad(`mail server: ${code}`, evidence);
}

async function queueHealth({ id, kind }: Target, { queues }: HealthDeps): Promise<CheckResult> {
  const watched = (await queues()).find((queue) => queue.target === id);
  // Without anything to ask, the synthetic transaction alone shows whether it is well.
  if (watched === undefined) return good({ asked: 'nothing', kind });
  const seen = await watched.gauge.measure();
  return seen.kind === 'measured'
    ? good({ backlog: seen.backlog, lagMs: seen.lagMs })
    : bad(`queue not measured: ${seen.code}`, { code: seen.code });
}
