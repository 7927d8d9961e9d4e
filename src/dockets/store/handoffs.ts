/** Attempts to hand dockets over: the fallback log, notices of the manual tier, and the links in notices. */
import type { Hop } from '../rules/routing/state.ts';
import {
  docketId,
  type DocketId,
  type Instant,
  type JsonValue,
  partyId,
  type PartyId,
  targetId,
  type TargetId,
} from '../../core/index.ts';
import { optional, type Row, type Session, sql, text, when } from '../../postgres/index.ts';
import { claimWork } from '../../work/index.ts';
import { json, jsonText, type Run } from './docket-rows.ts';
import type { EndedHandoff } from './steps.ts';

export interface HandoffView {
  readonly docket: DocketId;
  readonly n: number;
  readonly handoff: string;
  readonly tier: string;
  readonly target: TargetId;
  readonly party: PartyId;
  readonly attempt: number;
  readonly reason: string | undefined;
  readonly hop: Hop;
  readonly dates: JsonValue;
  readonly startedAt: Instant;
  /** Undefined while it is under way, and for ever where its process died. */
  readonly ended:
    | {
        readonly at: Instant;
        readonly outcome: EndedHandoff['outcome'];
        readonly receipt: string | undefined;
      }
    | undefined;
  readonly evidence: JsonValue | undefined;
}

const COLUMNS = `h.docket, h.n, h.handoff, h.tier, h.target, h.party, h.attempt, h.reason, h.hop, h.dates, h.started_at,
  h.ended_at, h.outcome, h.receipt, h.evidence`;

const OF_DOCKET = sql('docket-handoffs')`
select ${COLUMNS} from docket_handoff h where h.tenant = $1 and h.docket = $2 order by h.n`;

export async function handoffsOf(
  session: Pick<Session, 'run'>,
  tenant: string,
  docket: DocketId,
): Promise<HandoffView[]> {
  return (await session.run(OF_DOCKET, [tenant, docket])).map(handoffOf);
}

function handoffOf(row: Row): HandoffView {
  const at = optional(row['ended_at'], when);
  return {
    docket: docketId(text(row['docket'])),
    n: Number(row['n']),
    handoff: text(row['handoff']),
    tier: text(row['tier']),
    target: targetId(text(row['target'])),
    party: partyId(text(row['party'])),
    attempt: Number(row['attempt']),
    reason: optional(row['reason'], text),
    // Written with the intent, from a value of the rules.
    hop: row['hop'] as Hop,
    dates: json(row['dates']),
    startedAt: when(row['started_at']),
    ended:
      at === undefined
        ? undefined
        : {
            at,
            // A check constraint holds the column to these words.
            outcome: text(row['outcome']) as EndedHandoff['outcome'],
            receipt: optional(row['receipt'], text),
          },
    evidence: optional(row['evidence'], json),
  };
}

// Once somebody has the docket, or it is closed, nobody needs to be told any more.
const DROP_SETTLED = sql('docket-notices-drop')`
update work w set state = 'dropped', next_at = null, ended_at = now() from docket d
    where w.tenant = $1 and w.kind = 'handoff' and w.target = 'all' and w.state = 'pending' and w.next_at <= now()
      and d.tenant = w.tenant and d.id = w.docket and (d.phase = 'confirmed' or d.closed_at is not null)`;

const COUNT_TRIES = sql('docket-notices-try')`
update docket_handoff h set attempt = h.attempt + 1
from work w where w.tenant = $1 and w.id = any ($2::uuid[]) and h.tenant = w.tenant and h.docket = w.docket
  and h.n = (w.body->>'n')::int and h.ended_at is null
returning ${COLUMNS}`;

/** Takes notices of the manual tier that nobody is known to have got, for `leaseMs`. */
export async function takeManualNotices(
  session: Session,
  tenant: string,
  { leaseMs, count }: { readonly leaseMs: number; readonly count: number },
): Promise<HandoffView[]> {
  await session.run(DROP_SETTLED, [tenant]);
  const wish = { tenant, kind: 'handoff', target: 'all', limit: count, claimMs: leaseMs } as const;
  // No transaction around both: a step takes the same rows in the other order, and the two would wait for each other.
  const works = await claimWork(session.run.bind(session), wish);
  if (works.length === 0) return [];
  return (await session.run(COUNT_TRIES, [tenant, works.map(({ id }) => id)])).map(handoffOf);
}

