import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkEnvelope } from '../../src/grants/rules/intake/exception-envelope.ts';
import type { AwardSource } from '../../src/grants/pipeline/contracts.ts';
import { placeHold } from '../../src/people/store/holds.ts';
import { entryId } from '../../src/core/ids.ts';
import {
  ACTOR,
  awardJson,
  awardsSource,
  type GrantsWorld,
  grantsWorld,
  textSource,
} from './world.ts';

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world.close());

let number = 0;
let good: AwardSource;
let exception: string;
let oldKey: string;
beforeEach(async () => {
  number += 1;
  const award = awardJson({
    id: `X-${number}`,
    cents: 900,
    reference: `REF-9${number}`,
    expected: '2026-02-02',
  });
  good = awardsSource([award], `corrected-${number}.ndjson`);
  const bad = awardsSource([{ ...award, award_amount: '9.00' }], `bad-${number}.ndjson`);
  const report = await world.pipeline.ingestAwards(bad, ACTOR);
  expect(report).toMatchObject({ accepted: 0, refused: 1 });
  exception = report.refusals[0]?.exception ?? '';
  oldKey = (await world.pipeline.exceptions.show(exception)).idempotencyKey;
});

describe('an exception', () => {
  it('holds the payload as it was, why, and its hash', async () => {
    const shown = await world.pipeline.exceptions.show(exception);
    expect(shown).toMatchObject({
      state: 'open',
      from: 'ingestion',
      escalationCode: 'NON_DETERMINISTIC_PAYLOAD',
      violationCodes: ['MONEY_NOT_CENTS'],
    });
    const { envelope } = shown;
    expect(envelope).toMatchObject({
      original_payload: { award_amount: '9.00' },
      compliance_metadata: { compliance_state: 'manual_review_required', boundary: 'fallback' },
      routing_target: 'compliance_exception_dlq',
      immutable: true,
    });
    checkEnvelope(envelope);
  });

  it('is imported again after two people agreed, as a new record that names the old one', async () => {
    const [ada, ben] = world.people;
    const { exceptions } = world.pipeline;
    await expect(exceptions.reingest(exception, good, ada)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    await exceptions.propose(
      exception,
      { kind: 'reingest', source: good, reason: 'typing error' },
      ada,
    );
    await expect(exceptions.reingest(exception, good, ada)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    await expect(exceptions.approve(exception, ada)).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    await expect(exceptions.approve(exception, ben, 'f'.repeat(64))).rejects.toMatchObject({
      code: 'HASH_DIFFERS',
    });
    const [proposed] = (await exceptions.show(exception)).acts;
    await exceptions.approve(exception, ben, proposed?.document);
    // Only the bytes that both have seen.
    const other = awardsSource([
      awardJson({ id: 'Y', cents: 901, reference: 'REF-Y', expected: '2026-02-02' }),
    ]);
    await expect(exceptions.reingest(exception, other, ben)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    expect(await exceptions.reingest(exception, good, ben)).toMatchObject({ accepted: 1 });
    const after = await exceptions.show(exception);
    expect(after).toMatchObject({
      state: 'reingested',
      acts: [{ act: 'proposed' }, { act: 'approved' }],
    });
    expect(after.replacedBy).not.toBe(oldKey);
    const [row] = await world.rows('select replaces from grant_award where key = $1', [
      after.replacedBy,
    ]);
    expect(row).toEqual({ replaces: oldKey });
    // The old envelope is what it was.
    expect(after.envelope.compliance_metadata.idempotency_key).toBe(oldKey);
    checkEnvelope(after.envelope);
    // Once is enough.
    await expect(exceptions.reingest(exception, good, ben)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
  });

  it('is not answered with something that would be refused again', async () => {
    const [ada] = world.people;
    const { exceptions } = world.pipeline;
    const empty = { ...textSource('empty.ndjson', ''), format: 'ndjson' } as const;
    for (const source of [awardsSource([{ nothing: 1 }]), empty, awardsSource([{}, {}])]) {
      const resolution = { kind: 'reingest', source, reason: 'x' } as const;
      await expect(exceptions.propose(exception, resolution, ada)).rejects.toMatchObject({
        code: 'INPUT_MALFORMED',
      });
    }
    expect(await exceptions.show(exception)).toMatchObject({ state: 'open' });
  });

  it('is dismissed by two people, and a withdrawn proposal makes room for another', async () => {
    const [ada, ben] = world.people;
    const { exceptions } = world.pipeline;
    const dismiss = { kind: 'dismiss', reason: 'sent by mistake' } as const;
    await exceptions.propose(exception, dismiss, ada);
    await expect(exceptions.propose(exception, dismiss, ben)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    await exceptions.withdraw(exception, ada, 'not before May');
    await exceptions.propose(exception, dismiss, ben);
    await exceptions.approve(exception, ada);
    expect(await exceptions.show(exception)).toMatchObject({ state: 'dismissed' });
    expect((await exceptions.list({ isOpen: true })).map(({ id }) => id)).not.toContain(exception);
    await expect(exceptions.propose(exception, dismiss, ben)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
  });

  it('is kept at least seven years, and longer while no one has resolved it or a hold is in force', async () => {
    const subject = `fallback/${exception}`;
    const kept = async (): Promise<number> => {
      const [row] = await world.rows(
        'select (retain_until - current_date)::int as days from ledger_dek where subject = $1',
        [subject],
      );
      return Number(row?.['days']);
    };
    expect(await kept()).toBeGreaterThan(6 * 365);
    const fact = {
      id: entryId(world.ids.next()),
      type: 'hold.placed' as const,
      actor: ACTOR,
      trace: 't',
      data: {},
    };
    const hold = {
      id: world.ids.next(),
      subject,
      reason: 'an inquiry is open',
      by: world.people[0],
    };
    await world.session.remember({ 'fw.person': hold.by });
    await placeHold(world.session, world.tenant, hold, fact);
    await world.session.remember({ 'fw.person': '' });
    const shred = `update ledger_dek set wrapped = '', state = 'shredded', shredded_at = now() where subject = '${subject}'`;
    await expect(world.attempt('shred', shred)).rejects.toMatchObject({ code: '23001' });
  });
});

it('an award with another content under the same number goes to a person, the same again counts once', async () => {
  const { pipeline } = world;
  const award = { id: 'SAME', cents: 100, reference: 'REF-SAME', expected: '2026-03-02' };
  await pipeline.ingestAwards(awardsSource([awardJson(award)], 'one.ndjson'), ACTOR);
  const again = await pipeline.ingestAwards(
    awardsSource([awardJson(award), {}], 'two.ndjson'),
    ACTOR,
  );
  expect(again).toMatchObject({ repeated: 1, accepted: 0, refused: 1 });
  const other = await pipeline.ingestAwards(
    awardsSource([awardJson({ ...award, cents: 101 })]),
    ACTOR,
  );
  expect(other).toMatchObject({ accepted: 0, refused: 1, refusals: [{ kind: 'conflicting' }] });
  const shown = await pipeline.exceptions.show(other.refusals[0]?.exception ?? '');
  expect(shown.escalationCode).toBe('AWARD_CONTRADICTION');
});

it('a document that breaks at its end leaves nothing', async () => {
  const before = await world.count('grant_award');
  const rows = Array.from({ length: 600 }, (_, n) => `G,${n + 1},USD,2026,x`).join('\n');
  const xml = `<awards>${Array.from({ length: 600 }, () => '<award><grantor_id>G</grantor_id></award>').join('')}<award>`;
  const csv = `grantor_id,award_amount,currency,fiscal_year,compliance_tags.a\n${rows}\n"unclosed`;
  for (const [format, text] of [
    ['xml', xml],
    ['csv', csv],
  ] as const) {
    const source = { ...textSource(`broken.${format}`, text), format };
    await expect(world.pipeline.ingestAwards(source, ACTOR)).rejects.toMatchObject({
      code: 'INPUT_MALFORMED',
    });
  }
  expect(await world.count('grant_award')).toBe(before);
});

it('a file that changes while it is read is refused', async () => {
  let opened = 0;
  const source: AwardSource = {
    name: 'moving.ndjson',
    format: 'ndjson',
    async *open() {
      opened += 1;
      yield Buffer.from(
        JSON.stringify(awardJson({ cents: opened, reference: 'R', expected: '2026-01-01' })),
      );
    },
  };
  await expect(world.pipeline.ingestAwards(source, ACTOR)).rejects.toThrow(
    'changed while it was being read',
  );
});

it.each([
  [{}, '2039-04-29'],
  // The terms of the award win where the final report may come later, never where it must come earlier.
  [{ terms: { offset_days: { 'sf425.final': 365 } } }, '2039-12-30'],
  [{ terms: { offset_days: { 'sf425.final': 30 } } }, '2039-04-29'],
])(
  'keeps a federal award longer than seven years where its own rule asks for it: %j',
  async (terms, until) => {
    const more = {
      assistance_listing: '10.555',
      period_start: '2026-01-01',
      period_end: '2035-12-31',
      purpose: until,
      ...terms,
    };
    const award = awardJson({
      id: JSON.stringify(terms),
      cents: 5,
      reference: 'R-L',
      expected: '2026-01-01',
      more,
    });
    const { document } = await world.pipeline.ingestAwards(awardsSource([award]), ACTOR);
    const rows = await world.rows(
      'select subject, retain_until::text as until from ledger_dek where subject like $1',
      [`%/${document}`],
    );
    expect(rows.map((row) => row['until'])).toEqual([until, until]);
  },
);
