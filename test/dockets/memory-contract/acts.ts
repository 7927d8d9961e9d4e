/** What players do: every statement of routing, with values drawn from a seed. */
import { docketId, entryId, partyId, sha256Hex, targetId } from '../../../src/core/ids.ts';
import type { LedgerFact, WrappedKey } from '../../../src/core/ports.ts';
import { sha256Of } from '../../../src/core/sha256.ts';
import { addMs, type Instant } from '../../../src/core/time.ts';
import { noteAnswer, noteQuestions } from '../../../src/dockets/store/assignments.ts';
import { recordDocketFacts } from '../../../src/dockets/store/docket-facts.ts';
import {
  admitDockets,
  closeDocketRow,
  docketPages,
  docketPayloads,
  findDocket,
  isMessageKnown,
  noteMessage,
  recordDocketFact,
} from '../../../src/dockets/store/dockets.ts';
import {
  findLink,
  handoffsOf,
  linkFor,
  markLinkUsed,
  retryManualNotice,
} from '../../../src/dockets/store/handoffs.ts';
import {
  collectManualNotices,
  confirmedBy,
  noteNotTaken,
  wakeManualDockets,
} from '../../../src/dockets/store/manual.ts';
import { noteReading, ownQueue, queueReadings } from '../../../src/dockets/store/queues.ts';
import {
  activateSetup,
  activeSetup,
  findRoutingDocument,
  keepRoutingDocument,
} from '../../../src/dockets/store/setup.ts';
import {
  databaseNow,
  lockDockets,
  lockDueDockets,
  noteActivations,
  noteLaw,
  postponeDockets,
  wakeOpenDockets,
  writeSteps,
} from '../../../src/dockets/store/steps.ts';
import { takeManualNotices } from '../../../src/dockets/store/handoffs.ts';
import { changeTargetLanes, readTargetLanes } from '../../../src/lanes/store/target-lanes.ts';
import { dataKeys } from '../../../src/ledger/store/data-keys.ts';
import { raiseAlertRow } from '../../../src/ledger/store/raise-alert.ts';
import type { Session } from '../../../src/postgres/session.ts';
import type { Draw } from '../../../sim/world/draw.ts';
import type { Act, Run } from './player.ts';

export interface Stage {
  readonly draw: Draw;
  readonly tenant: string;
  readonly base: Instant;
  readonly nextId: () => string;
  /** Of the tenant key: what is wrapped under it begins with it. */
  readonly label: Uint8Array;
}

export const DOCKETS = ['d0', 'd1', 'd2', 'd3'].map(docketId);
const DESK = targetId('desk');
export const TARGETS = [targetId('team'), targetId('lead'), DESK];
const TIERS = ['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'] as const;
const MINUTE_MS = 60_000;
const MONTH = '2026-11';

/** The reader functions of the stores want something with `run`. */
export const over = (run: Run): Session => ({ run }) as unknown as Session;

export function moment({ draw, base }: Stage): Instant {
  return addMs(base, draw.pick([-50, -10, 10, 50, 90]) * MINUTE_MS);
}

export function factOf(
  { nextId }: Stage,
  type: LedgerFact['type'],
  data: LedgerFact['data'],
): LedgerFact {
  const id = entryId(nextId());
  return { id, type, actor: { kind: 'service', id: 'router' }, trace: id, data };
}

const activated = { at: 1, code: 'QUEUE_LAG', wide: { z: 1, aa: [1, 'x', null] } };

function bodyOf(key: WrappedKey, ct: string): NonNullable<LedgerFact['body']> {
  return {
    sealed: { alg: 'A256GCM', key: key.id, ct, cm: ct },
    blob: Buffer.from(`sealed ${ct}`),
  };
}

function keyOf({ nextId, label }: Stage): WrappedKey {
  const wrapped = Buffer.concat([label, Buffer.from(nextId())]);
  return { id: `k-${nextId()}`, month: MONTH, wrapped };
}

function ctOf({ nextId }: Stage): string {
  return nextId().replaceAll('-', '').padEnd(64, '0');
}

