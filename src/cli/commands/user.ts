import { closeSync, fsyncSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import type { Command } from '../command.ts';
import { addUser, disableUser, listUsers } from '../../oversight/index.ts';
import { cannotWrite, ruledOut } from '../../core/index.ts';
import { iso, table } from '../output.ts';

/** More than any key with its line end. */
const KEY_PLACE_BYTES = 64;
const NOBODY_ADDED = '; no person was added. Choose another file with --key-out.';

export function addCommands(user: Command): void {
  user
    .command('add <name>')
    .description(
      'add a person and show the personal key once; only the first person can be added without a key',
    )
    .option('--key-out <file>', 'write the key to a new file (mode 0600) instead of showing it')
    .inApp(async ({ app, out, actor }, name: string, own: { keyOut?: string }) => {
      const keyFile = own.keyOut === undefined ? undefined : newKeyFile(own.keyOut);
      const { id, key } = await addUser(app, actor, name).catch((error: unknown) => {
        keyFile?.abandon();
        throw error;
      });
      keyFile?.write(key);
      const data = own.keyOut === undefined ? { id, name, key } : { id, name, keyFile: own.keyOut };
      out.result('user add', data, () =>
        own.keyOut === undefined
          ? `Added ${name}. The personal key, shown once:\n${key}\nUse it as FILEWRIGHT_KEY.`
          : `Added ${name}. The personal key is in ${own.keyOut}; use it with --key-file.`,
      );
    });

  user
    .command('list')
    .description('list all people, including disabled ones')
    .inApp(async ({ app, out, actor }) => {
      const people = await listUsers(app, actor);
      out.result('user list', { people }, () =>
        table(
          ['name', 'id', 'since', 'disabled'],
          people.map((p) => [p.name, p.id, iso(p.createdAt), iso(p.disabledAt)]),
        ),
      );
    });

  user
    .command('disable <name>')
    .description('disable a person’s key')
    .inApp(async ({ app, out, actor }, name: string) => {
      await disableUser(app, actor, name);
      out.result('user disable', { name }, () => `Disabled ${name}.`);
    });
}

interface NewKeyFile {
  write(key: string): void;
  abandon(): void;
}

/**
 * Made before the person is, with the place that the key will take: a key that finds none would be shown, or lost, and
 * its person would be there.
 */
function newKeyFile(path: string): NewKeyFile {
  const file = openNew(path);
  const abandon = (): void => {
    closeSync(file);
    unlinkSync(path);
  };
  try {
    writeSync(file, ' '.repeat(KEY_PLACE_BYTES), 0);
    fsyncSync(file);
  } catch (error) {
    abandon();
    throw cannotWrite(path, error, NOBODY_ADDED);
  }
  return {
    write: (key) => {
      try {
        ftruncateSync(file, writeSync(file, `${key}\n`, 0));
        fsyncSync(file);
      } catch (error) {
        // The person exists by now, and the key must not be lost with the file.
        process.stderr.write(`The key could not be written to ${path}. It is:\n${key}\n`);
        throw error;
      } finally {
        closeSync(file);
      }
    },
    abandon,
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST')
      throw cannotWrite(path, error, NOBODY_ADDED);
    throw ruledOut(
      `${path} exists and is not overwritten; no person was added. Choose another file with --key-out.`,
      { cause: error },
    );
  }
}
