/** What is far too long, or cannot be stored, from a message, a table or a person: the docket goes its way, and so do the logs. */
import { docketId } from '../../src/core/index.ts';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/ids.ts';
import { closeAs } from '../../src/dockets/routing/docket-acts.ts';
import { docketMessageSink } from '../../src/dockets/routing/intake.ts';
import { setAsideFacts } from '../../src/ledger/store/kept-facts.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { AssignmentTable } from './assignment-table.ts';
import { REJECTION, type Row, Stage } from './stage.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
beforeEach(async () => {
  stage = await Stage.set(server);
});
afterEach(async () => stage.close());

let messages = 0;
async function commit(row: Row): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ ...REJECTION, ...row }));
  messages += 1;
  await docketMessageSink(stage.parts).commit({
    id: `m-${messages}`,
    source: 'queue dockets',
    bytes,
    sha256: sha256Hex(createHash('sha256').update(bytes).digest('hex')),
    contentType: 'application/json',
    isRepeat: false,
    sentAt: undefined,
  });
}

async function soundAndWhole(): Promise<void> {
  expect(await stage.isLedgerSound()).toBe(true);
  expect(await stage.count('ledger_intake where tenant = $1')).toBe(0);
  expect(await setAsideFacts(stage.app.session, stage.app.tenant)).toEqual([]);
}

const labels = (count: number, length = 500): string[] =>
  Array.from({ length: count }, (_, n) => `label-${n}`.padEnd(length, 'l'));
const LONG = 'r'.repeat(80_000);

describe('a message', () => {
  it('with 150 long privilege labels is routed by every one of them', async () => {
    await commit({ privilege: labels(150) });
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    const received = (await stage.facts()).find(({ type }) => type === 'docket.received');
    expect(received?.data).toMatchObject({ labels: { bytes: expect.any(Number) } });
    const [row] = await stage.read('select docket from docket where tenant = $1');
    expect(row?.['docket']).toMatchObject({ labels: { privilege: labels(150).toSorted() } });
    await soundAndWhole();
  });

  it.each<[string, Row]>([
    ['thousands of labels', { privilege: labels(3_000, 100) }],
    ['a label beyond any length', { classification: [LONG] }],
    ['a client beyond any length', { client: LONG }],
    ['inputs beyond any length', { inputs: { note: LONG } }],
    ['inputs with a NUL', { inputs: { note: 'a\u0000b' } }],
    ['inputs with a NUL in a name', { inputs: { 'a\u0000b': 1 } }],
    ['a NUL in its title', { title: 'a\u0000b' }],
    ['inputs of many levels', { inputs: { a: JSON.parse('['.repeat(50) + ']'.repeat(50)) } }],
  ])(
    'with %s is a docket that somebody privileged looks at',
    async (_, row) => {
      await commit(row);
      await commit({ application_number: '18/behind' });
      expect(await stage.count('docket where tenant = $1')).toBe(2);
      await stage.router();
      await until(
        async () =>
          (await stage.count(`docket where tenant = $1 and phase in ('confirmed', 'manual')`)) ===
          2,
        15_000,
      );
      await soundAndWhole();
    },
    30_000,
  );
});

describe('an assignment table', () => {
  it.each([
    ['80 kB for a name', JSON.stringify({ assigned_to: LONG })],
    ['a name with a NUL', '{"assigned_to": "a\\u0000b"}'],
    ['a name with a line break', '{"assigned_to": "a\\nb"}'],
    ['a lone surrogate', '{"assigned_to": "\\ud800"}'],
  ])('that answers %s is drift, and the docket goes on', async (_, body) => {
    const table = await new AssignmentTable().listen();
    table.body = body;
    await stage.activate({ assignment: [{ client: '*', technology_group: '*', url: table.url }] });
    await stage.feed(1);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    const transition = (await stage.facts()).find(({ type }) => type === 'docket.transition');
    expect(transition?.data).toMatchObject({ trigger: { code: 'SCHEMA_DRIFT' } });
    await table.close();
    await soundAndWhole();
  });
});

describe('a person', () => {
  it('who closes with a reason or a receipt of 80 kB is shown the limit, and nothing is closed', async () => {
    await stage.feed(1);
    const [{ id } = { id: '' }] = (await stage.read('select id from docket where tenant = $1')) as {
      id: string;
    }[];
    const viewer = await stage.viewer();
    const close = (request: Parameters<typeof closeAs>[3]) =>
      closeAs(stage.parts, viewer, docketId(id), request);
    await expect(close({ kind: 'override', reason: LONG })).rejects.toMatchObject({
      code: 'PROOF_NEEDED',
      message: expect.stringMatching(/reason of 10 to 2000 characters/),
    });
    await expect(close({ kind: 'override', reason: 'a reason with \u0000' })).rejects.toMatchObject(
      {
        code: 'PROOF_NEEDED',
      },
    );
    const filedAt = stage.parts.clock.now();
    await expect(close({ kind: 'proof', receipt: LONG, filedAt })).rejects.toMatchObject({
      code: 'PROOF_NEEDED',
      message: expect.stringMatching(/at most 500 characters/),
    });
    expect(await stage.count('docket where tenant = $1 and closed_at is not null')).toBe(0);
    await close({ kind: 'override', reason: `the client withdrew\n${'ü'.repeat(1_900)}` });
    await soundAndWhole();
  });
});
