/** What there is of each log, counted before anything is done to it: the start of a sequencer makes up for some losses. */
import { LEDGER_BOUNDARIES } from '../../core/index.ts';
import { TILE_WIDTH } from '../tile.ts';
import { type Session, sql, text } from '../../postgres/index.ts';

export interface LogOutline {
  readonly boundary: string;
  readonly size: number;
  /** The largest checkpoint; 0 before the first. */
  readonly signedSize: number;
  /** How many checkpoints there are. */
  readonly signedTimes: number;
  /** Full tiles that are stored, and those that a log of this size has. */
  readonly tiles: number;
  readonly tilesExpected: number;
}

const OUTLINE = sql('ledger-outline')`
select b.boundary, coalesce(h.size, 0) as size,
  coalesce((select max(size) from ledger_checkpoint c where c.tenant = $1 and c.boundary = b.boundary), 0) as signed_size,
  (select count(*) from ledger_checkpoint c where c.tenant = $1 and c.boundary = b.boundary) as signed_times,
  (select count(*) from ledger_tile t where t.tenant = $1 and t.boundary = b.boundary) as tiles
from unnest($2::text[]) b(boundary) left join ledger_head h on h.tenant = $1 and h.boundary = b.boundary`;

export async function ledgerOutline(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<ReadonlyMap<string, LogOutline>> {
  const rows = await session.run(OUTLINE, [tenant, LEDGER_BOUNDARIES]);
  return new Map(
    rows.map((row) => {
      const boundary = text(row['boundary']);
      const size = Number(row['size']);
      const signed = {
        signedSize: Number(row['signed_size']),
        signedTimes: Number(row['signed_times']),
      };
      const tiles = Number(row['tiles']);
      return [boundary, { boundary, size, ...signed, tiles, tilesExpected: fullTiles(size) }];
    }),
  );
}

/** Of all levels. */
function fullTiles(size: number): number {
  let count = 0;
  for (let rest = size; rest >= TILE_WIDTH; ) {
    rest = Math.floor(rest / TILE_WIDTH);
    count += rest;
  }
  return count;
}
