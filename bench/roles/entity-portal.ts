/**
 * The 51 portals of the entity figure in one process of their own. Each takes its service time, honours keys, blocks
 * everybody for a while when more requests come at once than it allows, and remembers the truth.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  dice,
  type EntityLane,
  type FaultKind,
  type LaneTruth,
  type PortalOrders,
  serviceMs,
} from '../entity-shape.ts';

/** A refusal costs a portal little. */
const REFUSAL_MS = 5;
const FAULT_KINDS: readonly FaultKind[] = ['refused_425', 'error_502', 'cut', 'error_502'];

interface Lane {
  readonly shape: EntityLane;
  readonly index: number;
  readonly receipts: Map<string, number>;
  readonly truth: {
    -readonly [K in keyof Omit<LaneTruth, 'faults'>]: LaneTruth[K];
  } & { readonly faults: Record<FaultKind, number> };
  inFlight: number;
  requests: number;
  blockedUntil: number;
}

const lanes = new Map<string, Lane>();
let orders: PortalOrders = { lanes: [], trouble: { faultRate: 0 }, overCeilingBlockMs: 0 };
let startedAt = 0;

process.on('message', (message: PortalOrders | { readonly begin: true }) => {
  if ('begin' in message) startedAt = Date.now();
  else prepare(message);
  process.send?.({ done: true });
});
process.on('disconnect', () => process.exit(0));

function prepare(next: PortalOrders): void {
  orders = next;
  startedAt = Date.now();
  lanes.clear();
  for (const [index, shape] of next.lanes.entries()) {
    const truth = {
      lane: shape.code,
      accepted: 0,
      repeats: 0,
      inFlightMax: 0,
      overCeiling: 0,
      refusedBlocked: 0,
      blocks: 0,
      pauseMs: 0,
      faults: { refused_425: 0, error_502: 0, cut: 0 },
      busyMs: 0,
      lastAcceptedMs: 0,
    };
    const fresh = { inFlight: 0, requests: 0, blockedUntil: 0, receipts: new Map() };
    lanes.set(shape.code, { shape, index, truth, ...fresh });
  }
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const [, name = '', door = ''] = (request.url ?? '').split('/');
  if (name === '_truth') {
    response.end(JSON.stringify([...lanes.values()].map((lane) => lane.truth)));
    return;
  }
  const lane = lanes.get(name);
  if (lane === undefined || door === 'health') {
    response.statusCode = lane === undefined ? 404 : 200;
    response.end();
    return;
  }
  request.resume();
  submit(lane, request, response);
});

function submit(lane: Lane, request: IncomingMessage, response: ServerResponse): void {
  const { shape, truth } = lane;
  lane.requests += 1;
  lane.inFlight += 1;
  truth.inFlightMax = Math.max(truth.inFlightMax, lane.inFlight);
  const now = Date.now();
  if (lane.inFlight > shape.ceiling) {
    truth.overCeiling += 1;
    block(lane, now, now + orders.overCeilingBlockMs);
  }
  const { blocked, faultRate } = orders.trouble;
  const fromMs = now - startedAt - (blocked?.fromMs ?? 0);
  if (blocked?.lane === shape.code && fromMs >= 0 && fromMs < blocked.forMs) {
    block(lane, now, startedAt + blocked.fromMs + blocked.forMs);
  }
  const isBlocked = lane.blockedUntil > now;
  const place = lane.requests;
  const fault = dice(lane.index, place) < faultRate ? FAULT_KINDS[place % 4] : undefined;
  const tookMs = isBlocked ? REFUSAL_MS : serviceMs(shape, place);
  setTimeout(() => {
    lane.inFlight -= 1;
    truth.busyMs += tookMs;
    if (isBlocked) {
      truth.refusedBlocked += 1;
      response.setHeader('x-ratelimit-reset', String(lane.blockedUntil));
      answer(response, 403, '{"error":"BLOCKED"}');
    } else if (fault === undefined) accept(lane, request, response);
    else fail(lane, fault, response);
  }, tookMs);
}

/** A block that is on stays as it was: its stamp has been told. */
function block(lane: Lane, now: number, until: number): void {
  if (lane.blockedUntil > now) return;
  lane.blockedUntil = until;
  lane.truth.blocks += 1;
  lane.truth.pauseMs += until - now;
}

function fail(lane: Lane, fault: FaultKind, response: ServerResponse): void {
  lane.truth.faults[fault] += 1;
  if (fault === 'cut') response.destroy();
  else answer(response, fault === 'error_502' ? 502 : 425, '{"error":"BUSY"}');
}

function accept(lane: Lane, request: IncomingMessage, response: ServerResponse): void {
  const { truth, receipts } = lane;
  const key = String(request.headers['x-idempotency-key']);
  let receipt = receipts.get(key);
  if (receipt === undefined) {
    truth.accepted += 1;
    receipt = 1_000_000 + truth.accepted;
    receipts.set(key, receipt);
    truth.lastAcceptedMs = Date.now() - startedAt;
  } else truth.repeats += 1;
  answer(response, 200, `{"receipt":{"number":"DE-${receipt}0"},"key":"${key}"}`);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(body);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
