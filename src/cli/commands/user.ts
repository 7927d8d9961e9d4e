import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { addUser, disableUser } from '../../acts/index.ts';
import { FilewrightError } from '../../core/index.ts';
import { listPeople } from '../../store/index.ts';
import { actorKey, type GlobalOptions, withApp } from '../context.ts';
import { iso, table } from '../output.ts';

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and their personal keys');

  user
    .command('add <name>')
    .description(
      'add a person and show the personal key once; the first person needs no key, later ones do',
    )
    .option('--key-out <file>', 'write the key to a new file (mode 0600) instead of showing it')
    .action(async (name: string, own: { keyOut?: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, options }) => {
        const { id, key } = await addUser(app, name, actorKey(options));
        if (own.keyOut !== undefined) writeKey(own.keyOut, key);
        const data =
          own.keyOut === undefined ? { id, name, key } : { id, name, keyFile: own.keyOut };
        out.result('user add', data, () =>
          own.keyOut === undefined
            ? `Added ${name}. The personal key, shown once:\n${key}\nUse it as FILEWRIGHT_KEY.`
            : `Added ${name}. The personal key is in ${own.keyOut}; use it with --key-file.`,
        );
      }),
    );

  user
    .command('list')
    .description('everybody, with disabled people')
    .action(async (_own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out }) => {
        const people = await listPeople(app.session, app.tenant);
        out.result('user list', { people }, () =>
          table(
            ['name', 'id', 'since', 'disabled'],
            people.map((p) => [p.name, p.id, iso(p.createdAt), iso(p.disabledAt)]),
          ),
        );
      }),
    );

  user
    .command('disable <name>')
    .description('make a personal key useless')
    .action(async (name: string, _own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        await disableUser(app, name, await actor());
        out.result('user disable', { name }, () => `Disabled ${name}.`);
      }),
    );
}

function writeKey(path: string, key: string): void {
  try {
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // The person exists by now; the key must not be lost with the file.
    process.stderr.write(`The key could not be written to ${path}. It is:\n${key}\n`);
    throw new FilewrightError('DATA_DIRECTORY', `${path} cannot be written as a new file`, {
      cause: error,
    });
  }
}
