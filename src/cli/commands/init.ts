import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import { foundUser } from '../../oversight/index.ts';
import { intoKeyFile } from '../key-file.ts';
import { table } from '../output.ts';

/** A third one is added as everybody is afterwards: by two parties. */
const FOUNDERS_MAX = 2;

export function addCommands(init: Command): void {
  init
    .requiredOption(
      '--admin <name>',
      'name of a first person, with all roles; twice for two',
      gather,
    )
    .requiredOption(
      '--key-out-dir <folder>',
      'folder for their keys, one new file each (mode 0600)',
    )
    .inApp(async ({ app, out, actor }, own: { admin: readonly string[]; keyOutDir: string }) => {
      if (own.admin.length > FOUNDERS_MAX) {
        throw misuse(`--admin: expected at most ${FOUNDERS_MAX}; add others with user add`);
      }
      mkdirSync(own.keyOutDir, { recursive: true, mode: 0o700 });
      const people: { name: string; id: string; keyFile: string }[] = [];
      for (const [at, name] of own.admin.entries()) {
        const keyFile = join(own.keyOutDir, `admin-${at + 1}.key`);
        const where = { option: '--key-out-dir', undone: `${name} was not added` };
        const { id } = await intoKeyFile(keyFile, where, async () => {
          const made = await foundUser(app, actor, name);
          return { made, secret: made.key };
        });
        people.push({ name, id, keyFile });
      }
      out.result('init', { people }, () =>
        [
          table(
            ['name', 'key'],
            people.map(({ name, keyFile }) => [name, keyFile]),
          ),
          'Give each key to its owner, and keep no copy.',
          ...(people.length < FOUNDERS_MAX
            ? ['Add a second person before this key is used: alone, no one can approve anything.']
            : []),
        ].join('\n'),
      );
    });
}

function gather(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}
