/**
 * The long-running commands as processes of their own: a router, the page behind the links, and what a person sees while
 * they work. The endpoint, the mail server and the database are real.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocketSystem, startDocketSystem } from '../../src/testing/stand-ins/docket-system.ts';
import { type MailHouse, startMailHouse } from '../../src/testing/stand-ins/mail-house.ts';
import { csv, row } from '../cli/rows.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { CliWorld, type Json, type Running, textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';

const WAIT_MS_MAX = 90_000;
/** The address is never served: whoever waits for it waits for the next tier. */
const STALLED = 'ruiz@firm.example';

let world: CliWorld;
let mail: MailHouse;
let system: DocketSystem;
let page: Running;
let router: Running;
let desk: DeskLine;
let hart: Person;
let moreau: Person;

beforeAll(async () => {
  world = await CliWorld.make();
  mail = await startMailHouse(STALLED);
  system = await startDocketSystem();
  desk = await DeskLine.beside(world.folder);
  hart = await desk.person('Judith Hart');
  moreau = await desk.person('Claire Moreau', hart);
  const smtp = await world.file('smtp', mail.url);
  // Beside the data directory, where the operator's list is looked for.
  const secrets = [{ reference: `file:${smtp}`, hosts: [new URL(mail.url).host] }];
  await world.file('secrets.json', JSON.stringify({ format: 1, secrets }));
  const asked = await desk.data(
    [
      'mail',
      'set',
      '--smtp',
      `file:${smtp}`,
      '--from',
      'docketing@firm.example',
      '--allow-private',
    ],
    hart,
  );
  const hash = textAt(asked, 'sha256');
  await desk.data(['mail', 'approve', 'mail server', '--expect-hash', hash], moreau);
  const sample = JSON.parse(readFileSync(`${ROOT}/samples/patent-matrix.json`, 'utf8')) as {
    targets: Record<string, object>;
  };
  sample.targets['bio-endpoint'] = {
    kind: 'http',
    address: `${system.url}?token=s3cret`,
    party: 'bio-team',
  };
  const matrix = await world.file(
    'matrix.json',
    JSON.stringify({ ...sample, policy: { timeout_ms: 500, attempts_per_tier: 1 } }),
  );
  const people = `${ROOT}/samples/patent-people.json`;
  await desk.route([matrix, people], hart);
  page = world.start(['--json', 'serve', '--port', '0']);
  const { data } = JSON.parse(lineOf(await page.saw('"command":"serve"'))) as { data: Json };
  router = world.start(['route', 'run', '--allow-private'], {
    FILEWRIGHT_PUBLIC_URL: textAt(data, 'url'),
  });
  await router.saw('router.started');
});

afterAll(async () => {
  await Promise.all([mail.close(), system.close()]);
  await world.close();
});

const lineOf = (said: string): string =>
  said.split('\n').find((line) => line.startsWith('{"filewright"')) ?? '';

async function bring(application: string, more: object = {}): Promise<string> {
  const record = {
    application_number: application,
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    event_date: '2026-11-02',
    period: 'P3M',
    client: 'Northwind',
    technology_group: 'BIO',
    privilege: ['attorney-client'],
    ...more,
  };
  const file = await world.file('event.ndjson', `${JSON.stringify(record)}\n`);
  await desk.data(['docket', 'import', file], hart);
  const { dockets } = await desk.data(['docket', 'list'], hart);
  const found = (dockets as readonly Json[]).find(
    (one) => one['applicationNumber'] === application,
  );
  return textAt(found, 'docket');
}

async function until(id: string, is: (shown: Json) => boolean): Promise<Json> {
  const endAt = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const shown = await desk.data(['docket', 'show', id], hart);
    if (is(shown)) return shown;
    if (Date.now() > endAt) throw new Error(`waited in vain: ${JSON.stringify(shown)}`);
  }
}

