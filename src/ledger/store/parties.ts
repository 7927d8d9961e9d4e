/** Which party stands for each person, as things are now; the rule is in access/party.ts. Who is no person has none. */
import type { Parties } from '../../core/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';

const PARTIES = sql('person-parties')`
select id, party from person where tenant = $1 and id::text = any ($2::text[])`;

export async function partiesOf(
  run: Run,
  tenant: string,
  people: readonly string[],
): Promise<Parties> {
  const rows = await run(PARTIES, [tenant, people]);
  return new Map(rows.map((row) => [text(row['id']), text(row['party'])]));
}