/** The key of a client, made by whoever comes first, and with it a docket or two. */
export function admission(stage: Stage, few = 2): Act {
  const { draw, tenant } = stage;
  const ids = draw.shuffled(DOCKETS).slice(0, draw.int(1, few));
  const key = keyOf(stage);
  const dockets = ids.map((id) => {
    const sha256 = sha256Hex(draw.pick(['0', '1']).repeat(64));
    const received = factOf(stage, 'docket.received', { source: 'contract' });
    const ct = ctOf(stage);
    return { id, sha256, received, ct };
  });
  const nextAt = moment(stage);
  const dueOn = draw.chance(0.3) ? undefined : draw.pick(['2099-01-05', '2099-02-05']);
  const activation = draw.chance(0.2) ? activated : undefined;
  const hasEvent = draw.chance(0.5);
  return {
    name: `admit ${ids.join()}`,
    play: async (run) => {
      const keys = await dataKeys(over(run), { tenant, month: MONTH }, ['client'], () => key);
      const used = keys.get('client') ?? key;
      return admitDockets(
        run,
        tenant,
        dockets.map(({ id, sha256, received, ct }) => ({
          id,
          messageId: `m-${id}`,
          identity: `i-${id}`,
          source: 'contract',
          contentType: 'application/json',
          payloadSha256: sha256,
          docket: { id, zz: 1, b: [{ y: 2, x: 1 }], ...(hasEvent ? { event: { code: 'A' } } : {}) },
          state: { state: 'queued', tier: 'PRIMARY', attempt: 0 },
          tier: 'PRIMARY',
          activation,
          nextAt,
          dueOn,
          receivedBy: undefined,
          fact: { ...received, body: bodyOf(used, ct) },
        })),
      );
    },
  };
}

/** One docket's step, right or wrong: the database refuses the wrong ones. */
export function step(stage: Stage): Act {
  const { draw, tenant } = stage;
  const docket = draw.pick(DOCKETS);
  const phase = draw.pick(['queued', 'sending', 'awaiting', 'manual', 'confirmed']);
  const tier = phase === 'manual' || draw.chance(0.3) ? 'MANUAL' : draw.pick(TIERS);
  const target = draw.chance(0.8) ? draw.pick(TARGETS) : undefined;
  const state = {
    state: phase,
    ...(draw.chance(0.3) ? { held: { since: 1 } } : {}),
    ...(phase === 'confirmed' ? { by: draw.pick(TARGETS) } : {}),
    ...(phase === 'manual' ? { waitsFor: draw.shuffled(TARGETS).slice(0, 2) } : {}),
  };
  const nextAt = draw.chance(0.9) ? moment(stage) : undefined;
  const counted = draw.pick([0, 1, 2, 1, 2, 1, -1]);
  const isNotice = tier === 'MANUAL';
  const isStarted = draw.chance(0.7);
  const party = draw.pick(['ruiz', 'hart']);
  const retryAt = isNotice ? addMs(stage.base, draw.pick([-20, -5, 30]) * MINUTE_MS) : undefined;
  const passed = draw.shuffled(TARGETS).slice(0, draw.int(0, 2));
  const endedBy = draw.chance(0.3)
    ? undefined
    : draw.pick(['confirmed', 'sent', 'failed', 'unknown'] as const);
  const receipt = endedBy === 'confirmed' ? draw.pick(['R1', 'R2']) : undefined;
  return {
    name: `step ${docket} to ${phase} ${tier}`,
    play: async (run) => {
      const { dockets } = await lockDockets(run, tenant, [docket]);
      const [row] = dockets;
      if (row === undefined) return 'none';
      const n = row.handoffs + (isStarted ? 1 : 0);
      const started = {
        docket,
        n,
        handoff: `h-${docket}-${tier}-${target ?? DESK}`,
        tier,
        target: target ?? DESK,
        party: partyId(party),
        attempt: isNotice ? 0 : 1,
        reason: isNotice ? 'SLACK_GONE' : undefined,
        passed,
        hop: { tier, target },
        dates: { kind: 'undated' },
        retryAt,
      };
      const ended = {
        docket,
        n: row.handoffs,
        outcome: endedBy ?? 'failed',
        receipt,
        evidence: { b: 1, aa: 2 },
      };
      await writeSteps(
        run,
        tenant,
        [
          {
            docket,
            state,
            phase,
            tier,
            target,
            nextAt,
            ver: row.ver + counted,
            accessVer: row.accessVer,
            handoffs: n,
          },
        ],
        {
          started: isStarted ? [started] : [],
          ended: endedBy === undefined || row.handoffs === 0 ? [] : [ended],
        },
      );
      return row;
    },
  };
}

