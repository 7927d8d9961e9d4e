/** Looking at the register. What is sealed is opened only for a person. */
import { type Actor, allow } from '../../access/index.ts';
import { entityId, notFound, overLimit } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { Run } from '../../postgres/index.ts';
import {
  countEntities as countStored,
  type EntityFiling,
  type EntityFilter,
  filingsFor,
  findEntities,
  listEntities,
  type StoredEntity,
} from '../store/entities.ts';
import { obligationsOf, type StoredObligation } from '../store/obligations.ts';
import { openRecord } from './sealed-record.ts';

export interface EntityView extends Omit<StoredEntity, 'sealed'> {
  /** Present only where a person asked for it and it still opens. */
  readonly sealed?: EntityRecord['sealed'];
}

const PAGE_ROWS = 500;
/** A search by name opens every entity; this many are looked at, and a narrower question is asked for beyond. */
const SEARCHED_MAX = 200_000;

/** How many the filter finds in all; names are sealed, and are not searched for this. */
export async function countEntities(
  app: Installation,
  actor: Actor,
  filter: Omit<EntityFilter, 'limit'>,
): Promise<number> {
  allow(actor, 'entity.list');
  return countStored(plainRun(app), app.tenant, filter);
}

/** `open`: with names, and `q` searches in them too. */
export async function viewEntities(
  app: Installation,
  actor: Actor,
  filter: EntityFilter,
  open: boolean,
): Promise<readonly EntityView[]> {
  allow(actor, open ? 'entity.open' : 'entity.list');
  const run = plainRun(app);
  if (!open)
    return (await listEntities(run, app.tenant, filter)).map((one) => viewOf(one, undefined));
  await noteOpened(app, actor, 'entity.open', 'list');
  const { q, ...rest } = filter;
  const found: EntityView[] = [];
  let { after } = filter;
  for (let searched = 0; searched < SEARCHED_MAX; searched += PAGE_ROWS) {
    const page = await listEntities(run, app.tenant, {
      ...rest,
      limit: PAGE_ROWS,
      ...(after === undefined ? {} : { after }),
    });
    for (const one of page) {
      const view = viewOf(one, openRecord(app.vault, one));
      if (isFound(view, q)) found.push(view);
      if (found.length >= filter.limit) return found;
    }
    if (page.length < PAGE_ROWS) return found;
    after = page.at(-1)?.id;
  }
  throw overLimit(
    `A search by name covers at most ${SEARCHED_MAX} entities; narrow it with --jurisdiction or --kind`,
  );
}

function isFound(view: EntityView, q: string | undefined): boolean {
  if (q === undefined) return true;
  const places = [view.id, view.registryNumber, view.sealed?.entity_name ?? ''];
  return places.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

export interface EntityDetail {
  readonly entity: EntityView;
  readonly obligations: readonly StoredObligation[];
  readonly filings: readonly EntityFiling[];
}

/** By its id, or by the number in a registry as `US-DE:1234567`. */
export async function viewEntity(
  app: Installation,
  actor: Actor,
  name: string,
  open: boolean,
): Promise<EntityDetail> {
  allow(actor, open ? 'entity.open' : 'entity.show');
  const run = plainRun(app);
  const [jurisdiction = '', ...rest] = name.split(':');
  const wanted = [{ id: entityId(name), jurisdiction, registryNumber: rest.join(':') }];
  const found = await findEntities(run, app.tenant, wanted);
  const stored = found.find((one) => one.id === name) ?? found[0];
  if (stored === undefined) throw notFound(`No entity has the id ${name}; see entity list`);
  const obligations = await obligationsOf(run, app.tenant, [stored.id]);
  const filings = await filingsFor(
    run,
    app.tenant,
    obligations.map((one) => one.id),
    PAGE_ROWS,
  );
  if (open) await noteOpened(app, actor, 'entity.open', stored.id);
  const opened = open ? openRecord(app.vault, stored) : undefined;
  return { entity: viewOf(stored, opened), obligations, filings };
}

function viewOf(stored: StoredEntity, opened: EntityRecord | undefined): EntityView {
  const { sealed: _sealed, ...plain } = stored;
  return opened === undefined ? plain : { ...plain, sealed: opened.sealed };
}

function plainRun(app: Installation): Run {
  return (statement, values) => app.session.run(statement, values);
}
