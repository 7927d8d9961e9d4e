/**
 * The portal of the benches, in its own process: as little work per request as HTTP allows, so that what is measured is
 * the client. It counts what it accepted and its own most requests in flight per lane.
 */
import { createServer } from 'node:http';

interface Lane {
  inFlight: number;
  inFlightMax: number;
  accepted: number;
  keys: Set<string> | undefined;
  repeats: number;
}

const latencyMs = Number(process.argv[2] ?? 5);
const spreadMs = Number(process.argv[3] ?? 0);
/** `keys`: remember every key, to prove that none was accepted twice. */
const remembers = process.argv[4] === 'keys';
const lanes = new Map<string, Lane>();
let lastAcceptedAt = 0;
let total = 0;
let awaited: { readonly total: number; readonly tell: () => void } | undefined;

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const [, name = '', door = ''] = (request.url ?? '').split('/');
  if (name === '_stats') {
    const stats = [...lanes].map(([lane, { keys, ...counts }]) => ({
      lane,
      ...counts,
      distinct: keys?.size ?? null,
    }));
    response.end(
      JSON.stringify({ lanes: stats, lastAcceptedAt, heapBytes: process.memoryUsage().heapUsed }),
    );
    return;
  }
  if (name === '_reset') {
    lanes.clear();
    total = 0;
    response.end('{}');
    return;
  }
  // Answered when so many are accepted: asking again and again would cost the run that is measured.
  if (name === '_wait') {
    awaited = { total: Number(door), tell: () => response.end('{}') };
    tellIfReached();
    return;
  }
  const lane = laneOf(name);
  if (door === 'health') {
    response.end();
    return;
  }
  lane.inFlight += 1;
  if (lane.inFlight > lane.inFlightMax) lane.inFlightMax = lane.inFlight;
  request.resume();
  const waitMs = spreadMs === 0 ? latencyMs : latencyMs - spreadMs + Math.random() * 2 * spreadMs;
  setTimeout(() => {
    lane.inFlight -= 1;
    lane.accepted += 1;
    total += 1;
    tellIfReached();
    lastAcceptedAt = Date.now();
    const key = String(request.headers['x-idempotency-key']);
    if (lane.keys !== undefined) {
      if (lane.keys.has(key)) lane.repeats += 1;
      lane.keys.add(key);
    }
    response.setHeader('content-type', 'application/json');
    response.end(
      `{"receiptNumber":"R-${1_000_000 + lane.accepted}","idempotencyKey":"${key}","status":"ACCEPTED"}`,
    );
  }, waitMs);
});

function tellIfReached(): void {
  if (awaited === undefined || total < awaited.total) return;
  awaited.tell();
  awaited = undefined;
}

function laneOf(name: string): Lane {
  let lane = lanes.get(name);
  if (lane === undefined) {
    lane = {
      inFlight: 0,
      inFlightMax: 0,
      accepted: 0,
      keys: remembers ? new Set() : undefined,
      repeats: 0,
    };
    lanes.set(name, lane);
  }
  return lane;
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
process.on('disconnect', () => process.exit(0));
