/**
 * The same insider at the ledger itself: its entries, its signed heads, its keys. Each names the reason that `audit verify`
 * gives; an export of such a ledger is refused with the same.
 */
import type { Mutation } from './mutations.ts';

const one = (what: string, sql: string, found: string): Mutation => ({ what, sql: [sql], found });
const OLDEST = `boundary = 'filing' and size = (select min(size) from ledger_checkpoint where boundary = 'filing')`;

export const LOG_MUTATIONS: readonly Mutation[] = [
  one(
    'an entry that says something else',
    `update ledger_entry set bytes = convert_to(replace(convert_from(bytes, 'UTF8'), 'accepted', 'rejected'), 'UTF8') where boundary = 'filing' and convert_from(bytes, 'UTF8') like '%accepted%'`,
    'ROOT_MISMATCH',
  ),
  one(
    'the last entry gone',
    `delete from ledger_entry where boundary = 'filing' and seq = (select max(seq) from ledger_entry where boundary = 'filing')`,
    'SIZE_MISMATCH',
  ),
  one('a head gone', `delete from ledger_head where boundary = 'access'`, 'HEAD_MISSING'),
  one(
    'a signed root',
    `update ledger_checkpoint set root = sha256('x') where ${OLDEST}`,
    'CHECKPOINT_MISMATCH',
  ),
  one('a checkpoint gone', `delete from ledger_checkpoint where ${OLDEST}`, 'CHECKPOINT_MISSING'),
  one(
    'a checkpoint without its signature',
    `update ledger_checkpoint set note = 'none' where ${OLDEST}`,
    'MALFORMED_CHECKPOINT',
  ),
  one(
    'a verifier key in the place of another',
    `update ledger_signing_key a set vkey = b.vkey from ledger_signing_key b where a.boundary = 'filing' and b.boundary = 'access'`,
    'SIGNING_KEY_FORGED',
  ),
  one(
    'the sizes for which a key signs',
    `update ledger_signing_key set first_size = 0 where boundary = 'access'`,
    'SIGNING_KEY_FORGED',
  ),
  one(
    'a signing key gone',
    `delete from ledger_signing_key where boundary = 'access'`,
    'UNTRUSTED_SIGNATURE',
  ),
  {
    what: 'a whole log gone',
    sql: ['ledger_signing_key', 'ledger_checkpoint', 'ledger_entry', 'ledger_head'].map(
      (table) => `delete from ${table} where boundary = 'access'`,
    ),
    found: 'LOG_MISSING',
  },
];
