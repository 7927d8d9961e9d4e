/** The people of a demonstration: made once and kept, so that a second run acts as the same ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonActor } from '../../access/index.ts';
import { foundUser, listUsers } from '../../oversight/index.ts';
import { personOf } from '../../people/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { operator } from '../context.ts';

interface DemoPerson {
  readonly name: string;
  /** Where the key is, or will be. */
  readonly keyFile: string;
}

/** Founded by whoever runs the demonstration: none of the keys is used before all are made. */
export async function demoPeople<const P extends readonly DemoPerson[]>(
  app: Filewright,
  people: P,
): Promise<{ [N in keyof P]: PersonActor }> {
  for (const person of people) await ensureKey(app, person);
  const actors: PersonActor[] = [];
  for (const { keyFile } of people) {
    actors.push(await personOf(app, readFileSync(keyFile, 'utf8').trim()));
  }
  // One for each, in their order.
  return actors as { [N in keyof P]: PersonActor };
}

async function ensureKey(app: Filewright, { name, keyFile }: DemoPerson): Promise<void> {
  if (existsSync(keyFile)) return;
  if ((await listUsers(app, operator())).some((person) => person.name === name)) {
    throw new FilewrightError(
      'BAD_CREDENTIAL',
      `${name} exists, but the key file ${keyFile} is missing; delete the data directory to start over`,
    );
  }
  const { key } = await foundUser(app, operator(), name);
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
}

/** Two of them, since one prepares and another approves. */
export async function twoPeople(
  app: Filewright,
  folder: string,
  [one, other]: readonly [string, string],
): Promise<[PersonActor, PersonActor]> {
  const personCalled = (name: string): DemoPerson => ({
    name,
    keyFile: join(folder, `${name.split(' ')[0]?.toLowerCase()}.key`),
  });
  const [first, second] = await demoPeople(app, [personCalled(one), personCalled(other)]);
  return [first, second];
}
