/** `audit log`: the ledger as a history that a person reads. */
import { type Instant, type JsonValue } from '../core/index.ts';
import type { Filewright } from '../app.ts';
import { type LedgerBoundary, type LedgerEntry, logOrigin, parseEntry } from '../ledger/index.ts';
import {
  entriesBetween,
  entriesOfFiling,
  type FiledEntry,
  findFiling,
  listPeople,
} from '../store/index.ts';
import { sequenceAll } from './batches.ts';

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
}

export interface LedgerHistory {
  readonly log: string;
  readonly lines: readonly HistoryLine[];
  /** There are more than the limit. */
  readonly isCut: boolean;
}

export async function ledgerHistory(
  app: Filewright,
  what:
    | { readonly filing: string }
    | { readonly boundary: LedgerBoundary; readonly from: Instant; readonly to: Instant },
  limit: number,
): Promise<LedgerHistory> {
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
  const lines: HistoryLine[] = [];
  let isCut = false;
  for await (const { bytes } of entries) {
    isCut = lines.length >= limit;
    if (isCut) break;
    lines.push(lineOf(parseEntry(bytes), names));
  }
  return { log: logOrigin(app.instance, app.tenant, boundary), lines, isCut };
}

function lineOf(entry: LedgerEntry, names: ReadonlyMap<string, string>): HistoryLine {
  const { seq, at, type, subj, actor, data, body } = entry;
  return {
    seq,
    at,
    type,
    subject: `${subj.kind} ${subj.id}`,
    by: names.get(actor.id) ?? actor.id,
    facts: data,
    hasBody: body !== null,
  };
}