export function docketActs(stage: Stage): readonly Act[] {
  const { draw, tenant, nextId } = stage;
  const one = draw.pick(DOCKETS);
  const two = draw.shuffled(DOCKETS).slice(0, 2);
  const target = draw.pick(TARGETS);
  const until = moment(stage);
  const tier = draw.pick(TIERS);
  const ver = draw.int(2, 9);
  const spare = keyOf(stage);
  const ct = ctOf(stage);
  const law = draw.pick(['L1', 'L2']);
  const alert = {
    id: nextId(),
    kind: 'docket_late',
    subject: one,
    docket: one,
    severity: draw.pick(['info', 'warning', 'critical'] as const),
    recipient: undefined,
    text: 'late',
    dedup: `late/${one}`,
    ...(draw.chance(0.3) ? { hasNews: true as const } : {}),
  };
  const closed = factOf(stage, 'docket.closed', { how: 'override', in_time: true });
  const answered = factOf(stage, 'docket.assignment', { state: 'nobody', table: 't' });
  const bare = factOf(stage, 'docket.received', { source: 'again' });
  const note = { source: 's', message: draw.pick(['m1', 'm2']), sha256: sha256Hex('a'.repeat(64)) };
  const answer = { assignment: { state: 'nobody' }, fact: answered };
  const question = { assignment: { state: 'asked', at: 1 }, until };
  const filter = draw.pick([
    {},
    { phases: ['queued', 'awaiting'] as const },
    { closed: 'too' as const },
    { closed: 'only' as const },
    { target },
  ]);
  const pages = async (run: Run): Promise<unknown> => {
    const all: unknown[] = [];
    for await (const page of docketPages(over(run), tenant, filter)) all.push(...page);
    return all;
  };
  return [
    { name: 'list', play: pages },
    { name: `find ${one}`, play: (run) => findDocket(over(run), tenant, one) },
    {
      name: 'payloads',
      play: async (run) => [...(await docketPayloads(over(run), tenant, [...two]))],
    },
    { name: 'due', play: (run) => lockDueDockets(run, tenant, 100) },
    { name: `lock ${two.join()}`, play: (run) => lockDockets(run, tenant, two) },
    {
      name: `close ${one}`,
      play: (run) =>
        closeDocketRow(run, tenant, one, { by: 'hart', closing: { how: 'x', a: 1 }, fact: closed }),
    },
    {
      name: 'note message',
      play: (run) => noteMessage(run, tenant, note, { outcome: 'unchanged', docket: one }),
    },
    { name: 'message known', play: (run) => isMessageKnown(over(run), tenant, note) },
    { name: `postpone ${one}`, play: (run) => postponeDockets(run, tenant, [one], until) },
    { name: 'wake all', isMany: true, play: (run) => wakeOpenDockets(run, tenant) },
    {
      name: `activate ${one}`,
      play: (run) => noteActivations(run, tenant, [{ docket: one, tier, activation: activated }]),
    },
    {
      name: `not taken ${one}`,
      play: (run) => noteNotTaken(run, tenant, [{ docket: one, activation: activated }]),
    },
    { name: `ask ${one}`, play: (run) => noteQuestions(run, tenant, [one], question) },
    { name: `answer ${one}`, play: (run) => noteAnswer(run, tenant, one, answer) },
    {
      name: `ask and answer ${one}`,
      play: async (run) => {
        await noteQuestions(run, tenant, [one], question);
        return noteAnswer(run, tenant, one, answer);
      },
    },
    {
      name: `a sealed fact of ${one}`,
      play: async (run) => {
        const keys = await dataKeys(over(run), { tenant, month: MONTH }, ['client'], () => spare);
        const body = bodyOf(keys.get('client') ?? spare, ct);
        await recordDocketFact(run, tenant, one, { ...bare, body });
      },
    },
    {
      name: 'facts',
      play: (run) =>
        recordDocketFacts(run, tenant, [
          { boundary: 'filing', kind: 'docket', id: one, ver, fact: bare },
        ]),
    },
    { name: 'law', play: (run) => noteLaw(run, tenant, law) },
    { name: 'clock', play: (run) => databaseNow(over(run)) },
    { name: `raise ${alert.severity}`, play: (run) => raiseAlertRow(run, tenant, alert) },
    {
      name: 'confirmed by',
      play: (run) => confirmedBy(over(run), tenant, { target, since: until }),
    },
    {
      name: `wake manual ${target}`,
      isMany: true,
      play: (run) => wakeManualDockets(over(run), tenant, [target]),
    },
  ];
}

