/**
 * What the dates of a docket are computed from: a further version is accepted or declined, a reading is disputed. One person
 * proposes, another approves by the hash; meanwhile the earliest of the dates counts.
 */
import { type Actor, allow } from '../../access/index.ts';
import { parseDay, parsePeriod } from '../../calendar/index.ts';
import {
  docketId,
  type DocketId,
  type JsonValue,
  misuse,
  type ProposalTerms,
  ruledOut,
  termText,
} from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChangeIn,
  refuseChange,
} from '../../people/index.ts';
import { type DocketDates, datesOf, datesOfOne } from '../rules/docket/dates.ts';
import { basisOf, withBasis } from '../rules/docket/dating.ts';
import type { DateBasis } from '../rules/docket/docket.ts';
import type { DocketEvent } from '../rules/docket/docket.ts';
import { sayDates } from '../rules/docket/second.ts';
import { maySee } from '../rules/access/visible.ts';
import { blindTo } from '../routing/blind.ts';
import { requireDated } from '../routing/docket-acts.ts';
import { stored } from '../routing/facts.ts';
import { redate } from '../routing/redate.ts';
import { findDocket } from '../store/dockets.ts';
import { versionsOf } from '../store/datings.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { databaseNow } from '../store/steps.ts';
import { actorOf, routingDeps } from './deps.ts';
import { viewerFor } from './sight.ts';

export type DatingChange =
  | { readonly act: 'accept' | 'decline'; readonly version: number }
  | {
      readonly act: 'dispute';
      readonly period?: string;
      readonly trigger?: string;
      readonly rule?: string;
      /** The date that the source states is wrong, and is left out. */
      readonly withoutStated?: true;
      /** SHA-256 of the document that shows it. */
      readonly proofSha256?: string;
    };

interface ProposedDating {
  readonly docket: DocketId;
  readonly sha256: string;
  /** As they would be, and as they count until somebody decides. */
  readonly proposed: { readonly due?: string; readonly final?: string };
  readonly meanwhile: { readonly due?: string; readonly final?: string };
}

export async function proposeDating(
  app: Installation,
  actor: Actor,
  id: string,
  change: DatingChange,
  reason: string,
): Promise<ProposedDating> {
  allow(actor, 'docket.propose');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, actor);
  const row = await requireDated(deps, viewer, docketId(id));
  if (row.closed !== undefined) {
    throw ruledOut(`Docket "${id}" is closed, and its dates stay as they are`);
  }
  const terms = await termsOf(app, row, change, viewer);
  const made = await app.session.transaction(async (run) => {
    const proposal = { kind: 'docket', subject: row.id, terms, reason } as const;
    const done = await proposeChangeIn(run, app, actor, proposal);
    const why = `a person proposes to ${change.act}`;
    await redate(run, deps, { docket: row.id, why, actor: actorOf(actor) });
    return done;
  });
  await sequenceAll(app);
  const now = await databaseNow(app.session);
  const after = await findDocket(app.session, app.tenant, row.id);
  const counted = after === undefined ? row.docket : after.docket;
  const { also: _also, ...alone } = counted;
  const event = eventIn(terms);
  const proposed = event === undefined ? alone : withBasis(alone, event);
  return {
    docket: row.id,
    ...made,
    proposed: sayDates(datesOfOne(proposed, deps.law(), now)),
    meanwhile: sayDates((await datesNow(app, row.id)) ?? datesOfOne(row.docket, deps.law(), now)),
  };
}

/** As `termsOf` wrote it. */
function eventIn(terms: ProposalTerms): DateBasis | undefined {
  const event: unknown = terms['event'];
  return event as DateBasis | undefined;
}

async function datesNow(app: Installation, id: DocketId): Promise<DocketDates | undefined> {
  const row = await findDocket(app.session, app.tenant, id);
  if (row === undefined) return undefined;
  return datesOf(row.docket, routingDeps(app).law(), await databaseNow(app.session));
}

async function termsOf(
  app: Installation,
  row: StoredDocket,
  change: DatingChange,
  viewer: Parameters<typeof maySee>[1],
): Promise<ProposalTerms> {
  if (change.act === 'dispute') {
    const event = disputed(row, change);
    const { proofSha256 } = change;
    return {
      act: 'dispute',
      event,
      ...(proofSha256 === undefined ? {} : { proof_sha256: proofSha256 }),
    };
  }
  const { act, version: n } = change;
  const version = (await versionsOf(app.session, app.tenant, row.id)).find((one) => one.n === n);
  // A version may name another client or bear another label: whose it is decides who may speak of it.
  if (version === undefined || !maySee(version.read, viewer)) {
    throw ruledOut(`Docket "${row.id}" has no version ${n}; docket show lists them`);
  }
  if (version.state !== 'open') {
    throw ruledOut(`Version ${n} of docket "${row.id}" was already ${version.state}`);
  }
  const { event } = version.read;
  if (act === 'decline') return { act, version: n };
  if (event === undefined) throw ruledOut(`Version ${n} of docket "${row.id}" could not be read`);
  return { act, version: n, event: stored(basisOf(event)) };
}

