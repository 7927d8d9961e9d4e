import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant, toRfc3339 } from '../../src/core/time.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import {
  brokenAt,
  type ComplianceMetadata,
  metadataHash,
} from '../../src/grants/rules/intake/metadata.ts';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  feedSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
} from './world.ts';

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world.close());

it('carries awards and a feed to a traced figure', async () => {
  const { pipeline } = world;
  const report = await pipeline.ingestAwards(
    awardsSource([
      awardJson({ id: 'A-1', cents: 125_000, reference: 'REF-0001', expected: '2026-01-12' }),
      awardJson({ id: 'A-2', cents: 75_050, reference: 'REF-0002', expected: '2026-01-20' }),
      { nonsense: 1 },
    ]),
    ACTOR,
  );
  expect(report).toMatchObject({ records: 3, accepted: 2, refused: 1 });
  const feed = await pipeline.ingestFeed(
    feedSource({
      number: 1,
      from: '2026-01-01',
      to: '2026-01-30',
      openingCents: 1_000,
      lines: [
        { on: '2026-01-12', cents: 125_000, reference: 'REF-0001' },
        { on: '2026-01-21', cents: 75_050, reference: 'REF-0002' },
      ],
    }),
    ACTOR,
  );
  expect(feed).toMatchObject({ lines: 2, statements: 1, gaps: [] });
  const matched = await pipeline.reconcilePeriod({ to: '2026-01-31' }, ACTOR);
  expect(matched.byStatus).toMatchObject({ matched: 2 });
  const period = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };
  const closed = await pipeline.closePeriod(period, NOWHERE, ACTOR);
  expect(closed, JSON.stringify(closed)).toMatchObject({
    kind: 'closed',
    release: { kind: 'passed', received: 2 },
  });
  const days = { from: '2026-01-01', to: '2026-12-31' };
  const figures = await pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
  expect(figures.figures.map(({ name, cents }) => [name, cents])).toContainEqual([
    'IRS990/AllOtherContributionsAmt',
    200_050n,
  ]);
  const trace = await pipeline.trace({ kind: '990', ...days }, 'IRS990/AllOtherContributionsAmt');
  expect(JSON.stringify(trace)).toContain(feed.feed);
  expect(await pipeline.evaluateRules({ ...NOWHERE, ...days }, ACTOR)).toMatchObject({
    crossings: [],
  });
  const [exception] = await pipeline.exceptions.list();
  expect(exception).toMatchObject({
    from: 'ingestion',
    escalationCode: 'SCHEMA_VIOLATION',
    state: 'open',
  });
});

it('appends to the stamp of an award and never changes it: the chain of its metadata holds', async () => {
  const rows = await world.rows(
    `select a.key, a.payload_sha256, a.mapping_sha256, a.ingested_at, m.boundary, m.compliance_state, m.attempt_count, m.hash,
       m.previous_hash
     from grant_award a join grant_metadata m on m.tenant = a.tenant and m.key = a.key`,
  );
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    const hexOf = (name: string): string => Buffer.from(row[name] as Uint8Array).toString('hex');
    const stamp: ComplianceMetadata = {
      idempotency_key: String(row['key']),
      payload_hash: sha256Hex(hexOf('payload_sha256')),
      ingestion_timestamp: toRfc3339(instant(Number(row['ingested_at']))),
      boundary: 'ingestion',
      compliance_state: 'validated_transient_retry_eligible',
      attempt_count: 0,
      mapping_hash: sha256Hex(hexOf('mapping_sha256')),
      previous_hash: null,
      replaces: null,
    };
    const after: ComplianceMetadata = {
      ...stamp,
      boundary: 'reconciliation',
      compliance_state: 'reconciled',
      previous_hash: sha256Hex(hexOf('previous_hash')),
    };
    expect(brokenAt([stamp, after])).toBeUndefined();
    expect(metadataHash(after)).toBe(hexOf('hash'));
  }
});
