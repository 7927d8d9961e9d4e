import { readFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { FilewrightError, misuse, whyUnreadable } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { asOperator, environment, stopSignal, withApp } from '../context.ts';

const PORT = 8_470;
/** An office behind one address has a few readers at once. */
const PER_ADDRESS = 20;

interface ServeOptions {
  readonly port: string;
  readonly host: string;
  readonly perAddress: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: readonly string[];
}

export function addCommands(serve: Command): void {
  serve
    .option('--port <n>', 'port to listen on; 0 picks a free one', String(PORT))
    .option(
      '--host <address>',
      'address to listen on (default: loopback); beyond it, TLS or a proxy with TLS is needed',
      '127.0.0.1',
    )
    .option('--tls-cert <file>', 'certificate (PEM) with its chain')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option(
      '--behind-proxy <networks...>',
      'networks of the proxy that has TLS, such as 10.20.0.0/16; its X-Forwarded-For is believed',
    )
    .option(
      '--per-address <n>',
      'connections that one address may have open; set it to 200 behind a proxy, which limits them itself',
      String(PER_ADDRESS),
    )
    .action(async (own: ServeOptions, command: Command) => {
      const settings = settingsOf(own);
      const signal = stopSignal();
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, out, actor }) => {
          const { serveService } = await import('../../service/index.ts');
          const server = await serveService(app, actor, settings);
          out.result('serve', { url: server.url }, () => `Listening on ${server.url}`);
          await new Promise<void>((resolve) => {
            if (signal.aborted) resolve();
            else signal.addEventListener('abort', () => resolve(), { once: true });
          });
          await server.close();
        },
        jsonLog(),
      );
    });
}

function settingsOf(own: ServeOptions) {
  const port = Number(own.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw misuse(`--port: expected 0 to 65535, found "${own.port}"`);
  }
  const perAddress = Number(own.perAddress);
  if (!Number.isInteger(perAddress) || perAddress < 1 || perAddress > 10_000) {
    throw misuse(`--per-address: expected 1 to 10000, found "${own.perAddress}"`);
  }
  const { host, tlsCert, tlsKey, behindProxy: proxies } = own;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw misuse('--tls-cert and --tls-key: expected both, found one');
  }
  const publicUrl = environment['FILEWRIGHT_PUBLIC_URL'];
  return {
    host,
    port,
    perAddress,
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: pem('--tls-cert', tlsCert), key: pem('--tls-key', tlsKey) } }),
    ...(proxies === undefined ? {} : { proxies }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
}

function pem(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `${option}: ${file} cannot be read: ${whyUnreadable(error)}`;
    throw new FilewrightError('NOT_FOUND', message, { cause: error });
  }
}
