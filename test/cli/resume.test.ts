/** An import that was cut off: its filings are in no batch that anybody can approve, and that must not stay unseen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, envelopeOf, textAt, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

let world: CliWorld;
let paula: Variables;
let arthur: Variables;
let input: string;
let open: string;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
  const profile = await world.file('lane.json', JSON.stringify(sampleProfile({})));
  await world.data(['lane', 'add', profile], paula);
  input = await world.file('rows.csv', csv(row('1'), row('2'), row('3', { due: 'soon' })));
  // Cut off after the good rows are in.
  const cut = ['batch', 'import', input, '--errors', world.path('nowhere/e.csv')];
  const ended = await world.run(['--json', ...cut], paula);
  const { error } = envelopeOf(ended);
  open = /continue with --resume ([0-9a-f-]{36})\.$/.exec(textAt(error, 'message'))?.[1] ?? '';
});

afterAll(() => world.close());

describe('an import that was cut off', () => {
  it('is shown by the list, by doctor and to the person who would approve it', async () => {
    expect(await world.data(['batch', 'list'])).toMatchObject({
      batches: [{ id: open, state: 'open', count: 2 }],
    });
    // Its exit code depends on how long facts have waited for a worker.
    expect(envelopeOf(await world.run(['--json', 'doctor'])).data).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ check: 'batch', state: 'warning' }),
      ]) as object,
    });
    const refused = await world.run(['batch', 'approve', open], arthur);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(`--resume ${open}`) });
  });

  it('is shown by the same import again, which finds its rows unchanged and sends none of them', async () => {
    const good = await world.file('good.csv', csv(row('1'), row('2'), row('4')));
    for (const dryRun of [['--dry-run'], []]) {
      const report = await world.data(['batch', 'import', good, ...dryRun], paula, 5);
      expect(report).toMatchObject({ created: 1, unchanged: 2 });
      expect(report).toMatchObject({ unfinished: [{ batch: open, rows: 2 }] });
    }
  });

  it('is not gone on with by another person, who could then approve what they added', async () => {
    const more = await world.file('more.csv', csv(row('9')));
    const ended = await world.run(['--json', 'batch', 'import', more, '--resume', open], arthur);
    expect(ended.code).toBe(4);
    expect(textAt(envelopeOf(ended).error, 'message')).toMatch(
      /was opened by Paula Preparer, and only that person can continue it/,
    );
    expect(await world.data(['filing', 'list', '--batch', open])).toHaveProperty(
      'filings.length',
      2,
    );
  });

  it('is finished by the same file with --resume; after that it takes nothing more', async () => {
    const done = await world.data(['batch', 'import', input, '--resume', open], paula, 5);
    expect(done).toMatchObject({ created: 0, unchanged: 2, refused: 1, count: 2, unfinished: [] });
    await world.data(['batch', 'approve', open], arthur);
    const again = await world.run(['batch', 'import', input, '--resume', open], paula);
    expect(again).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/is approved and accepts/),
    });
    expect(again.stderr).not.toContain('still open');
  });

  it('with an id that no batch has: exit code 3', async () => {
    const id = '00000000-0000-7000-8000-000000000000';
    const ended = await world.run(['batch', 'import', input, '--resume', id], paula);
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining(id) });
  });
});
