import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import {
  backupDatabase,
  databaseStatus,
  restoreDatabase,
  startDatabase,
  stopDatabase,
} from '../../oversight/index.ts';
import {
  dataDirectoryOf,
  environment,
  type GlobalOptions,
  newDirectoryOf,
  operator,
  sayOf,
} from '../context.ts';
import { createOutput } from '../output.ts';

export function addCommands(db: Command): void {
  addEmbedded(
    db,
    'start',
    'start it, or connect to the one that is running',
    async (directory, terms) => {
      const server = await startDatabase(directory, operator(), terms);
      return {
        data: server,
        text: `PostgreSQL ${server.version} ${server.startedHere ? 'started' : 'was already running'}, pid ${server.pid}.`,
      };
    },
  );
  addEmbedded(db, 'stop', 'stop it cleanly', async (directory) => {
    const { wasRunning } = await stopDatabase(directory, operator());
    return { data: { wasRunning }, text: wasRunning ? 'Stopped.' : 'PostgreSQL was not running.' };
  });
  addEmbedded(
    db,
    'status',
    'show whether it is running, and where its files are',
    async (directory) => {
      const status = await databaseStatus(directory, operator());
      return {
        data: status,
        text: Object.entries(status)
          .map(
            ([key, value]) =>
              `${key.padEnd(12)}${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
          )
          .join('\n'),
      };
    },
  );
  addEmbedded(
    db,
    'backup <target>',
    'copy the running database to a new directory; the root key is not included',
    async (directory, terms, target) => {
      const report = await backupDatabase(directory, operator(), target, terms);
      return {
        data: report,
        text: [
          `${report.files} files, ${report.bytes} bytes in ${report.target}.`,
          ...report.notes,
        ].join('\n'),
      };
    },
  );
  addEmbedded(
    db,
    'restore <source>',
    'restore a backup to an empty data directory',
    async (directory, terms, source) => {
      const report = await restoreDatabase(directory, operator(), source, terms);
      return {
        data: report,
        text: [
          `${report.files} files restored; PostgreSQL is running, pid ${report.server.pid}.`,
          ...report.notes,
        ].join('\n'),
      };
    },
  );
}

function addEmbedded(
  db: Command,
  name: string,
  about: string,
  work: (
    dataDirectory: string,
    terms: { readonly databaseUser: string | undefined; readonly say: (text: string) => void },
    argument: string,
  ) => Promise<{ data: object; text: string }>,
): void {
  db.command(name)
    .description(about)
    .action(async (...given: unknown[]) => {
      // The command itself comes last, whatever number of arguments goes before it.
      const options = (given.at(-1) as Command).optsWithGlobals<GlobalOptions>();
      if ((environment['DATABASE_URL'] ?? '') !== '') {
        throw misuse('DATABASE_URL names another database; unset it to use the embedded one');
      }
      // A backup is put back where nothing is yet.
      const directory = name.startsWith('restore')
        ? newDirectoryOf(options)
        : dataDirectoryOf(options);
      const terms = { databaseUser: environment['FILEWRIGHT_DB_USER'], say: sayOf(options) };
      const { data, text } = await work(directory, terms, String(given[0]));
      createOutput(options.json === true).result(`db ${name.split(' ')[0]}`, data, () => text);
    });
}
