/** Whatever a person types or a file holds, 80 kB of it: refused with the place and the bound, and the ledger stands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

const LONG = 'x'.repeat(80_000);
const NOBODY = '01900000-0000-7000-8000-000000000000';

let world: CliWorld;
let paula: Variables;
beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula Preparer');
  const { profiles } = await world.portals({ code: 'US-DE' });
  for (const profile of profiles) await world.data(['lane', 'add', profile], paula);
});
afterAll(() => world?.close());

describe('80 kB', () => {
  it.each([
    ['of a name', ['user', 'add', LONG]],
    ['of a reason for a hold', ['hold', 'place', '--reason', LONG]],
    ['of a subject of a hold', ['hold', 'place', '--reason', 'r', '--subject', LONG]],
    ['of a reason to reject', ['review', 'reject', NOBODY, '--reason', LONG]],
    ['of an address of a webhook', ['webhook', 'add', `https://example.org/${LONG}`]],
    ['of a type of event', ['webhook', 'add', 'https://example.org/', '--types', LONG]],
    ['of an address of mail', ['mail', 'recipient', 'add', 'alert', `a@${LONG}.org`]],
    ['of a sender of mail', ['mail', 'set', '--smtp', 'env:SMTP', '--from', `a@${LONG}.org`]],
    ['of a reason to close a docket', ['docket', 'close', 'D-1', '--override', LONG]],
    [
      'of a receipt of a docket',
      ['docket', 'close', 'D-1', '--receipt', LONG, '--filed-at', '2026-01-01T00:00:00Z'],
    ],
    [
      'of a reason to settle a line',
      ['grants', 'resolve', `${'a'.repeat(64)}/1`, '--awards', 'A', '--reason', LONG],
    ],
  ])('%s is refused in our own words', async (_, args) => {
    const ended = await world.run(args, paula);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).not.toMatch(
      /violates check constraint|value too long|index row size|at Object|node:internal/,
    );
    expect(ended.stderr.length).toBeLessThan(2_000);
  });

  it('in each field of a row keeps the others from nothing', async () => {
    const fields = ['entity_id', 'name', 'registry_number', 'period', 'filing_kind'] as const;
    const rows = fields.map((field, n) => row(String(n + 10), { [field]: LONG }));
    const file = await world.file('long.csv', csv(...rows, row('99')));
    const ended = await world.run(['batch', 'import', file], paula);
    expect(ended.code, ended.stderr).toBe(5);
  });

  it('leave a ledger that verifies, with every fact in it', async () => {
    const report = await world.data(['audit', 'verify', '--bodies']);
    expect(report).toMatchObject({ ok: true, waiting: 0, setAside: 0 });
    const doctor = await world.data(['doctor'], paula).catch(() => undefined);
    expect(JSON.stringify(doctor ?? '')).not.toContain('set aside');
  });
});
