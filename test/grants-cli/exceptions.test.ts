/** What automation may no longer touch: only two people move it, and only to what both have seen. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { textAt } from '../fixtures/cli.ts';
import { House, listAt, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];
let theo: readonly string[];
let exception: string;

/** What the grantor's ledger answers next. */
let answer: { readonly status: number; readonly body: string };
let asked = 0;
let grantor: Server;
let baseUrl: string;

const resolve = (...words: readonly string[]) => ['grants', 'exceptions', 'resolve', ...words];
const reingest = (...words: readonly string[]) => ['grants', 'exceptions', 'reingest', ...words];
const corrected = `${YEAR}/award-city-corrected.json`;

beforeAll(async () => {
  house = await House.open();
  ({ nora, theo } = await house.twoPeople());
  grantor = createServer((request, response) => {
    asked += 1;
    const isThere = request.url === '/grants/ledgers/US-ED';
    response.writeHead(isThere ? answer.status : 404).end(answer.body);
  });
  await new Promise<void>((ready) => {
    grantor.listen(0, '127.0.0.1', ready);
  });
  const { port } = grantor.address() as AddressInfo;
  baseUrl = `http://127.0.0.1:${port}/grants`;
  // Long: a busy machine must not look like a ledger that is down.
  const profile = sampleProfile({ code: 'US-ED', baseUrl, timeoutMs: 20_000 });
  await house.data([...nora, 'lane', 'add', await house.file('ed.json', JSON.stringify(profile))]);
  await house.data([...nora, 'grants', 'ingest', `${YEAR}/awards-federal.ndjson`]);
  const refused = await house.data([...nora, 'grants', 'ingest', `${YEAR}/award-city.json`], 5);
  exception = textAt(refused, 'files', 0, 'refusals', 0, 'exception');
});
afterAll(async () => {
  grantor.close();
  grantor.closeAllConnections();
  await house.close();
});

describe('an award that was refused', () => {
  it('lies in its envelope as it came, with the cause', async () => {
    const { envelope, state } = await house.data([
      ...nora,
      'grants',
      'exceptions',
      'show',
      exception,
    ]);
    expect(state).toBe('open');
    expect(envelope).toMatchObject({
      original_payload: JSON.parse(await house.text(`${YEAR}/award-city.json`)) as object,
      routing_target: 'compliance_exception_dlq',
      immutable: true,
      violation_codes: ['CLASSIFICATION_MISSING'],
      compliance_metadata: { compliance_state: 'manual_review_required' },
    });
    const said = await house.run(...nora, 'grants', 'exceptions', 'show', exception);
    expect(said.stdout).toContain('violation         benefit: CLASSIFICATION_MISSING');
  });

  it('is not imported before two people agree', async () => {
    expect((await house.run(...nora, ...reingest(exception, corrected))).code).toBe(4);
    // A correction that would be refused again is no correction.
    const same = [
      exception,
      '--document',
      `${YEAR}/award-city.json`,
      '--reason',
      'not the right one',
    ];
    const useless = await house.run(...nora, ...resolve(...same));
    expect(useless.code).toBe(1);
    expect(useless.stderr).toContain('would be refused again: benefit');
    const good = [exception, '--document', corrected, '--reason', 'the public is served'];
    expect(await house.data([...nora, ...resolve(...good)])).toMatchObject({ state: 'proposed' });
    const alone = await house.data([...nora, ...resolve(exception, '--approve')], 4);
    expect(alone).toMatchObject({ code: 'SELF_APPROVAL' });
    expect((await house.run(...nora, ...reingest(exception, corrected))).code).toBe(4);
    expect(await house.data(['grants', 'status'])).toMatchObject({ awards: 4, openExceptions: 1 });
  });

  it('then exactly the bytes that both have seen come in, once, and name the old record', async () => {
    await house.data([...theo, ...resolve(exception, '--approve')]);
    const richer = (await house.text(corrected)).replace('525075', '5250750');
    await house.file('richer.json', richer);
    expect((await house.run(...nora, ...reingest(exception, 'richer.json'))).code).toBe(4);
    const done = await house.data([...nora, ...reingest(exception, corrected)]);
    expect(done).toMatchObject({ accepted: 1 });
    expect(textAt(done, 'replacedBy')).toMatch(/^fw1-/);
    expect((await house.run(...nora, ...reingest(exception, corrected))).code).toBe(4);
    expect(await house.data(['grants', 'status'])).toMatchObject({ awards: 5, openExceptions: 0 });
    const listed = await house.data(['grants', 'exceptions', 'list', '--all']);
    expect(listAt(listed, 'exceptions')).toMatchObject([{ state: 'reingested' }]);
    expect(await house.data(['grants', 'exceptions', 'list'])).toEqual({ exceptions: [] });
  });

  it.each([
    [['--document', corrected, '--dismiss', '--reason', 'not the right one']],
    [['--approve', '--withdraw', '--reason', 'not the right one']],
    [['--dismiss']],
    [[]],
  ])('one act at a time, with its reason: %j', async (words) => {
    expect((await house.run(...nora, ...resolve(exception, ...words))).code).toBe(2);
  });
});

