/** Routing matrices and people files as documents, and which pair of them holds. */
import { type Instant, type LedgerFact, notFound } from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { type Row, type Session, sql, text, when } from '../../postgres/index.ts';
import type { Run } from './docket-rows.ts';

interface RoutingDocument {
  readonly kind: 'matrix' | 'people';
  /** SHA-256 of its canonical JSON. */
  readonly version: string;
  readonly title: string;
  readonly body: string;
}

export interface StoredSetup {
  readonly n: number;
  readonly matrix: string;
  readonly people: string;
  readonly activatedBy: string;
  readonly activatedAt: Instant;
}

const KEEP = sql('routing-document-keep')`
insert into routing_document (tenant, kind, version, title, body, stored_by) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`;

export async function keepRoutingDocument(
  run: Run,
  tenant: string,
  document: RoutingDocument,
  by: string,
): Promise<void> {
  const { kind, version, title, body } = document;
  await run(KEEP, [tenant, kind, version, title, body, by]);
}

const IN_USE = sql('routing-in-use')`
select exists (select 1 from routing_setup where tenant = $1) or exists (select 1 from docket where tenant = $1) as used`;

/** Whether anything of this tenant may ever have to be hidden. */
export async function hasDockets(session: Pick<Session, 'run'>, tenant: string): Promise<boolean> {
  const [row] = await session.run(IN_USE, [tenant]);
  return row?.['used'] === true;
}

const FIND = sql('routing-document-find')`
select kind, version, title, body from routing_document where tenant = $1 and kind = $2 and version = $3`;

export async function findRoutingDocument(
  session: Pick<Session, 'run'>,
  tenant: string,
  kind: RoutingDocument['kind'],
  version: string,
): Promise<RoutingDocument> {
  const [row] = await session.run(FIND, [tenant, kind, version]);
  if (row === undefined) throw notFound(`No ${kind} document of version "${version}"`);
  return { kind, version, title: text(row['title']), body: text(row['body']) };
}

const ACTIVE = sql('routing-setup-active')`
select n, matrix, people, activated_by, activated_at from routing_setup where tenant = $1 order by n desc limit 1`;

export async function activeSetup(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<StoredSetup | undefined> {
  const [row] = await session.run(ACTIVE, [tenant]);
  return row === undefined ? undefined : setupOf(row);
}

const HISTORY = sql('routing-setup-history')`
select n, matrix, people, activated_by, activated_at from routing_setup where tenant = $1 order by n desc limit $2`;

export async function setupHistory(
  session: Pick<Session, 'run'>,
  tenant: string,
  limit = 100,
): Promise<StoredSetup[]> {
  return (await session.run(HISTORY, [tenant, limit])).map(setupOf);
}

const LOCK = sql('routing-setup-lock')`
select lock_name($1, 'routing')`;

const ACTIVATE = sql('routing-setup-activate')`
insert into routing_setup (tenant, n, matrix, people, activated_by)
  select $1, coalesce(max(n), 0) + 1, $2, $3, $4 from routing_setup where tenant = $1
  returning n, matrix, people, activated_by, activated_at`;

export interface SetupPair {
  readonly matrix: string;
  readonly people: string;
  readonly by: string;
  /** The number of the setup from which it was made, zero where there was none; left out, it holds whatever was before. */
  readonly basedOn?: number;
}

/**
 * The pair that holds from now on. The one that holds already is not activated again. Undefined when another one holds
 * meanwhile than the pair is based on: what that one says would be undone.
 */
export async function activateSetup(
  run: Run,
  tenant: string,
  pair: SetupPair,
  fact: LedgerFact,
): Promise<{ readonly setup: StoredSetup; readonly isNew: boolean } | undefined> {
  await run(LOCK, [tenant]);
  const current = await activeSetup({ run }, tenant);
  if (pair.basedOn !== undefined && pair.basedOn !== (current?.n ?? 0)) return undefined;
  if (current?.matrix === pair.matrix && current.people === pair.people) {
    return { setup: current, isNew: false };
  }
  const [row] = await run(ACTIVATE, [tenant, pair.matrix, pair.people, pair.by]);
  if (row === undefined) throw new Error('a routing setup was not activated');
  const setup = setupOf(row);
  const subject = { kind: 'routing', id: 'setup', ver: setup.n };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
  return { setup, isNew: true };
}

function setupOf(row: Row): StoredSetup {
  return {
    n: Number(row['n']),
    matrix: text(row['matrix']),
    people: text(row['people']),
    activatedBy: text(row['activated_by']),
    activatedAt: when(row['activated_at']),
  };
}
