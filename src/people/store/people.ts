/** People, and the parties that they belong to. Their keys are in keys.ts, their roles in roles.ts. */
import type { PartyId, Role } from '../../access/index.ts';
import {
  FilewrightError,
  type LedgerFact,
  notFound,
  type PersonId,
  personId,
  ruledOut,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import {
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { addKey, type NewKey } from './keys.ts';
import { refusedByRule } from './refused-by-rule.ts';
import { giveRoles } from './roles.ts';

export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly party: PartyId;
  readonly roles: readonly Role[];
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
}

interface NewPerson {
  readonly id: PersonId;
  readonly name: string;
  readonly skeleton: string;
  readonly party: PartyId;
  readonly roles: readonly Role[];
  /** Undefined at installation. */
  readonly by: PersonId | undefined;
  /** What two parties agreed to. */
  readonly proposal?: string;
}

const ADD = sql('person-add')`
insert into person (tenant, id, name, skeleton, party) values ($1, $2, $3, $4, $5)`;

const ALIKE = sql('person-alike')`select name from person where tenant = $1 and skeleton = $2`;

const LIST = sql('person-list')`
select p.id, p.name, p.party, p.created_at, p.disabled_at, array(select r.role from person_role r
  where r.tenant = p.tenant and r.person = p.id and r.taken_at is null order by r.role) as roles
from person p where p.tenant = $1 order by p.name`;

const DISABLE = sql('person-disable')`update person set disabled_at = now()
    where tenant = $1 and id = $2 and disabled_at is null returning id`;

const ENABLE = sql('person-enable')`update person set disabled_at = null
    where tenant = $1 and id = $2 and disabled_at is not null returning id`;

const JOIN = sql(
  'person-join',
)`update person set party = $3 where tenant = $1 and party = $2 returning id`;

const BUMP = sql('person-bump')`
update person set ver = ver + 1 where tenant = $1 and id = $2 returning ver`;

const FOUNDING = sql('person-founding')`select is_founding($1, 1) as is_founding`;

/** Two commands at once must not both be the first, nor both the only party. */
export async function lockPeople(run: Run): Promise<void> {
  await run({ name: '', text: 'lock table person in share row exclusive mode' });
}

/** Only while nobody's key was used, and for two people at most. */
async function requireFounding(run: Run, tenant: string): Promise<void> {
  const [row] = await run(FOUNDING, [tenant]);
  if (row?.['is_founding'] === true) return;
  throw new FilewrightError(
    'NO_CREDENTIAL',
    'The first two people can be added without a personal key, before anyone has used one; a personal key is needed now',
  );
}

/** `fact` is a `person.added`. The name, or one that looks the same, may be of somebody who left. */
export async function addPerson(
  run: Run,
  tenant: string,
  person: NewPerson,
  fact: LedgerFact,
): Promise<void> {
  const { id, name, skeleton, party, roles, by, proposal } = person;
  const [alike] = await run(ALIKE, [tenant, skeleton]);
  if (alike !== undefined) {
    throw ruledOut(
      alike['name'] === name
        ? `A person named "${name}" exists; choose another name`
        : `A person named "${text(alike['name'])}" exists, whose name looks the same; choose another name`,
    );
  }
  await run(ADD, [tenant, id, name, skeleton, party]).catch(refusedByRule);
  await giveRoles(run, tenant, { person: id, roles, by, proposal });
  await recordFact(run, { tenant, boundary: 'access' }, { kind: 'person', id, ver: 1 }, fact);
}

/** At installation: with the first key, without anybody's word. */
export async function foundPerson(
  session: Session,
  tenant: string,
  person: Omit<NewPerson, 'by' | 'proposal' | 'party'>,
  key: NewKey,
  facts: { readonly person: LedgerFact; readonly key: LedgerFact },
): Promise<void> {
  await session.transaction(async (run) => {
    await lockPeople(run);
    await requireFounding(run, tenant);
    const founder = { ...person, party: person.id, by: undefined };
    await addPerson(run, tenant, founder, facts.person);
    await addKey(run, tenant, { ...key, person: person.id, by: undefined });
    await recordOfPerson(run, tenant, person.id, facts.key);
  });
}

export async function listPeople(session: { run: Run }, tenant: string): Promise<Person[]> {
  return (await session.run(LIST, [tenant])).map(personOf);
}

export async function personNamed(run: Run, tenant: string, name: string): Promise<Person> {
  const wanted = name.normalize('NFC');
  const found = (await listPeople({ run }, tenant)).find((person) => person.name === wanted);
  if (found === undefined) throw notFound(`No person is named "${name}"; see user list`);
  return found;
}

/** `fact` is a `person.disabled`. */
export async function disablePerson(
  session: Session,
  tenant: string,
  name: string,
  fact: LedgerFact,
): Promise<void> {
  await session.transaction(async (run) => {
    await lockPeople(run);
    const found = (await listPeople({ run }, tenant)).find((person) => person.name === name);
    if (found === undefined || found.disabledAt !== undefined) {
      throw notFound(`No active person is named "${name}"`);
    }
    await run(DISABLE, [tenant, found.id]).catch(refusedByRule);
    await recordOfPerson(run, tenant, found.id, fact);
  });
}

/** `fact` is a `person.enabled`. */
export async function enablePerson(
  run: Run,
  tenant: string,
  id: PersonId,
  fact: LedgerFact,
): Promise<void> {
  const [row] = await run(ENABLE, [tenant, id]).catch(refusedByRule);
  if (row === undefined) throw ruledOut('The person is not disabled');
  await recordOfPerson(run, tenant, id, fact);
}

/** One party vouched alone for somebody of another: from now on both are one. `fact` makes a `person.joined`. */
export async function joinParty(
  run: Run,
  tenant: string,
  { from, into }: { readonly from: PartyId; readonly into: PartyId },
  fact: () => LedgerFact,
): Promise<void> {
  if (from === into) return;
  for (const row of await run(JOIN, [tenant, from, into]).catch(refusedByRule)) {
    await recordOfPerson(run, tenant, text(row['id']), fact());
  }
}

/** Whatever the ledger hears about a person counts its version up. */
export async function recordOfPerson(
  run: Run,
  tenant: string,
  id: string,
  fact: LedgerFact,
): Promise<void> {
  const [row] = await run(BUMP, [tenant, id]);
  const subject = { kind: 'person', id, ver: Number(row?.['ver']) };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}

function personOf(row: Row): Person {
  return {
    id: personId(text(row['id'])),
    name: text(row['name']),
    party: personId(text(row['party'])),
    // A check constraint holds the column to these words.
    roles: row['roles'] as Role[],
    createdAt: when(row['created_at']),
    disabledAt: optional(row['disabled_at'], when),
  };
}
