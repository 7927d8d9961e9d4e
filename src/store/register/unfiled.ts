/** What is owed and has no filing: no queue shows it, so somebody has to be told. */
import { text, when } from '../rows.ts';
import type { Session, Statement } from '../session.ts';

export interface UnfiledGroup {
  readonly jurisdiction: string;
  readonly due: string;
  readonly obligations: number;
  /** When the first of them is late: at the portal's last open minute, or with the end of the day in UTC. */
  readonly lateAt: number;
}

/** One look; with more groups than this the most urgent are enough to act on. */
const GROUPS_MAX = 1_000;

const UNFILED: Statement = {
  name: 'obligation-unfiled',
  text: `select o.jurisdiction, o.due::text as due, count(*) as obligations,
  min(least(o.cutoff, (o.due + 1)::timestamp at time zone 'UTC')) as late_at
from obligation o
where o.tenant = $1 and o.state = 'open'
  and least(o.cutoff, (o.due + 1)::timestamp at time zone 'UTC') < $2
  and not exists (select 1 from envelope e where e.tenant = o.tenant and e.obligation = o.id)
group by o.jurisdiction, o.due
order by late_at, o.jurisdiction limit ${GROUPS_MAX}`,
};

/** Open obligations that are late before the moment and have no filing, by jurisdiction and due day. */
export async function unfiledBefore(
  run: Session['run'],
  tenant: string,
  before: number,
): Promise<readonly UnfiledGroup[]> {
  const rows = await run(UNFILED, [tenant, new Date(before).toISOString()]);
  return rows.map((row) => ({
    jurisdiction: text(row['jurisdiction']),
    due: text(row['due']),
    obligations: Number(row['obligations']),
    lateAt: when(row['late_at']),
  }));
}
