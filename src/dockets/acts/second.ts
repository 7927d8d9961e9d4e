/**
 * The blind second docketing. Whoever gives it has not been shown the first date, by no list and no letter; equal dates are
 * verified by two, others are blocked until a third person decides, and the earlier one counts meanwhile.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  checkReason,
  checkSecondPerson,
  docketId,
  type DocketId,
  invariant,
  type JsonValue,
  ruledOut,
} from '../../core/index.ts';
import { type Installation, partiesOf, raiseAlertRow, sequenceAll } from '../../ledger/index.ts';
import { maySee, unknownDocket, type Viewer } from '../rules/access/visible.ts';
import { datesOfOne } from '../rules/docket/dates.ts';
import { basisOf, datingHash, withBasis } from '../rules/docket/dating.ts';
import type { DocketEvent } from '../rules/docket/docket.ts';
import { readDocketRow } from '../rules/docket/read-row.ts';
import {
  sayDates,
  type SecondStanding,
  standingOfSecond,
  wasSentTo,
} from '../rules/docket/second.ts';
import { blindTo } from '../routing/blind.ts';
import { requireDated } from '../routing/docket-acts.ts';
import { factOf, stored } from '../routing/facts.ts';
import { redate } from '../routing/redate.ts';
import { addReveal, addSecond, decideSecondRow, secondOf } from '../store/datings.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { findDocket, recordDocketFact } from '../store/dockets.ts';
import { lockDockets } from '../store/steps.ts';
import { actorOf, routingDeps } from './deps.ts';
import { viewerFor } from './sight.ts';

/** As a row of a file has them; what the source says, and nothing of what is known here. */
interface SecondReading {
  readonly eventCode: string;
  readonly eventDate: string;
  readonly filingDate?: string;
  readonly period?: string;
  readonly rule?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly dueDate?: string;
  readonly finalDate?: string;
}

export interface SecondAnswer {
  readonly docket: DocketId;
  readonly standing: SecondStanding['kind'];
  readonly first: { readonly due?: string; readonly final?: string };
  readonly second: { readonly due?: string; readonly final?: string };
}

export async function giveSecond(
  app: Installation,
  actor: Actor,
  id: string,
  reading: SecondReading,
): Promise<SecondAnswer> {
  allow(actor, 'docket.second');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, actor);
  const docket = docketId(id);
  await requireBlind(app, viewer, docket);
  const answer = await app.session.transaction(async (run) => {
    const { dockets, now } = await lockDockets(run, app.tenant, [docket]);
    const [row] = dockets;
    if (row === undefined) throw unknownDocket(docket);
    const read = readingOf(row, reading);
    const basis = basisOf(read);
    const event = stored(basis);
    // The database refuses whoever docketed it first, was sent it, or has looked.
    await addSecond(run, app.tenant, { docket, by: actor.id, event });
    const law = deps.law();
    const first = datesOfOne(row.docket, law, now);
    const second = datesOfOne(withBasis(row.docket, basis), law, now);
    const { kind } = standingOfSecond(row.docket, { event: basis }, law, now);
    const fact = factOf(app.ids, 'docket.seconded', actorOf(actor), {
      event_sha256: datingHash(event),
      ...sayDates(second),
      equal: kind === 'verified',
    });
    await recordDocketFact(run, app.tenant, docket, fact);
    await redate(run, deps, { docket, why: 'second docketing', actor: actorOf(actor) });
    if (kind === 'blocked') await tellOfDifference(run, app, docket);
    return { docket, standing: kind, first: sayDates(first), second: sayDates(second) };
  });
  await sequenceAll(app);
  return answer;
}

async function tellOfDifference(
  run: Installation['session']['run'],
  { tenant, ids }: Installation,
  docket: DocketId,
): Promise<void> {
  await raiseAlertRow(run, tenant, {
    id: ids.next(),
    kind: 'docket_dates_differ',
    subject: docket,
    docket,
    severity: 'critical',
    recipient: undefined,
    text: `Docket ${docket}. Two people docketed this event and their dates differ. The earlier date counts until a third person decides: compare both with docket show, then use docket decide.`,
    dedup: `docket_dates_differ/${docket}`.slice(0, 200),
  });
}

/** Why one may not give it is said before anything is shown; the guards of the table hold to the same. */
async function requireBlind(app: Installation, viewer: Viewer, id: DocketId): Promise<void> {
  const deps = routingDeps(app);
  const row = await findDocket(app.session, app.tenant, id);
  if (row === undefined || !maySee(row.docket, viewer)) throw unknownDocket(id);
  if (row.closed !== undefined) throw ruledOut(`Docket "${id}" is closed`);
  if ((await secondOf(app.session, app.tenant, id)) !== undefined) {
    throw ruledOut(`Docket "${id}" has its second docketing; docket show has both`);
  }
  if ((await blindTo(deps, viewer, [row])).has(id)) return;
  const why = wasSentTo(row.state, viewer)
    ? 'it was handed off to you, with its date'
    : 'you imported it, or you could see its first date';
  throw ruledOut(
    `You cannot give the second docketing of "${id}": ${why}. Ask a docketer who has not seen the date, of another party than the person who imported it`,
  );
}

