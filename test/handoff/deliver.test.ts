import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHandoffs } from '../../src/people/notify/handoff/deliver.ts';
import type { HandoffDeps } from '../../src/people/notify/handoff/deps.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import { portOf } from '../fixtures/loopback.ts';
import { rabbitPublisher } from '../../src/dockets/brokers/rabbit-publisher.ts';
import { systemClock } from '../../src/system/clock.ts';
import { header, startMailServer, TLS } from '../notify/mail-server.ts';
import { freshName, RABBIT_URL, rabbitBench, rabbitPresence } from '../brokers/brokers.ts';
import { startReceiver, status } from '../notify/receiver.ts';
import { FREE, load, parts, PAYLOAD, target } from './loads.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

async function receiver() {
  const one = await startReceiver();
  onTestFinished(() => one.close());
  one.answer = (response) => void response.writeHead(200).end('{"receipt":"R-17"}');
  return one;
}

const deliver = (
  address: string,
  changes: Partial<HandoffDeps> = {},
  guard = FREE,
  changed: Parameters<typeof load>[0] = {},
) => createHandoffs(parts(changes)).deliver(target('http', address), load(changed), guard);

describe('a handoff to an HTTP endpoint', () => {
  it('is confirmed by a receipt, with the message id, the digest and the exact bytes', async () => {
    const raw: Buffer[] = [];
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        raw.push(chunk);
        if (Buffer.concat(raw).includes(PAYLOAD)) {
          const body = '{"receipt":"R-17"}';
          socket.end(`HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const outcome = await deliver(`http://127.0.0.1:${portOf(server)}/in?x=1`);
    expect(outcome).toMatchObject({ kind: 'confirmed', receipt: 'R-17' });
    expect(outcome.evidence).toMatchObject({ code: 'HTTP_201', status: 201 });
    expect(outcome.signs).toEqual([{ kind: 'http', target: 'team-a', status: 201 }]);
    const bytes = Buffer.concat(raw);
    const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n'));
    expect(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).equals(PAYLOAD)).toBe(true);
    expect(head).toContain('POST /in?x=1 HTTP/1.1');
    expect(head).toContain('filewright-message-id: fwm1-0123456789abcdef');
    expect(head).toContain('idempotency-key: fwm1-0123456789abcdef');
    expect(head).toContain(`content-digest: sha-256=:${hash('sha256', PAYLOAD, 'base64')}:`);
  });

  it.each([
    [200, 'unknown', 'RECEIPT_MISSING'],
    [204, 'unknown', 'RECEIPT_MISSING'],
    [301, 'failed', 'HTTP_301'],
    [400, 'refused', 'HTTP_400'],
    [401, 'denied', 'HTTP_401'],
    [403, 'denied', 'HTTP_403'],
    [404, 'failed', 'HTTP_404'],
    [408, 'unknown', 'HTTP_408'],
    [422, 'refused', 'HTTP_422'],
    [429, 'failed', 'HTTP_429'],
    [500, 'unknown', 'HTTP_500'],
    [503, 'unknown', 'HTTP_503'],
  ] as const)('that answers %s without a receipt is %s', async (code, kind, evidence) => {
    const one = await receiver();
    one.answer = status(code, code === 429 ? { 'retry-after': '7' } : {});
    const outcome = await deliver(one.url);
    expect(outcome).toMatchObject({ kind, evidence: { code: evidence, status: code } });
    expect(outcome.signs).toEqual([{ kind: 'http', target: 'team-a', status: code }]);
    expect(outcome.evidence.retryAfterMs).toBe(code === 429 ? 7_000 : undefined);
    expect(one.taken).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'thank you'],
    ['an empty receipt', '{"receipt":""}'],
    ['a receipt that is no text', '{"receipt":{"number":17}}'],
    ['a receipt that would break a line', '{"receipt":"a\\nb"}'],
    ['a receipt without end', `{"receipt":"${'x'.repeat(70_000)}"}`],
  ])('with 200 and %s is not confirmed', async (_title, body) => {
    const one = await receiver();
    one.answer = (response) => void response.writeHead(200).end(body);
    expect(await deliver(one.url)).toMatchObject({ kind: 'unknown' });
  });

  it('whose answer never comes is unknown after the time-out, and is cut', async () => {
    const one = await receiver();
    one.answer = () => undefined;
    const outcome = await deliver(one.url, { timeoutMs: 200, totalMs: 60_000 });
    expect(outcome).toMatchObject({ kind: 'unknown', evidence: { code: 'TIMEOUT' } });
    expect(outcome.evidence.responseMs).toBeGreaterThan(200);
  });

  it('is confirmed also where the endpoint says first that it is at work (100, 102)', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const body = '{"receipt":"R-17"}';
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.end(`${interim}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const outcome = await deliver(`http://127.0.0.1:${portOf(server)}/`);
    expect(outcome).toMatchObject({ kind: 'confirmed', receipt: 'R-17' });
  });

  it('whose name never resolves fails after the time-out of the connection', async () => {
    const outcome = await deliver('https://stalls.example/', {
      timeoutMs: 200,
      lookup: () => undefined,
    });
    expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'TIMEOUT' }, signs: [] });
    expect(outcome.evidence.connectMs).toBeGreaterThan(200);
  });

  it('is over after the time for all of it, whatever its phases may take', async () => {
    const one = await receiver();
    one.answer = () => undefined;
    const outcome = await deliver(one.url, { timeoutMs: 20_000, totalMs: 200 });
    expect(outcome).toMatchObject({ kind: 'unknown', evidence: { code: 'TIMEOUT' } });
    expect(outcome.evidence.elapsedMs).toBeLessThan(10_000);
  });

  it('leaves no listener behind on a signal that lives as long as the process', async () => {
    const one = await receiver();
    const controller = new AbortController();
    const guard = { mayWrite: () => true, signal: controller.signal };
    for (let n = 0; n < 5; n += 1) await deliver(one.url, {}, guard);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('whose answer drips without end is given up in time too', async () => {
    const one = await receiver();
    one.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const outcome = await deliver(one.url, { timeoutMs: 200, totalMs: 60_000 });
    expect(outcome).toMatchObject({ kind: 'unknown', evidence: { code: 'TIMEOUT' } });
  });

  it('whose connection is cut after the request is unknown, before it nothing was sent', async () => {
    const one = await receiver();
    one.answer = (response) => void response.socket?.destroy();
    expect(await deliver(one.url)).toMatchObject({ kind: 'unknown', evidence: { code: 'CUT' } });
    expect(await deliver('http://127.0.0.1:1/')).toMatchObject({
      kind: 'failed',
      evidence: { code: 'CONNECT' },
    });
  });

  it('sends nothing when the lease is lost directly before the write', async () => {
    const one = await receiver();
    const lost = { mayWrite: () => false, signal: FREE.signal };
    const outcome = await deliver(one.url, {}, lost);
    expect(outcome).toMatchObject({ kind: 'not_made', evidence: { code: 'LEASE_LOST' } });
    expect(one.taken).toHaveLength(0);
  });

  it.each(['ftp://127.0.0.1/', 'https://user:pass@127.0.0.1/', 'nonsense'])(
    'to %s is no address, and the next tier gets it',
    async (address) => {
      expect(await deliver(address)).toMatchObject({
        kind: 'failed',
        evidence: { code: 'ADDRESS_INVALID' },
      });
    },
  );

  it('inside the house is refused unless allowed, by number and by name, before any packet', async () => {
    const one = await receiver();
    const closed = { allowPrivateAddresses: () => false as const };
    expect(await deliver(one.url, closed)).toMatchObject({ evidence: { code: 'ADDRESS_INVALID' } });
    for (const host of ['127.0.0.1', 'inside.example', '[::1]', '169.254.169.254']) {
      const outcome = await deliver(`https://${host}:${one.port}/`, {
        ...closed,
        lookup: (_name, _options, callback) =>
          callback(null, [{ address: '127.0.0.1', family: 4 }]),
      });
      expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'ADDRESS_REFUSED' } });
    }
    expect(one.connections()).toBe(0);
  });

  it('takes its secret headers when it needs them, and shows them in no outcome', async () => {
    const one = await receiver();
    const outcome = await deliver(one.url, {
      credentials: async () => ({ authorization: 'Bearer hush', 'filewright-message-id': 'fake' }),
    });
    expect(one.taken[0]?.headers['authorization']).toBe('Bearer hush');
    expect(one.taken[0]?.headers['filewright-message-id']).toBe('fwm1-0123456789abcdef');
    expect(JSON.stringify(outcome)).not.toContain('hush');
    const without = await deliver(one.url, {
      credentials: async () => {
        throw new FilewrightError('CREDENTIAL_UNREADABLE', 'not set');
      },
    });
    expect(without).toMatchObject({ kind: 'failed', evidence: { code: 'CREDENTIAL_UNREADABLE' } });
  });
});

