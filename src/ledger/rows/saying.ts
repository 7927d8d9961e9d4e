/** What entries say about rows, and what rows say of themselves: the two sides that are compared. */
import type { JsonValue } from '../../core/index.ts';
import type { LedgerEntry } from '../entry-type.ts';

export type Fields = Readonly<Record<string, JsonValue>>;

/** The tables whose rows are compared, by the names that they have in an export. */
export const ROW_KINDS = [
  'filing',
  'attempt',
  'outcome',
  'receipt',
  'revision',
  'taking',
  'look',
  'confirmation',
  'batch',
  'batch_approval',
  'approval_void',
  'batch_question',
  'held_back',
  'withdrawal',
  'exception',
  'review_item',
  'review_act',
  'proposal',
  'person',
  'person_key',
  'sign_in_link',
  'person_session',
  'program_token',
  'person_role',
  'role_given',
  'role_taken',
  'enrollment',
  'hold',
  'lane',
  'lane_profile',
  'entity',
  'obligation',
  'docket',
  'docket_version',
  'docket_second',
  'docket_reveal',
  'handoff',
  'routing_setup',
  'period',
  'release',
  'balance',
  'resolution',
  'grant_exception',
  'grant_document',
  'grant_feed',
  'grant_check',
  'grant_report',
  'grant_evaluation',
  'grant_duty',
  'award_end',
  'quarantine',
  'shredded_key',
  'set_aside',
  'subscription',
  'recipient',
  'mail_setting',
  'alert',
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** In the place of a value that retention has destroyed. */
export const DESTROYED = { destroyed: true } as const;

/** Said of a row, and no field of it: with which key its sealed body goes. Without that nothing of it may be destroyed. */
export const SEALED_UNDER = 'sealed_under';

/** One row as the database, or an export, has it. */
export interface FoundRow {
  readonly kind: RowKind;
  readonly id: string;
  readonly fields: Fields;
  /** The entries need not know of it: nothing was decided by it yet, or it is of a kind that leaves none. */
  readonly isQuiet?: boolean;
}

/** What one entry says about one row. The last word about a field holds. */
export interface Saying {
  readonly kind: RowKind;
  readonly id: string;
  readonly set: Fields;
  /** Nothing is said of these any more: what they became depends on more than this entry. */
  readonly drop?: readonly string[];
  /** Whether there is such a row is not said, only what it holds if there is one. */
  readonly isWeak?: boolean;
}

/** An entry, or a fact that waits to become one, as far as rows go. */
export type Told = Pick<LedgerEntry, 'type' | 'subj' | 'actor' | 'cls' | 'data' | 'body'> & {
  readonly boundary: string;
};

export type SayingsOf = (told: Told) => readonly Saying[];

/** A field of an entry: null where it is not there. */
export function at(data: Fields, name: string): JsonValue {
  return data[name] ?? null;
}

/** As part of a name. */
export function named(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Those of the named fields that the entry has: what it is silent about stays as it was. */
export function given(data: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (name in data ? [[name, at(data, name)]] : [])),
  );
}
