/** Legal holds: one person places one, another releases it. What is held is not destroyed, whatever its date. */
import { FilewrightError, type LedgerFact, type PersonId, personId } from '../../core/index.ts';
import { recordLedgerFact } from './ledger-facts.ts';
import {
  optional,
  type Row,
  type Session,
  type Statement,
  text,
  when,
} from '../../postgres/index.ts';

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

const PLACE: Statement = {
  name: 'hold-place',
  text: `insert into ledger_hold (tenant, id, subject, reason, placed_by) values ($1, $2, $3, $4, $5)`,
};

const RELEASE: Statement = {
  name: 'hold-release',
  text: `update ledger_hold set released_by = $3, released_at = now(), ver = ver + 1
    where tenant = $1 and id = $2 and released_at is null returning ver`,
};

const LIST: Statement = {
  name: 'hold-list',
  text: `select id, subject, reason, placed_by, placed_at, released_by, released_at from ledger_hold
    where tenant = $1 and ($2::boolean or released_at is null) order by placed_at, id`,
};

const SECOND_PERSON = 'hold_second_person';

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
    const subject = { kind: 'hold', id: hold.id, ver: 1 };
    await recordLedgerFact(run, { tenant, boundary: 'access' }, subject, fact);
  });
}

/** The database refuses the person who placed it (`SELF_APPROVAL`). `fact` is a `hold.released`. */
export async function releaseHold(
  session: Session,
  tenant: string,
  id: string,
  by: PersonId,
  fact: LedgerFact,
): Promise<void> {
  await session
    .transaction(async (run) => {
      const [row] = await run(RELEASE, [tenant, id, by]);
      if (row === undefined) {
        throw new FilewrightError('NOT_FOUND', `No hold ${id} is in force; see retention status`);
      }
      const subject = { kind: 'hold', id, ver: Number(row['ver']) };
      await recordLedgerFact(run, { tenant, boundary: 'access' }, subject, fact);
    })
    .catch((error: unknown) => {
      if (!isAboutSecondPerson(error)) throw error;
      throw new FilewrightError(
        'SELF_APPROVAL',
        `Hold ${id} was placed by you; a second person must release it`,
        { cause: error },
      );
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

function isAboutSecondPerson(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'constraint' in error &&
    error.constraint === SECOND_PERSON
  );
}
