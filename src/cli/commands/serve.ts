import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { asOperator, stopSignal, withApp } from '../context.ts';

const PORT = 8_470;
/** An office behind one address has a few readers at once. */
const PER_ADDRESS = 20;

export function addCommands(serve: Command): void {
  serve
    .option('--port <n>', 'port to listen on; 0 picks a free one', String(PORT))
    .option(
      '--host <address>',
      'address to listen on (default: loopback); put a TLS proxy in front of it',
      '127.0.0.1',
    )
    .option(
      '--per-address <n>',
      'connections that one address may have open; set it to 200 behind a proxy, which limits them itself',
      String(PER_ADDRESS),
    )
    .action(async (own: { port: string; host: string; perAddress: string }, command: Command) => {
      const port = Number(own.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535) {
        throw misuse(`--port: expected 0 to 65535, found "${own.port}"`);
      }
      const perAddress = Number(own.perAddress);
      if (!Number.isInteger(perAddress) || perAddress < 1 || perAddress > 10_000) {
        throw misuse(`--per-address: expected 1 to 10000, found "${own.perAddress}"`);
      }
      const signal = stopSignal();
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, out, actor }) => {
          const { serveAcknowledgements } = await import('../../dockets/index.ts');
          const server = await serveAcknowledgements(app, actor, {
            host: own.host,
            port,
            perAddress,
          });
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
