import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilewrightError } from '../../core/index.ts';
import { readBehaviourChange } from './behaviour.ts';
import type { PortalModel } from './portal-model.ts';

/** What the administrative paths may touch. */
export interface Portals {
  find(lane: string): PortalModel | undefined;
  reset(): void;
}

// Lines are sent in groups: one write per line would make 200,000 of them.
const LINES_PER_CHUNK = 500;

export function isAdminPath(path: string): boolean {
  return path.startsWith('/_');
}

/**
 * The paths beside the portals: `GET /_truth/<lane>`, `GET /_truth/<lane>/accepted` and `/requests` (NDJSON),
 * `POST /_behaviour/<lane>` and `POST /_reset`.
 */
export function answerAdmin(
  portals: Portals,
  request: { readonly method: string; readonly path: string; readonly body: Uint8Array },
  response: ServerResponse,
): void {
  const [, noun, lane = '', part] = request.path.split('/').map(decoded);
  const act = `${request.method} ${noun ?? ''}${part === undefined ? '' : `/${part}`}`;
  if (act === 'POST _reset') {
    portals.reset();
    sendJson(response, 200, { reset: true });
    return;
  }
  const portal = portals.find(lane);
  if (portal === undefined) {
    sendJson(response, 404, { error: `There is no portal "${lane}".` });
  } else if (act === 'GET _truth') {
    sendJson(response, 200, portal.truth.summary());
  } else if (act === 'GET _truth/accepted') {
    sendLines(response, portal.truth.accepted());
  } else if (act === 'GET _truth/requests') {
    sendLines(response, portal.truth.log.entries());
  } else if (act === 'GET _behaviour') {
    sendJson(response, 200, portal.behaviour);
  } else if (act === 'POST _behaviour') {
    changeBehaviour(portal, request.body, response);
  } else {
    sendJson(response, 404, { error: `There is no ${request.method} ${request.path}.` });
  }
}

function changeBehaviour(portal: PortalModel, body: Uint8Array, response: ServerResponse): void {
  try {
    portal.behave(readBehaviourChange(body));
    sendJson(response, 200, portal.behaviour);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    sendJson(response, 400, { code: error.code, error: error.message, ...error.details });
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value), 'utf8');
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

function sendLines(response: ServerResponse, lines: Iterable<object>): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  // The pipeline holds back the generator while the reader is slow, and ends it when the reader goes away; a reader
  // that went away is the only way in which this can fail, and it needs no answer.
  pipeline(Readable.from(chunksOf(lines)), response).catch(() => response.destroy());
}

function* chunksOf(lines: Iterable<object>): Generator<string> {
  let chunk = '';
  let count = 0;
  for (const line of lines) {
    chunk += `${JSON.stringify(line)}\n`;
    count += 1;
    if (count % LINES_PER_CHUNK > 0) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape names no lane; the text as it stands gets the 404 it deserves.
    return text;
  }
}