/** Read like any record, so that a wrong day is refused in the same words. */
function readingOf(row: StoredDocket, reading: SecondReading): DocketEvent {
  const { event } = row.read;
  if (event === undefined) throw ruledOut(`Docket "${row.id}" could not be read as an event`);
  const { eventCode, eventDate, filingDate, period, rule, inputs, dueDate, finalDate } = reading;
  const inputFields = Object.entries(inputs ?? {}).map(([name, value]) => [
    `inputs.${name}`,
    value,
  ]);
  const record: Record<string, JsonValue | undefined> = {
    application_number: event.applicationNumber,
    // The case's own day of filing is no reading of this event; who reads another one states it.
    filing_date: filingDate ?? sayFilingDate(event),
    event_code: eventCode,
    event_date: eventDate,
    office: event.office,
    filing_country: event.filingCountry,
    period,
    rule,
    due_date: dueDate,
    final_date: finalDate,
    ...Object.fromEntries(inputFields),
  };
  const given = Object.entries(record).filter(([, value]) => value !== undefined);
  // The undefined ones are gone.
  const answer = readDocketRow(Object.fromEntries(given) as Record<string, JsonValue>);
  if (answer.kind === 'event') return answer.event;
  const faults = answer.errors.map(({ where, why }) => `${where}: ${why}`).join('; ');
  throw ruledOut(`The second docketing could not be read: ${faults}`);
}

function sayFilingDate({ filingDate }: DocketEvent): string {
  return new Date(filingDate * 86_400_000).toISOString().slice(0, 10);
}

/** The one of two docketings that holds, in the word of a third person. */
export async function decideSecond(
  app: Installation,
  actor: Actor,
  id: string,
  decision: { readonly for: 'first' | 'second'; readonly reason: string },
): Promise<SecondAnswer> {
  allow(actor, 'docket.decide');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, actor);
  const docket = docketId(id);
  await requireDated(deps, viewer, docket);
  const reason = checkReason('--reason', decision.reason);
  const answer = await app.session.transaction(async (run) => {
    const { dockets, now } = await lockDockets(run, app.tenant, [docket]);
    const [row] = dockets;
    const second = await secondOf({ run }, app.tenant, docket);
    if (row === undefined || second === undefined) {
      throw ruledOut(`Docket "${id}" has no second docketing to decide about`);
    }
    const law = deps.law();
    const { kind } = standingOfSecond(row.docket, second, law, now);
    if (kind !== 'blocked') {
      throw ruledOut(`The two docketings of "${id}" do not differ, or were decided already`);
    }
    const first = [second.by, ...(row.receivedBy === undefined ? [] : [row.receivedBy])];
    const parties = await partiesOf(run, app.tenant, [actor.id, ...first]);
    checkSecondPerson(`Docket ${id}`, actor.id, first, parties);
    const fact = factOf(app.ids, 'docket.second_decided', actorOf(actor), {
      for: decision.for,
      reason,
    });
    await decideSecondRow(run, app.tenant, docket, { ...decision, reason, by: actor.id });
    await recordDocketFact(run, app.tenant, docket, fact);
    await redate(run, deps, { docket, why: 'a third person decided', actor: actorOf(actor) });
    const says = [row.docket, withBasis(row.docket, second.event)].map((one) =>
      sayDates(datesOfOne(one, law, now)),
    );
    const [was, is] = says;
    invariant(was !== undefined && is !== undefined, 'Expected two readings.');
    return { docket, standing: 'decided' as const, first: was, second: is };
  });
  await sequenceAll(app);
  return answer;
}

/** To see the date is a right of whoever may see the docket; but then another must give the second docketing. */
export async function revealDate(
  app: Installation,
  actor: Actor,
  id: string,
  given: string,
): Promise<{ readonly docket: DocketId; readonly isFirst: boolean }> {
  allow(actor, 'docket.reveal');
  const viewer = await viewerFor(app, actor);
  const docket = docketId(id);
  const reason = checkReason('--reason', given);
  const row = await findDocket(app.session, app.tenant, docket);
  if (row === undefined || !maySee(row.docket, viewer)) throw unknownDocket(docket);
  const isFirst = await app.session.transaction(async (run) => {
    await lockDockets(run, app.tenant, [docket]);
    const person = actor.id;
    if (!(await addReveal(run, app.tenant, { docket, person, reason }))) return false;
    const fact = factOf(app.ids, 'docket.revealed', actorOf(actor), { reason });
    await recordDocketFact(run, app.tenant, docket, fact);
    return true;
  });
  await sequenceAll(app);
  return { docket, isFirst };
}
