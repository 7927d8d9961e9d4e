/** Dockets through the real database and real HTTP endpoints: in, down the tiers, confirmed, once. */
import { docketId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseRfc3339 } from '../../src/core/time.ts';
import {
  acknowledgeAs,
  closeAs,
  docketSeenBy,
  docketsSeenBy,
  openDockets,
} from '../../src/dockets/routing/docket-acts.ts';
import { importDockets } from '../../src/dockets/routing/intake.ts';
import { listBreakers } from '../../src/dockets/routing/recovery-acts.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { Stage } from './stage.ts';

const momentOf = (value: unknown): number => parseRfc3339(String(value)) ?? Number.NaN;

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

describe('a docket', () => {
  it('is stored with its exact bytes, handed over unchanged, and confirmed by the receipt', async () => {
    stage = await Stage.set(server);
    const incoming = stage.incoming({});
    const [admission] = await importDockets(stage.parts, [incoming]);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    const { taken } = stage.endpoints.PRIMARY;
    expect(taken.map(({ id }) => id)).toEqual([admission?.docket]);
    expect(taken[0]?.body.equals(incoming.payload)).toBe(true);
    const shown = await docketSeenBy(
      stage.parts,
      await stage.viewer(),
      admission?.docket ?? docketId(''),
    );
    expect(Buffer.from(shown.payload ?? []).equals(incoming.payload)).toBe(true);
    expect(shown.handoffs).toMatchObject([
      { tier: 'PRIMARY', target: 'team', attempt: 1, ended: { outcome: 'confirmed' } },
    ]);
    const types = (await stage.facts()).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('docket.'))).toEqual([
      'docket.received',
      'docket.handoff',
      'docket.confirmed',
    ]);
  });

  it('is one docket however often it comes, and other bytes for the same event are a conflict', async () => {
    stage = await Stage.set(server);
    const first = await importDockets(stage.parts, [stage.incoming({}), stage.incoming({})]);
    const again = await importDockets(stage.parts, [stage.incoming({})]);
    const other = await importDockets(stage.parts, [stage.incoming({ title: 'changed' })]);
    await importDockets(stage.parts, [stage.incoming({ title: 'changed' })]);
    expect(first.map(({ kind }) => kind)).toEqual(['created', 'unchanged']);
    expect([...again, ...other].map(({ kind }) => kind)).toEqual(['unchanged', 'conflict']);
    expect(await stage.count('docket where tenant = $1')).toBe(1);
    const types = (await stage.facts()).map(({ type }) => type);
    expect(types.filter((type) => type === 'docket.conflict')).toHaveLength(1);
    expect(await stage.count(`alert where tenant = $1 and kind = 'docket_conflict'`)).toBe(1);
  });

  it('that fails at its team goes to the lead after two attempts, with both breakers in the ledger', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 503 };
    await stage.feed(1);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    expect(stage.endpoints.SECONDARY.counts().size).toBe(1);
    const transition = (await stage.facts()).find(({ type }) => type === 'docket.transition');
    expect(transition?.data).toMatchObject({
      from: { tier: 'PRIMARY', target: 'team', breaker: { state: 'closed', failures: 2 } },
      to: { tier: 'SECONDARY', target: 'lead', breaker: { state: 'closed', failures: 0 } },
      reason: 'ATTEMPTS_USED',
      evidence: { measure: 'status', measured: 503 },
    });
  });

  it('goes past a breaker that another docket opened, and every process sees it open', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 500 };
    stage.endpoints.PRIMARY.health = 500;
    await stage.feed(2);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 2);
    await stage.stopRouters();
    const [breaker] = (await listBreakers(stage.parts)).filter(({ target }) => target === 'team');
    expect(breaker?.breaker.state).not.toBe('closed');
    // Another process, that has seen no failure itself.
    await stage.feed(1, { application_number: '18/999999' });
    await stage.router();
    await until(async () => (await stage.confirmed()) === 3);
    const tried = await stage.count(
      `docket_handoff h join docket d on d.tenant = h.tenant and d.id = h.docket
       where h.tenant = $1 and h.target = 'team' and d.docket->>'applicationNumber' = '18/999999'`,
    );
    expect(tried).toBe(0);
    const facts = await stage.facts();
    expect(facts.filter(({ type }) => type === 'breaker.opened').length).toBeGreaterThan(0);
    expect(
      facts.some(
        ({ type, data }) => type === 'docket.transition' && data['reason'] === 'BREAKER_OPEN',
      ),
    ).toBe(true);
  });

  it('that no one takes is with the manual tier, flagged, with its clock, and reported until acknowledged', async () => {
    stage = await Stage.set(server);
    for (const tier of ['PRIMARY', 'SECONDARY', 'TERTIARY'] as const) {
      stage.endpoints[tier].mode = { kind: 'status', status: 403 };
    }
    stage.endpoints.MANUAL.mode = { kind: 'status', status: 503 };
    const [admission] = await stage.feed(1);
    const id = admission?.docket ?? docketId('');
    await stage.router();
    await until(
      async () => (await stage.count(`docket where tenant = $1 and phase = 'manual'`)) === 1,
      10_000,
    );
    expect(await stage.count(`alert where tenant = $1 and kind = 'docket_manual'`)).toBe(1);
    // The notice did not get through, so it is tried again, and not in two hours.
    stage.endpoints.MANUAL.mode = { kind: 'well' };
    await until(() => stage.endpoints.MANUAL.taken.length > 0);
    expect(await acknowledgeAs(stage.parts, await stage.viewer('hart'), id)).toMatchObject({
      kind: 'acknowledged',
      by: 'hart',
    });
    expect(await acknowledgeAs(stage.parts, await stage.viewer('hart'), id)).toMatchObject({
      kind: 'already',
    });
    const facts = await stage.facts();
    const manual = facts.find(({ type }) => type === 'docket.manual_required');
    expect(manual?.data).toMatchObject({ flag: 'MANUAL_ESCALATION_REQUIRED', reason: 'DENIED' });
    expect(momentOf(manual?.data['review_by']) - momentOf(manual?.data['at'])).toBe(7_200_000);
    expect(
      facts
        .filter(({ type }) => type === 'docket.transition')
        .map(({ data }) => (data['to'] as { tier: string }).tier),
    ).toEqual(['SECONDARY', 'TERTIARY', 'MANUAL']);
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('whose matter is hidden shows nowhere: not in lists, not by its id, not to acknowledge or close', async () => {
    stage = await Stage.set(server, {});
    const [hidden, plain] = [
      await stage.feed(1, {
        application_number: '18/1',
        privilege: ['sealed'],
        classification: ['itar'],
      }),
      await stage.feed(1, { application_number: '18/2' }),
    ];
    const id = hidden[0]?.docket ?? docketId('');
    const ruiz = await stage.viewer('ruiz');
    expect((await docketsSeenBy(stage.parts, ruiz)).map(({ docket }) => docket.id)).toEqual([
      plain[0]?.docket,
    ]);
    expect(await docketsSeenBy(stage.parts, ruiz, { limit: 1 })).toHaveLength(1);
    expect(await openDockets(stage.parts, ruiz)).toHaveLength(1);
    for (const act of [
      () => docketSeenBy(stage.parts, ruiz, id),
      () => acknowledgeAs(stage.parts, ruiz, id),
      () => closeAs(stage.parts, ruiz, id, { kind: 'override', reason: 'nobody needs this one' }),
    ]) {
      await expect(act()).rejects.toMatchObject({ message: `No docket "${id}"` });
    }
    await expect(docketSeenBy(stage.parts, ruiz, docketId('nothing'))).rejects.toMatchObject({
      message: 'No docket "nothing"',
    });
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    await until(
      async () => (await stage.count(`docket where tenant = $1 and phase = 'manual'`)) === 1,
      10_000,
    );
    await until(() => stage.endpoints.MANUAL.taken.length > 0);
    expect(stage.endpoints.PRIMARY.counts().has(id)).toBe(false);
    const skips = (await stage.facts('access')).filter(({ type }) => type === 'docket.skipped');
    expect(skips.map(({ data }) => data['target'])).toEqual(['team', 'lead', 'supervisor']);
  });

  it('with a hard date closes by proof or a named override, once, and never by being seen', async () => {
    stage = await Stage.set(server);
    const [one, two] = [
      await stage.feed(1, { application_number: '18/1' }),
      await stage.feed(1, { application_number: '18/2' }),
    ];
    const hart = await stage.viewer('hart');
    const [first, second] = [one[0]?.docket ?? docketId(''), two[0]?.docket ?? docketId('')];
    await expect(closeAs(stage.parts, hart, first, { kind: 'seen' })).rejects.toMatchObject({
      code: 'PROOF_NEEDED',
    });
    const proof = { kind: 'proof', receipt: 'EFS 1', filedAt: stage.app.clock.now() } as const;
    expect(await closeAs(stage.parts, hart, first, proof)).toMatchObject({
      inTime: true,
      isFirst: true,
    });
    // What was recorded is told, and not what somebody wants to add.
    const moreau = await stage.viewer('moreau');
    const late = { kind: 'override', reason: 'abandoned by the client' } as const;
    expect(await closeAs(stage.parts, moreau, first, late)).toMatchObject({
      isFirst: false,
      how: 'proof',
      inTime: true,
      by: 'hart',
    });
    expect(await acknowledgeAs(stage.parts, hart, first)).toMatchObject({
      kind: 'closed',
      by: 'hart',
    });
    await closeAs(stage.parts, hart, second, {
      kind: 'override',
      reason: 'abandoned by the client',
    });
    expect(await docketsSeenBy(stage.parts, hart)).toEqual([]);
    expect(await docketsSeenBy(stage.parts, hart, { closed: 'only' })).toHaveLength(2);
    await expect(stage.read(`update docket set closing = '{}' where tenant = $1`)).rejects.toThrow(
      /is closed, and stays so/,
    );
  });
});
