/**
 * A mail server for the demo, on a real socket: it takes every letter, but for one mailbox it stops talking in the
 * middle of the conversation and keeps the line open, as a stuck server does.
 */
import { createServer, type Socket } from 'node:net';

export interface Letter {
  readonly to: string;
  /** As a person reads it. */
  readonly text: string;
}

export interface MailHouse {
  readonly url: string;
  /** All that came, in order. */
  letters(): readonly Letter[];
  /** How often somebody wrote to the mailbox that stalls. */
  stalls(): number;
  /** The first letter to this address, as soon as there is one. */
  letterTo(address: string, signal: AbortSignal): Promise<Letter>;
  close(): Promise<void>;
}

/** Longer conversations are none of ours. */
const CHARACTERS_MAX = 1_000_000;

export async function startMailHouse(stalled: string): Promise<MailHouse> {
  const letters: Letter[] = [];
  const listeners = new Set<() => void>();
  const open = new Set<Socket>();
  let stalls = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // Whoever waits for an answer that never comes hangs up in the end.
    socket.on('error', () => socket.destroy());
    converse(socket, stalled, {
      onStall: () => {
        stalls += 1;
      },
      onLetter: (letter) => {
        letters.push(letter);
        for (const listener of listeners) listener();
      },
    });
  });
  const port = await listen(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters: () => letters,
    stalls: () => stalls,
    letterTo: (address, signal) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = letters.find(({ to }) => to === address);
          if (found === undefined && !signal.aborted) return;
          listeners.delete(look);
          signal.removeEventListener('abort', look);
          if (found === undefined) reject(new Error(`no letter came to ${address}`));
          else resolve(found);
        };
        listeners.add(look);
        signal.addEventListener('abort', look, { once: true });
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** As much of RFC 5321 as a letter needs. */
function converse(
  socket: Socket,
  stalled: string,
  on: { readonly onStall: () => void; readonly onLetter: (letter: Letter) => void },
): void {
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  let rest = '';
  let to = '';
  let isText = false;
  let isStalled = false;
  socket.setEncoding('utf8').on('data', (part: string) => {
    rest += part;
    if (rest.length > CHARACTERS_MAX) socket.destroy();
    for (;;) {
      const end = isText ? '\r\n.\r\n' : '\r\n';
      const at = rest.indexOf(end);
      if (at < 0 || isStalled) return;
      const said = rest.slice(0, at);
      rest = rest.slice(at + end.length);
      if (isText) {
        isText = false;
        on.onLetter({ to, text: readable(said) });
        say('250 kept');
        continue;
      }
      const [, address = ''] = /^RCPT TO:\s*<([^>]*)>/i.exec(said) ?? [];
      if (address !== '') to = address;
      isStalled = address === stalled;
      if (isStalled) {
        on.onStall();
        return;
      }
      isText = /^DATA$/i.test(said);
      if (isText) say('354 go on');
      else if (/^QUIT$/i.test(said)) socket.end('221 bye\r\n');
      else say('250 fine');
    }
  });
  say('220 demo mail');
}

/** Quoted-printable (RFC 2045 § 6.7) as plain text. */
function readable(message: string): string {
  const body = message.slice(message.indexOf('\r\n\r\n') + 4).replaceAll(/=\r?\n/g, '');
  if (!/^content-transfer-encoding: quoted-printable/im.test(message)) return body;
  return Buffer.from(
    body.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    ),
    'latin1',
  ).toString('utf8');
}

export function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
