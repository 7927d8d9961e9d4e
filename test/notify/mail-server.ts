/** A real SMTP server on loopback. */
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const folder = join(import.meta.dirname, '../fixtures/tls');
export const TLS = {
  key: readFileSync(join(folder, 'test-key.pem'), 'utf8'),
  cert: readFileSync(join(folder, 'test-cert.pem'), 'utf8'),
};

export interface TakenMail {
  readonly raw: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface MailServerStub {
  readonly port: number;
  readonly taken: readonly TakenMail[];
  /** What happens to the n-th message, counted from 1: an SMTP code, or the line goes dead after the text. */
  verdict: (n: number) => number | 'cut';
  /** What happens to the n-th recipient: 250 or a refusal. */
  recipient: (n: number) => number;
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServerStub> {
  const taken: TakenMail[] = [];
  const stub = { verdict: (_n: number): number | 'cut' => 250, recipient: (_n: number) => 250 };
  let messages = 0;
  let recipients = 0;
  const refusal = (code: number): Error =>
    Object.assign(new Error('refused for the test'), { responseCode: code });
  const server = new SMTPServer({
    ...TLS,
    authOptional: true,
    logger: false,
    onRcptTo: (_address, _session, callback) => {
      recipients += 1;
      const code = stub.recipient(recipients);
      callback(code === 250 ? null : refusal(code));
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        messages += 1;
        const verdict = stub.verdict(messages);
        const { mailFrom } = session.envelope;
        taken.push({
          raw: Buffer.concat(chunks).toString('utf8'),
          from: mailFrom === false ? '' : mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
        });
        if (verdict === 'cut') {
          // The library keeps its open connections in this set, each with its socket.
          const { connections } = server as unknown as { connections: Set<{ _socket: Socket }> };
          for (const { _socket } of connections) _socket.destroy();
        } else callback(verdict === 250 ? null : refusal(verdict));
      });
    },
    ...options,
  });
  // A connection that a test cuts off is no failure of the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address object.
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(stub, {
    port,
    taken,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  });
}

/** A header of a raw message, unfolded. */
export function header(raw: string, name: string): string | undefined {
  const head = raw.split('\r\n\r\n')[0] ?? '';
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return lines
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    ?.slice(name.length + 1)
    .trim();
}
