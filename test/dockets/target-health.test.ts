/** How targets that are no endpoints come back: a mail server is greeted, a queue is measured as the matrix has it now. */
import { targetId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SaturationGauge } from '../../src/dockets/brokers/saturation.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { greetMailServer } from '../../src/people/notify/mail.ts';
import { listBreakers, recoveriesSeenBy } from '../../src/dockets/routing/recovery-acts.ts';
import { loadRouting } from '../../src/dockets/routing/setup.ts';
import { followBreakers } from '../../src/dockets/routing/recovery-watch.ts';
import { QueueWatch } from '../../src/dockets/routing/queue-watch.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { startMailServer, TLS } from '../notify/mail-server.ts';
import { Stage } from './stage.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const mailAt = (port: number) => ({
  url: `smtp://localhost:${port}`,
  allowPrivateAddresses: ANY_PRIVATE,
});
const trusted = { certificateAuthorities: [TLS.cert] };
const BREAKERS = {
  name: 'breakers',
  text: `select code, state, version, ver, changed_at from lane where tenant = $1 and code like 'target/%' order by code`,
};
const RUNS = { name: 'runs', text: 'select id from recovery_run where tenant = $1 order by id' };
/** Nobody listens there. */
const DEAD_PORT = 1;

/** The matrix with another target in the place of the team's endpoint. */
async function withTeam(target: object): Promise<void> {
  const { matrix } = stage.documents() as { matrix: { targets: object } };
  await stage.activate({ targets: { ...matrix.targets, team: { party: 'team', ...target } } });
}

/** Those of before went in one letter, which fails once; these come when it has failed, and their letters fail too. */
async function comeOneByOne(): Promise<void> {
  await until(
    async () =>
      (await stage.count(`docket_handoff where tenant = $1 and ended_at is not null`)) >= 3,
  );
  await stage.feed(1, { application_number: '18/400001' });
  await until(
    async () =>
      (await stage.count(`docket_handoff where tenant = $1 and ended_at is not null`)) >= 4,
  );
  await stage.feed(1, { application_number: '18/400002' });
}

describe('a mail server', () => {
  it('is well when it greets, and not when its port is closed or its certificate is not trusted', async () => {
    const mail = await startMailServer();
    expect(await greetMailServer(mailAt(mail.port), trusted)).toEqual({
      isWell: true,
      code: 'SMTP_250',
    });
    expect(await greetMailServer(mailAt(mail.port))).toMatchObject({ isWell: false });
    expect(mail.taken).toEqual([]);
    await mail.close();
    expect(await greetMailServer(mailAt(DEAD_PORT))).toEqual({
      isWell: false,
      code: 'UNREACHABLE',
    });
  });

  it('that is away keeps its target’s breaker open, and closes it when it greets again', async () => {
    stage = await Stage.set(server);
    await withTeam({ kind: 'mail', address: 'team@firm.example' });
    let port = DEAD_PORT;
    await stage.feed(3);
    await stage.router({
      transport: {
        allowPrivateAddresses: () => ANY_PRIVATE,
        ...trusted,
        mail: { server: async () => mailAt(port), from: 'docketing@firm.example', host: 'test' },
      },
    });
    await comeOneByOne();
    const breaker = async () =>
      (await listBreakers(stage.parts)).find(({ target }) => target === 'team')?.breaker.state;
    const health = async () => {
      const [run] = await recoveriesSeenBy(stage.parts, await stage.viewer(), {
        target: targetId('team'),
      });
      return run?.evidence.filter(({ step }) => step === 'health').at(-1);
    };
    await until(async () => (await health())?.verdict === 'bad');
    expect((await health())?.evidence).toMatchObject({ asked: 'EHLO', code: 'UNREACHABLE' });
    expect(await breaker()).toBe('open');
    const { session, tenant } = stage.parts;
    const seenOpen = await session.run(BREAKERS, [tenant]);
    const mail = await startMailServer();
    ({ port } = mail);
    await until(async () => (await breaker()) === 'closed');
    expect((await health())?.evidence).toMatchObject({ asked: 'EHLO', code: 'SMTP_250' });
    // One letter: the synthetic transaction.
    expect(mail.taken).toHaveLength(1);
    await mail.close();
    // A process that saw it open, and looks for its run when it is closed and the run is over, begins no other.
    const late: Pick<typeof session, 'run' | 'transaction'> = {
      run: async (statement, values) =>
        statement.name === BREAKERS.name ? seenOpen : session.run(statement, values),
      transaction: (work) => session.transaction(work),
    };
    const runs = () => session.run(RUNS, [tenant]);
    const before = await runs();
    await followBreakers(
      { ...stage.parts, session: late as typeof session },
      await loadRouting(stage.parts),
    );
    expect(await runs()).toEqual(before);
  });

  it('whose address cannot be read fails at once, and is well when it can be', async () => {
    stage = await Stage.set(server);
    await withTeam({ kind: 'mail', address: 'team@firm.example' });
    const mail = await startMailServer();
    let isSet = false;
    await stage.feed(3);
    await stage.router({
      transport: {
        allowPrivateAddresses: () => ANY_PRIVATE,
        ...trusted,
        mail: {
          server: async () => {
            if (isSet) return mailAt(mail.port);
            throw new FilewrightError('CREDENTIAL_UNREADABLE', 'the variable is not set');
          },
          from: 'docketing@firm.example',
          host: 'test',
        },
      },
    });
    await comeOneByOne();
    const state = async () =>
      (await listBreakers(stage.parts)).find(({ target }) => target === 'team')?.breaker.state;
    await until(async () => (await state()) === 'open');
    const [ended] = await stage.read(
      `select outcome, evidence->>'code' as code from docket_handoff where tenant = $1 and ended_at is not null`,
    );
    expect(ended).toEqual({ outcome: 'failed', code: 'CREDENTIAL_UNREADABLE' });
    const health = `recovery_evidence where tenant = $1 and step = 'health' and verdict = 'bad'`;
    await until(async () => (await stage.count(health)) > 0);
    isSet = true;
    await until(async () => (await state()) === 'closed');
    await mail.close();
  });
});

