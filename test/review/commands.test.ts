/** The same by commands alone: what people type, what they see, and with which exit code it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, type Portals, textAt, type Variables } from '../fixtures/cli.ts';
import { csv, row } from '../cli/rows.ts';

let world: CliWorld;
let portals: Portals;
let paula: Variables;
let arthur: Variables;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
  portals = await world.portals({ code: 'US-DE' });
  for (const profile of portals.profiles) await world.data(['lane', 'add', profile], paula);
});
afterAll(() => world.close());

describe('review by commands', () => {
  it('shows the bytes, corrects with two people, and ends accepted', async () => {
    const file = await world.file('rows.csv', csv(row('1', { name: 'Wrong Name' })));
    const imported = await world.data(['batch', 'import', file], paula);
    const batch = textAt(imported, 'batch');
    await world.data(['batch', 'approve', batch], arthur);
    const { filings } = await world.data(['filing', 'list', '--batch', batch]);
    const key = textAt(filings, 0, 'key');
    await portals.behave('US-DE', { schedule: [{ fault: 'rejected_422', key }] });
    expect((await world.run(['batch', 'run', batch])).code).toBe(4);
    const id = textAt(filings, 0, 'id');

    const hex = await world.run(['review', 'show', id, '--hex'], paula);
    expect(hex.stdout).toMatch(
      /^payload sent, sha256 [0-9a-f]{64}, \d+ bytes:\n00000000  7b 22 65 6e/,
    );
    expect(hex.stdout).toMatch(/last answer, status 422, \d+ bytes:\n00000000  7b 22/);
    expect(hex.stdout).toContain('|{"entity_name":"|');
    const shown = await world.run(['review', 'show', id], paula);
    expect(shown.stdout).toContain('violation');

    const correct = ['review', 'correct', id, '--set', 'entity_name=Right Name'];
    expect((await world.run(correct, paula)).code).toBe(2);
    const made = await world.data([...correct, '--reason', 'the name was old'], paula);
    expect(made).toMatchObject({
      changes: [{ field: 'entity_name', old: 'Wrong Name', new: 'Right Name' }],
    });
    const [proposal, hash] = [textAt(made, 'proposal'), textAt(made, 'sha256')];
    const approve = ['review', 'approve', proposal, '--expect-hash'];
    expect((await world.run([...approve, hash], paula)).code).toBe(4);
    expect((await world.run([...approve, 'ab'.repeat(32)], arthur)).code).toBe(5);
    const seen = await world.run(['review', 'proposal', proposal], arthur);
    expect(seen.stdout).toMatch(/entity_name +"Wrong Name" +"Right Name"/);
    expect(seen.stdout).toContain(hash);
    await world.data([...approve, hash], arthur);
    expect((await world.run(['batch', 'run', batch])).code).toBe(0);
    expect(await portals.truth('US-DE')).toMatchObject({ keysAccepted: 1, keysAcceptedTwice: 0 });
  });

  it('refuses what is half typed', async () => {
    const nobody = '01900000-0000-7000-8000-000000000000';
    for (const [args, code] of [
      [['replay', '--reason', 'tried in a test'], 2],
      [['replay', '--reason', 'tried in a test', '--filter', 'lane=US-DE'], 2],
      [
        ['replay', '--reason', 'tried in a test', '--filter', 'colour=blue', '--expect-count', '1'],
        2,
      ],
      [
        ['replay', '--reason', 'tried in a test', '--filter', 'lane=US-DE', '--expect-count', '1'],
        5,
      ],
      [['correct', nobody, '--reason', 'tried in a test'], 2],
      [['accept-as-filed', nobody, '--reason', 'tried in a test', '--receipt', 'R'], 2],
      [['reject', nobody, '--reason', ' '], 2],
      [['assign', nobody, '--reason', 'tried in a test', '--to', 'Nobody'], 3],
    ] as const) {
      const ended = await world.run(['review', ...args], paula);
      expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(code);
    }
  });
});
