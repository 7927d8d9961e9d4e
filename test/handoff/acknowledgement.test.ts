import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addMs, instant, type Instant } from '../../src/core/time.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import {
  acknowledgementLinks,
  newReference,
} from '../../src/people/notify/acknowledgement-link.ts';
import {
  type AcknowledgementPage,
  type MessageView,
  startAcknowledgementServer,
} from '../../src/server/acknowledgement-server.ts';
import { networkOf } from '../../src/server/per-address.ts';
import { pass, until } from '../delivery/waiting.ts';

const KEY = Buffer.alloc(32, 7);
const NOW = instant(Date.UTC(2027, 2, 1, 12));
const FORM = 'acknowledge=yes';
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const links = acknowledgementLinks([KEY]);
const ticket = (n = 1, expiresAt: Instant = addMs(NOW, 3_600_000)) => ({
  reference: n.toString(16).padStart(32, '0'),
  expiresAt,
});

interface House {
  readonly url: (token: string) => string;
  readonly messages: Map<string, MessageView>;
  readonly acknowledged: string[];
  readonly trouble: unknown[];
  readonly port: number;
  now: Instant;
  fails: boolean;
}

/** A page in memory behind the real server on a real port. */
async function house(): Promise<House> {
  const messages = new Map<string, MessageView>();
  const acknowledged: string[] = [];
  const trouble: unknown[] = [];
  const state = { now: NOW, fails: false };
  const page: AcknowledgementPage = {
    look: async (reference) => {
      if (state.fails) throw new Error('database away, token hush');
      return messages.get(reference);
    },
    signIn: async (reference, key) =>
      key === 'fwk_ada' && messages.has(reference) ? open('CTNF in 18/300101') : undefined,
    acknowledge: async (reference, at) => {
      const view = messages.get(reference);
      if (view === undefined || view.kind === 'closed') return undefined;
      if (view.kind === 'acknowledged') return { ...view, isFirst: false };
      acknowledged.push(reference);
      const done = { at, by: view.reader };
      messages.set(reference, { kind: 'acknowledged', ...done });
      return { ...done, isFirst: true };
    },
  };
  const clock = { now: () => state.now };
  const server = await startAcknowledgementServer(
    { page, readToken: links.read, clock, onTrouble: (error) => void trouble.push(error) },
    { port: 0 },
  );
  onTestFinished(() => server.close());
  const url = (token: string): string => `${server.url}/acknowledge/${token}`;
  const port = Number(new URL(server.url).port);
  return Object.assign(state, { url, messages, acknowledged, trouble, port });
}

const open = (title = 'Office action'): MessageView => ({
  kind: 'open',
  title,
  lines: ['Due 2027-06-01'],
  reader: 'Ada Lead',
});

const post = (url: string, body = FORM, headers: Record<string, string> = FORM_TYPE) =>
  fetch(url, { method: 'POST', body, headers });