describe('any handoff', () => {
  it('of bytes that are not those that were frozen is stopped before it is sent', async () => {
    const one = await receiver();
    const wrong = { payloadSha256: sha256Hex('0'.repeat(64)) };
    await expect(deliver(one.url, {}, FREE, wrong)).rejects.toThrow('hash it was frozen with');
    expect(one.taken).toHaveLength(0);
  });
});

describe('a handoff by email', () => {
  async function mailbox(options: Partial<HandoffDeps> = {}) {
    const server = await startMailServer();
    onTestFinished(() => server.close());
    const mail = {
      server: async () => ({
        url: `smtp://127.0.0.1:${server.port}`,
        allowPrivateAddresses: ANY_PRIVATE,
      }),
      from: 'docketing@example.org',
      host: 'filewright.example',
    };
    const send = (guard = FREE) =>
      createHandoffs(parts({ mail, certificateAuthorities: [TLS.cert], ...options })).deliver(
        target('mail', 'lead@example.org'),
        load(),
        guard,
      );
    return { server, send };
  }

  it('that the server takes is sent, not confirmed; it names the message and holds no payload', async () => {
    const { server, send } = await mailbox();
    const [first, second] = [await send(), await send()];
    expect(first).toMatchObject({ kind: 'sent', evidence: { code: 'SMTP_250' } });
    expect(second.kind).toBe('sent');
    const ids = server.taken.map(({ raw }) => header(raw, 'message-id'));
    expect(ids).toEqual(
      Array.from({ length: 2 }, () => '<fwm1-0123456789abcdef@filewright.example>'),
    );
    const [one] = server.taken;
    expect(one?.raw).toContain('Message fwm1-0123456789abcdef');
    expect(one?.raw).toContain(load().payloadSha256.slice(0, 40));
    expect(one?.raw).not.toContain('12345678901234567890');
  });

  it('that the server refuses is refused, that it puts off is failed, that is cut is unknown', async () => {
    const { server, send } = await mailbox();
    server.recipient = (n) => (n === 1 ? 550 : 250);
    expect(await send()).toMatchObject({ kind: 'denied', evidence: { code: 'SMTP_550' } });
    server.verdict = () => 451;
    expect(await send()).toMatchObject({ kind: 'failed', evidence: { code: 'SMTP_451' } });
    server.verdict = () => 'cut';
    expect(await send()).toMatchObject({ kind: 'unknown' });
  });

  it('whose server stalls is over in time', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `smtp://127.0.0.1:${portOf(server)}`;
    const { send } = await mailbox({
      timeoutMs: 200,
      mail: {
        server: async () => ({ url, allowPrivateAddresses: ANY_PRIVATE }),
        from: 'docketing@example.org',
        host: 'filewright.example',
      },
    });
    const outcome = await send();
    expect(outcome.kind).toBe('failed');
    expect(outcome.evidence.elapsedMs).toBeLessThan(3_000);
  });

  it('without a mail server, or a lease, fails and sends nothing', async () => {
    const none = createHandoffs(parts());
    const outcome = await none.deliver(target('mail', 'lead@example.org'), load(), FREE);
    expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'MAIL_NOT_SET' } });
    const { server, send } = await mailbox();
    expect(await send({ mayWrite: () => false, signal: FREE.signal })).toMatchObject({
      kind: 'not_made',
      evidence: { code: 'LEASE_LOST' },
    });
    expect(server.taken).toHaveLength(0);
  });
});

