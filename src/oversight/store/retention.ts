/**
 * How long sealed data is kept, and its end. Destroying the data keys of a subject and month makes the bodies unreadable
 * for ever and leaves every hash, proof and checkpoint valid. The database refuses it before the date, and under a hold
 * (sql/0002_ledger.sql); what is decided here only chooses what to try.
 */
import { type LedgerFact, misuse } from '../../core/index.ts';
import { destroyDockets, docketRetention, docketsOfKeys } from '../../dockets/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { assumeRole, type Row, type Run, type Session, sql, text } from '../../postgres/index.ts';

/** Keys in one transaction: their ids must fit into one ledger entry. */
const KEYS_MAX = 500;

/** The floor for everything: so many years after the last date that matters for a filing. */
const YEARS = 7;

interface RetainedKey {
  readonly id: string;
  readonly subject: string;
  readonly month: string;
  /** A calendar day, `YYYY-MM-DD`; kept to its end. */
  readonly retainUntil: string;
  readonly bodies: number;
  readonly state: 'live' | 'shredded';
  readonly isHeld: boolean;
}

interface Shredding {
  /** Ids of the keys that were destroyed. */
  readonly keys: readonly string[];
  readonly blobs: number;
  /** Keys that were due by date, and whose filings have later dates: they are kept longer from now on. */
  readonly extended: number;
  /** Keys that are past their date and still needed by a filing that is not at its end, or by an open docket. */
  readonly needed: number;
  /** Keys that are past their date and under a hold. */
  readonly held: number;
}

/**
 * Whether a hold on one subject keeps the key of another: names of clients have many spellings, which nothing here reads.
 * The database itself refuses what lies under a hold of the same spelling.
 */
type MayHold = (hold: string, subject: string) => boolean;

const isSame: MayHold = (hold, subject) => hold === subject;

/** The list of subjects is that of `heldSubjects`. */
const isHeld = (subjects: string): string => `(exists (
    select 1 from ledger_hold h where h.tenant = k.tenant and h.released_at is null
    and (h.subject is null or h.subject = k.subject)) or k.subject = any (${subjects}::text[]))`;

const OPEN_HOLDS = sql('retention-open-holds')`select distinct subject from ledger_hold
    where tenant = $1 and released_at is null and subject is not null`;

const SUBJECTS = sql('retention-subjects')`
select distinct subject from ledger_dek where tenant = $1 and state = 'live'`;

const LIST = sql('retention-list')`
select k.id, k.subject, k.month, k.retain_until::text as retain_until, k.bodies, k.state, ${isHeld('$5')} as held
from ledger_dek k where k.tenant = $1 and k.id > $2 and ($3::text is null or k.subject = $3)
order by k.id limit $4`;

const EXTEND = sql('retention-extend')`
update ledger_dek set retain_until = $3::date
where tenant = $1 and subject = $2 and state = 'live' and retain_until < $3::date returning id`;

const HELD_COUNT = sql('retention-held')`select count(*)::int as n from ledger_dek k
    where k.tenant = $1 and k.state = 'live' and k.retain_until < (now() at time zone 'UTC')::date and ${isHeld('$2')}`;

const DUE = sql('retention-due')`
select k.id from ledger_dek k
where k.tenant = $1 and k.state = 'live' and k.retain_until < (now() at time zone 'UTC')::date and not ${isHeld('$2')}
order by k.retain_until, k.id limit ${KEYS_MAX} for update of k skip locked`;

// What a key's bodies belong to: the payload of a filing, the exchanges of its attempts, its exceptions. A filing that is
// not at its end, or has an exception that nobody has closed, needs all of them.
const RELEVANT = sql('retention-relevant')`
with filings as (
  select b.key, e.id, e.due from ledger_blob b join envelope e on e.tenant = b.tenant and e.payload_ct = b.ct
  where b.tenant = $1 and b.key = any ($2::text[])
  union
  select b.key, e.id, e.due from ledger_blob b join outcome o on o.tenant = b.tenant and o.ct = b.ct
  join envelope e on e.tenant = o.tenant and e.id = o.filing
  where b.tenant = $1 and b.key = any ($2::text[])
  union
  select b.key, e.id, e.due from ledger_blob b join exception x on x.tenant = b.tenant and x.ct = b.ct
  join envelope e on e.tenant = x.tenant and e.id = x.filing
  where b.tenant = $1 and b.key = any ($2::text[]))
select s.key,
  (greatest(max(s.due), max(o.at), max(x.closed_at)) at time zone 'UTC' + interval '${YEARS} years')::date::text as until,
  bool_or(f.status in ('pending', 'submitted') or (x.filing is not null and x.closed_at is null)) as needed
from filings s
join filing f on f.tenant = $1 and f.id = s.id
left join outcome o on o.tenant = $1 and o.filing = s.id
left join exception x on x.tenant = $1 and x.filing = s.id
group by s.key`;

const EXTEND_KEYS = sql('retention-extend-keys')`
update ledger_dek k set retain_until = d.until
from unnest($2::text[], $3::date[]) d(id, until)
where k.tenant = $1 and k.id = d.id and k.retain_until < d.until returning k.id,
  k.retain_until >= (now() at time zone 'UTC')::date as kept`;

