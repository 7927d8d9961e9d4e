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
  one(
    'a fact that no log will ever take',
    `insert into ledger_intake (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data) values ('main', 'nowhere', gen_random_uuid(), now() - interval '2 minutes', 'a.b', 'c', 'd', 1, 'system', 'e', 'f', '{}')`,
    'INTAKE_STUCK',
  ),
  {
    what: 'a sealed body gone',
    sql: ['delete from ledger_blob where ct = (select min(ct) from ledger_blob)'],
    found: 'BODY_UNREADABLE',
    bodies: true,
  },
  {
    what: 'the key of sealed bodies gone',
    sql: [
      'delete from ledger_dek where id = (select key from ledger_blob where ct = (select min(ct) from ledger_blob))',
    ],
    found: 'BODY_UNREADABLE',
    bodies: true,
  },
  {
    what: 'a key called shredded, with its bodies gone',
    sql: [
      'delete from ledger_blob where key = (select key from kept.ledger_blob order by ct limit 1)',
      "update ledger_dek set state = 'shredded', shredded_at = now(), wrapped = '' where id = (select key from kept.ledger_blob order by ct limit 1)",
    ],
    found: 'BODY_UNREADABLE',
    bodies: true,
  },
];
