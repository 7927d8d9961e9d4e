/** Which event a docket is about, in one spelling. Rows of before identities were kept get theirs at the next intake. */
import type { Docket } from '../rules/docket/docket.ts';
import type { Instant } from '../../core/index.ts';
import { type Session, type Statement, text, when } from '../../postgres/index.ts';
import { DATABASE_NOW, type Run } from './docket-rows.ts';

const BEGIN: Statement = {
  name: 'docket-intake-begin',
  text: `select ${DATABASE_NOW} as now,
    exists (select 1 from docket where tenant = $1 and identity is null) as unidentified`,
};

/** The moment of an intake, and whether rows of before wait for their identity. */
export async function beginIntake(
  run: Run,
  tenant: string,
): Promise<{ readonly now: Instant; readonly hasUnidentified: boolean }> {
  const [row] = await run(BEGIN, [tenant]);
  return { now: when(row?.['now']), hasUnidentified: row?.['unidentified'] === true };
}

const UNIDENTIFIED: Statement = {
  name: 'docket-unidentified',
  text: `select id, docket from docket where tenant = $1 and identity is null and id > $2 order by id limit $3`,
};

const IDENTIFY: Statement = {
  name: 'docket-identify',
  text: `
with i as materialized (
  select i.*, row_number() over (partition by i.identity order by d.received_at, d.id) as place
  from json_to_recordset($2::json) as i(id text, identity text) join docket d on d.tenant = $1 and d.id = i.id
)
update docket d
set identity = case
  -- Two dockets that turn out to be one event both stay, and the first of them has its name.
  when i.place > 1 or exists (select 1 from docket o where o.tenant = $1 and o.identity = i.identity)
    then left('twin/' || d.id, 200) else i.identity end
from i where d.tenant = $1 and d.id = i.id and d.identity is null`,
};

const PAGE = 1_000;

/** Call it in the transaction of the intake. Whoever comes second waits for the rows, and finds them done. */
export async function identifyDockets(
  run: Run,
  tenant: string,
  identityOf: (docket: Docket) => string | undefined,
): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await run(UNIDENTIFIED, [tenant, after, PAGE]);
    const identified = rows.map((row) => {
      const id = text(row['id']);
      return { id, identity: identityOf(row['docket'] as Docket) ?? `own/${id}` };
    });
    if (identified.length > 0) await run(IDENTIFY, [tenant, JSON.stringify(identified)]);
    if (rows.length < PAGE) return;
    after = identified.at(-1)?.id ?? after;
  }
}

const KNOWN: Statement = {
  name: 'docket-by-identity',
  text: `select id from docket where tenant = $1 and identity = $2`,
};

/** The docket of an event, if it is there. */
export async function findByIdentity(
  session: Pick<Session, 'run'>,
  tenant: string,
  identity: string,
): Promise<string | undefined> {
  const [row] = await session.run(KNOWN, [tenant, identity]);
  return row === undefined ? undefined : text(row['id']);
}
