/** `audit verify` on a database that somebody with all rights has changed: no damage may pass for a whole ledger. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { ReviewWorld } from '../review/world.ts';
import { OPERATOR } from '../operator.ts';

const TABLES = ['ledger_head', 'ledger_entry', 'ledger_checkpoint', 'ledger_dek', 'ledger_blob'];

describe('a damaged ledger', { timeout: 120_000 }, () => {
  let world: ReviewWorld;
  beforeAll(async () => {
    world = await ReviewWorld.make();
    await world.refused();
    await world.app.sequencer.checkpoint();
    for (const table of TABLES) {
      await world.sql(`create table kept_${table} as select * from ${table}`);
      await world.sql(`alter table ${table} disable trigger all`);
    }
  });
  afterAll(() => world.close());

  /** The reasons by log; everything is put back afterwards. */
  const verdictAfter = async (...damage: readonly string[]): Promise<Record<string, string>> => {
    try {
      for (const text of damage) await world.sql(text);
      const report = await verifyLedger(world.app, OPERATOR, { bodies: true });
      expect(report.ok).toBe(report.logs.every(({ ok }) => ok));
      return Object.fromEntries(
        report.logs.map(({ log, reason }) => [log.split('/').at(-1) ?? '', reason ?? 'verified']),
      );
    } finally {
      for (const table of TABLES) {
        await world.sql(`delete from ${table}`);
        await world.sql(`insert into ${table} select * from kept_${table}`);
      }
    }
  };

  it('verifies before anything was done to it', async () => {
    expect(await verdictAfter()).toMatchObject({ filing: 'verified', spine: 'verified' });
  });

  it.each([
    [
      'a log whose head was deleted',
      `delete from ledger_head where boundary = 'filing'`,
      'HEAD_MISSING',
    ],
    [
      'a head that is no compact range',
      `update ledger_head set range = '\\x00' where boundary = 'filing'`,
      'HEAD_MISSING',
    ],
    [
      'a head that claims more entries than there are',
      `update ledger_head set size = size + 1000 where boundary = 'filing'`,
      'SIZE_MISMATCH',
    ],
    [
      'a newest checkpoint that is none',
      `update ledger_checkpoint set note = 'garbage' where boundary = 'filing'`,
      'MALFORMED_CHECKPOINT',
    ],
    [
      'a newest checkpoint whose signature is of something else',
      `update ledger_checkpoint c set note = convert_to(replace(convert_from(c.note, 'UTF8'), E'\\n' || c.size || E'\\n',
         E'\\n' || (c.size - 1) || E'\\n'), 'UTF8') where boundary = 'filing'`,
      'UNTRUSTED_SIGNATURE',
    ],
    ['data keys that were deleted, not shredded', `delete from ledger_dek`, 'BODY_UNREADABLE'],
    [
      'a body that was deleted',
      `delete from ledger_blob where ct = (select min(ct) from ledger_blob)`,
      'BODY_UNREADABLE',
    ],
  ])('%s', async (_what, damage, reason) => {
    expect(await verdictAfter(damage)).toMatchObject({ filing: reason });
  });

  it('a log that was cut and given a fitting head contradicts its own signed head', async () => {
    const rows = await world.sql(
      `select bytes from ledger_entry where boundary = 'filing' order by seq`,
    );
    const range = CompactRange.empty();
    // The column is bytea, which the driver reads as a Buffer.
    for (const { bytes } of rows.slice(0, -1)) range.append(leafHash(bytes as Buffer));
    const bytes = Buffer.from(range.toBytes()).toString('hex');
    expect(
      await verdictAfter(
        `delete from ledger_entry where boundary = 'filing' and seq = ${range.size}`,
        `update ledger_head set size = ${range.size}, range = '\\x${bytes}', signed_size = 0, signed_root = null
           where boundary = 'filing'`,
      ),
    ).toMatchObject({ filing: 'ROLLBACK' });
  });
});
