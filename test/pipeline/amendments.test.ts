/** Amendments and cancellations of awards: two people, a linked trail, and the old record stands no more. */
import { awardId } from '../../src/core/index.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  feedSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
  type TestAward,
} from './world.ts';

const YEAR = { from: '2026-01-01', to: '2026-12-31' };
const CALENDAR = {
  organization: '123456789',
  period_start: '2026-01-01',
  period_end: '2026-12-31',
  fiscal_year_end: '12-31',
  reporting_frequency: 'quarterly',
  guidance_version: '2024',
  funder_type: 'government',
  benefit: 'public',
  terms: { reporting_periods: 'calendar' },
};
const FIRST: TestAward = {
  id: 'F-1',
  cents: 10_000_000,
  reference: 'REF-0001',
  expected: '2026-01-12',
  more: CALENDAR,
};

let world: GrantsWorld;
let key = awardId('');
beforeEach(async () => {
  world = await grantsWorld();
  await world.pipeline.ingestAwards(awardsSource([awardJson(FIRST)]), ACTOR);
  key = awardId(String((await world.rows('select key from grant_award'))[0]?.['key']));
});
afterEach(() => world.close());

const amended = (change: Partial<TestAward>, name = 'amendment.ndjson') =>
  awardsSource([awardJson({ ...FIRST, ...change })], name);

async function sf425() {
  const made = await world.pipeline.reportFigures({ kind: 'sf425', ...YEAR, award: 'F-1' }, ACTOR);
  const of = (line: string) => Number(made.figures.find((one) => one.line === line)?.cents ?? -1n);
  return { of, remarks: made.remarks.join('\n') };
}

async function january(cents: number, reference = 'REF-0001'): Promise<void> {
  const lines = [{ on: '2026-01-12', cents, reference }];
  const feed = { number: 1, from: '2026-01-01', to: '2026-01-31', openingCents: 0, lines };
  await world.pipeline.ingestFeed(feedSource(feed), ACTOR);
}