/** The adversary is a stranger on the network, who opens connections and says nothing, or hardly anything. */
describe('a crowd from one address', () => {
  const dial = (port: number, localAddress: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      onTestFinished(() => void socket.destroy());
      socket
        .once('connect', () => resolve(socket))
        .on('error', reject)
        .resume();
    });
  const isClosed = (socket: Socket): boolean => socket.closed;
  /** What closes wrongly has time to. */
  const SETTLE_MS = 300;

  it('has twenty connections and no more, and others still get their page', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const crowd = await Promise.all(Array.from({ length: 60 }, () => dial(one.port, '127.0.0.2')));
    await until(() => crowd.filter(isClosed).length >= 40);
    await pass(SETTLE_MS);
    expect(crowd.filter(isClosed)).toHaveLength(40);
    expect((await fetch(one.url(links.tokenFor(ticket())))).status).toBe(200);
    crowd.forEach((socket) => socket.destroy());
    // Once the house has noticed that they are gone.
    await until(async () => {
      const again = await dial(one.port, '127.0.0.2');
      await pass(SETTLE_MS);
      return !isClosed(again);
    });
  });

  it('counts by the network that a client has to itself', () => {
    expect(networkOf('::ffff:10.0.0.1')).toBe(networkOf('10.0.0.1'));
    expect(networkOf('2001:db8:1:2:3::4')).toBe(networkOf('2001:db8:1:2::ffff'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
  });

  it('that drips a request byte by byte is cut off after its ten seconds', async () => {
    const one = await house();
    const slow = await dial(one.port, '127.0.0.3');
    const startedMs = performance.now();
    const drip = setInterval(() => slow.write('x'), 200);
    slow.write('GET / HTTP/1.1\r\nx-slow: ');
    await new Promise<void>((resolve) => {
      slow
        .on('error', () => undefined)
        .once('close', () => resolve())
        .resume();
    });
    clearInterval(drip);
    // Not at all without the limit.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });
});

describe('an acknowledgement link', () => {
  it('shows a page with a form when opened, any number of times, and acknowledges nothing', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    for (let n = 0; n < 3; n += 1) {
      const answer = await fetch(url);
      const html = await answer.text();
      expect(answer.status).toBe(200);
      expect(html).toContain('<form method="post">');
      expect(html).toContain('Office action');
      expect(html).not.toMatch(/<script|<img|<link|https?:/);
    }
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await fetch(url, { method })).status).toBe(404);
    }
    expect(one.acknowledged).toEqual([]);
  });

  it('acknowledges with the button, once; the second time says when and by whom', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    const first = await (await post(url)).text();
    expect(first).toContain('acknowledged by Ada Lead on <time>2027-03-01T12:00:00.000Z</time>');
    one.now = addMs(NOW, 60_000);
    const second = await post(url);
    expect(second.status).toBe(200);
    const text = await second.text();
    expect(text).toContain('already acknowledged by Ada Lead on <time>2027-03-01T12:00:00.000Z');
    expect(await (await fetch(url)).text()).toContain('already acknowledged by Ada Lead');
    expect(one.acknowledged).toHaveLength(1);
  });

  it('to what was closed meanwhile says so, and shows no button that leads nowhere', async () => {
    const one = await house();
    one.messages.set(ticket().reference, { kind: 'closed', at: NOW, by: 'Ada Lead' });
    const url = one.url(links.tokenFor(ticket()));
    for (const answer of [await fetch(url), await post(url)]) {
      expect(answer.status).toBe(200);
      const html = await answer.text();
      expect(html).toContain('closed by Ada Lead on <time>2027-03-01T12:00:00.000Z</time>');
      expect(html).not.toContain('<form');
    }
    expect(one.acknowledged).toEqual([]);
  });

  it('is not acknowledged by a POST that the button does not make', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    const answers = [
      await fetch(url, { method: 'POST' }),
      await post(url, ''),
      await post(url, 'acknowledge=no'),
      await post(url, '{"acknowledge":"yes"}', { 'content-type': 'application/json' }),
      await post(url, FORM, { 'content-type': 'text/plain' }),
    ];
    for (const answer of answers) expect(answer.status).toBe(400);
    expect(one.acknowledged).toEqual([]);
  });

  it('that is unknown, expired, forged, mistyped or hidden answers to the byte alike', async () => {
    const one = await house();
    one.messages.set(ticket(1).reference, open());
    const good = links.tokenFor(ticket(1));
    const expired = ticket(2, instant(NOW - 1_000));
    one.messages.set(expired.reference, open());
    const forged = acknowledgementLinks([Buffer.alloc(32, 8)]).tokenFor(ticket(1));
    const tokens = {
      unknown: links.tokenFor(ticket(99)),
      expired: links.tokenFor(expired),
      forged,
      mistyped: `${good.slice(0, -2)}AA`,
      cut: good.slice(0, 40),
      long: 'x'.repeat(500),
      undecodable: '%E0%A4%A',
      empty: '',
      nested: `${good}/more`,
    };
    const answers = new Set<string>();
    for (const token of Object.values(tokens)) {
      for (const answer of [
        await fetch(one.url(token)),
        await post(one.url(token)),
        await post(one.url(token), ''),
      ]) {
        const headers = [...answer.headers].filter(([name]) => name !== 'date').map(String);
        answers.add(JSON.stringify([answer.status, headers.sort(), await answer.text()]));
      }
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('This link leads nowhere');
    expect([...answers][0]).toContain('404');
    expect(one.acknowledged).toEqual([]);
    expect((await fetch(one.url(good))).status).toBe(200);
  });

  it('ends with its last second', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    one.now = instant(ticket().expiresAt - 1);
    expect((await fetch(url)).status).toBe(200);
    one.now = ticket().expiresAt;
    expect((await fetch(url)).status).toBe(404);
    expect((await post(url)).status).toBe(404);
    expect(one.acknowledged).toEqual([]);
  });

  it('of ten presses at once counts one', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    const texts = await Promise.all(
      Array.from({ length: 10 }, async () => (await post(url)).text()),
    );
    expect(texts.filter((text) => text.includes('already'))).toHaveLength(9);
    expect(one.acknowledged).toHaveLength(1);
  });
});

