/** Docket events in, from files and brokers: sealed, stored once for each event, and due to be routed at once. */
import type { BrokerMessage, MessageSink } from '../brokers/message.ts';
import {
  type FactDataOf,
  type FactType,
  FilewrightError,
  type JsonValue,
  type LedgerFact,
  parseStrictJson,
  sha256Of,
  toRfc3339,
  type WrappedKey,
} from '../../core/index.ts';
import { type Docket, docketOf, driftDocket, NO_GLIMPSE } from '../rules/docket/docket.ts';
import { datesOf } from '../rules/docket/dates.ts';
import type { DocketMapping } from '../rules/docket/mapping-file.ts';
import { type DocketReading, readDocketRow } from '../rules/docket/read-row.ts';
import { type DocumentReading, readDocketDocument } from '../rules/docket/map-document.ts';
import { eventRow } from '../rules/docket/event-row.ts';
import { meaningOf } from '../rules/docket/meaning.ts';
import { readHash } from '../rules/docket/read-hash.ts';
import { keptUnder } from '../rules/docket/kept-under.ts';
import { activationOf } from '../rules/routing/activation.ts';
import { knownOf } from '../rules/routing/descend.ts';
import { startRouting } from '../rules/routing/state.ts';
import { triggersOf } from '../rules/routing/triggers.ts';
import { admitDockets, isMessageKnown, noteMessage, recordDocketFact } from '../store/dockets.ts';
import { addVersion, nextVersion, versionsOf } from '../store/datings.ts';
import { databaseNow, lockDockets } from '../store/steps.ts';
import { dataKeys, raiseAlertRow } from '../../ledger/index.ts';
import type { DocketAdmission, NewDocket } from '../store/docket-rows.ts';
import type { Session } from '../../postgres/index.ts';
import { factOf, stored } from './facts.ts';
import { Group } from './group.ts';
import { redate } from './redate.ts';
import { isKnownRespelled } from './known-events.ts';
import { type Actor, ROUTER, type RoutingDeps } from './deps.ts';
import { BYTES, isSendable, requireSendable, typeOf } from './sendable.ts';
import type { IncomingDocket } from './incoming-docket.ts';

/** Admits events, each once however often it comes. In one transaction: all of them or none. */
export async function importDockets(
  deps: RoutingDeps,
  incoming: readonly IncomingDocket[],
  actor: Actor = ROUTER,
): Promise<readonly DocketAdmission[]> {
  if (incoming.length === 0) return [];
  for (const one of incoming) requireSendable(one);
  const read = incoming.map((one) => ({ ...one, docket: docketFor(deps, one) }));
  const keys = await keysFor(
    deps,
    read.map(({ docket }) => keptUnder(docket)),
  );
  return deps.session.transaction(async (run) => {
    const now = await databaseNow({ run });
    const fresh = new Map<string, NewDocket>();
    for (const one of read) {
      if (!fresh.has(one.docket.messageId)) {
        fresh.set(one.docket.messageId, newDocket(deps, { ...one, actor, keys, now }));
      }
    }
    const admitted = await admitDockets(run, deps.tenant, [...fresh.values()]);
    const byMessage = new Map([...fresh.keys()].map((id, index) => [id, admitted[index]]));
    const results: DocketAdmission[] = [];
    for (const one of read) {
      const first = fresh.get(one.docket.messageId);
      const known = byMessage.get(one.docket.messageId);
      if (first === undefined || known === undefined) throw new Error('a docket was not admitted');
      const found = admissionOf(one.docket, first, known);
      const isRepeat = found.kind === 'conflict' && (await isKnownRespelled(run, deps, one, found));
      const result = isRepeat ? ({ ...found, kind: 'unchanged' } as const) : found;
      // Said once; whatever else in this call is the same event is a repeat of it.
      if (known.kind === 'created') {
        byMessage.set(one.docket.messageId, { kind: 'unchanged', docket: known.docket });
      }
      if (found.kind === 'conflict') {
        await keepOther(run, deps, { ...one, actor, keys, result });
      }
      if (one.message !== undefined) {
        const end = { outcome: result.kind, docket: result.docket };
        await noteMessage(run, deps.tenant, one.message, end);
      }
      results.push(result);
    }
    return results;
  });
}

function admissionOf(docket: Docket, first: NewDocket, known: DocketAdmission): DocketAdmission {
  const isFirst = docket.payloadSha256 === first.payloadSha256;
  if (isFirst) return known;
  return { kind: 'conflict', docket: known.docket };
}

function docketFor(deps: RoutingDeps, { payload, reading }: IncomingDocket): Docket {
  const payloadSha256 = sha256Of(payload);
  const at = { tenant: deps.tenant, payloadSha256 };
  return reading.kind === 'event'
    ? docketOf(reading.event, { ...at, rules: deps.law().rules })
    : driftDocket(reading.glimpse, at);
}

