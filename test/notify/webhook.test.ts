/** One webhook against real servers: signature, outcomes, bounds, and the guard before the first packet. */
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instant } from '../../src/core/time.ts';
import { ATTEMPTS_MAX, retryMs } from '../../src/people/notify/outcome.ts';
import { checkWebhookSecret, newWebhookSecret } from '../../src/people/notify/webhook-secret.ts';
import { checkWebhookUrl } from '../../src/people/notify/webhook-url.ts';
import { eventBody } from '../../src/people/notify/event-body.ts';
import { sendWebhook } from '../../src/people/notify/webhook.ts';
import { TLS } from './mail-server.ts';
import { plainHeaders, type Receiver, startReceiver, status } from './receiver.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const clock = { now: () => instant(Date.now()) };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.answer = status(200);
});

function message(changes: Partial<Parameters<typeof sendWebhook>[0]> = {}) {
  return {
    url: receiver.url,
    id: '0190a000-0000-7000-8000-000000000001',
    body: '{"a":"ü"}',
    secrets: [SECRET],
    allowPrivateAddresses: ANY_PRIVATE,
    ...changes,
  };
}

/** A resolver whose answers are scripted; the last one repeats. */
function resolver(...answers: string[][]): LookupFunction & { readonly asked: () => number } {
  let asked = 0;
  const lookup: LookupFunction = (_host, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { asked: () => asked });
}

describe('the signature', () => {
  it('is accepted by the library that receivers use, over the exact bytes', async () => {
    expect(await sendWebhook(message(), { clock })).toEqual({ verdict: 'sent', code: 'HTTP_200' });
    const taken = receiver.taken.at(-1);
    expect(taken?.method).toBe('POST');
    expect(taken?.path).toBe('/hook?a=1');
    expect(taken?.headers['webhook-id']).toBe(message().id);
    const verified = new Webhook(SECRET).verify(
      taken?.body ?? '',
      plainHeaders(taken?.headers ?? {}),
    );
    expect(verified).toEqual({ a: 'ü' });
  });

  it('does not verify with another secret, another body or another id', async () => {
    await sendWebhook(message(), { clock });
    const { body = '', headers = {} } = receiver.taken.at(-1) ?? {};
    const given = plainHeaders(headers);
    expect(() => new Webhook(OTHER).verify(body, given)).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(`${body} `, given)).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(body, { ...given, 'webhook-id': 'x' })).toThrow();
  });

  it('is given by both secrets during a rotation', async () => {
    await sendWebhook(message({ secrets: [OTHER, SECRET] }), { clock });
    const { body = '', headers = {} } = receiver.taken.at(-1) ?? {};
    for (const secret of [SECRET, OTHER]) {
      expect(new Webhook(secret).verify(body, plainHeaders(headers))).toEqual({ a: 'ü' });
    }
  });
});

