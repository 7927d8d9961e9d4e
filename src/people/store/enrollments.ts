/** Two codes make a key: one from who proposed it, one from who approved it. */
import { FilewrightError, type PersonId } from '../../core/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from './refused-by-rule.ts';

/** Long enough to reach a person on leave, short enough that a forgotten mail opens nothing. */
const ENROLLMENT_DAYS = 7;

const ADD = sql('person-enrollment-add')`
insert into person_enrollment (tenant, proposal, person, first_sha256, second_sha256, expires_at)
values ($1, $2, $3, decode($4, 'hex'), decode($5, 'hex'), now() + make_interval(days => ${ENROLLMENT_DAYS}))`;

const FIND = sql('person-enrollment-find')`
select e.proposal from person_enrollment e join person p on p.tenant = e.tenant and p.id = e.person
where e.tenant = $1 and e.person = $2 and e.expires_at > now() and p.disabled_at is null
  and e.first_sha256 <> e.second_sha256
  and array[encode(e.first_sha256, 'hex'), encode(e.second_sha256, 'hex')] <@ $3::text[]
  and not exists (select 1 from person_key k where k.tenant = e.tenant and k.proposal = e.proposal)`;

export async function addEnrollment(
  run: Run,
  tenant: string,
  enrollment: {
    readonly proposal: string;
    readonly person: PersonId;
    readonly first: string;
    readonly second: string;
  },
): Promise<void> {
  const { proposal, person, first, second } = enrollment;
  await run(ADD, [tenant, proposal, person, first, second]).catch(refusedByRule);
}

/** The proposal that the codes belong to; which of them is wrong, or whether they were used, is not told. */
export async function findEnrollment(
  run: Run,
  tenant: string,
  person: PersonId,
  hashes: readonly string[],
): Promise<string> {
  const [row] = await run(FIND, [tenant, person, hashes]);
  if (row !== undefined) return text(row['proposal']);
  throw new FilewrightError(
    'BAD_CREDENTIAL',
    'The enrollment codes are unknown, used or expired; two different ones are needed, from the person who proposed and from the person who approved',
  );
}
