/**
 * Legal holds: one person places one, and with it proposes its release; another approves that. What is held is not
 * destroyed, whatever its date.
 */
import { type LedgerFact, notFound, type PersonId, personId } from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { optional, type Row, type Session, sql, text, when } from '../../postgres/index.ts';
import { decideProposal, propose } from './proposals.ts';

export interface Hold {
  readonly id: string;
  /** Whose data is held; undefined holds everything of the tenant. */
  readonly subject: string | undefined;
  readonly reason: string;
  readonly placedBy: PersonId;
  readonly placedAt: number;
  readonly releasedBy: PersonId | undefined;
  readonly releasedAt: number | undefined;
}

const PLACE = sql('hold-place')`
insert into ledger_hold (tenant, id, subject, reason, placed_by) values ($1, $2, $3, $4, $5)`;

const RELEASE = sql('hold-release')`
update ledger_hold set released_by = $3, released_at = now(), ver = ver + 1
  where tenant = $1 and id = $2 and released_at is null returning ver`;

const LIST = sql('hold-list')`
select id, subject, reason, placed_by, placed_at, released_by, released_at from ledger_hold
  where tenant = $1 and ($2::boolean or released_at is null) order by placed_at, id`;

const LOCK = sql('hold-lock')`
select id from ledger_hold where tenant = $1 and id = $2 and released_at is null for update`;

/** `fact` is a `hold.placed`; it may name the subject, never the reason. */
export async function placeHold(
  session: Session,
  tenant: string,
  hold: {
    readonly id: string;
    readonly subject: string | undefined;
    readonly reason: string;
    readonly by: PersonId;
  },
  fact: LedgerFact,
): Promise<void> {
  await session.transaction(async (run) => {
    await run(PLACE, [tenant, hold.id, hold.subject ?? null, hold.reason, hold.by]);
    const { id, reason, by } = hold;
    const { sha256 } = await propose(run, tenant, {
      kind: 'hold',
      subject: id,
      terms: { act: 'release' },
      reason,
      by,
    });
    const subject = { kind: 'hold', id: hold.id, ver: 1 };
    // The hash of the proposal covers the reason, which the ledger does not tell.
    const data = { ...fact.data, sha256 };
    await recordFact(run, { tenant, boundary: 'access' }, subject, { ...fact, data });
  });
}

/** Refuses the person who placed it (`SELF_APPROVAL`), as the database does. `fact` is a `hold.released`. */
export async function releaseHold(
  session: Session,
  tenant: string,
  id: string,
  by: PersonId,
  fact: LedgerFact,
): Promise<void> {
  await session.transaction(async (run) => {
    if ((await run(LOCK, [tenant, id])).length === 0) {
      throw notFound(`No hold ${id} is in force; see retention status`);
    }
    const about = { kinds: ['hold'], subject: id, what: `Hold ${id}` } as const;
    await decideProposal(run, tenant, about, { approves: true, by });
    const [row] = await run(RELEASE, [tenant, id, by]);
    const subject = { kind: 'hold', id, ver: Number(row?.['ver']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
  });
}

export async function listHolds(
  session: Session,
  tenant: string,
  options: { readonly released: boolean },
): Promise<readonly Hold[]> {
  return (await session.run(LIST, [tenant, options.released])).map(holdOf);
}

function holdOf(row: Row): Hold {
  const person = (value: unknown): PersonId => personId(text(value));
  return {
    id: text(row['id']),
    subject: optional(row['subject'], text),
    reason: text(row['reason']),
    placedBy: person(row['placed_by']),
    placedAt: when(row['placed_at']),
    releasedBy: optional(row['released_by'], person),
    releasedAt: optional(row['released_at'], when),
  };
}
