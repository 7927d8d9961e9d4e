/** `audit log`: the ledger as a history that a person reads. */
import { type Actor, allow } from '../../access/index.ts';
import {
  docketId,
  type DocketId,
  type Instant,
  type JsonValue,
  type LedgerBoundary,
} from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  entriesBetween,
  entriesOfFiling,
  type FiledEntry,
  leafHash,
  type LedgerEntry,
  logOrigin,
  parseEntry,
  sequenceAll,
} from '../../ledger/index.ts';
import { findAlerts, listPeople } from '../../people/index.ts';
import { findFiling } from '../../filings/index.ts';
import { docketSight, recoveryFacts } from '../../dockets/index.ts';

export interface HistoryLine {
  readonly seq: number;
  /** When it happened. */
  readonly at: string;
  readonly type: string;
  readonly subject: string;
  /** A person by name; a service or the system by its id. */
  readonly by: string;
  readonly facts: Readonly<Record<string, JsonValue>>;
  readonly hasBody: boolean;
  /** Its leaf in the tree, by which it is proven without being read. */
  readonly leaf: string;
}

/** Stands for everything that an entry says about a docket which its reader may not see. */
const WITHHELD = 'withheld';

interface LedgerHistory {
  readonly log: string;
  readonly lines: readonly HistoryLine[];
  /** There are more than the limit. */
  readonly isCut: boolean;
}

/** An entry about a docket that `reader` may not see keeps its place, its time and its leaf, and says nothing else. */
export async function ledgerHistory(
  app: Filewright,
  reader: Actor,
  what:
    | { readonly filing: string }
    | { readonly boundary: LedgerBoundary; readonly from: Instant; readonly to: Instant },
  limit: number,
): Promise<LedgerHistory> {
  allow(reader, 'audit.log');
  await sequenceAll(app);
  const names = new Map<string, string>(
    (await listPeople(app.session, app.tenant)).map(({ id, name }) => [id, name]),
  );
  const boundary = 'filing' in what ? 'filing' : what.boundary;
  const entries: AsyncIterable<FiledEntry> =
    'filing' in what
      ? entriesOfFiling(
          app.session,
          app.tenant,
          (await findFiling(app.session, app.tenant, what.filing)).id,
        )
      : entriesBetween(app.session, { tenant: app.tenant, boundary }, what);
  const sight = docketSight(app, reader);
  const lines: HistoryLine[] = [];
  let isCut = false;
  for await (const { bytes } of entries) {
    isCut = lines.length >= limit;
    if (isCut) break;
    const leaf = Buffer.from(leafHash(bytes)).toString('hex');
    const entry = parseEntry(bytes);
    const line = lineOf(entry, names, leaf);
    const docket = await docketOfEntry(app, entry);
    const isHidden = docket !== undefined && !(await sight.mayKnowDates(docket));
    lines.push(isHidden ? withheld(line) : line);
  }
  return { log: logOrigin(app.instance, app.tenant, boundary), lines, isCut };
}

/** The docket that an entry is about: its own, the one that was opened, or that of the alert which somebody acknowledged. */
async function docketOfEntry(
  app: Filewright,
  { type, subj, data }: LedgerEntry,
): Promise<DocketId | undefined> {
  if (subj.kind === 'docket') return docketId(subj.id);
  const { act, subject } = data;
  const [what, ...about] = subj.id.split('/');
  if (subj.kind === 'change' && what === 'docket') return docketId(about.join('/'));
  if (type === 'access.opened' && act === 'docket.show' && typeof subject === 'string') {
    return docketId(subject);
  }
  if (subj.kind !== 'alert') return undefined;
  return (await findAlerts(app.session, app.tenant, [subj.id]))[0]?.docket;
}

function withheld({ seq, at, leaf }: HistoryLine): HistoryLine {
  const nothing = { type: WITHHELD, subject: WITHHELD, by: WITHHELD, facts: {}, hasBody: false };
  return { seq, at, leaf, ...nothing };
}

function lineOf(entry: LedgerEntry, names: ReadonlyMap<string, string>, leaf: string): HistoryLine {
  const { seq, at, type, subj, actor, data, body } = entry;
  return {
    seq,
    at,
    type,
    subject: `${subj.kind} ${subj.id}`,
    by: names.get(actor.id) ?? actor.id,
    // What a recovery counted over all dockets, or read in one of them, is for nobody in particular.
    facts: subj.kind === 'recovery' ? recoveryFacts(data) : data,
    hasBody: body !== null,
    leaf,
  };
}
