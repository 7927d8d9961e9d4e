/** What the second person looks at before an approval: every filing as it was frozen, its fee, what changed, and what is odd. */
import { type Actor, allow, may, type PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  type Instant,
  instant,
  isUuid,
  type JsonValue,
  laneCode,
  misuse,
  type Profile,
} from '../../core/index.ts';
import { type EntityGates, entityGates, type Payload, railShare } from '../../entities/index.ts';
import { changedFields, type FieldChange } from '../../intake/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { BatchTotals, type LargeFee, type StateTotal } from '../rules/batch-totals.ts';
import {
  type BatchFiling,
  batchPage,
  type FormerFiling,
  formerFilings,
  type PageAfter,
} from '../store/batch-pages.ts';
import { type BatchQuestion, batchQuestions } from '../store/batch-questions.ts';
import { type ApprovalTerms, type Batch, findBatch } from '../store/batches.ts';
import { deskOf } from '../store/desks.ts';
import { termsOf } from './approvals.ts';
import { allowOnDesk } from './desk.ts';
import { openedJson } from './reviews.ts';
import { shippedLawGates } from './reviews-correction.ts';

export interface ReviewedFiling extends Omit<BatchFiling, 'sealed'> {
  readonly entityName: string;
  readonly registryNumber: string;
  readonly feeCents: number;
  readonly rail: string;
  /** The office's own clock. */
  readonly zone: string;
  readonly former: { readonly filing: string; readonly period: string } | undefined;
  /** Against the former one; undefined where there is none, or it is on another desk. */
  readonly changes: readonly FieldChange[] | undefined;
  readonly warnings: readonly string[];
}

export interface BatchReview {
  readonly batch: Batch;
  readonly terms: ApprovalTerms;
  readonly states: readonly StateTotal[];
  readonly largest: readonly LargeFee[];
  readonly questions: readonly BatchQuestion[];
  readonly filings: readonly ReviewedFiling[];
  /** What `after` takes for the next page; undefined at the end. */
  readonly next: string | undefined;
}

const PAGE_MAX = 500;

export async function reviewBatch(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly limit: number; readonly after?: string },
): Promise<BatchReview> {
  allow(actor, 'batch.review');
  const { batch: id } = input;
  const batch = await findBatch(app.session, app.tenant, id);
  await allowOnDesk(app, actor, 'batch.review', { kind: 'batch', id });
  await noteOpened(app, actor, 'batch.review', id);
  const run: Run = (statement, values) => app.session.run(statement, values);
  const totals = new BatchTotals();
  const terms = await termsOf(app, id, {
    visit: ({ id: filing, json, share }) => {
      const payload = json as Payload;
      const jurisdiction = textIn(payload, 'jurisdiction');
      totals.add({
        filing,
        jurisdiction,
        entity: textIn(payload, 'entity_name'),
        cents: share.cents,
      });
    },
  });
  return {
    batch,
    terms,
    states: totals.states(),
    largest: totals.largest(),
    questions: await batchQuestions(run, app.tenant, { batch: id, onlyOpen: false }),
    ...(await pageOf(app, actor, run, input)),
  };
}

/** A further page by itself: the totals, for which every payload is opened, were shown with the first one. */
export async function reviewPage(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly limit: number; readonly after: string },
): Promise<Pick<BatchReview, 'filings' | 'next'>> {
  allow(actor, 'batch.review');
  const { batch: id } = input;
  await findBatch(app.session, app.tenant, id);
  await allowOnDesk(app, actor, 'batch.review', { kind: 'batch', id });
  await noteOpened(app, actor, 'batch.review', id);
  const run: Run = (statement, values) => app.session.run(statement, values);
  return pageOf(app, actor, run, input);
}

async function pageOf(
  app: Installation,
  actor: PersonActor,
  run: Run,
  input: { readonly batch: BatchId; readonly limit: number; readonly after?: string },
): Promise<Pick<BatchReview, 'filings' | 'next'>> {
  const limit = Math.min(input.limit, PAGE_MAX);
  const page = await batchPage(run, app.tenant, {
    batch: input.batch,
    after: input.after === undefined ? undefined : readAfter(input.after),
    limit: limit + 1,
  });
  const shown = page.slice(0, limit);
  const filings = await new Reader(app, actor).read(run, shown);
  const last = page.length > limit ? shown.at(-1) : undefined;
  return { filings, next: last === undefined ? undefined : `${last.due}/${last.id}` };
}