describe("the grantor's ledger over a lane", () => {
  const verify = ['grants', 'verify', 'US-ED', '--lane', 'US-ED'];

  it('waits when it is down, is asked again once it is due and not before, and agrees', async () => {
    answer = { status: 503, body: '' };
    const waiting = await house.data([...nora, ...verify], 75);
    expect(waiting).toMatchObject({ state: 'waiting', attempts: 1, lastErrorCode: 'HTTP_503' });
    expect(await house.data(['grants', 'status'])).toMatchObject({ waitingRetries: 1 });
    answer = { status: 200, body: await house.text(`${YEAR}/grantor-us-ed.json`) };
    const before = asked;
    expect(await untilDue()).toMatchObject([{ grantor: 'US-ED', state: 'verified', attempts: 2 }]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(textAt(waiting, 'nextAt')));
    expect(asked).toBe(before + 1);
    const none = await house.run(...nora, 'grants', 'retry', '--lane', 'US-ED');
    expect(none).toMatchObject({ code: 0, stdout: 'Nothing is due.\n' });
  });

  it('is not asked while its lane rests, or where automation is not allowed', async () => {
    const before = asked;
    await house.data([...nora, 'lane', 'pause', 'US-ED']);
    expect((await house.run(...nora, ...verify)).stderr).toContain('is held (person)');
    await house.data([...nora, 'lane', 'resume', 'US-ED']);
    const shy = { ...sampleProfile({ code: 'SHY', baseUrl }), automation: 'unknown' };
    await house.data([...nora, 'lane', 'add', await house.file('shy.json', JSON.stringify(shy))]);
    const said = await house.run(...nora, 'grants', 'verify', 'US-ED', '--lane', 'SHY');
    expect(said.code).toBe(4);
    expect(said.stderr).toContain('does not allow automation');
    expect(asked).toBe(before);
  });

  it('differences are reported one by one and need people', async () => {
    const other = (await house.text(`${YEAR}/grantor-us-ed.json`)).replace('300000', '300001');
    answer = { status: 200, body: other };
    const said = await house.run(...nora, ...verify);
    expect(said.code).toBe(5);
    expect(said.stdout).toContain('300000 cents were awarded');
    const open = listAt(await house.data(['grants', 'exceptions', 'list']), 'exceptions');
    expect(open).toMatchObject([{ escalationCode: 'GRANTOR_LEDGER_DIFFERS' }]);
  });

  it('what does not pass by itself goes to a person at once, without a retry', async () => {
    answer = { status: 403, body: '' };
    const denied = await house.data([...nora, ...verify], 5);
    expect(denied).toMatchObject({ state: 'fallback', attempts: 1, lastErrorCode: 'HTTP_403' });
    const id = textAt(denied, 'exception');
    await house.data([...theo, ...resolve(id, '--dismiss', '--reason', 'the key was old')]);
    await house.data([...theo, ...resolve(id, '--withdraw', '--reason', 'not before May')]);
    await house.data([...theo, ...resolve(id, '--dismiss', '--reason', 'the key was old')]);
    expect(await house.data([...nora, ...resolve(id, '--approve')])).toMatchObject({
      state: 'dismissed',
    });
  });
});

/** The wait is 2 to 4 seconds by the rules; the queue is asked until it is over. */
async function untilDue(): Promise<readonly unknown[]> {
  for (;;) {
    const { verifications } = await house.data([...nora, 'grants', 'retry', '--lane', 'US-ED']);
    if (Array.isArray(verifications) && verifications.length > 0) return verifications;
    await new Promise((later) => {
      setTimeout(later, 100);
    });
  }
}

describe('an award that changes', () => {
  it('is amended and then cancelled by two people, from the command line', async () => {
    const [line = ''] = (await house.text(`${YEAR}/awards-federal.ndjson`)).split('\n');
    const award = JSON.parse(line) as Record<string, unknown>;
    const more = JSON.stringify({ ...award, award_amount: Number(award['award_amount']) + 500_00 });
    await house.file('amended.json', more);
    const waiting = () => house.data([...nora, 'grants', 'unmatched', '--as-of', '2026-12-31']);
    const entryOf = async (cents: number) =>
      listAt(await waiting(), 'entries').find(
        (one) => one['amountCents'] === cents && one['since'] === award['expected_on'],
      );
    const money = Number(award['award_amount']) - Number(award['noncash_amount'] ?? 0);
    const key = String((await entryOf(money))?.['id']);
    const amend = ['grants', 'amend', key, '--document', 'amended.json', '--reason', 'more money'];
    const { exception: id } = await house.data([...nora, ...amend]);
    await house.data([...nora, ...resolve(String(id), '--approve')], 4);
    await house.data([...theo, ...resolve(String(id), '--approve')]);
    const { replacedBy } = await house.data([...nora, ...reingest(String(id), 'amended.json')]);
    expect((await entryOf(money + 500_00))?.['id']).toBe(replacedBy);
    expect(await entryOf(money)).toBeUndefined();
    const cancel = ['grants', 'cancel', String(replacedBy), '--reason', 'terminated'];
    const { exception: end } = await house.data([...theo, ...cancel]);
    const approved = await house.data([...nora, ...resolve(String(end), '--approve')]);
    expect(approved['state']).toBe('cancelled');
    expect(await entryOf(money + 500_00)).toBeUndefined();
    const shown = await house.run(...nora, 'grants', 'exceptions', 'show', String(end));
    expect(shown.stdout).toContain(`amends award      ${String(replacedBy)}`);
    await house.data(['audit', 'verify']);
  });
});
