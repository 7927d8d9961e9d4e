/** `diagnose route`: TLS timed on real handshakes, and verbose logging that ends by itself. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openVerbose, VerboseFiles, watched } from '../../src/dockets/acts/verbose.ts';
import { instant } from '../../src/core/time.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import type { HandoffOutcome } from '../../src/people/notify/handoff/handoff.ts';
import type { Handoffs } from '../../src/people/notify/handoff/deliver.ts';
import { textAt } from '../fixtures/cli.ts';
import { type StallingTls, startStallingTls } from '../handoff/stalling-tls.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';

describe('TLS and permissions, diagnosed', () => {
  let desk: DeskLine;
  let hart: Person;
  let slow: StallingTls;
  let quick: StallingTls;

  beforeAll(async () => {
    desk = await DeskLine.make();
    [slow, quick] = await Promise.all([startStallingTls(3_200), startStallingTls(500)]);
    hart = await desk.person('Judith Hart');
    const sample = JSON.parse(readFileSync(desk.path('samples/patent-matrix.json'), 'utf8')) as {
      targets: Record<string, object>;
    };
    sample.targets['bio-endpoint'] = { kind: 'http', address: slow.url, party: 'bio-team' };
    sample.targets['ruiz-mail'] = { kind: 'http', address: quick.url, party: 'ruiz' };
    const matrix = await desk.file('matrix.json', JSON.stringify(sample));
    await desk.route([matrix, desk.path('samples/patent-people.json')], hart);
    await desk.data(['docket', 'import', desk.path('samples/patent-docket.ndjson')], hart);
  });
  afterAll(async () => {
    await Promise.all([slow.close(), quick.close()]);
    await desk.close();
  });

  const idOf = async (application: string): Promise<string> => {
    const dockets = listAt(await desk.data(['docket', 'list'], hart), 'dockets');
    return textAt(
      dockets.find((one) => one['applicationNumber'] === application),
      'docket',
    );
  };

  it('a handshake over 3 s is the trigger TLS_SLOW, a quicker one is none', async () => {
    const id = await idOf('18/300101');
    const found = await desk.data(['diagnose', 'route', id, '--allow-private'], hart);
    const of = (target: string) => listAt(found, 'targets').find((one) => one['target'] === target);
    const msOf = (target: string): number =>
      (of(target) as { connection: { tlsHandshakeMs: number } }).connection.tlsHandshakeMs;
    expect(msOf('bio-endpoint')).toBeGreaterThan(3_000);
    expect(of('bio-endpoint')).toMatchObject({
      triggers: [
        { code: 'TLS_SLOW', evidence: { measure: 'handshake_ms', threshold: 'more than 3000 ms' } },
      ],
    });
    expect(msOf('ruiz-mail')).toBeLessThan(3_000);
    expect(of('ruiz-mail')?.['triggers']).toEqual([]);
    expect(slow.requests() + quick.requests()).toBe(0);
  });

  it('does not dial a private address by default', async () => {
    const found = await desk.data(['diagnose', 'route', await idOf('18/300101')], hart);
    const [first] = listAt(found, 'targets');
    expect(first).toMatchObject({ connection: { result: 'failed', code: 'address_refused' } });
  });

  it('names who lacks which right to who may see the docket', async () => {
    const found = await desk.data(['diagnose', 'route', await idOf('EP24100104')], hart);
    const permissions = listAt(found, 'permissions');
    expect(permissions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          target: 'moreau-mail',
          verdict: 'no_right',
          why: 'moreau: no right for class:export-controlled',
        }),
        expect.objectContaining({ tier: 'MANUAL', target: 'hart-mail', verdict: 'may' }),
      ]),
    );
    for (const bad of ['0', '61', 'x']) {
      const words = ['diagnose', 'route', 'any', '--verbose', bad];
      expect((await desk.run(words, hart)).code).toBe(2);
    }
  });
});

describe('verbose transport logging', () => {
  const MINUTE_MS = 60_000;
  const outcome: HandoffOutcome = {
    kind: 'confirmed',
    receipt: 'R-1',
    evidence: { code: 'HTTP_200', elapsedMs: 3, message: 'Bearer s3cret https://u:p4ss@host/x' },
    signs: [],
  };
  const target = {
    id: 'bio/endpoint',
    kind: 'http',
    address: 'https://host/in?key=s3cret',
  } as const;
  const payload = Buffer.from('{"secret":"payload"}');
  const load = (id: string) => ({
    id,
    handoff: `h-${id}`,
    payload,
    payloadSha256: sha256Hex('0'.repeat(64)),
    contentType: 'application/json',
    notice: { subject: '', text: '' },
  });
  const guard = { mayWrite: () => true, signal: new AbortController().signal };
  let folder: string;
  let now = instant(1_800_000_000_000);
  const clock = { now: () => now };
  let wires: Handoffs;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fw-verbose-'));
    const files = new VerboseFiles(folder);
    wires = watched({ deliver: () => Promise.resolve(outcome) }, { clock, files });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const pass = (ms: number): void => {
    now = instant(now + ms);
  };
  const linesOf = async (id: string) => new VerboseFiles(folder).lines(target.id, id);
  const open = (forMs?: number) => {
    const app = { dataDirectory: folder, clock } as unknown as Parameters<typeof openVerbose>[0];
    const request = {
      targets: [target.id],
      by: 'Judith Hart',
      ...(forMs === undefined ? {} : { forMs }),
    };
    return openVerbose(app, request);
  };

  it('is off until someone opens a window, and ends by itself', async () => {
    await wires.deliver(target, load('before'), guard);
    expect(await linesOf('before')).toEqual([]);
    await open(5 * MINUTE_MS);
    pass(1_001);
    expect(await wires.deliver(target, load('during'), guard)).toBe(outcome);
    expect(await linesOf('during')).toHaveLength(2);
    pass(5 * MINUTE_MS);
    await wires.deliver(target, load('after'), guard);
    expect(await linesOf('after')).toEqual([]);
  });

  it('ends after a quarter of an hour by default, after an hour at the latest', async () => {
    const [window] = await open();
    expect(Number(window?.until) - Number(window?.since)).toBe(15 * MINUTE_MS);
    await expect(open(61 * MINUTE_MS)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(open(0)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('holds neither payload nor secret, and only the lines of the message that is asked for', async () => {
    const [name] = (await readdir(join(folder, 'transport-log'))).filter((one) =>
      one.endsWith('ndjson'),
    );
    const text = await readFile(join(folder, 'transport-log', name ?? ''), 'utf8');
    expect(text).not.toMatch(/s3cret|p4ss|payload"/);
    expect(await linesOf('during')).toHaveLength(2);
    expect(await linesOf('dur')).toEqual([]);
  });

  it('a window that someone wrote for a year, or broke, opens nothing', async () => {
    const [name] = (await readdir(join(folder, 'transport-log'))).filter((one) =>
      one.endsWith('.json'),
    );
    const path = join(folder, 'transport-log', name ?? '');
    const year = { target: target.id, by: 'x', since: now, until: now + 365 * 24 * 60 * MINUTE_MS };
    for (const [at, text] of [JSON.stringify(year), '{', '{"target":1}'].entries()) {
      await writeFile(path, text);
      pass(1_001);
      await wires.deliver(target, load(`broken-${at}`), guard);
      expect(await linesOf(`broken-${at}`)).toEqual([]);
    }
  });
});