describe('the queues of targets', () => {
  it('are those of the matrix that holds: a new one is measured without a restart, one that is gone is let go', async () => {
    stage = await Stage.set(server);
    const open = new Map<string, number>();
    const targetGauge = (queue: string): SaturationGauge => {
      open.set(queue, (open.get(queue) ?? 0) + 1);
      return {
        measure: () => Promise.resolve({ kind: 'measured', backlog: 0, lagMs: 0, evidence: {} }),
        close: async () => void open.delete(queue),
      };
    };
    const watch = new QueueWatch(stage.parts, { targetGauge });
    const readings = async () =>
      (await stage.read('select queue from queue_reading where tenant = $1 order by queue')).map(
        ({ queue }) => queue,
      );
    await watch.look();
    expect([...open]).toEqual([]);
    await withTeam({ kind: 'rabbitmq', address: 'first' });
    await watch.look();
    expect([...open]).toEqual([['first', 1]]);
    expect(await readings()).toEqual(['filewright', 'first (team)']);
    // The same queue in another matrix goes on with its own gauge, which knows how long it was untouched.
    await stage.activate(
      {
        targets: {
          ...(stage.documents() as { matrix: { targets: object } }).matrix.targets,
          team: { kind: 'rabbitmq', address: 'first', party: 'team' },
        },
        title: 'Another title',
      },
      {},
    );
    await watch.look();
    expect([...open]).toEqual([['first', 1]]);
    await withTeam({ kind: 'rabbitmq', address: 'second' });
    await watch.look();
    expect([...open]).toEqual([['second', 1]]);
    expect(await readings()).toEqual(['filewright', 'first (team)', 'second (team)']);
    await watch.close();
    expect([...open]).toEqual([]);
  });

  it('that two of them share is full for both, and reported as unmeasured when its broker is away for a minute', async () => {
    stage = await Stage.set(server);
    const { targets } = (stage.documents() as { matrix: { targets: Record<string, object> } })
      .matrix;
    const shared = { kind: 'rabbitmq', address: 'shared' };
    await stage.activate(
      {
        targets: {
          ...targets,
          team: { ...shared, party: 'team' },
          lead: { ...targets['lead'], ...shared },
        },
      },
      {},
    );
    let measured: Awaited<ReturnType<SaturationGauge['measure']>> = {
      kind: 'measured',
      backlog: 1_001,
      lagMs: 0,
      evidence: {},
    };
    const gauge = { measure: () => Promise.resolve(measured), close: async () => undefined };
    let nowMs = 0;
    const clock = { ...stage.parts.clock, monotonicMs: () => nowMs };
    const watch = new QueueWatch({ ...stage.parts, clock }, { targetGauge: () => gauge });
    await watch.look();
    const full = await stage.read(
      `select target from queue_reading where tenant = $1 and jsonb_array_length(triggers) = 1 order by target`,
    );
    expect(full).toEqual([{ target: 'lead' }, { target: targetId('team') }]);

    const unseen = () => stage.count(`alert where tenant = $1 and kind = 'queue_unseen'`);
    measured = { kind: 'unmeasured', code: 'ECONNREFUSED', message: 'nobody is there' };
    await watch.look();
    nowMs = 59_000;
    await watch.look();
    expect(await unseen()).toBe(0);
    measured = { kind: 'measured', backlog: 0, lagMs: 0, evidence: {} };
    await watch.look();
    measured = { kind: 'unmeasured', code: 'ECONNREFUSED', message: 'nobody is there' };
    nowMs = 70_000;
    await watch.look();
    nowMs = 130_000;
    await watch.look();
    expect(await unseen()).toBe(0);
    nowMs = 131_000;
    await watch.look();
    expect(await unseen()).toBe(2);
    await watch.close();
  });

  it('are measured at once: those of a broker that hangs do not wait for each other', async () => {
    stage = await Stage.set(server);
    await withTeam({ kind: 'rabbitmq', address: 'slow' });
    let asked = 0;
    let answer: (() => void) | undefined;
    const all = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const gauge: SaturationGauge = {
      measure: async () => {
        asked += 1;
        if (asked === 3) answer?.();
        await all;
        return { kind: 'unmeasured', code: 'SOCKET_TIMEOUT', message: 'no heartbeat' };
      },
      close: async () => undefined,
    };
    const queues = ['one', 'two'].map((queue) => ({ queue, gauge }));
    const watch = new QueueWatch(stage.parts, { queues, targetGauge: () => gauge });
    // Ends only when all three are under way together.
    expect(await watch.look()).toEqual([]);
    await watch.close();
  });
});