/** Opens the filings of a page and the ones before them, within what this person may see. */
class Reader {
  readonly #app: Installation;
  readonly #actor: PersonActor;
  readonly #desks = new Map<string, boolean>();

  constructor(app: Installation, actor: PersonActor) {
    this.#app = app;
    this.#actor = actor;
  }

  async read(run: Run, page: readonly BatchFiling[]): Promise<readonly ReviewedFiling[]> {
    const { tenant } = this.#app;
    const profiles = await profilesByLane(this.#app);
    const former = await formerFilings(
      run,
      tenant,
      page.map(({ id }) => id),
    );
    const gates = entityGates({ law: await shippedLawGates() });
    const now = this.#app.clock.now();
    const read: ReviewedFiling[] = [];
    for (const { sealed, ...filing } of page) {
      const profile = profiles.get(laneCode(filing.lane));
      const before = former.get(filing.id);
      const zone = profile?.hours?.zone ?? 'UTC';
      const none = { entityName: '', registryNumber: '', feeCents: 0, rail: 'unstated' };
      const beside = {
        zone,
        former: before === undefined ? undefined : { filing: before.id, period: before.period },
      };
      if (sealed === undefined) {
        const warnings = ['its sealed content was destroyed at the end of its retention'];
        read.push({ ...filing, ...none, ...beside, changes: undefined, warnings });
        continue;
      }
      const payload = openedJson(this.#app, sealed);
      const { cents, rail } = railShare(profile, payload);
      read.push({
        ...filing,
        ...beside,
        entityName: textIn(payload, 'entity_name'),
        registryNumber: textIn(payload, 'registry_number'),
        feeCents: cents,
        rail,
        changes: before === undefined ? undefined : await this.#changesSince(before, payload),
        warnings: warningsOf({ filing, payload, profile, gates, now, rail }),
      });
    }
    return read;
  }

  async #changesSince(
    former: FormerFiling,
    payload: Payload,
  ): Promise<readonly FieldChange[] | undefined> {
    if (!(await this.#maySee(former.batch))) return undefined;
    const changes = changedFields(openedJson(this.#app, former.sealed), payload);
    return changes.filter(({ field }) => !EVERY_YEAR.includes(field));
  }

  async #maySee(batch: BatchId): Promise<boolean> {
    const known = this.#desks.get(batch);
    if (known !== undefined) return known;
    const desk = await deskOf(this.#app.session, this.#app.tenant, { kind: 'batch', id: batch });
    const { allowed } = may(this.#actor, 'batch.review', { what: batch, desk });
    this.#desks.set(batch, allowed);
    return allowed;
  }
}

/** What is another one each year by its nature. */
const EVERY_YEAR: readonly string[] = ['period', 'fields.tax_year', 'fields.state_record_due'];

function warningsOf(about: {
  readonly filing: Omit<BatchFiling, 'sealed'>;
  readonly payload: Payload;
  readonly profile: Profile | undefined;
  readonly gates: EntityGates;
  readonly now: Instant;
  readonly rail: string;
}): readonly string[] {
  const { filing, payload, profile, gates, now, rail } = about;
  const warnings: string[] = [];
  const isOpen = filing.status === 'pending' || filing.status === 'submitted';
  if (isOpen && filing.due <= now) warnings.push('past due');
  else if (isOpen && filing.lastSafe <= now) warnings.push('its last safe time has passed');
  if (rail === 'unpayable') warnings.push('no payment method of the portal takes this fee');
  if (profile === undefined) return [...warnings, 'its lane has no profile'];
  const { notBefore, due } = filing;
  const { notices, refusals } = gates.run({ payload, notBefore, due, cutoff: due }, profile);
  // Two filings of one entity are no duplicates only because a page shows both.
  const said = [...refusals, ...notices].filter(({ code }) => code !== 'DUPLICATE_WINDOW');
  return [...warnings, ...said.map(({ code, why }) => `${code}: ${why}`)];
}

function textIn(payload: Readonly<Record<string, JsonValue>>, name: string): string {
  const value = payload[name];
  return typeof value === 'string' ? value : '';
}

function readAfter(text: string): PageAfter {
  const [due = '', id = ''] = text.split('/');
  if (!/^-?\d{1,15}$/.test(due) || !isUuid(id)) {
    throw misuse(`--after: expected what the page before showed, found "${text}"`);
  }
  return { due: instant(Number(due)), id };
}
