import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BatchId } from '../../src/core/ids.ts';
import type { NewFiling } from '../../src/core/ports.ts';
import { datesOf, fact, LANE, newFiling, openBatch, sealedFact } from './steps.ts';
import type { OpenWorld, World } from './world.ts';

const MONTH = '2026-03';

export function admissionContract(open: OpenWorld): void {
  describe('admission', () => {
    let world: World;
    let batch: BatchId;
    beforeEach(async () => {
      world = await open();
      await world.addLane({ code: LANE, ceiling: 2, longestServiceMs: 1_000 });
      batch = await openBatch(world);
    });
    afterEach(() => world.close());

    const filing = (obligation: string, payload?: string, into = batch) =>
      newFiling(world, into, { obligation, ...(payload === undefined ? {} : { payload }) });

    it('creates a filing that waits for a second person', async () => {
      const one = await filing('o-1');
      expect(await world.here.intake.admit([one])).toEqual([{ kind: 'created' }]);
      expect(await world.filing(one.envelope.id)).toMatchObject({
        status: 'pending',
        attempt: 0,
        step: { action: 'send' },
        isQueued: false,
        ver: 1,
      });
    });

    it('calls the same content unchanged and other content a conflict, in the order asked', async () => {
      const one = await filing('o-1');
      await world.here.intake.admit([one]);
      const admissions = await world.here.intake.admit([
        await filing('o-2'),
        await filing('o-1'),
        await filing('o-3'),
      ]);
      expect(admissions).toEqual([
        { kind: 'created' },
        {
          kind: 'unchanged',
          filing: one.envelope.id,
          dates: datesOf(one),
          openIn: one.envelope.batch,
        },
        { kind: 'created' },
      ]);
      const [conflict] = await world.here.intake.admit([await filing('o-1', '{"a":2}')]);
      expect(conflict).toMatchObject({ kind: 'conflict', filing: one.envelope.id });
      if (conflict?.kind !== 'conflict') throw new Error('expected a conflict');
      expect(Buffer.from(world.vault.open(conflict.existing)).toString()).toBe('{"a":1}');
    });

    it('previews what it would say, and writes nothing', async () => {
      await world.here.intake.admit([await filing('o-1')]);
      const before = await world.waiting();
      const asked = [await filing('o-1'), await filing('o-2'), await filing('o-1', '{"a":2}')];
      const preview = await world.here.intake.preview(
        asked.map(({ obligation, envelope }) => ({
          obligation,
          payloadSha256: envelope.payloadSha256,
        })),
      );
      expect(preview.map((each) => each.kind)).toEqual(['unchanged', 'created', 'conflict']);
      expect(await world.waiting()).toBe(before);
      expect(await world.here.intake.admit([await filing('o-2')])).toEqual([{ kind: 'created' }]);
    });

    it('creates one filing when two imports bring it at once, in whatever order', async () => {
      const names = ['o-1', 'o-2', 'o-3', 'o-4'];
      const mine: NewFiling[] = [];
      const theirs: NewFiling[] = [];
      for (const name of names) mine.push(await filing(name));
      for (const name of names.toReversed()) theirs.push(await filing(name));
      const [here, there] = await Promise.all([
        world.here.intake.admit(mine),
        world.there.intake.admit(theirs),
      ]);
      const kinds = [...here, ...there.toReversed()].map((each) => each.kind);
      for (const index of names.keys()) {
        expect(new Set([kinds[index], kinds[index + 4]])).toEqual(
          new Set(['created', 'unchanged']),
        );
      }
    });

    it('refuses a key that belongs to another obligation, and then admits nothing of the call', async () => {
      const one = await filing('o-1');
      await world.here.intake.admit([one]);
      const thief = await filing('o-2');
      const good = await filing('o-3');
      const stolen = { ...thief, envelope: { ...thief.envelope, key: one.envelope.key } };
      await expect(world.here.intake.admit([good, stolen])).rejects.toThrow();
      expect(
        await world.here.intake.preview([
          { obligation: 'o-3', payloadSha256: good.envelope.payloadSha256 },
        ]),
      ).toEqual([{ kind: 'created' }]);
    });

    it('freezes a batch with a hash that does not depend on the order of its rows', async () => {
      const twin = await open();
      await twin.addLane({ code: LANE, ceiling: 2, longestServiceMs: 1_000 });
      const frozen = [];
      for (const [where, names] of [
        [world, ['a-1', 'a-2', 'a-3']],
        [twin, ['a-3', 'a-1', 'a-2']],
      ] as const) {
        const into = await openBatch(where);
        for (const name of names) {
          const payload = `{"n":"${name}"}`;
          await where.here.intake.admit([
            await newFiling(where, into, { obligation: name, payload }),
          ]);
        }
        frozen.push(await where.here.intake.closeBatch(into, fact(where, 'batch.closed')));
      }
      await twin.close();
      expect(frozen[0]?.count).toBe(3);
      expect(frozen[0]).toEqual(frozen[1]);
    });

    it('hashes the lines "key payload-hash" in the order of the keys', async () => {
      const filings = [await filing('b-2'), await filing('b-1', '{"a":2}'), await filing('b-3')];
      await world.here.intake.admit(filings);
      const lines = filings
        .map(({ envelope }) => `${envelope.key} ${envelope.payloadSha256}\n`)
        .toSorted();
      expect(await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'))).toEqual({
        count: 3,
        sha256: createHash('sha256').update(lines.join('')).digest('hex'),
      });
    });

    it('freezes an empty batch', async () => {
      const frozen = await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'));
      expect(frozen.count).toBe(0);
    });

    it('freezes a batch once, and admits nothing new into it afterwards', async () => {
      const one = await filing('o-1');
      await world.here.intake.admit([one]);
      await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'));
      await expect(
        world.here.intake.closeBatch(batch, fact(world, 'batch.closed')),
      ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
      await expect(world.here.intake.admit([await filing('o-2')])).rejects.toMatchObject({
        code: 'REFUSED_BY_RULE',
      });
      // What is already there may be brought again: an import that is repeated finds it unchanged.
      expect(await world.here.intake.admit([await filing('o-1')])).toMatchObject([
        { kind: 'unchanged', filing: one.envelope.id, dates: datesOf(one) },
      ]);
    });

    it('counts in the hash everything that an import running meanwhile brought', async () => {
      const filings = [];
      for (let n = 0; n < 8; n++) filings.push(await filing(`c-${n}`));
      const [admitted, frozen] = await Promise.allSettled([
        world.here.intake.admit(filings),
        world.there.intake.closeBatch(batch, fact(world, 'batch.closed')),
      ]);
      if (frozen.status !== 'fulfilled') throw frozen.reason;
      expect(frozen.value.count).toBe(admitted.status === 'fulfilled' ? 8 : 0);
    });

    it('makes one data key for a subject and a month, whoever comes first', async () => {
      const make = () => world.vault.newKey(MONTH);
      const keys = await Promise.all([
        world.here.delivery.dataKey('E-7', MONTH, make),
        world.there.delivery.dataKey('E-7', MONTH, make),
        world.here.intake.dataKeys(['E-7'], MONTH, make).then((found) => found.get('E-7')),
        world.there.intake.dataKeys(['E-8', 'E-7'], MONTH, make).then((found) => found.get('E-7')),
      ]);
      expect(new Set(keys.map((key) => key?.id)).size).toBe(1);
      const next = await world.here.delivery.dataKey('E-7', '2026-04', () =>
        world.vault.newKey('2026-04'),
      );
      expect(next.month).toBe('2026-04');
      expect(next.id).not.toBe(keys[0]?.id);
    });

    it('opens with a stored key what was sealed with it', async () => {
      const sealed = await sealedFact(world, 'filing.state', {}, '{"s":1}');
      const key = await world.there.delivery.dataKey('E-1', MONTH, () => {
        throw new Error('it exists');
      });
      const blob = sealed.body?.blob ?? new Uint8Array();
      expect(Buffer.from(world.vault.open({ blob, entry: sealed.id, key })).toString()).toBe(
        '{"s":1}',
      );
    });
  });
}
