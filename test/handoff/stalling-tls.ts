/** A TLS server whose handshake stands still for a while: the client's first bytes reach it late. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { TLS } from '../notify/mail-server.ts';

export interface StallingTls {
  readonly url: string;
  /** Requests that came through. */
  readonly requests: () => number;
  /** How long each handshake was really held back; a busy machine holds it longer. */
  readonly stalls: readonly number[];
  close(): Promise<void>;
}

export async function startStallingTls(
  stallMs: number,
  answer = '{"receipt":"R-1"}',
): Promise<StallingTls> {
  let requests = 0;
  const stalls: number[] = [];
  const sockets = new Set<Socket>();
  const inner = createTlsServer(TLS, (request, response) => {
    request.resume();
    request.on('end', () => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  const outer = createServer((client) => {
    const openedAt = performance.now();
    sockets.add(client);
    client.on('error', () => undefined);
    const timer = setTimeout(() => {
      stalls.push(performance.now() - openedAt);
      // Listening TCP servers have an address object.
      const upstream = connect((inner.address() as AddressInfo).port, '127.0.0.1');
      sockets.add(upstream);
      upstream.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
    }, stallMs);
    client.on('close', () => clearTimeout(timer));
  });
  await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(outer.address() as AddressInfo).port}/handoff`,
    requests: () => requests,
    stalls,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      inner.closeAllConnections();
      await new Promise((resolve) => outer.close(resolve));
      await new Promise((resolve) => inner.close(resolve));
    },
  };
}