const closeJanuary = () =>
  world.pipeline.closePeriod(
    { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' },
    NOWHERE,
    ACTOR,
  );

describe('an amendment that the grantor sent', () => {
  it('replaces what it amends after two people agreed, in 10d and in what is expected', async () => {
    const { pipeline, people } = world;
    const [ada, ben] = people;
    const more = amended({ cents: 15_000_000 });
    const taken = await pipeline.ingestAwards(more, ACTOR);
    expect(taken).toMatchObject({ accepted: 0, refused: 1, refusals: [{ kind: 'conflicting' }] });
    const id = taken.refusals[0]?.exception ?? '';
    const { exceptions } = pipeline;
    expect(await exceptions.show(id)).toMatchObject({
      amends: key,
      options: ['as-it-came', 'reingest', 'dismiss'],
    });
    // The very same file was taken in before, and can never be taken in again.
    await expect(
      exceptions.propose(id, { kind: 'reingest', source: more, reason: 'as the letter says' }, ada),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await exceptions.propose(id, { kind: 'as-it-came', reason: 'amendment 1' }, ada);
    await expect(exceptions.approve(id, ada)).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    await exceptions.approve(id, ben);
    expect(await exceptions.reingest(id, undefined, ben)).toMatchObject({ accepted: 1 });
    const shown = await exceptions.show(id);
    expect(shown).toMatchObject({ state: 'reingested', amends: key });
    expect(await world.rows('select award, by_award from grant_award_end')).toEqual([
      { award: key, by_award: shown.replacedBy },
    ]);
    expect((await sf425()).of('10d')).toBe(15_000_000);
    expect(await pipeline.unmatched('2026-01-31')).toMatchObject([{ amountCents: 15_000_000 }]);
    const facts = await world.rows(
      `select type, data->>'amends' as amends, data->>'document' as document from ledger_intake
       where type like 'exception.resolution%' order by type`,
    );
    expect(facts).toEqual([
      { type: 'exception.resolution_approved', amends: key, document: shown.acts[0]?.document },
      { type: 'exception.resolution_proposed', amends: key, document: shown.acts[0]?.document },
    ]);
  });

  it('sent again, or the old document sent again, changes nothing', async () => {
    const { pipeline, people } = world;
    const id = await pipeline.amend(
      key,
      { source: amended({ cents: 15_000_000 }), reason: 'as the letter says' },
      people[0],
    );
    await pipeline.exceptions.approve(id, people[1]);
    await pipeline.exceptions.reingest(id, amended({ cents: 15_000_000 }), people[1]);
    for (const cents of [15_000_000, 10_000_000]) {
      const again = awardsSource([awardJson({ ...FIRST, cents }), {}], `again-${cents}.ndjson`);
      expect(await pipeline.ingestAwards(again, ACTOR)).toMatchObject({ accepted: 0, repeated: 1 });
    }
    expect((await sf425()).of('10d')).toBe(15_000_000);
  });
});

describe('an amendment that a person brings', () => {
  it('counts what came before it, whatever its reference and its day', async () => {
    const { pipeline, people } = world;
    await january(4_000_000);
    expect(await closeJanuary()).toMatchObject({ kind: 'closed' });
    const source = amended({ cents: 12_000_000, reference: 'NEW-77', expected: '2026-02-10' });
    const id = await pipeline.amend(key, { source, reason: 'amendment 2' }, people[0]);
    await pipeline.exceptions.approve(id, people[1]);
    await pipeline.exceptions.reingest(id, source, people[1]);
    expect(await pipeline.unmatched('2026-02-28')).toMatchObject([{ amountCents: 8_000_000 }]);
    const report = await sf425();
    expect(report.of('10a')).toBe(4_000_000);
    expect(report.of('10d')).toBe(12_000_000);
  });

  it('moves the dates, and the old ones are withdrawn with a word why', async () => {
    const { pipeline, people } = world;
    const evaluate = () => pipeline.evaluateRules({ ...NOWHERE, ...YEAR }, ACTOR);
    const before = await evaluate();
    const dueOf = (report: typeof before, kind: string) =>
      report.obligations.filter((one) => one.filingKind === kind).map((one) => one.due);
    expect(dueOf(before, 'sf425.final')).toEqual(['2027-04-30']);
    const source = amended({ more: { ...CALENDAR, period_end: '2027-06-30' } });
    const id = await pipeline.amend(key, { source, reason: 'an extension' }, people[0]);
    await pipeline.exceptions.approve(id, people[1]);
    await pipeline.exceptions.reingest(id, source, people[1]);
    const after = await evaluate();
    expect(dueOf(after, 'sf425.final')).toEqual(['2027-10-28']);
    const old = after.withdrawn.find((one) => one.filingKind === 'sf425.final');
    expect(old).toMatchObject({ state: 'superseded', due: '2027-04-30' });
    expect(JSON.stringify(old?.answer)).toContain(id);
    expect(
      after.withdrawn.every((one) => !after.obligations.some(({ id: now }) => now === one.id)),
    ).toBe(true);
  });

  it.each([
    ['says nothing new', () => amended({}, 'same.ndjson')],
    ['is of another grantor', () => amended({ grantor: 'G-2' })],
    ['is refused by the schema', () => amended({ more: { ...CALENDAR, benefit: 'nobody' } })],
    ['has two awards', () => awardsSource([awardJson(FIRST), awardJson({ ...FIRST, cents: 1 })])],
  ])('is not proposed where it %s', async (_why, source) => {
    const { pipeline, people } = world;
    await expect(
      pipeline.amend(key, { source: source(), reason: 'as the letter says' }, people[0]),
    ).rejects.toMatchObject({ code: expect.stringMatching(/REFUSED_BY_RULE|INPUT_MALFORMED/) });
    expect(await world.count('grant_exception')).toBe(0);
  });

  it('waits for the one before it, and never makes two of one award', async () => {
    const { pipeline, people } = world;
    const one = amended({ cents: 11_000_000 }, 'one');
    const two = amended({ cents: 12_000_000 }, 'two');
    const id = await pipeline.amend(key, { source: one, reason: 'as the letter says' }, people[0]);
    await expect(
      pipeline.amend(key, { source: two, reason: 'as the letter says' }, people[0]),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    expect(await world.count('grant_escalation')).toBe(1);
    await pipeline.exceptions.approve(id, people[1]);
    await pipeline.exceptions.reingest(id, one, people[1]);
    await expect(
      pipeline.amend(key, { source: two, reason: 'as the letter says' }, people[0]),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    expect((await sf425()).of('10d')).toBe(11_000_000);
    const insert = `insert into grant_award_end (tenant, award, exception, by_award)
      select tenant, key, '${id}', null from grant_award where replaces is not null`;
    await expect(world.attempt('ingestion', insert)).rejects.toMatchObject({ code: '23001' });
  });
});

describe('a cancellation', () => {
  it('ends what the award owes and expects, and 10d is what had come', async () => {
    const { pipeline, people } = world;
    await january(4_000_000);
    await closeJanuary();
    const id = await pipeline.cancelAward(key, { reason: 'terminated' }, people[0]);
    expect(await pipeline.exceptions.show(id)).toMatchObject({ state: 'proposed', amends: key });
    expect((await sf425()).of('10d')).toBe(10_000_000);
    await expect(pipeline.exceptions.approve(id, people[0])).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    await pipeline.exceptions.approve(id, people[1]);
    expect(await pipeline.exceptions.show(id)).toMatchObject({ state: 'cancelled' });
    expect(await pipeline.unmatched('2026-12-31')).toEqual([]);
    const report = await sf425();
    expect(report.of('10a')).toBe(4_000_000);
    expect(report.of('10d')).toBe(4_000_000);
    expect(report.remarks).toContain('canceled');
    const rules = await pipeline.evaluateRules({ ...NOWHERE, ...YEAR }, ACTOR);
    expect(rules.obligations.filter(({ entity }) => entity === 'F-1')).toEqual([]);
    expect(rules.withdrawn.some(({ filingKind }) => filingKind === 'sf425.final')).toBe(true);
    // A cancelled award is neither amended nor cancelled again.
    await expect(
      pipeline.cancelAward(key, { reason: 'as the letter says' }, people[0]),
    ).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
  });

  it('of an unknown award is refused', async () => {
    await expect(
      world.pipeline.cancelAward(
        awardId('fw1-unknown'),
        { reason: 'as the letter says' },
        world.people[0],
      ),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a correction that can never be imported', () => {
  it('is not offered for what is no award, nor where its award is known already', async () => {
    const { pipeline, people } = world;
    const refused = await pipeline.ingestAwards(
      awardsSource([{ grantor_id: 'G-1' }], 'bad.ndjson'),
      ACTOR,
    );
    const id = refused.refusals[0]?.exception ?? '';
    expect(await pipeline.exceptions.show(id)).toMatchObject({ options: ['reingest', 'dismiss'] });
    for (const source of [amended({}, 'known.ndjson'), amended({ cents: 5 }, 'other.ndjson')]) {
      await expect(
        pipeline.exceptions.propose(
          id,
          { kind: 'reingest', source, reason: 'as the letter says' },
          people[0],
        ),
      ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    }
    const ledger = {
      code: 'US-DE',
      mayRead: () => true,
      read: () =>
        Promise.resolve({ kind: 'failed', failure: { kind: 'http', status: 404 } } as const),
    };
    const verified = await pipeline.verifyGrantor('G-1', ledger);
    const failed = await pipeline.exceptions.show(verified.exception ?? '');
    expect(failed).toMatchObject({ from: 'reconciliation', options: ['dismiss'] });
    const good = amended({ id: 'F-9', reference: 'R-9' });
    await expect(
      pipeline.exceptions.propose(
        failed.id,
        { kind: 'reingest', source: good, reason: 'as the letter says' },
        people[0],
      ),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });

  it('is not offered where the amended award has gone meanwhile', async () => {
    const { pipeline, people } = world;
    const taken = await pipeline.ingestAwards(amended({ cents: 15_000_000 }), ACTOR);
    const id = taken.refusals[0]?.exception ?? '';
    const cancelled = await pipeline.cancelAward(key, { reason: 'terminated' }, people[0]);
    await pipeline.exceptions.approve(cancelled, people[1]);
    expect((await pipeline.exceptions.show(id)).options).not.toContain('as-it-came');
    await expect(
      pipeline.exceptions.propose(
        id,
        { kind: 'as-it-came', reason: 'as the letter says' },
        people[0],
      ),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });
});
