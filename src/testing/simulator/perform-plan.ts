import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type AnswerPlan, deliveryMs, type Plan } from './plan.ts';

type Respond = Extract<AnswerPlan, { kind: 'respond' }>;

/**
 * Carries out a plan on a socket and calls `done` when the portal is done, also when the client has long gone.
 * Timers do not keep the process alive: after `close` nobody waits for a silent portal.
 */
export function performPlan(plan: Plan, response: ServerResponse, done: () => void): void {
  const { answer } = plan;
  const worksOnMs = plan.finishAfterMs - plan.delayMs - deliveryMs(answer);
  const finished = (): void => after(worksOnMs, done);
  if (answer.kind === 'silence') {
    after(plan.finishAfterMs, () => {
      done();
      response.socket?.destroy();
    });
    return;
  }
  after(plan.delayMs, () => {
    if (answer.kind === 'cut') {
      finished();
      response.socket?.destroy();
    } else {
      deliver(answer, response, finished);
    }
  });
}

function deliver(answer: Respond, response: ServerResponse, finished: () => void): void {
  switch (answer.delivery.kind) {
    case 'whole':
      // Before the write: a client that has the answer may not find its request still counted.
      finished();
      writeHead(answer, response);
      response.end(answer.body);
      return;
    case 'truncated':
      finished();
      writeHead(answer, response);
      response.flushHeaders();
      if (answer.delivery.atBytes > 0) {
        response.write(answer.body.subarray(0, answer.delivery.atBytes));
      }
      // What is written goes out first, then the connection ends short of the declared length.
      response.socket?.destroySoon();
      return;
    case 'twice':
      finished();
      writeTwice(answer, response, answer.delivery.againAfterMs);
      return;
    case 'drip':
      writeHead(answer, response);
      response.flushHeaders();
      drip(answer, { at: 0, ...answer.delivery }, response, finished);
      return;
  }
}

function drip(
  answer: Respond,
  pace: { readonly at: number; readonly chunkBytes: number; readonly everyMs: number },
  response: ServerResponse,
  finished: () => void,
): void {
  const end = pace.at + pace.chunkBytes;
  const chunk = answer.body.subarray(pace.at, end);
  if (end >= answer.body.length) {
    finished();
    response.end(chunk);
    return;
  }
  // A dead client takes no bytes, but the portal goes on for as long as it would have.
  if (!response.destroyed) response.write(chunk);
  after(pace.everyMs, () => drip(answer, { ...pace, at: end }, response, finished));
}

/** Both copies in one write, so that the client sees the second before it can use the connection again; or apart. */
function writeTwice(answer: Respond, response: ServerResponse, againAfterMs = 0): void {
  const { socket } = response;
  if (againAfterMs > 0) {
    after(againAfterMs, () => socket?.write(rawResponse(answer)));
    writeHead(answer, response);
    response.end(answer.body);
    return;
  }
  socket?.cork();
  writeHead(answer, response);
  response.end(answer.body);
  socket?.write(rawResponse(answer));
  socket?.uncork();
}

function rawResponse({ status, headers, body }: Respond): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function writeHead(answer: Respond, response: ServerResponse): void {
  // A flat list is what Node writes without a header table in between.
  const list: string[] = [];
  for (const name of Object.keys(answer.headers)) list.push(name, answer.headers[name] ?? '');
  // RFC 9110 § 8.6: none in a 304, which would speak of a representation that is not there.
  if (answer.status !== 304) list.push('content-length', String(answer.body.length));
  response.writeHead(answer.status, list);
}

function after(ms: number, act: () => void): void {
  // Real sockets live in real time, so these are real timers; the model itself never sees them.
  if (ms <= 0) act();
  else setTimeout(act, ms).unref();
}
