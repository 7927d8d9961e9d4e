/** A TCP proxy before a broker whose lines can be cut, or which can go away for a while. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Cutter {
  /** The broker's address through the proxy. */
  readonly url: string;
  cut(): void;
  /** The broker's next answer with these bytes in it is swallowed, and the line cut. */
  loseAnswerWith(text: string): void;
  readonly cuts: () => number;
  close(): Promise<void>;
}

export async function cutter(brokerUrl: string): Promise<Cutter> {
  const target = new URL(brokerUrl);
  const port = Number(
    target.port === '' ? (target.protocol === 'amqp:' ? 5672 : 6379) : target.port,
  );
  const sockets = new Set<Socket>();
  let cuts = 0;
  let marker: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(port, target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // A cut line is what this is for.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (marker === undefined || !chunk.includes(marker)) client.write(chunk);
      else {
        marker = undefined;
        cuts += 1;
        client.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(brokerUrl);
  url.hostname = '127.0.0.1';
  // A listening TCP server has an address object.
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => {
    cuts += 1;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    loseAnswerWith: (text) => {
      marker = text;
    },
    cuts: () => cuts,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