async function keysFor(
  { session, tenant, clock, vault }: RoutingDeps,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, WrappedKey>> {
  const month = toRfc3339(clock.now()).slice(0, 7);
  return dataKeys(session, { tenant, month }, subjects, () => vault.newKey(month));
}

interface Sealing {
  readonly docket: Docket;
  readonly payload: Uint8Array;
  readonly keys: ReadonlyMap<string, WrappedKey>;
  readonly actor: Actor;
}

function sealedFact<Type extends FactType>(
  { ids, vault }: RoutingDeps,
  { docket, payload, keys, actor }: Sealing,
  type: Type,
  data: FactDataOf<Type>,
): LedgerFact & { readonly body: NonNullable<LedgerFact['body']> } {
  const fact = factOf(ids, type, actor, data);
  const key = keys.get(keptUnder(docket));
  if (key === undefined) throw new Error('there is no data key for a docket');
  return { ...fact, body: vault.seal({ key, entry: fact.id, body: payload }) };
}

function newDocket(
  deps: RoutingDeps,
  incoming: IncomingDocket & Sealing & { readonly now: Parameters<typeof startRouting>[0] },
): NewDocket {
  const { docket, reading, now } = incoming;
  const state = startRouting(now);
  const changes = reading.kind === 'drift' ? reading.changes : [];
  const [trigger] = triggersOf({ kind: 'record', source: incoming.source, changes });
  const activation =
    trigger === undefined
      ? undefined
      : activationOf(trigger, { messageId: docket.messageId, tier: 'PRIMARY' });
  return {
    id: docket.id,
    messageId: docket.messageId,
    identity: docket.messageId,
    source: incoming.source,
    contentType: incoming.contentType,
    payloadSha256: docket.payloadSha256,
    docket: stored(docket),
    state: stored(state),
    tier: 'PRIMARY',
    activation: activation === undefined ? undefined : stored(activation),
    nextAt: now,
    dueOn: knownOf(datesOf(docket, deps.law(), now)).due,
    receivedBy: incoming.actor.kind === 'user' ? incoming.actor.id : undefined,
    fact: sealedFact(deps, incoming, 'docket.received', {
      source: incoming.source,
      message: incoming.message?.message,
      payload_sha256: docket.payloadSha256,
      // The dates are computed from what was read: a row that says otherwise later shows.
      read_sha256: readHash(stored(docket)),
      reading: reading.kind,
      drift: changes.map(({ field, change }) => `${field} ${change}`),
      labels: docket.labels,
    }),
  };
}

/** Other bytes under the same event are kept as evidence, once. Where they say something else, somebody compares the two. */
async function keepOther(
  run: Session['run'],
  deps: RoutingDeps,
  conflict: IncomingDocket & Sealing & { readonly result: DocketAdmission },
): Promise<void> {
  const { docket, source, result } = conflict;
  const { tenant, ids } = deps;
  const note = { source, message: `conflict:${result.docket}`, sha256: docket.payloadSha256 };
  const end = { outcome: result.kind, docket: result.docket };
  if (!(await noteMessage(run, tenant, note, end))) return;
  const data = { source, payload_sha256: docket.payloadSha256 };
  if (result.kind !== 'conflict') {
    const repeated = sealedFact(deps, conflict, 'docket.repeated', data);
    await recordDocketFact(run, tenant, result.docket, repeated);
    return;
  }
  await lockDockets(run, tenant, [result.docket]);
  const versions = await versionsOf({ run }, tenant, result.docket);
  const said = meaningOf(docket)?.said;
  const isKnown = versions.some(
    (one) => one.payloadSha256 === docket.payloadSha256 || meaningOf(one.read)?.said === said,
  );
  if (isKnown) {
    // From another file or queue: what it says has been in question, or decided, since it came the first time.
    const repeated = sealedFact(deps, conflict, 'docket.repeated', data);
    await recordDocketFact(run, tenant, result.docket, repeated);
    return;
  }
  await keepVersion(run, deps, conflict);
  await raiseAlertRow(run, tenant, {
    id: ids.next(),
    kind: 'docket_conflict',
    subject: result.docket,
    docket: result.docket,
    severity: 'warning',
    recipient: undefined,
    text: `Docket ${result.docket} arrived again from ${source} with different content. The first version is kept and routed. The earlier date of the two counts until two people accept or refuse the new version: see docket show, then docket accept or docket decline.`,
    dedup: `docket_conflict/${result.docket}`.slice(0, 200),
  });
}

/** Its dates are in question from now on, and the row that says so is written with its entry. */
async function keepVersion(
  run: Session['run'],
  deps: RoutingDeps,
  conflict: IncomingDocket & Sealing & { readonly result: DocketAdmission },
): Promise<void> {
  const { docket, source, result, actor } = conflict;
  const { tenant } = deps;
  const n = await nextVersion(run, tenant, result.docket);
  const read = stored(docket);
  const fact = sealedFact(deps, conflict, 'docket.conflict', {
    source,
    payload_sha256: docket.payloadSha256,
    version: n,
    read_sha256: readHash(read),
  });
  await recordDocketFact(run, tenant, result.docket, fact);
  const { ct } = fact.body.sealed;
  const { payloadSha256 } = docket;
  await addVersion(run, tenant, { docket: result.docket, n, source, payloadSha256, ct, read });
  await redate(run, deps, { docket: result.docket, why: `version ${n} was received`, actor });
}

/** Where a broker's messages end: committed to the store, and only then acknowledged. */
export function docketMessageSink(
  deps: RoutingDeps,
  options: { readonly mapping?: DocketMapping } = {},
): MessageSink {
  const group = new Group((messages: readonly BrokerMessage[]) => commit(deps, messages, options));
  return {
    commit: (message) => group.add(message),
    setAside: (message, reason) => setAside(deps, message, reason),
    noteLoss: (source) => noteLoss(deps, source),
  };
}

async function commit(
  deps: RoutingDeps,
  messages: readonly BrokerMessage[],
  options: { readonly mapping?: DocketMapping },
): Promise<readonly undefined[]> {
  const incoming: IncomingDocket[] = [];
  const leftOut: { readonly message: BrokerMessage; readonly count: number }[] = [];
  for (const message of messages) {
    const note = { source: message.source, message: message.id, sha256: message.sha256 };
    if (message.isRepeat && (await isMessageKnown(deps.session, deps.tenant, note))) continue;
    const { readings, skipped } = readingsOf(message.bytes, options.mapping);
    const count = [...skipped.values()].reduce((sum, times) => sum + times, 0);
    if (count > 0) leftOut.push({ message, count });
    for (const reading of readings) {
      // A document holds many events and grows; each event goes on as a record of its own, the same every day.
      const isPart = options.mapping !== undefined && reading.kind === 'event';
      incoming.push({
        payload: isPart ? eventRow(reading.event) : message.bytes,
        contentType: isPart ? 'application/json' : typeOf(message, 'application/json'),
        source: message.source,
        reading,
        message: note,
      });
    }
  }
  await importDockets(deps, incoming);
  // The mapping says that they need nobody; whoever wrote it finds here what it costs. Their codes are the document's.
  for (const { message, count } of leftOut) {
    deps.log.write({
      level: 'info',
      event: 'docket.left_out',
      trace_id: message.id,
      payload_sha256: message.sha256,
      error: `${count} events left out by the mapping`,
    });
  }
  return messages.map(() => undefined);
}

const UNREADABLE: DocketReading & { kind: 'refused' } = {
  kind: 'refused',
  errors: [{ where: '', why: 'it is not a JSON object' }],
  glimpse: NO_GLIMPSE,
};

/** What cannot be read at all is a docket too: somebody must look at it. */
export function readingsOf(bytes: Uint8Array, mapping?: DocketMapping): DocumentReading {
  let value: JsonValue;
  try {
    value = parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return one(UNREADABLE);
  }
  if (mapping !== undefined) return readDocketDocument(value, mapping);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? one(readDocketRow(value as Readonly<Record<string, JsonValue>>))
    : one(UNREADABLE);
}

function one(reading: DocketReading): DocumentReading {
  return { readings: [reading], skipped: new Map() };
}

async function setAside(deps: RoutingDeps, message: BrokerMessage, reason: string): Promise<void> {
  const { session, tenant, ids } = deps;
  // Routed as a record that nobody could read: it has a tier timer and a two-hour clock like any other.
  const note = { source: message.source, message: message.id, sha256: message.sha256 };
  const [admitted] = await importDockets(deps, [
    {
      payload: message.bytes,
      // Its own may be what is wrong with it.
      contentType: isSendable(message) ? typeOf(message, BYTES) : BYTES,
      source: message.source,
      reading: { ...UNREADABLE, errors: [{ where: '', why: reason }] },
      message: note,
    },
  ]);
  await session.transaction((run) =>
    raiseAlertRow(run, tenant, {
      id: ids.next(),
      kind: 'message_set_aside',
      subject: message.source,
      // One alert for all of a source: what nobody could read, the same few may see.
      ...(admitted === undefined ? {} : { docket: admitted.docket }),
      severity: 'warning',
      recipient: undefined,
      text: `A message from ${message.source} could not be stored as it is (${reason}). It is kept byte for byte and routed as a record that could not be read. Look at it with docket show, handle it yourself, and ask its sender to correct it.`,
      dedup: `message_set_aside/${message.source}`.slice(0, 200),
    }),
  );
}

/** Without a number: it would count what the reader may not see. */
async function noteLoss({ session, tenant, ids }: RoutingDeps, source: string): Promise<void> {
  await session.transaction((run) =>
    raiseAlertRow(run, tenant, {
      id: ids.next(),
      kind: 'message_lost',
      subject: source,
      severity: 'critical',
      recipient: undefined,
      text: `${source} was trimmed before all of its events were stored here, so events are lost. Ask its owner to send them again, and to keep entries longer.`,
      dedup: `message_lost/${source}`.slice(0, 200),
    }),
  );
}
