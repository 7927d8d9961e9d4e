import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import type { Actor } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { foundUser } from '../../oversight/index.ts';
import { intoKeyFile } from '../key-file.ts';
import { type GlobalOptions, making, withApp } from '../context.ts';
import { table } from '../output.ts';

/** A third one is added as everybody is afterwards: by two parties. */
const FOUNDERS_MAX = 2;

export function addCommands(init: Command): void {
  init
    .option('--admin <name>', 'name of a first person, with all roles; twice for two', gather)
    .option('--key-out-dir <folder>', 'folder for their keys, one new file each (mode 0600)')
    .action(async (own: Own, command: Command) => {
      const wanted = readFounders(own);
      const options = making(command.optsWithGlobals<GlobalOptions>());
      await withApp(options, async ({ app, out, actor }) => {
        const people = await addFounders(app, actor, wanted);
        const data = { dataDirectory: app.dataDirectory, tenant: app.tenant, people };
        out.result('init', data, () => [ready(data), ...whatIsNext(people)].join('\n'));
      });
    });
}

interface Own {
  readonly admin?: readonly string[];
  readonly keyOutDir?: string;
}

interface Founder {
  readonly name: string;
  readonly id: string;
  readonly keyFile: string;
}

interface Wanted {
  readonly names: readonly string[];
  readonly folder: string;
}

/** Before anything is made. */
function readFounders({ admin: names = [], keyOutDir }: Own): Wanted {
  if (names.length > FOUNDERS_MAX) {
    throw misuse(`--admin: expected at most ${FOUNDERS_MAX}; add others with user add`);
  }
  if ((names.length === 0) !== (keyOutDir === undefined)) {
    throw misuse('--admin and --key-out-dir go together: whose key, and the folder for it');
  }
  return { names, folder: keyOutDir ?? '' };
}

async function addFounders(
  app: Filewright,
  actor: Actor,
  { names, folder }: Wanted,
): Promise<readonly Founder[]> {
  if (names.length > 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const people: Founder[] = [];
  for (const [at, name] of names.entries()) {
    const keyFile = join(folder, `admin-${at + 1}.key`);
    const where = { option: '--key-out-dir', undone: `${name} was not added` };
    const { id } = await intoKeyFile(keyFile, where, async () => {
      const made = await foundUser(app, actor, name);
      return { made, secret: made.key };
    });
    people.push({ name, id, keyFile });
  }
  return people;
}

function ready({ dataDirectory, tenant }: { dataDirectory: string; tenant: string }): string {
  return `The installation in ${dataDirectory} is ready, with the tenant ${tenant}.`;
}

function whatIsNext(people: readonly Founder[]): readonly string[] {
  if (people.length === 0) {
    return ['Next: user add NAME --key-out FILE, for the first two people.'];
  }
  return [
    table(
      ['name', 'key'],
      people.map(({ name, keyFile }) => [name, keyFile]),
    ),
    'Give each key to its owner, and keep no copy.',
    ...(people.length < FOUNDERS_MAX
      ? ['Add a second person before this key is used: alone, no one can approve anything.']
      : []),
  ];
}

function gather(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}