const SHRED = sql('retention-shred')`
update ledger_dek set wrapped = ''::bytea, state = 'shredded', shredded_at = now()
where tenant = $1 and id = any ($2::text[]) and state = 'live' returning id`;

// A walk over all bodies: an index by key would cost every filing, and this is done a few times a year.
const REMOVE_BLOBS = sql('retention-remove-blobs')`
with gone as (delete from ledger_blob where tenant = $1 and key = any ($2::text[]) returning 1)
select count(*)::int as n from gone`;

const RECORD = sql('retention-record')`
insert into ledger_shredding (tenant, id, keys, blobs) values ($1, $2, $3, $4)`;

// No new hold may come between the look and the commit: placing one takes the same lock (in its trigger).
const NO_NEW_HOLDS = sql('retention-lock-holds')`
select lock_name($1, 'hold')`;

/** Data keys with their dates, in order of their ids. */
export async function* retainedKeys(
  session: Session,
  tenant: string,
  options: { readonly subject?: string; readonly mayHold?: MayHold } = {},
): AsyncGenerator<RetainedKey> {
  const { subject = null, mayHold = isSame } = options;
  const kept = await heldSubjects((statement, values) => session.run(statement, values), {
    tenant,
    mayHold,
  });
  for (let after = ''; ; ) {
    const rows = await session.run(LIST, [tenant, after, subject, KEYS_MAX, kept]);
    for (const row of rows) yield keyOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < KEYS_MAX) return;
    after = text(last['id']);
  }
}

/** Subjects with live keys that a hold of another spelling keeps. Without such a hold nothing is read. */
async function heldSubjects(
  run: Run,
  { tenant, mayHold }: { readonly tenant: string; readonly mayHold: MayHold },
): Promise<readonly string[]> {
  const holds = (await run(OPEN_HOLDS, [tenant])).map((row) => text(row['subject']));
  if (holds.length === 0) return [];
  const subjects = (await run(SUBJECTS, [tenant])).map((row) => text(row['subject']));
  return subjects.filter((subject) => holds.some((hold) => mayHold(hold, subject)));
}

/** Keeps everything of a subject at least until a day; never shortens. Says how many keys it concerned. */
export async function extendRetention(
  session: Session,
  tenant: string,
  extension: { readonly subject: string; readonly until: string },
): Promise<number> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(extension.until)) {
    throw misuse(`Expected a day like 2033-12-31, found "${extension.until}"`);
  }
  return (await session.run(EXTEND, [tenant, extension.subject, extension.until])).length;
}

/**
 * Destroys up to 500 data keys whose time has passed, with their sealed bodies, in one transaction with the entry
 * `retention.shredded`; call it until it destroys none. `fact` is that entry: its id names the run, and its data should
 * say when backups that still hold the wrapped keys expire.
 */
export async function shredDue(
  session: Session,
  tenant: string,
  fact: LedgerFact,
  mayHold: MayHold = isSame,
): Promise<Shredding> {
  const done = await session.transaction(async (run): Promise<Shredding> => {
    await assumeRole(run, 'shred');
    await run(NO_NEW_HOLDS, [tenant]);
    const kept = await heldSubjects(run, { tenant, mayHold });
    const [heldRow] = await run(HELD_COUNT, [tenant, kept]);
    const held = Number(heldRow?.['n']);
    const due = (await run(DUE, [tenant, kept])).map((row) => text(row['id']));
    const relevant =
      due.length === 0
        ? []
        : [...(await run(RELEVANT, [tenant, due])), ...(await docketRetention(run, tenant, due))];
    const needed = new Set(
      relevant.filter((row) => row['needed'] === true).map((row) => text(row['key'])),
    );
    const later = await run(EXTEND_KEYS, [
      tenant,
      relevant.map((row) => row['key']),
      relevant.map((row) => row['until']),
    ]);
    const longer = new Set(
      later.filter((row) => row['kept'] === true).map((row) => text(row['id'])),
    );
    const doomed = due.filter((id) => !needed.has(id) && !longer.has(id));
    const shredding = { extended: longer.size, needed: needed.size, held };
    if (doomed.length === 0) return { keys: [], blobs: 0, ...shredding };
    const keys = (await run(SHRED, [tenant, doomed])).map((row) => text(row['id'])).sort();
    const dockets = await docketsOfKeys(run, tenant, keys);
    const [removed] = await run(REMOVE_BLOBS, [tenant, keys]);
    const blobs = Number(removed?.['n']);
    await destroyDockets(run, tenant, dockets);
    await run(RECORD, [tenant, fact.id, keys.length, blobs]);
    const subject = { kind: 'shredding', id: fact.id, ver: 1 };
    const data = { ...fact.data, keys, count: keys.length, blobs };
    await recordFact(run, { tenant, boundary: 'access' }, subject, { ...fact, data });
    return { keys, blobs, ...shredding };
  });
  // The old rows are dead, but their bytes lie in the files until they are swept.
  if (done.keys.length > 0)
    await session.maintain({ name: '', text: 'vacuum ledger_dek, ledger_blob, docket' });
  return done;
}

function keyOf(row: Row): RetainedKey {
  return {
    id: text(row['id']),
    subject: text(row['subject']),
    month: text(row['month']),
    retainUntil: text(row['retain_until']),
    bodies: Number(row['bodies']),
    state: row['state'] === 'live' ? 'live' : 'shredded',
    isHeld: row['held'] === true,
  };
}