describe('a router and a page', () => {
  let escalated: string;
  let link: string;

  it('hands an event to the endpoint, whose receipt confirms it', async () => {
    const id = await bring('18/400101');
    const shown = await until(id, (one) => one['standing'] === 'confirmed');
    expect(shown).toMatchObject({ owner: 'bio-endpoint' });
    expect(listAt(shown, 'handoffs')).toEqual([
      expect.objectContaining({
        tier: 'PRIMARY',
        outcome: 'confirmed',
        receipt: expect.stringMatching(/^FIRM-/) as string,
      }),
    ]);
  });

  it('escalates past a dead endpoint and a stalled mailbox to the supervisor', async () => {
    system.die();
    // Only the supervisor and the desk may see it without a group; the second lead never gets a turn with one attempt.
    escalated = await bring('18/400102');
    const shown = await until(escalated, (one) => one['standing'] === 'TERTIARY');
    const way = listAt(shown, 'handoffs').map((one) => [one['tier'], one['target']]);
    expect(way).toEqual([
      ['PRIMARY', 'bio-endpoint'],
      ['SECONDARY', 'ruiz-mail'],
      ['TERTIARY', 'moreau-mail'],
    ]);
  });

  it('the letter names no application, because the docket bears a label; its link acknowledges by POST alone, once', async () => {
    const letter = await mail.letterTo('moreau@firm.example', AbortSignal.timeout(WAIT_MS_MAX));
    expect(letter.text).not.toContain('18/400102');
    [link = ''] = /http:\S+\/acknowledge\/\S+/.exec(letter.text) ?? [];
    for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200);
    expect((await desk.data(['docket', 'show', escalated], hart))['standing']).toBe('TERTIARY');
    const press = (): Promise<Response> =>
      fetch(link, { method: 'POST', body: new URLSearchParams({ acknowledge: 'yes' }) });
    expect(await (await press()).text()).toContain('moreau');
    const shown = await desk.data(['docket', 'show', escalated], hart);
    expect(shown).toMatchObject({ standing: 'confirmed', owner: 'moreau' });
    expect(await (await press()).text()).toContain('already acknowledged');
    const again = await desk.data(['docket', 'ack', escalated], moreau);
    expect(again).toMatchObject({ isFirst: false, by: 'moreau' });
  });

  it('a person who was given a docket acknowledges it on the command line', async () => {
    const id = await bring('18/400103', { technology_group: 'CHEM' });
    await until(id, (one) => one['standing'] === 'TERTIARY');
    expect(await desk.data(['docket', 'ack', id], moreau)).toMatchObject({ isFirst: true });
    expect((await desk.run(['docket', 'ack', id], hart)).code).toBe(0);
    const { code } = await desk.run(['docket', 'show', id], await desk.person('Elena Ruiz', hart));
    expect(code).toBe(3);
  });

  it('diagnose route measures, redacts, and logs verbosely until its window ends', async () => {
    const words = ['diagnose', 'route', escalated, '--allow-private'];
    const found = await desk.data([...words, '--verbose', '1'], hart);
    const targets = listAt(found, 'targets');
    const endpoint = targets.find((one) => one['target'] === 'bio-endpoint');
    expect(endpoint).toMatchObject({
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/events\?token=…$/) as string,
      connection: { result: 'open', connectMs: expect.any(Number) as number },
    });
    expect(listAt(found, 'transport')[0]).toMatchObject({
      target: 'bio-endpoint',
      evidence: { code: 'HTTP_503', status: 503, tier: 'PRIMARY' },
    });
    expect(found['schema']).toEqual({ kind: 'event', findings: [] });
    expect(listAt(found, 'permissions')).toEqual(
      expect.arrayContaining([expect.objectContaining({ tier: 'TERTIARY', verdict: 'may' })]),
    );
    expect(JSON.stringify(found)).not.toMatch(/s3cret|18\/400102|moreau@|Northwind/);

    const id = await bring('18/400104');
    await until(id, (one) => listAt(one, 'handoffs').length >= 2);
    const logged = await desk.data(['diagnose', 'route', id, '--allow-private'], hart);
    const [verbose] = listAt(logged, 'verbose');
    expect(verbose?.['until']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(JSON.stringify(verbose)).toContain('"body"');
    expect(JSON.stringify(verbose)).not.toMatch(/s3cret|400104/);
    // The lines of another docket at the same target are not for who asks about this one.
    const before = await desk.data(words, hart);
    expect(JSON.stringify(before)).not.toContain(id);
  });

  it('recovery status shows the breaker that opened, and hides what is not for everyone', async () => {
    const id = await bring('18/400105');
    await until(id, (one) => listAt(one, 'handoffs').length >= 2);
    const status = await desk.data(['recovery', 'status'], hart);
    const breaker = listAt(status, 'breakers').find((one) => one['target'] === 'bio-endpoint');
    expect(breaker).toMatchObject({ breaker: { state: 'open' } });
    expect(listAt(status, 'runs').map((run) => run['target'])).toContain('bio-endpoint');
    const run = await desk.run(['recovery', 'run', 'bio-endpoint'], hart);
    expect(run.code, run.stderr).toBe(0);
    const early = await desk.run(
      ['recovery', 'approve', 'bio-endpoint', '--reason', 'It is well again.'],
      hart,
    );
    expect([early.code, early.stderr]).toEqual([4, expect.stringContaining('needs no approval')]);
    expect((await desk.run(['recovery', 'run', 'hart-mail'], hart)).code).toBe(3);
  });

  it('no one without the right is notified of a docket: it bypasses all of them and goes to the person who has it', async () => {
    const id = await bring('18/400106', { classification: ['export-controlled'] });
    await mail.letterTo('hart@firm.example', AbortSignal.timeout(WAIT_MS_MAX));
    const told = mail.letters().filter(({ text }) => text.includes(id));
    expect([...new Set(told.map(({ to }) => to))]).toEqual(['hart@firm.example']);
    const shown = await desk.data(['docket', 'show', id], hart);
    expect(listAt(shown, 'handoffs').map((one) => one['target'])).toEqual(['hart-mail']);
    expect((await desk.run(['docket', 'show', id], moreau)).code).toBe(3);
  });

  it('a link to a docket whose reader has lost the right leads nowhere, like any other text', async () => {
    const people = JSON.parse(readFileSync(`${ROOT}/samples/patent-people.json`, 'utf8')) as {
      persons: Record<string, { deny?: string[] }>;
    };
    Object.assign(people.persons['moreau'] ?? {}, { deny: ['client:Northwind'] });
    const file = await world.file('people.json', JSON.stringify(people));
    await desk.route([file], hart);
    const press = { method: 'POST', body: new URLSearchParams({ acknowledge: 'yes' }) };
    for (const request of [{}, press]) {
      const lost = await fetch(link, request);
      const nothing = await fetch(link.replace(/[^/]+$/, 'A'.repeat(71)), request);
      expect([lost.status, await lost.text()]).toEqual([404, await nothing.text()]);
    }
  });

  it('a filing of this installation is proof of filing once it is accepted, and not before', async () => {
    const { profiles } = await world.portals({ code: 'US-DE' });
    await desk.data(['lane', 'add', String(profiles[0])], hart);
    const file = await world.file('filings.csv', csv(row('1')));
    const batch = textAt(await desk.data(['batch', 'import', file], hart), 'batch');
    const { filings } = await desk.data(['filing', 'list', '--batch', batch]);
    const filing = textAt(filings, 0, 'id');
    const close = ['docket', 'close', escalated, '--filing', filing];
    const early = await desk.run(close, hart);
    expect([early.code, early.stderr]).toEqual([
      4,
      expect.stringContaining('does not prove filing yet'),
    ]);
    await desk.data(['batch', 'approve', batch], moreau);
    expect((await desk.run(['batch', 'run', batch])).code).toBe(0);
    expect(await desk.data(close, hart)).toMatchObject({ how: 'proof', inTime: true });
  });

  it('both end on SIGTERM with exit code 0, and the ledger is whole', async () => {
    for (const running of [router, page]) running.child.kill('SIGTERM');
    expect((await router.ended).code).toBe(0);
    expect((await page.ended).code).toBe(0);
    const verified = await desk.run(['audit', 'verify', '--bodies'], hart);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
