/**
 * The endpoints of a firm: `/GROUP/TIER`. Told to fail, the first groups answer 503 at their primary tier, the next ones
 * not at all, and the second port refuses; none of them is healthy then.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [failing = '0', stalling = '0'] = process.argv.slice(2);
/** By message id: how often it came, and whether it was the same each time. */
const taken = new Map<string, { times: number; sha256: string; changed: boolean }>();

let isFailing = false;

function serve(request: IncomingMessage, response: ServerResponse): void {
  const [, group = '', tier = ''] = (request.url ?? '').split('/');
  const n = Number(group);
  const isPrimary = isFailing && tier === 'primary';
  const fails = isPrimary && n < Number(failing);
  const stalls = isPrimary && !fails && n < Number(failing) + Number(stalling);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'GET') {
      response.writeHead(fails || stalls ? 503 : 200).end();
    } else if (fails) {
      response.writeHead(503).end();
    } else if (!stalls) {
      const id = String(request.headers['filewright-message-id']);
      const sha256 = hash('sha256', Buffer.concat(chunks), 'hex');
      const before = taken.get(id);
      taken.set(id, {
        times: (before?.times ?? 0) + 1,
        sha256,
        changed: before !== undefined && (before.changed || before.sha256 !== sha256),
      });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ receipt: `r-${id}`.slice(0, 200) }));
    }
  });
}

const server = createServer(serve);
const doomed = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  doomed.listen(0, '127.0.0.1', () => {
    // A listening TCP server has an address object.
    const { port } = server.address() as AddressInfo;
    const { port: doomedPort } = doomed.address() as AddressInfo;
    process.send?.({ port, doomedPort });
  });
});
process.on('disconnect', () => process.exit(0));
process.on('message', (message: { fail?: true }) => {
  if (message.fail === true) {
    isFailing = true;
    doomed.close();
    doomed.closeAllConnections();
    return;
  }
  // What recovery sends to see whether a target is well is no docket.
  const dockets = [...taken].filter(([id]) => !id.startsWith('synthetic-'));
  const all = dockets.map(([, one]) => one);
  process.send?.({
    ids: dockets.length,
    // Every event has bytes of its own: more ids than bytes is an event that was delivered under two of them.
    events: new Set(all.map(({ sha256 }) => sha256)).size,
    repeats: all.reduce((sum, { times }) => sum + times - 1, 0),
    changed: all.filter(({ changed }) => changed).length,
  });
});
