/** Dockets as they are stored. What was read of an event, and the state of its routing, are values of the rules: JSON here. */
import type { Closed } from '../rules/docket/closing.ts';
import { type Dating, withDating } from '../rules/docket/dating.ts';
import type { Docket } from '../rules/docket/docket.ts';
import type { Activation } from '../rules/routing/activation.ts';
import type { RoutingState } from '../rules/routing/state.ts';
import {
  docketId,
  type DocketId,
  type Instant,
  type JsonValue,
  type LedgerFact,
  sha256Hex,
  type Sha256Hex,
  targetId,
  type TargetId,
} from '../../core/index.ts';
import { hex, optional, type Row, type Session, text, when } from '../../postgres/index.ts';

export type Run = Session['run'];

const DOCKET_PHASES = ['queued', 'sending', 'awaiting', 'manual', 'confirmed'] as const;
type DocketPhase = (typeof DOCKET_PHASES)[number];

export interface StoredDocket {
  readonly id: DocketId;
  readonly messageId: string;
  readonly source: string;
  readonly contentType: string;
  readonly payloadSha256: Sha256Hex;
  /** As it counts: what was read first, dated by what was agreed on since. */
  readonly docket: Docket;
  /** As it was read first. */
  readonly read: Docket;
  readonly dating: Dating | undefined;
  /** The person who imported it; undefined where a program did. */
  readonly receivedBy: string | undefined;
  readonly receivedAt: Instant;
  readonly state: RoutingState;
  readonly phase: DocketPhase;
  readonly tier: string;
  readonly target: TargetId | undefined;
  readonly activation: Activation | undefined;
  /** What the assignment table was asked and said; undefined where none was asked. */
  readonly assignment: JsonValue | undefined;
  readonly nextAt: Instant | undefined;
  readonly closed:
    | { readonly at: Instant; readonly by: string; readonly closing: Closed }
    | undefined;
  /** The last entry of this docket in the logs `filing` and `access`. */
  readonly ver: number;
  readonly accessVer: number;
  /** Attempts to hand it over so far. */
  readonly handoffs: number;
}

/** The first entry of a docket carries its exact bytes, sealed. */
export interface NewDocket {
  readonly id: DocketId;
  readonly messageId: string;
  /** Of the event, in one spelling; another docket of the same event is refused. */
  readonly identity: string;
  readonly source: string;
  readonly contentType: string;
  readonly payloadSha256: Sha256Hex;
  readonly docket: JsonValue;
  readonly state: JsonValue;
  readonly tier: string;
  readonly activation: JsonValue | undefined;
  readonly nextAt: Instant;
  /** The due day, by which a backlog is put in order. */
  readonly dueOn: string | undefined;
  /** Who imports it; undefined where a program does. */
  readonly receivedBy: string | undefined;
  readonly fact: LedgerFact & { readonly body: NonNullable<LedgerFact['body']> };
}

export type DocketAdmission =
  | { readonly kind: 'created'; readonly docket: DocketId }
  | { readonly kind: 'unchanged'; readonly docket: DocketId }
  /** The same event came with other bytes. The first stay; the others are kept as evidence, and somebody is told. */
  | { readonly kind: 'conflict'; readonly docket: DocketId };

export interface DocketFilter {
  readonly phases?: readonly DocketPhase[];
  /** Closed ones are left out unless asked for. */
  readonly closed?: 'no' | 'only' | 'too';
  /** Only those that await somebody by this target. */
  readonly target?: TargetId;
  /** Rows read before any right is asked; the filter by rights comes after. */
  readonly limit?: number;
}

export const DOCKET_COLUMNS = `
  d.id, d.message_id, d.source, d.content_type, d.payload_sha256, d.docket, d.dating, d.received_by, d.received_at, d.state, d.phase, d.tier,
  d.target, d.activation, d.assignment, d.next_at, d.closed_at, d.closed_by, d.closing, d.ver, d.access_ver, d.handoffs`;

export const DATABASE_NOW = `date_trunc('milliseconds', clock_timestamp())`;

/** The columns of type jsonb hold what the rules wrote; the database keeps them from being changed otherwise. */
export function docketRow(row: Row): StoredDocket {
  const read = row['docket'] as Docket;
  // Made by docket_dating() alone.
  const dating = optional(row['dating'], (value) => value as Dating);
  const closedAt = optional(row['closed_at'], when);
  return {
    id: docketId(text(row['id'])),
    messageId: text(row['message_id']),
    source: text(row['source']),
    contentType: text(row['content_type']),
    payloadSha256: sha256Hex(hex(row['payload_sha256'])),
    docket: withDating(read, dating),
    read,
    dating,
    receivedBy: optional(row['received_by'], text),
    receivedAt: when(row['received_at']),
    state: row['state'] as RoutingState,
    // A check constraint holds the column to these words.
    phase: text(row['phase']) as DocketPhase,
    tier: text(row['tier']),
    target: optional(row['target'], (id) => targetId(text(id))),
    activation: optional(row['activation'], (value) => value as Activation),
    assignment: optional(row['assignment'], json),
    nextAt: optional(row['next_at'], when),
    closed:
      closedAt === undefined
        ? undefined
        : { at: closedAt, by: text(row['closed_by']), closing: row['closing'] as Closed },
    ver: Number(row['ver']),
    accessVer: Number(row['access_ver']),
    handoffs: Number(row['handoffs']),
  };
}

/** The driver has parsed a column of type jsonb. */
export function json(value: unknown): JsonValue {
  return value as JsonValue;
}

/** For a parameter of type json: the driver would write a list as an array of PostgreSQL. */
export function jsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
