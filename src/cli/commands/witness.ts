import { readFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { misuse, notFound, whyUnreadable } from '../../core/index.ts';
import { jsonLog, systemClock } from '../../system/index.ts';
import { type GlobalOptions, operator, stopSignal } from '../context.ts';
import { createOutput } from '../output.ts';

const PORT = 8_471;

interface WitnessOptions {
  readonly state: string;
  readonly name?: string;
  readonly log: readonly string[];
  readonly policy?: string;
  readonly host: string;
  readonly port: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export function addCommands(witness: Command): void {
  witness
    .requiredOption('--state <dir>', 'folder for its key and the heads that it cosigned last')
    .option('--name <name>', 'its name, at the first start only (default: HOSTNAME/witness)')
    .option('--log <vkey...>', 'verifier keys of the logs to cosign', [])
    .option('--policy <file>', 'tlog-policy file; its log lines name further logs')
    .option('--port <n>', 'port to listen on; 0 picks a free one', String(PORT))
    .option('--host <address>', 'address to listen on; other than loopback needs TLS', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate chain (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .action(async (own: WitnessOptions, command: Command) => {
      const port = Number(own.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535) {
        throw misuse(`--port: expected 0 to 65535, found "${own.port}"`);
      }
      const signal = stopSignal();
      const { serveWitness } = await import('../../oversight/index.ts');
      const tls = tlsOf(own);
      const server = await serveWitness(
        {
          state: own.state,
          ...(own.name === undefined ? {} : { name: own.name }),
          logs: own.log,
          ...(own.policy === undefined ? {} : { policy: read(own.policy) }),
          host: own.host,
          port,
          ...(tls === undefined ? {} : { tls }),
          clock: systemClock,
          log: jsonLog(),
        },
        operator(),
      );
      const { url, vkey, origins } = server;
      createOutput(command.optsWithGlobals<GlobalOptions>().json === true).result(
        'witness',
        { url, vkey, logs: origins },
        () =>
          [
            `Listening on ${url} for ${origins.join(', ')}`,
            'Verifier key of this witness. Send it to the owners of the logs and to those who verify them:',
            vkey,
          ].join('\n'),
      );
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await server.close();
    });
}

function tlsOf(own: WitnessOptions): { readonly cert: string; readonly key: string } | undefined {
  if (own.tlsCert === undefined && own.tlsKey === undefined) return undefined;
  if (own.tlsCert === undefined || own.tlsKey === undefined) {
    throw misuse('--tls-cert and --tls-key belong together');
  }
  return { cert: read(own.tlsCert), key: read(own.tlsKey) };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw notFound(`${file} cannot be read: ${whyUnreadable(error)}`, { cause: error });
  }
}
