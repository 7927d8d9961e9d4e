/** A defense pack, an export and both verifiers, for a filing that has reached its end in each way there is. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acceptFiling,
  assignFiling,
  rejectFiling,
} from '../../src/filings/acts/reviews-closing.ts';
import {
  approveReview,
  proposeCorrection,
  proposeReplay,
  withdrawReview,
} from '../../src/filings/acts/reviews-proposals.ts';
import { defendFiling } from '../../src/filings/acts/defense.ts';
import { exportLedger } from '../../src/oversight/acts/audit-export.ts';
import { ledgerHistory } from '../../src/oversight/acts/audit-log.ts';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import { missing, verify } from '../verify-py/python.ts';
import { ReviewWorld } from './world.ts';
import { takeAnyFact } from '../store-contract/postgres-world.ts';

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.make();
});
afterAll(() => world?.close());

const BYTES = Buffer.from([0, 1, 2, 0xff, 0xfe]);

/** Each ends with the filing, and what must lie in its pack. */
const WAYS: Readonly<
  Record<string, () => Promise<{ readonly id: string; readonly files: readonly RegExp[] }>>
> = {
  'accepted by the portal': async () => {
    const { id, filings } = await world.batch(1);
    await world.run(id);
    return { id: world.only(filings).id, files: [/^receipt\.json$/, /^attempts\/.*\.body$/] };
  },
  'not sent yet': async () => {
    const { filings } = await world.batch(1);
    return { id: world.only(filings).id, files: [/^payload\//] };
  },
  'accepted by hand, with a text': async () => {
    const { filing } = await world.unsettled('US-CA');
    await acceptByHand(filing.id, { kind: 'text', text: 'the clerk read it to me: 17/ö' });
    return { id: filing.id, files: [/^receipt\.json$/, /^evidence\/entry-\d+\.txt$/] };
  },
  'accepted by hand, with a file': async () => {
    const { filing } = await world.unsettled('US-CA');
    await acceptByHand(filing.id, { kind: 'file', name: 'letter.pdf', bytes: BYTES });
    return { id: filing.id, files: [/^evidence\/entry-\d+\.bin$/, /^exceptions\//] };
  },
  'refused by the portal': async () => {
    const { filing } = await world.refused();
    return { id: filing.id, files: [/^exceptions\//, /^attempts\/.*\.body$/] };
  },
  'closed after a refusal': async () => {
    const { filing } = await world.refused();
    const { paula: actor } = world;
    await rejectFiling(world.app, actor, { id: filing.id, reason: 'done', notFiled: undefined });
    return { id: filing.id, files: [/^exceptions\//] };
  },
  'rejected by hand although it may be filed': async () => {
    const { filing } = await world.unsettled('US-NY');
    const { paula: actor } = world;
    await rejectFiling(world.app, actor, {
      id: filing.id,
      reason: 'as it was',
      notFiled: 'asked by phone',
    });
    return { id: filing.id, files: [/^exceptions\//] };
  },
  'handed on': async () => {
    const { filing } = await world.refused();
    const to = 'Arthur Approver';
    await assignFiling(world.app, world.paula, { id: filing.id, reason: 'yours', to });
    return { id: filing.id, files: [/^exceptions\//] };
  },
  'with a proposal that was withdrawn': async () => {
    const { filing } = await world.refused();
    const made = await correction(filing.id);
    await withdrawReview(world.app, world.paula, { id: made.id, reason: 'not wanted any more' });
    return { id: filing.id, files: [/^payload\/revision-2-/] };
  },
  'corrected and accepted': async () => {
    const { id, filing } = await world.refused();
    const made = await correction(filing.id);
    await approveReview(world.app, world.arthur, { id: made.id, expectHash: made.sha256 });
    await world.run(id);
    return { id: filing.id, files: [/^payload\/revision-1-/, /^payload\/revision-2-/, /^receipt/] };
  },
  'replayed and accepted': async () => {
    const { id, filing } = await world.unsettled('US-NY');
    const made = await proposeReplay(world.app, world.paula, {
      id: filing.id,
      reason: 'once more, please',
      notFiled: undefined,
    });
    await approveReview(world.app, world.arthur, { id: made.id, expectHash: made.sha256 });
    await world.run(id);
    return { id: filing.id, files: [/^receipt\.json$/, /^exceptions\//] };
  },
  'with a fact that was set aside': async () => {
    const { id, filings } = await world.batch(1);
    const filing = world.only(filings);
    await world.run(id);
    await takeAnyFact(world.app.session);
    await world.sql(
      `insert into ledger_intake
         (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
       select tenant, 'filing', $2, now(), 'filing.noted', 'filing', id::text, ver + 1, 'system', 'test', 'test', $3
       from filing where id = $1`,
      [filing.id, world.app.ids.next(), JSON.stringify({ reason: 'r'.repeat(80_000) })],
    );
    await world.sql('update filing set ver = ver + 1 where id = $1', [filing.id]);
    return { id: filing.id, files: [/^receipt\.json$/] };
  },
};

function acceptByHand(id: string, evidence: Parameters<typeof acceptFiling>[2]['evidence']) {
  const { paula: actor } = world;
  return acceptFiling(world.app, actor, {
    id,
    reason: 'seen on paper',
    receipt: `R-${id.slice(-8)}`,
    evidence,
  });
}

function correction(id: string) {
  return proposeCorrection(world.app, world.paula, {
    id,
    reason: 'the name was old',
    notFiled: undefined,
    wanted: { edits: [{ at: 'entity_name', value: 'Right Name' }] },
  });
}

function check(folder: string): Promise<void> {
  return verifyFolder(folder, {}).then((report) => {
    expect(report).toMatchObject({ ok: true });
    if (!missing) expect(verify(folder)).toMatchObject({ ok: true, code: 0 });
  });
}

describe('a filing', () => {
  it.each(Object.keys(WAYS))(
    '%s: can be defended, shown and exported',
    async (way) => {
      const { id, files } = (await WAYS[way]?.()) ?? { id: '', files: [] };
      const folder = join(world.folder, way.replaceAll(/\W+/g, '-'));
      const pack = await defendFiling(world.app, world.paula, { filing: id, folder });
      expect(pack.payloads).toBeGreaterThan(0);
      const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const file of files)
        expect(
          found.some((name) => file.test(name)),
          String(file),
        ).toBe(true);
      await check(folder);
      const part = `${folder}-part`;
      const scope = { kind: 'filing', filing: (await world.filing(id)).id } as const;
      const format = 'tiles' as const;
      await exportLedger(world.app, world.paula, { folder: part, scope, bodies: false, format });
      await check(part);
      const { lines } = await ledgerHistory(
        world.app,
        world.paula,
        { filing: scope.filing },
        1_000,
      );
      expect(lines.length).toBeGreaterThan(0);
    },
    60_000,
  );

  it('accepted by hand is defended with the evidence as it was given', () => {
    const folder = join(world.folder, 'accepted-by-hand-with-a-file');
    const [name = ''] = readdirSync(join(folder, 'evidence')).filter((one) => one.endsWith('.bin'));
    expect(readFileSync(join(folder, 'evidence', name))).toEqual(BYTES);
    const entry = readFileSync(
      join(folder, `logs/filing/entries/${/entry-(\d+)/.exec(name)?.[1]}.json`),
      'utf8',
    );
    const sha256 = createHash('sha256').update(BYTES).digest('hex');
    expect(JSON.parse(entry).data.evidence_sha256).toBe(sha256);
    const readme = readFileSync(join(folder, 'README.txt'), 'utf8');
    expect(readme).toContain('evidence/');
  });

  it('and all others: the whole ledger verifies, here and outside', async () => {
    expect(await world.ledgerStands()).toBe(true);
    const folder = join(world.folder, 'whole');
    const request = { folder, scope: { kind: 'whole' }, bodies: true, format: 'tiles' } as const;
    await exportLedger(world.app, world.paula, request);
    await check(folder);
  });
});
