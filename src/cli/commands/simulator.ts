import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import { inFile, readNamedFile } from '../arguments.ts';
import { type GlobalOptions, stopSignal } from '../context.ts';
import { createOutput } from '../output.ts';
import { readProfileFile } from './lane.ts';

interface SimulatorCommandOptions {
  readonly profile: string[];
  readonly behavior?: string;
  readonly port: string;
}

export function addCommands(simulator: Command): void {
  simulator
    .requiredOption('--profile <file...>', 'profiles of the portals to simulate')
    .option('--behavior <file>', 'JSON file with latencies and faults per lane')
    .option('--port <n>', 'port; 0 picks a free one', '4010')
    .action(async (own: SimulatorCommandOptions, command: Command) => {
      const signal = stopSignal();
      const port = Number(own.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535) {
        throw misuse(`--port: expected a number from 0 to 65535, found "${own.port}"`);
      }
      const [{ readBehaviourFile, startSimulator }, { systemClock }] = await Promise.all([
        import('../../testing/index.ts'),
        import('../../system/index.ts'),
      ]);
      const profiles = own.profile.map(readProfileFile);
      const played = profiles.map(({ code }) => code);
      const behaviour =
        own.behavior === undefined
          ? {}
          : behaviourOf(own.behavior, (bytes) => readBehaviourFile(bytes, played)).lanes;
      const simulator = await startSimulator({ profiles, port, clock: systemClock, behaviour });
      const lanes = profiles.map((profile) => ({
        lane: profile.code,
        url: simulator.url(profile.code),
      }));
      const truth = `http://127.0.0.1:${simulator.port}/_truth/`;
      createOutput(command.optsWithGlobals<GlobalOptions>().json === true).result(
        'simulator',
        { port: simulator.port, lanes, truth },
        () =>
          [
            ...lanes.map((lane) => `${lane.lane} at ${lane.url}`),
            `Filings actually accepted: ${truth}<lane>`,
          ].join('\n'),
      );
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await simulator.close();
    });
}

function behaviourOf<T>(path: string, read: (bytes: Uint8Array) => T): T {
  const bytes = readNamedFile('behavior file', path);
  return inFile(path, () => read(bytes));
}
