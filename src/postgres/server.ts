import { text, when } from './rows.ts';
import { type Session, sql } from './session.ts';

const DESCRIBE = sql('server-describe')`
select version() as version, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as sync, clock_timestamp() as now`;

/** What the database server says of itself. */
export async function describeServer(session: Session): Promise<{
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly now: number;
}> {
  const [row] = await session.run(DESCRIBE);
  return {
    version: text(row?.['version']).split(' ').slice(0, 2).join(' '),
    fsync: text(row?.['fsync']),
    synchronousCommit: text(row?.['sync']),
    now: when(row?.['now']),
  };
}