const RETRY = sql('docket-notice-retry')`
with kept as (
  update docket_handoff set evidence = $5 where tenant = $1 and docket = $2 and n = $3 and ended_at is null
  returning tenant, docket, n)
update work w set next_at = now() + $4::float8 * interval '1 millisecond' from kept k
where w.tenant = k.tenant and w.kind = 'handoff' and w.state = 'pending' and w.docket = k.docket
  and (w.body->>'n')::int = k.n`;

/** A notice that did not get through is tried again after `afterMs`, until somebody has the docket. */
export async function retryManualNotice(
  run: Run,
  tenant: string,
  notice: { readonly docket: DocketId; readonly n: number },
  again: { readonly afterMs: number; readonly evidence: object },
): Promise<void> {
  const { docket, n } = notice;
  await run(RETRY, [tenant, docket, n, again.afterMs, jsonText(again.evidence)]);
}

export interface LinkTicket {
  readonly reference: string;
  readonly docket: DocketId;
  readonly handoff: string;
  readonly party: PartyId;
  readonly expiresAt: Instant;
  readonly acknowledged: { readonly at: Instant; readonly by: string } | undefined;
}

const LINK_COLUMNS =
  'reference, docket, handoff, party, expires_at, acknowledged_at, acknowledged_by';

const ADD_LINK = sql('docket-link-add')`
insert into docket_link (tenant, reference, docket, handoff, party, expires_at)
    values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000))
    on conflict on constraint docket_link_once do update set expires_at = excluded.expires_at
      where docket_link.expires_at <= now()`;

const LINK_OF = sql('docket-link-of')`
select ${LINK_COLUMNS} from docket_link where tenant = $1 and handoff = $2`;

/**
 * The link of a handing over; the same at every attempt, so a notice that is sent again holds the same one. One that has
 * ended begins anew: what nobody takes is told of for as long as it is open, and each notice must lead somewhere.
 */
export async function linkFor(
  session: Pick<Session, 'run'>,
  tenant: string,
  link: Omit<LinkTicket, 'acknowledged'>,
): Promise<LinkTicket> {
  const { reference, docket, handoff, party, expiresAt } = link;
  await session.run(ADD_LINK, [tenant, reference, docket, handoff, party, expiresAt]);
  const [row] = await session.run(LINK_OF, [tenant, handoff]);
  if (row === undefined) throw new Error('a link was neither added nor found');
  return linkOf(row);
}

const HANDED_TO = sql('docket-handed-to')`
select distinct on (docket) docket, handoff from docket_handoff
where tenant = $1 and party = $2 and docket = any ($3::text[]) order by docket, n desc`;

/** Of these dockets, the last handing over to one party. */
export async function handedTo(
  session: Pick<Session, 'run'>,
  tenant: string,
  party: PartyId,
  dockets: readonly DocketId[],
): Promise<ReadonlyMap<string, string>> {
  if (dockets.length === 0) return new Map();
  const rows = await session.run(HANDED_TO, [tenant, party, dockets]);
  return new Map(rows.map((row) => [text(row['docket']), text(row['handoff'])]));
}

const FIND_LINK = sql('docket-link-find')`
select ${LINK_COLUMNS} from docket_link where tenant = $1 and reference = $2`;

export async function findLink(
  session: Pick<Session, 'run'>,
  tenant: string,
  reference: string,
): Promise<LinkTicket | undefined> {
  const [row] = await session.run(FIND_LINK, [tenant, reference]);
  return row === undefined ? undefined : linkOf(row);
}

const USE_LINK = sql('docket-link-use')`
update docket_link set acknowledged_at = now(), acknowledged_by = $3
    where tenant = $1 and reference = $2 and acknowledged_at is null returning reference`;

/** False when it was used before. */
export async function markLinkUsed(
  run: Run,
  tenant: string,
  reference: string,
  by: string,
): Promise<boolean> {
  return (await run(USE_LINK, [tenant, reference, by])).length > 0;
}

function linkOf(row: Row): LinkTicket {
  const at = optional(row['acknowledged_at'], when);
  return {
    reference: text(row['reference']),
    docket: docketId(text(row['docket'])),
    handoff: text(row['handoff']),
    party: partyId(text(row['party'])),
    expiresAt: when(row['expires_at']),
    acknowledged: at === undefined ? undefined : { at, by: text(row['acknowledged_by']) },
  };
}