const rabbit = await rabbitPresence();

describe.skipIf(rabbit.isMissing)(`a handoff to a RabbitMQ queue${rabbit.note}`, () => {
  const bench = rabbitBench();

  it('is confirmed by the broker; to a queue that does not exist it fails', async () => {
    const publisher = rabbitPublisher({ url: RABBIT_URL, clock: systemClock });
    onTestFinished(() => publisher.close());
    const handoffs = createHandoffs(
      parts({ publish: (message, guard) => publisher.publish(message, guard) }),
    );
    const queue = await bench.queue('handoff');
    const sent = load({ contentType: 'application/x-docket' });
    const outcome = await handoffs.deliver(target('rabbitmq', queue), sent, FREE);
    expect(outcome).toMatchObject({
      kind: 'confirmed',
      receipt: `rabbitmq ${queue} fwm1-0123456789abcdef`,
    });
    const taken = await bench.take(queue);
    expect(taken?.messageId).toBe('fwm1-0123456789abcdef');
    expect(Buffer.isBuffer(taken?.body) && taken.body.equals(PAYLOAD)).toBe(true);
    const gone = target('rabbitmq', freshName('gone'));
    expect(await handoffs.deliver(gone, sent, FREE)).toMatchObject({
      kind: 'failed',
      evidence: { code: 'UNROUTABLE' },
    });
    const none = createHandoffs(parts());
    expect(await none.deliver(gone, sent, FREE)).toMatchObject({
      kind: 'failed',
      evidence: { code: 'BROKER_NOT_SET' },
    });
  });
});