describe('the outcome', () => {
  it.each([
    [200, 'sent'],
    [204, 'sent'],
    [299, 'sent'],
    [301, 'transient'],
    [308, 'transient'],
    [400, 'transient'],
    [404, 'transient'],
    [410, 'gone'],
    [429, 'transient'],
    [500, 'transient'],
  ])('of %i is %s', async (code, verdict) => {
    receiver.answer = (response) => response.writeHead(code).end();
    expect(await sendWebhook(message(), { clock })).toMatchObject({
      verdict,
      code: `HTTP_${code}`,
    });
  });

  it('of a redirect does not follow it', async () => {
    const before = receiver.taken.length;
    receiver.answer = (response) => response.writeHead(307, { location: receiver.url }).end();
    await sendWebhook(message(), { clock });
    expect(receiver.taken.length).toBe(before + 1);
  });

  it('keeps the wait that the receiver asks for, in seconds or as a date', async () => {
    receiver.answer = status(503, { 'retry-after': '120' });
    expect(await sendWebhook(message(), { clock })).toMatchObject({ retryAfterMs: 120_000 });
    receiver.answer = status(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    const outcome = await sendWebhook(message(), { clock });
    expect(outcome.verdict === 'transient' && outcome.retryAfterMs).toBeGreaterThan(50_000);
  });

  it('of a line that goes dead after the request is unknown', async () => {
    receiver.answer = (response) => response.socket?.destroy();
    expect(await sendWebhook(message(), { clock })).toEqual({ verdict: 'unknown', code: 'CUT' });
  });

  it('of a receiver that never answers is unknown when its time is over', async () => {
    receiver.answer = () => undefined;
    const from = performance.now();
    const outcome = await sendWebhook(message(), { clock, timeoutMs: 200 });
    expect(outcome).toEqual({ verdict: 'unknown', code: 'TIMEOUT' });
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  it('of a receiver that drips its answer forever is its status, once its time is over', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    };
    const from = performance.now();
    const outcome = await sendWebhook(message(), { clock, timeoutMs: 300 });
    expect(outcome).toEqual({ verdict: 'sent', code: 'HTTP_200' });
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  it('of a flood is its status, and the flood is not read', async () => {
    let written = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        while (!response.destroyed && written < 500 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    };
    expect(await sendWebhook(message(), { clock })).toEqual({ verdict: 'sent', code: 'HTTP_200' });
    expect(written).toBeLessThan(50 * 1024 * 1024);
  });

  it('of a closed port is transient', async () => {
    const gone = await startReceiver();
    await gone.close();
    const outcome = await sendWebhook(message({ url: gone.url }), { clock });
    expect(outcome).toEqual({ verdict: 'transient', code: 'UNREACHABLE' });
  });
});

describe('the guard', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://10.0.0.7:PORT/',
    'http://169.254.169.254:PORT/',
  ])('refuses %s before any connection', async (template) => {
    const before = receiver.connections();
    const url = template.replace('PORT', String(receiver.port));
    const outcome = await sendWebhook(message({ url, allowPrivateAddresses: false }), { clock });
    expect(outcome).toEqual({ verdict: 'permanent', code: 'ADDRESS_REFUSED' });
    expect(receiver.connections()).toBe(before);
  });

  it('refuses a name that leads to a private address, also beside a public one', async () => {
    const before = receiver.connections();
    const url = `http://hooks.example:${receiver.port}/`;
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['fd00::1']]) {
      const outcome = await sendWebhook(message({ url, allowPrivateAddresses: false }), {
        clock,
        lookup: resolver(addresses),
      });
      expect(outcome).toEqual({ verdict: 'permanent', code: 'ADDRESS_REFUSED' });
    }
    expect(receiver.connections()).toBe(before);
  });

  it('resolves a name once: an answer that turns private later is never used', async () => {
    const before = receiver.connections();
    const lookup = resolver(['192.0.2.1'], ['127.0.0.1']);
    // 192.0.2.1 is refused by itself, so it is allowed here, and nobody answers there.
    const url = `http://hooks.example:${receiver.port}/`;
    const outcome = await sendWebhook(message({ url }), { clock, lookup, timeoutMs: 300 });
    expect(outcome.verdict).toBe('transient');
    expect(lookup.asked()).toBe(1);
    expect(receiver.connections()).toBe(before);
  });

  it('says that a name has no address', async () => {
    const outcome = await sendWebhook(message({ url: 'http://hooks.example/' }), {
      clock,
      lookup: resolver([]),
    });
    expect(outcome).toEqual({ verdict: 'transient', code: 'NAME_UNRESOLVED' });
  });
});

describe('TLS', () => {
  it('is checked against the authorities, and the name in the address', async () => {
    const secure = await startReceiver(TLS);
    try {
      const ca = { certificateAuthorities: [TLS.cert] };
      expect(await sendWebhook(message({ url: secure.url }), { clock, ...ca })).toMatchObject({
        verdict: 'sent',
      });
      expect(await sendWebhook(message({ url: secure.url }), { clock })).toEqual({
        verdict: 'transient',
        code: 'TLS_FAILED',
      });
      const url = `https://other.example:${secure.port}/`;
      const lookup = resolver(['127.0.0.1']);
      const outcome = await sendWebhook(message({ url }), { clock, ...ca, lookup });
      expect(outcome).toEqual({ verdict: 'transient', code: 'TLS_FAILED' });
      expect(secure.taken).toHaveLength(1);
    } finally {
      await secure.close();
    }
  });
});

