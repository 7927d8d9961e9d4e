/** People. Who acts comes from a personal key, of which only the hash is stored. */
import {
  FilewrightError,
  type LedgerFact,
  notFound,
  type PersonId,
  personId,
  ruledOut,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { optional, type Row, type Session, sql, text, when } from '../../postgres/index.ts';

export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
}

const ADD = sql('person-add')`
insert into person (tenant, id, name, key_sha256) values ($1, $2, $3, $4) on conflict (tenant, name) do nothing returning id`;

const BY_KEY = sql('person-by-key')`
select id, name, created_at, disabled_at from person where tenant = $1 and key_sha256 = $2`;

const LIST = sql('person-list')`
select id, name, created_at, disabled_at from person where tenant = $1 order by name`;

const DISABLE = sql('person-disable')`update person set disabled_at = now(), ver = ver + 1
    where tenant = $1 and name = $2 and disabled_at is null returning id, ver`;

export async function addPerson(
  session: Session,
  tenant: string,
  person: { readonly id: PersonId; readonly name: string; readonly keySha256: Uint8Array },
  fact: LedgerFact,
  options: { readonly onlyAsFirst: boolean },
): Promise<void> {
  await session.transaction(async (run) => {
    // Two commands at once on a fresh database must not both get in without anybody's key.
    await run({ name: '', text: 'lock table person in share row exclusive mode' });
    if (options.onlyAsFirst && (await run(LIST, [tenant])).length > 0) {
      throw new FilewrightError(
        'NO_CREDENTIAL',
        'Someone was added in the meantime; a personal key is needed now',
      );
    }
    const rows = await run(ADD, [tenant, person.id, person.name, person.keySha256]);
    if (rows.length === 0) {
      throw ruledOut(`A person named "${person.name}" exists; choose another name`);
    }
    await recordFact(
      run,
      { tenant, boundary: 'access' },
      { kind: 'person', id: person.id, ver: 1 },
      fact,
    );
  });
}

export async function findPerson(
  session: Session,
  tenant: string,
  keySha256: Uint8Array,
): Promise<Person | undefined> {
  const [row] = await session.run(BY_KEY, [tenant, keySha256]);
  return row === undefined ? undefined : personOf(row);
}

export async function listPeople(session: Session, tenant: string): Promise<Person[]> {
  return (await session.run(LIST, [tenant])).map(personOf);
}

export async function disablePerson(
  session: Session,
  tenant: string,
  name: string,
  fact: LedgerFact,
): Promise<void> {
  await session.transaction(async (run) => {
    const [row] = await run(DISABLE, [tenant, name]);
    if (row === undefined) throw notFound(`No active person is named "${name}"`);
    const subject = { kind: 'person', id: text(row['id']), ver: Number(row['ver']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
  });
}

function personOf(row: Row): Person {
  return {
    id: personId(text(row['id'])),
    name: text(row['name']),
    createdAt: when(row['created_at']),
    disabledAt: optional(row['disabled_at'], when),
  };
}