function disputed(
  row: StoredDocket,
  change: DatingChange & { readonly act: 'dispute' },
): JsonValue {
  const { event } = row.docket;
  if (event === undefined) {
    throw ruledOut(`Docket "${row.id}" could not be read; ask its sender for a record that can`);
  }
  const { period, trigger, rule, withoutStated, proofSha256 } = change;
  const isEmpty = [period, trigger, rule, withoutStated].every((one) => one === undefined);
  if (isEmpty) {
    throw misuse('Expected at least one of --period, --trigger, --rule and --without-stated');
  }
  if (withoutStated === true && proofSha256 === undefined) {
    throw misuse('--without-stated needs --proof, the document that shows the right date');
  }
  if (period !== undefined && parsePeriod(period) === undefined) {
    throw misuse(`--period: expected a period such as P3M, found "${period}"`);
  }
  if (trigger !== undefined && parseDay(trigger) === undefined) {
    throw misuse(`--trigger: expected a day such as 2027-01-29, found "${trigger}"`);
  }
  const basis: DocketEvent = {
    ...event,
    ...(period === undefined ? {} : { period }),
    ...(trigger === undefined ? {} : { eventDate: trigger }),
    ...(rule === undefined ? {} : { rule }),
    ...(withoutStated === true ? { stated: { due: undefined, final: undefined } } : {}),
  };
  return stored(basisOf(basis));
}

export interface DatingProposal extends ChangeView {
  readonly act: string;
  readonly version: number | undefined;
  readonly proofSha256: string | undefined;
  readonly now: { readonly due?: string; readonly final?: string };
  readonly proposed: { readonly due?: string; readonly final?: string };
}

/** Only of dockets whose dates this person may see. */
export async function datingProposals(
  app: Installation,
  actor: Actor,
  id?: string,
): Promise<readonly DatingProposal[]> {
  allow(actor, 'docket.proposals');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, actor);
  const now = await databaseNow(app.session);
  const shown: DatingProposal[] = [];
  for (const change of await openChanges(app, 'docket')) {
    if (id !== undefined && change.subject !== id) continue;
    const row = await findDocket(app.session, app.tenant, docketId(change.subject));
    if (row === undefined || !(await isDatedFor(deps, viewer, row))) continue;
    const event = eventIn(change.terms);
    const version = change.terms['version'];
    const then = event === undefined ? row.docket : withBasis(row.docket, event);
    shown.push({
      ...change,
      act: termText(change.terms, 'act'),
      version: typeof version === 'number' ? version : undefined,
      proofSha256: termText(change.terms, 'proof_sha256') || undefined,
      now: sayDates(datesOfOne(row.docket, deps.law(), now)),
      proposed: sayDates(datesOfOne(then, deps.law(), now)),
    });
  }
  return shown;
}

async function isDatedFor(
  deps: ReturnType<typeof routingDeps>,
  viewer: Parameters<typeof maySee>[1],
  row: StoredDocket,
): Promise<boolean> {
  return maySee(row.docket, viewer) && !(await blindTo(deps, viewer, [row])).has(row.id);
}

export async function approveDating(
  app: Installation,
  actor: Actor,
  id: string,
  expectHash: string,
): Promise<{ readonly docket: DocketId; readonly due?: string; readonly final?: string }> {
  allow(actor, 'docket.approve');
  const deps = routingDeps(app);
  const row = await requireDated(deps, await viewerFor(app, actor), docketId(id));
  await approveChange(app, actor, {
    kind: 'docket',
    subject: row.id,
    expectHash,
    make: (run) =>
      redate(run, deps, { docket: row.id, why: 'two people agreed', actor: actorOf(actor) }),
  });
  const dates = await datesNow(app, row.id);
  return { docket: row.id, ...(dates === undefined ? {} : sayDates(dates)) };
}

/** By a second person, or taken back by who proposed it. The dates are as before. */
export async function refuseDating(
  app: Installation,
  actor: Actor,
  id: string,
  reason: string,
): Promise<{ readonly docket: DocketId }> {
  allow(actor, 'docket.refuse');
  const deps = routingDeps(app);
  const row = await requireDated(deps, await viewerFor(app, actor), docketId(id));
  await refuseChange(app, actor, {
    kind: 'docket',
    subject: row.id,
    reason,
    undo: (run) =>
      redate(run, deps, { docket: row.id, why: 'a proposal ended', actor: actorOf(actor) }),
  });
  return { docket: row.id };
}
