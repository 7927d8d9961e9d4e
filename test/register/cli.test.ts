/** The register by commands alone, on the built program. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { CliWorld, envelopeOf, type Portals, textAt, type Variables } from '../fixtures/cli.ts';

let world: CliWorld;
let portals: Portals;
let paula: Variables;
let arthur: Variables;

const HEADER =
  'entity_id,jurisdiction,registry_number,entity_name,entity_kind,origin,formation_date';
/** Its anniversary month ends two months from now, and its window is open. */
const formed = new Date(Date.UTC(new Date().getUTCFullYear() - 5, new Date().getUTCMonth() + 2, 1))
  .toISOString()
  .slice(0, 10);
const entity = (id: string, name: string) =>
  `${id},US-CA,C${id.slice(1)},${name},corporation,domestic,${formed}`;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
  portals = await world.portals({ code: 'US-CA', jurisdiction: 'US-CA' });
  await world.data(['lane', 'add', portals.profiles[0] ?? ''], paula);
});
afterAll(() => world.close());

describe('from a register to accepted filings', () => {
  it('import, list, create, approve, run', async () => {
    const file = await world.file(
      'register.csv',
      `${[HEADER, entity('E1', 'Name CANARY-1'), entity('E2', '=CANARY-2()'), 'E3,US-CA,,X,llc,domestic,'].join('\n')}\n`,
    );
    expect((await world.run(['entity', 'import', file])).code).toBe(4);
    const imported = await world.data(['entity', 'import', file], paula, 5);
    expect(imported).toMatchObject({
      created: 2,
      refused: 1,
      errorFile: world.path('register.errors.csv'),
      obligations: { created: 2 },
    });
    const again = await world.data(['entity', 'import', file], paula, 5);
    expect(again).toMatchObject({ created: 0, unchanged: 2, refused: 1 });

    const listed = await world.run(['--json', 'entity', 'list', '--jurisdiction', 'US-CA']);
    expect(envelopeOf(listed).data).toMatchObject({ entities: [{ id: 'E1' }, { id: 'E2' }] });
    expect(listed.stdout).not.toContain('CANARY');
    expect((await world.run(['entity', 'list', '--names'])).code).toBe(4);
    const named = await world.data(['entity', 'list', '--names', '--q', 'canary-1'], paula);
    expect(named).toMatchObject({ entities: [{ id: 'E1', name: 'Name CANARY-1' }] });

    const ics = world.path('owed.ics');
    const table = world.path('owed.csv');
    const owed = await world.data(['obligation', 'list', '--ics', ics, '--csv', table]);
    expect(owed).toMatchObject({
      obligations: [{ state: 'open' }, { state: 'open' }],
      tasks: 0,
      ics: { active: 2, cancelled: 0 },
    });
    expect(readFileSync(ics, 'utf8')).toMatch(/^BEGIN:VCALENDAR\r\n/);
    expect(readFileSync(table, 'utf8').split('\r\n')).toHaveLength(4);
    const due = textAt(owed, 'obligations', 0, 'due');
    const none = await world.data(['obligation', 'list', '--due-before', due]);
    expect(none).toMatchObject({ obligations: [] });

    const far = ['--due-before', '2999-01-01'];
    expect(await world.data(['batch', 'create', ...far, '--dry-run'], paula)).toMatchObject({
      created: 2,
      dryRun: true,
    });
    const batch = textAt(await world.data(['batch', 'create', ...far], paula), 'batch');
    const shown = await world.data(['batch', 'approve', batch, '--dry-run'], arthur);
    expect(shown).toMatchObject({ state: 'frozen', approval: { count: 2, totalCents: 5_000 } });
    const hash = textAt(shown, 'approval', 'sha256');
    const wrong = await world.run(
      ['--json', 'batch', 'approve', batch, '--expect-count', '3'],
      arthur,
    );
    expect(wrong.code).toBe(5);
    expect(envelopeOf(wrong)).toMatchObject({ error: { code: 'APPROVAL_MISMATCH' } });
    const approved = await world.run(
      [
        'batch',
        'approve',
        batch,
        '--expect-hash',
        hash,
        '--expect-count',
        '2',
        '--expect-fees',
        '50',
      ],
      arthur,
    );
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stdout).toMatch(/all +2 +\$50\.00/);
    expect((await world.run(['batch', 'run', batch])).code).toBe(0);

    const recomputed = await world.data(['obligation', 'recompute', '--dry-run']);
    expect(recomputed).toMatchObject({ dryRun: true, counts: { met: 2, new: 2 } });
    await world.data(['obligation', 'recompute'], paula);
    const detail = await world.data(['entity', 'show', 'E1']);
    expect(detail).toMatchObject({
      obligations: [{ state: 'met' }, { state: 'open' }],
      filings: [{ status: 'accepted' }],
    });
    expect(detail['entity']).not.toHaveProperty('sealed');
    expect((await world.run(['entity', 'show', 'US-CA:C1'])).stdout).toContain(
      'registry         US-CA C1',
    );
    expect(await world.data(['audit', 'verify', '--bodies'])).toMatchObject({ ok: true });
  });

  it('the sample register goes in without a refusal', async () => {
    copyFileSync(join(ROOT, 'samples/register.csv'), world.path('sample.csv'));
    const report = await world.data(['entity', 'import', world.path('sample.csv')], paula);
    expect(report).toMatchObject({ rows: 15, created: 15, refused: 0 });
  });

  it.each([
    [['obligation', 'list', '--due-before', '2027-02-30'], 2],
    [['obligation', 'list', '--state', 'done'], 2],
    [['entity', 'list', '--kind', 'gmbh'], 2],
    [['entity', 'show', 'nobody'], 3],
    [['batch', 'create', '--due-before', '1999-01-01'], 3],
    [['entity', 'import', 'missing.csv'], 3],
  ])('%j ends with %i', async (args, code) => {
    expect((await world.run(args, paula)).code).toBe(code);
  });
});