describe('the schedule', () => {
  const transient = { verdict: 'transient', code: 'HTTP_500' } as const;

  it('is that of Standard Webhooks, spread by at most a tenth, and ends with the tenth attempt', () => {
    const base = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    base.forEach((seconds, index) => {
      const waitMs = retryMs('notice', index + 1, transient) ?? 0;
      expect(waitMs).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(waitMs).toBeLessThanOrEqual(seconds * 1_100);
    });
    expect(ATTEMPTS_MAX).toBe(10);
    expect(retryMs('notice', 10, transient)).toBeUndefined();
  });

  it('differs from notice to notice, and is the same for the same one', () => {
    const waits = ['a', 'b', 'c', 'd'].map((notice) => retryMs(notice, 3, transient));
    expect(new Set(waits).size).toBe(4);
    expect(retryMs('a', 3, transient)).toBe(waits[0]);
  });

  it('is stretched by the receiver to a day at most, and never shortened', () => {
    expect(retryMs('n', 1, { ...transient, retryAfterMs: 3_600_000 })).toBe(3_600_000);
    expect(retryMs('n', 1, { ...transient, retryAfterMs: 10 ** 12 })).toBe(86_400_000);
    expect(retryMs('n', 4, { ...transient, retryAfterMs: 1 })).toBeGreaterThanOrEqual(7_200_000);
  });

  it('has no further attempt after an end', () => {
    for (const verdict of ['sent', 'permanent', 'gone'] as const) {
      expect(retryMs('n', 1, { verdict, code: 'X' })).toBeUndefined();
    }
    expect(retryMs('n', 1, { verdict: 'unknown', code: 'CUT' })).toBeGreaterThanOrEqual(5_000);
  });
});

describe('what a person gives', () => {
  it.each([
    'http://example.org/',
    'ftp://example.org/',
    'https://user@example.org/',
    'https://user:pass@example.org/',
    'https://example.org/#part',
    'example.org',
    `https://example.org/${'x'.repeat(2_000)}`,
  ])('the address %s is refused', (url) => {
    expect(() => checkWebhookUrl(url, { allowPrivateAddresses: false })).toThrow(
      'Expected a webhook address',
    );
  });

  it('an https address is taken, and http only where private addresses are', () => {
    const open = { allowPrivateAddresses: false };
    expect(checkWebhookUrl('https://example.org/a?b=c', open)).toBe('https://example.org/a?b=c');
    expect(checkWebhookUrl('http://127.0.0.1/', { allowPrivateAddresses: true })).toBeTruthy();
  });

  it('a secret must be able to sign, and is never in the message', () => {
    for (const wrong of [
      'hush',
      'whsec_',
      `whsec_${Buffer.alloc(23).toString('base64')}`,
      'whsec_hush!!!',
    ]) {
      expect(() => checkWebhookSecret(wrong)).toThrow(/^Expected a webhook secret/);
    }
    try {
      checkWebhookSecret('whsec_my-hush-hush');
    } catch (error) {
      expect(String(error)).not.toContain('my-hush-hush');
    }
    let n = 0;
    const made = newWebhookSecret({ bytes: (count) => new Uint8Array(count).fill((n += 1)) });
    expect(checkWebhookSecret(made)).toBe(made);
    expect(checkWebhookSecret(OTHER)).toBe(OTHER);
  });
});

describe('the body', () => {
  const event = {
    id: 'e-1',
    type: 'COMPLIANCE_FILING_COMPLETE',
    at: instant(Date.UTC(2027, 2, 1)),
    filing: 'f-1',
    data: { filing: 'f-1', status: 'accepted' },
  };
  const source = { instance: 'filewright.local', tenant: 'main' };

  it('has the attributes of CloudEvents, and links only when it is known where they lead', () => {
    expect(JSON.parse(eventBody(event, source))).toEqual({
      specversion: '1.0',
      id: 'e-1',
      source: '//filewright.local/main',
      type: 'COMPLIANCE_FILING_COMPLETE',
      time: '2027-03-01T00:00:00.000Z',
      subject: 'f-1',
      datacontenttype: 'application/json',
      data: { filing: 'f-1', status: 'accepted' },
    });
    const linked = JSON.parse(
      eventBody(event, { ...source, publicUrl: 'https://fw.example/' }),
    ) as {
      data: object;
    };
    expect(linked.data).toMatchObject({ links: { filing: 'https://fw.example/filings/f-1' } });
  });
});
