/** A TLS listener in front of a real broker: what comes in encrypted goes on to it in the clear. */
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { TLS } from '../notify/mail-server.ts';

/** The port, on every address of this machine. */
export async function tlsFront(broker: string, defaultPort: number): Promise<number> {
  const { hostname, port } = new URL(broker);
  const sockets = new Set<Socket>();
  const front = createServer(TLS, (client) => {
    const upstream = connect(port === '' ? defaultPort : Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  // A client that does not trust the certificate hangs up in the handshake.
  front.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => front.listen(0, '0.0.0.0', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => front.close(resolve));
  });
  // Listening TCP servers have an address object.
  return (front.address() as AddressInfo).port;
}