export function handoffActs(stage: Stage): readonly Act[] {
  const { draw, tenant, nextId } = stage;
  const docket = draw.pick(DOCKETS);
  const n = draw.int(1, 4);
  const tier = draw.pick(TIERS);
  const target = draw.pick(TARGETS);
  const handoff = `h-${docket}-${tier}-${target}`;
  const reference = nextId().replaceAll('-', '');
  const expiresAt = moment(stage);
  const known = `${draw.int(0, 1)}`.repeat(32);
  const reading = {
    queue: draw.pick(['filewright', 'q1']),
    target: draw.chance(0.5) ? target : undefined,
    backlog: draw.chance(0.3) ? undefined : draw.pick([3, 5_000]),
    lagMs: draw.chance(0.3) ? undefined : 70_000,
    evidence: { lagBasis: 'stalled' },
    triggers: [],
  };
  const window = { quietMs: 5 * MINUTE_MS, wholeMs: draw.pick([0, 60]) * MINUTE_MS };
  const lane = { target, breaker: { state: 'closed', failures: draw.int(0, 2) } as const };
  const version = draw.chance(0.5) ? undefined : draw.pick([0, 1, 7]);
  return [
    { name: `handoffs of ${docket}`, play: (run) => handoffsOf(over(run), tenant, docket) },
    {
      name: 'collect',
      isMany: true,
      play: (run) => collectManualNotices(over(run), tenant, [DESK, targetId('lead')], window),
    },
    {
      name: 'take notices',
      isMany: true,
      play: (run) => takeManualNotices(over(run), tenant, { leaseMs: 10 * MINUTE_MS, count: 100 }),
    },
    {
      name: `retry ${docket} ${n}`,
      play: (run) =>
        retryManualNotice(
          run,
          tenant,
          { docket, n },
          { afterMs: 20 * MINUTE_MS, evidence: { c: 1 } },
        ),
    },
    {
      name: `link ${handoff}`,
      play: (run) =>
        linkFor(over(run), tenant, {
          reference,
          docket,
          handoff,
          party: partyId('hart'),
          expiresAt,
        }),
    },
    {
      name: 'link with a known name',
      play: (run) =>
        linkFor(over(run), tenant, {
          reference: known,
          docket,
          handoff,
          party: partyId('hart'),
          expiresAt,
        }),
    },
    { name: 'find link', play: (run) => findLink(over(run), tenant, known) },
    { name: 'use link', play: (run) => markLinkUsed(run, tenant, known, 'hart') },
    { name: 'own queue', play: (run) => ownQueue(over(run), tenant, reading.target) },
    {
      name: `note reading ${reading.queue}`,
      play: (run) => noteReading(over(run), tenant, reading),
    },
    { name: 'readings', play: (run) => queueReadings(over(run), tenant) },
    { name: 'lanes', play: (run) => readTargetLanes(run, tenant) },
    {
      name: `change lane ${target}`,
      play: async (run) => {
        const rows = await readTargetLanes(run, tenant);
        const now = rows.find((row) => row.target === target)?.version ?? 0;
        return changeTargetLanes(run, tenant, [{ ...lane, version: version ?? now, ver: 1 }]);
      },
    },
  ];
}

export function setupActs(stage: Stage): readonly Act[] {
  const { draw, tenant } = stage;
  const title = draw.pick(['a', 'b']);
  const body = JSON.stringify({ title });
  const version = sha256Of(body);
  const kept = { version, title, body };
  const basedOn = draw.chance(0.5) ? undefined : draw.pick([0, 1]);
  const made = factOf(stage, 'routing.activated', { matrix: version, people: version });
  return [
    {
      name: `activate setup ${title}`,
      play: async (run) => {
        await keepRoutingDocument(run, tenant, { kind: 'matrix', ...kept }, 'hart');
        await keepRoutingDocument(run, tenant, { kind: 'people', ...kept }, 'hart');
        const pair = { matrix: version, people: version, by: 'hart' };
        return activateSetup(
          run,
          tenant,
          basedOn === undefined ? pair : { ...pair, basedOn },
          made,
        );
      },
    },
    { name: 'active setup', play: (run) => activeSetup(over(run), tenant) },
    {
      name: 'find document',
      play: (run) => findRoutingDocument(over(run), tenant, 'matrix', version),
    },
  ];
}
