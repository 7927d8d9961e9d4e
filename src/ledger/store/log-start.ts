/** What is checked of a log before a process appends to it: its tiles, its last signed head, its copies outside. */
import { FilewrightError, type Random } from '../../core/index.ts';
import { TILE_WIDTH } from '../tile.ts';
import { type CheckpointCopies, copyFrom } from './checkpoints.ts';
import { compareCopies } from './contradictions.ts';
import { enterQuarantine } from './quarantine.ts';
import { readEnd } from './log-group.ts';
import { type Run, type Session, sql } from '../../postgres/index.ts';
import { type LogName, makeMissingTiles, rootAt } from './tree-store.ts';

/**
 * Makes the tiles that are missing, and refuses a log whose stored hashes do not give the root that was signed last, or
 * the one that its head names. Signing on from there would contradict what is already in somebody's hands. The caller
 * holds the log's lock.
 */
export async function inspectLog(
  run: Run,
  log: LogName & { readonly origin: string },
): Promise<void> {
  const { range, signedSize, signedRoot } = await readEnd(run, log);
  await makeMissingTiles(run, log, range.size);
  const heads = [{ size: range.size, root: range.root(), whose: 'of its head' }];
  if (signedRoot !== undefined) {
    heads.push({ size: signedSize, root: signedRoot, whose: 'signed last' });
  }
  for (const { size, root, whose } of heads) {
    if (Buffer.compare(await rootAt(run, log, size), root) === 0) continue;
    throw new FilewrightError(
      'LEDGER_BROKEN',
      `The log ${log.origin} should have the root ${whose} over its first ${size} entries, but its stored hashes give another. Nothing more is appended or signed; run audit verify, and compare with the checkpoints kept outside the database.`,
      { details: { origin: log.origin, size } },
    );
  }
}

const MISSING_TILES = sql('ledger-missing-tiles')`
select h.size / ${TILE_WIDTH} > coalesce((
  select max(t.n) + 1 from ledger_tile t where t.tenant = $1 and t.boundary = $2 and t.level = 0), 0) as missing
from ledger_head h where h.tenant = $1 and h.boundary = $2`;

const LOCK = sql('ledger-lock-wait')`
select 1 from ledger_head where tenant = $1 and boundary = $2 for update`;

/** Brings up a log from before there were tiles: what is compared with a copy is read from them. */
export async function bringUpTiles(
  session: Session,
  log: LogName & { readonly origin: string },
): Promise<void> {
  const [row] = await session.run(MISSING_TILES, [log.tenant, log.boundary]);
  if (row?.['missing'] !== true) return;
  await session.transaction(async (run) => {
    await run(LOCK, [log.tenant, log.boundary]);
    await inspectLog(run, log);
  });
}

/**
 * Compares a log with its newest copy outside, and copies the checkpoints that a crash left uncopied. A log that is
 * behind its copy, or says something else, is the work of a restored backup: the tenant goes into quarantine.
 * Otherwise it says which checkpoint is the newest that has its copy.
 */
export async function copyMissing(
  session: Session,
  log: LogName & { readonly origin: string },
  copies: CheckpointCopies,
  random: Random,
): Promise<number | undefined> {
  const found = await compareCopies(session, log, copies);
  if (found.kind === 'contradicted') {
    await enterQuarantine(session, log.tenant, [found.contradiction], random);
    return undefined;
  }
  // The newest copy once more: the crash may have come before it was named as the latest.
  return copyFrom(session, log, copies, found.copiedSize);
}
