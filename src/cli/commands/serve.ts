import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { asOperator, stopSignal, withApp } from '../context.ts';

const PORT = 8_470;

export function addCommands(serve: Command): void {
  serve
    .option('--port <n>', 'port to listen on; 0 picks a free one', String(PORT))
    .option(
      '--host <address>',
      'address to listen on (default: loopback); put a TLS proxy in front of it',
      '127.0.0.1',
    )
    .action(async (own: { port: string; host: string }, command: Command) => {
      const port = Number(own.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535) {
        throw misuse(`--port: expected 0 to 65535, found "${own.port}"`);
      }
      const signal = stopSignal();
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, out, actor }) => {
          const { serveAcknowledgements } = await import('../../dockets/index.ts');
          const server = await serveAcknowledgements(app, actor, { host: own.host, port });
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
