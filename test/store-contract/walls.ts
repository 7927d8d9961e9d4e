import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILING_STATUSES, isLegalTransition } from '../../src/core/filing.ts';
import type { FilingId } from '../../src/core/ids.ts';
import type { FreshDatabase } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from './postgres-world.ts';
import {
  ACCEPTED,
  claimOne,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  record,
  register,
  sequenceAll,
} from './steps.ts';

const RESTRICTED = { code: '23001' };
/** `replica` switches ordinary triggers off; these walls must stand all the same. */
const ROLES = ['origin', 'replica'] as const;

export function wallsContract(database: () => FreshDatabase): void {
  describe('the walls of the database', () => {
    let world: PostgresWorld;
    let accepted: FilingId;
    beforeAll(async () => {
      world = await postgresWorld(database());
      await queueFilings(world, [{}]);
      const held = await claimOne(world, await register(world));
      await record(world, await outcome(world, held, ACCEPTED));
      await sequenceAll(world);
      accepted = held.filing.id;
    });
    afterAll(() => world.close());

    /** One transaction, undone in any case. */
    const attempt = (role: string, text: string) =>
      world.admin.transaction(async (run) => {
        await run({ name: '', text: `set local session_replication_role = ${role}` });
        await run({ name: '', text });
        throw new Error('the database let it pass');
      });

    for (const role of ROLES) {
      for (const table of ['envelope', 'attempt', 'outcome', 'receipt', 'ledger_entry']) {
        it(`refuses to change, remove or empty rows of ${table} (${role})`, async () => {
          const mine = `where tenant = '${world.tenant}'`;
          for (const text of [
            `update ${table} set tenant = tenant ${mine}`,
            `delete from ${table} ${mine}`,
            `truncate ${table} cascade`,
          ]) {
            await expect(attempt(role, text), text).rejects.toMatchObject(RESTRICTED);
          }
        });
      }

      it(`refuses to remove a filing (${role})`, async () => {
        for (const text of [`delete from filing where id = '${accepted}'`, 'truncate filing']) {
          await expect(attempt(role, text), text).rejects.toMatchObject(RESTRICTED);
        }
      });
    }

    it('accepts exactly the legal changes of status', async () => {
      const batch = await openBatch(world);
      for (const from of FILING_STATUSES) {
        const filing = await newFiling(world, batch);
        await world.here.intake.admit([filing]);
        const { id } = filing.envelope;
        for (const to of FILING_STATUSES) {
          const isEnd = to === 'accepted' || to === 'rejected' || to === 'fallout';
          const change = world.admin.transaction(async (run) => {
            // The walls are down for the preparation only, and only inside this transaction.
            await run({ name: '', text: 'alter table filing disable trigger all' });
            await run(
              {
                name: '',
                text: `update filing set status = $2, receipt = 'R',
                  step = case when $3 then null else '{"action":"send"}'::jsonb end where id = $1`,
              },
              [id, from, from === 'accepted' || from === 'rejected' || from === 'fallout'],
            );
            await run({
              name: '',
              text: 'alter table filing enable always trigger filing_transition',
            });
            await run(
              {
                name: '',
                text: `update filing set status = $2,
                  step = case when $3 then null else '{"action":"send"}'::jsonb end where id = $1`,
              },
              [id, to, isEnd],
            );
            throw new Error('passed');
          });
          const isLegal = from === to || isLegalTransition(from, to);
          await expect(change, `${from} > ${to}`).rejects.toMatchObject(
            isLegal ? { message: 'passed' } : RESTRICTED,
          );
        }
      }
    });

    it('lets one open or accepted filing exist for an obligation, and one for a key', async () => {
      const text = `insert into envelope
        select tenant, gen_random_uuid(), batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision,
          KEY, OBLIGATION, payload_sha256, payload_ct, not_before, due, last_safe, created_at
        from envelope where id = '${accepted}'`;
      const other = `'other-' || key`;
      for (const [key, obligation] of [
        ['key', other],
        [other, 'obligation'],
      ] as const) {
        await expect(
          attempt('origin', text.replace('KEY', key).replace('OBLIGATION', obligation)),
        ).rejects.toMatchObject({ code: '23505' });
      }
    });

    it('keeps a filing that is held out of the queue, and a step out of every end', async () => {
      for (const change of ['holder = 1, next_at = now()', `step = '{"action":"send"}'`]) {
        await expect(
          attempt('origin', `update filing set ${change} where id = '${accepted}'`),
        ).rejects.toMatchObject({ code: '23514' });
      }
    });
  });
}