describe('a confidential message', () => {
  const secret: MessageView = {
    kind: 'open',
    title: 'A docket event',
    lines: ['Due 2027-06-01'],
    reader: 'Ada Lead',
    needsSignIn: true,
  };
  const key = (text: string) => new URLSearchParams({ key: text }).toString();

  it('is shown to who signs in with a personal key, in that one answer, and not acknowledged by it', async () => {
    const one = await house();
    one.messages.set(ticket().reference, secret);
    const url = one.url(links.tokenFor(ticket()));
    const page = await (await fetch(url)).text();
    expect(page).toContain('type="password"');
    expect(page).not.toContain('18/300101');
    const shown = await post(url, key('fwk_ada'));
    expect([shown.status, shown.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await shown.text()).toContain('CTNF in 18/300101');
    expect(await (await fetch(url)).text()).not.toContain('18/300101');
    // A key beside the button signs in, and acknowledges nothing.
    await post(url, `${FORM}&${key('fwk_ada')}`);
    expect(one.acknowledged).toEqual([]);
    expect((await post(url)).status).toBe(200);
    expect(one.acknowledged).toHaveLength(1);
  });

  it('says the same to every key that does not open it, and nothing of the key', async () => {
    const one = await house();
    one.messages.set(ticket().reference, secret);
    const url = one.url(links.tokenFor(ticket()));
    for (const text of ['', 'fwk_other', '<b>']) {
      const answer = await post(url, key(text));
      const html = await answer.text();
      expect(answer.status).toBe(403);
      expect(html).toContain('Not signed in');
      expect(html).not.toMatch(/18\/300101|fwk_|<b>/);
    }
    const nowhere = await post(one.url('x'), key('fwk_ada'));
    expect([nowhere.status, await nowhere.text()]).toEqual([
      404,
      await (await fetch(one.url('x'))).text(),
    ]);
  });
});

describe('the acknowledgement endpoint', () => {
  it('writes what the store says as text, never as HTML', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open('<script>alert("x")</script>&\''));
    const html = await (await fetch(one.url(links.tokenFor(ticket())))).text();
    expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;');
    expect(html).not.toContain('<script');
  });

  it('sets no cookie, stores nothing, loads nothing and sends no referrer', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    for (const token of [links.tokenFor(ticket()), 'nonsense']) {
      const { headers } = await fetch(one.url(token));
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('refuses large bodies and large headers, and stays', async () => {
    const one = await house();
    one.messages.set(ticket().reference, open());
    const url = one.url(links.tokenFor(ticket()));
    for (const type of [FORM_TYPE, { 'content-type': 'text/plain' }]) {
      expect((await post(url, `${FORM}&x=${'y'.repeat(2_000)}`, type)).status).toBe(413);
    }
    const status = await new Promise((resolve) => {
      const headers = { 'x-large': 'y'.repeat(20_000) };
      const request = httpRequest(url, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on('error', () => resolve('cut'));
      request.end();
    });
    expect([431, 'cut']).toContain(status);
    expect(one.acknowledged).toEqual([]);
    expect((await fetch(url)).status).toBe(200);
  });

  it('does not fall over bytes that are no HTTP', async () => {
    const one = await house();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(one.port, '127.0.0.1', () =>
        socket.write('\x16\x03\x01 nonsense\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text));
      socket.on('error', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(one.url('x'))).status).toBe(404);
  });

  it('says only that it is not now when the store is away', async () => {
    const one = await house();
    one.fails = true;
    const answer = await fetch(one.url(links.tokenFor(ticket())));
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('hush');
    expect(one.trouble).toHaveLength(1);
  });

  it('listens on loopback alone by default, and says when its port is taken', async () => {
    const one = await house();
    expect(new URL(one.url('x')).hostname).toBe('127.0.0.1');
    const parts = {
      page: {} as AcknowledgementPage,
      readToken: links.read,
      clock: { now: () => NOW },
    };
    await expect(startAcknowledgementServer(parts, { port: one.port })).rejects.toThrow(
      FilewrightError,
    );
  });
});

describe('a token', () => {
  it('gives back what it was made from, with any of the keys, and shows nothing else', () => {
    const old = Buffer.alloc(32, 1);
    const both = acknowledgementLinks([KEY, old]);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        (bytes, seconds) => {
          const reference = newReference({ bytes: () => bytes });
          const one = { reference, expiresAt: instant(seconds * 1_000) };
          expect(links.read(links.tokenFor(one))).toEqual(one);
          expect(both.read(acknowledgementLinks([old]).tokenFor(one))).toEqual(one);
          expect(acknowledgementLinks([old]).read(links.tokenFor(one))).toBeUndefined();
          expect(links.tokenFor(one)).toMatch(/^[A-Za-z0-9_-]{71}$/);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is refused when any one character of it is another', () => {
    const token = links.tokenFor(ticket(12345));
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ['A', 'B', '_', 'z']) {
        if (token[at] === other) continue;
        expect(links.read(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      }
    }
    expect(links.read(`${token}=`)).toBeUndefined();
    expect(links.read(token.slice(1))).toBeUndefined();
  });

  it('is the same for the same ticket, and its link has one slash', () => {
    expect(links.tokenFor(ticket())).toBe(links.tokenFor(ticket()));
    expect(links.urlFor(ticket(), 'https://fw.example/')).toBe(
      `https://fw.example/acknowledge/${links.tokenFor(ticket())}`,
    );
  });

  it('needs a key that no one can guess', () => {
    expect(() => acknowledgementLinks([])).toThrow('Expected a key');
    expect(() => acknowledgementLinks([Buffer.alloc(31)])).toThrow('32 bytes');
  });
});
