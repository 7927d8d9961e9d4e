/** A way to the database that can be shut: every connection is cut, and none comes about. */
import { connect, createServer, type Socket } from 'node:net';
import type { ConnectionTarget } from '../../src/postgres/session.ts';

export interface Gateway {
  readonly target: ConnectionTarget;
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export async function gateway(target: ConnectionTarget): Promise<Gateway> {
  let isOpen = true;
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const upstream = connect(`${target.host}/.s.PGSQL.${target.port}`);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // Cutting connections is what this is for.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    target: { ...target, host: '127.0.0.1', port: address.port },
    shut: () => {
      isOpen = false;
      cut();
    },
    open: () => {
      isOpen = true;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
