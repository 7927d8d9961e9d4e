/** The people of a demonstration: made once and kept, so that a second run acts as the same ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor, PersonActor } from '../../access/index.ts';
import { addUser, listUsers } from '../../oversight/index.ts';
import { personOf } from '../../people/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { operator } from '../context.ts';

/** `keyFile`: where the key is, or will be. `by`: who adds them; the first is added by whoever runs the demonstration. */
export async function demoPerson(
  app: Filewright,
  { name, keyFile }: { readonly name: string; readonly keyFile: string },
  by: Actor = operator(),
): Promise<PersonActor> {
  if (!existsSync(keyFile)) {
    if ((await listUsers(app, by)).some((person) => person.name === name)) {
      throw new FilewrightError(
        'BAD_CREDENTIAL',
        `${name} exists, but the key file ${keyFile} is missing; delete the data directory to start over`,
      );
    }
    const { key } = await addUser(app, by, name);
    writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  }
  return personOf(app, readFileSync(keyFile, 'utf8').trim());
}

/** Two of them, since one prepares and another approves. */
export async function twoPeople(
  app: Filewright,
  folder: string,
  [one, other]: readonly [string, string],
): Promise<[PersonActor, PersonActor]> {
  const fileOf = (name: string): string => join(folder, `${name.split(' ')[0]?.toLowerCase()}.key`);
  const first = await demoPerson(app, { name: one, keyFile: fileOf(one) });
  return [first, await demoPerson(app, { name: other, keyFile: fileOf(other) }, first)];
}
