import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoleName } from '../../src/postgres/role-rights.ts';
import { rolesState } from '../../src/postgres/roles.ts';
import { STAGE_TABLES, STAGES } from '../../src/postgres/grant-walls.ts';
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

const REFUSED = { code: '42501' };

/** What each role may do, told a second time and independently of the code that grants it. */
const MAY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  grant_document: { ingestion: 'si', fallback: 'c' },
  grant_award: { ingestion: 'si', reconciliation: 'c', fallback: 'c' },
  grant_award_group: { ingestion: 'si', reconciliation: 's', rules: 's', reporting: 's' },
  grant_metadata: {
    ingestion: 'si',
    reconciliation: 'si',
    rules: 'si',
    reporting: 'si',
    fallback: 'si',
  },
  grant_escalation: {
    ingestion: 'i',
    reconciliation: 'i',
    rules: 'i',
    reporting: 'i',
    fallback: 's',
  },
  grant_exception: { fallback: 'si', ingestion: 'c' },
  grant_feed: { reconciliation: 'si' },
  grant_statement: { reconciliation: 'si' },
  grant_balance: { reconciliation: 'si' },
  grant_line: { reconciliation: 'si' },
  grant_line_group: { reconciliation: 'si' },
  grant_period: { reconciliation: 'si' },
  grant_draft: { reconciliation: 'sid' },
  grant_match: { reconciliation: 'si' },
  grant_match_line: { reconciliation: 'si' },
  grant_match_part: { reconciliation: 'si' },
  grant_award_end: { ingestion: 'si', reconciliation: 's', rules: 's', reporting: 's' },
  grant_resolution: { reconciliation: 'si' },
  grant_crossing: { reconciliation: 'si' },
  grant_check: { reconciliation: 'si' },
  grant_release: { reconciliation: 'si' },
  grant_received: { reconciliation: 'si', rules: 's', reporting: 's' },
  question: { ingestion: 'siu', reconciliation: 'siu' },
  question_try: { ingestion: 'si', reconciliation: 'si' },
  grant_evaluation: { rules: 'si' },
  grant_duty: { rules: 'si' },
  grant_report: { reporting: 'si' },
};

/** Columns that are no part of any contract. */
const HIDDEN: readonly [RoleName, string][] = [
  ['reconciliation', 'select identity from grant_award'],
  ['reconciliation', 'select * from grant_award'],
  ['fallback', 'select cents from grant_award'],
  ['fallback', 'select payload_sha256 from grant_award'],
  ['fallback', 'select name from grant_document'],
  ['fallback', 'select name from person'],
  ['reconciliation', 'select name from person'],
  ['reconciliation', 'select sha256 from person_key'],
  ['fallback', 'select sha256 from person_key'],
  ['fallback', 'select n from person_role'],
  ['ingestion', 'select ct from grant_exception'],
  ['ingestion', 'select escalation_code from grant_exception'],
  ['ingestion', 'select reason from proposal'],
  ['ingestion', 'select proposed_by from proposal'],
  ['ingestion', 'select decided_by from proposal'],
  ['ingestion', "update proposal set state = 'approved'"],
  ['fallback', "update proposal set terms = '{}'"],
  ['reconciliation', 'update proposal set proposed_by = decided_by'],
  ['rules', 'select kind from proposal'],
  ['reporting', 'select kind from proposal'],
];

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
  const { pipeline } = world;
  const award = awardJson({ id: 'A-1', cents: 500, reference: 'REF-0001', expected: '2026-01-12' });
  await pipeline.ingestAwards(awardsSource([award, {}]), ACTOR);
  const line = { on: '2026-01-12', cents: 500, reference: 'REF-0001' };
  const feed = { number: 1, from: '2026-01-01', to: '2026-01-30', openingCents: 0, lines: [line] };
  await pipeline.ingestFeed(feedSource(feed), ACTOR);
  const period = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };
  await pipeline.closePeriod(period, NOWHERE, ACTOR);
  const days = { from: '2026-01-01', to: '2026-12-31' };
  await pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
  await pipeline.evaluateRules({ ...NOWHERE, ...days }, ACTOR);
});
afterAll(() => world.close());

it('the tables of the stages are all named, and the world has something in the ones that count', async () => {
  expect([...STAGE_TABLES].sort()).toEqual(Object.keys(MAY).sort());
  const stored = await world.rows(
    `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and (relname like 'grant\\_%' or relname like 'question%') order by relname`,
    [world.schema],
  );
  expect(stored.map(({ relname }) => relname)).toEqual(Object.keys(MAY).sort());
  for (const table of ['grant_award', 'grant_received', 'grant_exception', 'grant_report']) {
    expect(await world.count(table), table).toBeGreaterThan(0);
  }
});

const OTHERS = ['app', 'filing', 'access', 'shred', 'seq_ingestion', 'seq_filing'] as const;

describe.each([...STAGES, ...OTHERS])('the role %s', (role) => {
  it.each(Object.keys(MAY))('touches %s no further than its contract', async (table) => {
    const may = MAY[table]?.[role] ?? '';
    const tries: readonly [string, string][] = [
      ['s', `select * from ${table}`],
      ['i', `insert into ${table} select * from ${table} where false`],
      ['u', `update ${table} set tenant = tenant where false`],
      ['d', `delete from ${table} where false`],
      ['t', `truncate ${table}`],
    ];
    for (const [right, text] of tries) {
      const isGiven = may.includes(right);
      // To copy from a table needs the right to read it as well.
      const insert = `insert into ${table} (tenant) select 'x' where false`;
      const statement = right === 'i' ? insert : text;
      if (isGiven) await world.attempt(role, statement);
      else
        await expect(world.attempt(role, statement), `${role}: ${statement}`).rejects.toMatchObject(
          REFUSED,
        );
    }
  });
});

it.each(HIDDEN)('%s may not: %s', async (role, text) => {
  await expect(world.attempt(role, text)).rejects.toMatchObject(REFUSED);
});

it.each(STAGES)('%s reads and writes nothing of the filings', async (stage) => {
  for (const table of [
    'filing',
    'envelope',
    'exception',
    'batch',
    'lane',
    'entity',
    'obligation',
  ]) {
    for (const text of [
      `select * from ${table}`,
      `delete from ${table}`,
      `update ${table} set tenant = tenant`,
    ]) {
      await expect(world.attempt(stage, text), text).rejects.toMatchObject(REFUSED);
    }
  }
});

it.each([
  ['fallback', 'exception'],
  ['reconciliation', 'statement'],
  ['app', 'batch'],
] as const)('%s proposes, sees and decides %s and nothing of the others', async (role, own) => {
  const [person] = await world.rows('select id from person limit 1');
  for (const kind of ['exception', 'statement', 'batch']) {
    const terms = kind === 'exception' ? '{"resolution":"dismiss"}' : '{}';
    const insert = `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by)
      values ('${world.tenant}', '${kind}', 'wall', 1, '${terms}', sha256('x'), 'a good reason', '${String(person?.['id'])}')`;
    if (kind === own) await world.attempt(role, insert);
    else await expect(world.attempt(role, insert), kind).rejects.toMatchObject(REFUSED);
  }
});

it('no stage sees what is proposed in another', async () => {
  const { prefix } = await rolesState(world.session);
  const [person] = await world.rows('select id from person limit 1');
  const seen: Record<string, unknown[]> = {};
  await world.session
    .transaction(async (run) => {
      const run1 = (text: string) => run({ name: '', text });
      for (const [kind, terms] of [
        ['exception', '{"resolution":"dismiss"}'],
        ['statement', '{}'],
        ['batch', '{}'],
      ]) {
        await run1(`insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by)
          values ('${world.tenant}', '${kind}', 'seen', 1, '${terms}', sha256('x'), 'a good reason', '${String(person?.['id'])}')`);
      }
      for (const role of ['ingestion', 'fallback', 'reconciliation', 'app']) {
        await run1(`set local role ${prefix}_${role}`);
        const rows = await run1(`select kind from proposal where subject = 'seen' order by kind`);
        seen[role] = rows.map(({ kind }) => kind);
        await run1('reset role');
      }
      throw new Error('undone');
    })
    .catch((error: Error) => expect(error.message).toBe('undone'));
  expect(seen).toEqual({
    ingestion: ['exception'],
    fallback: ['exception'],
    reconciliation: ['statement'],
    app: ['batch'],
  });
});

it.each(STAGES)('%s adds metadata and escalations of no other boundary', async (stage) => {
  const [award] = await world.rows('select key from grant_award');
  for (const boundary of STAGES) {
    const metadata = `insert into grant_metadata (tenant, key, n, boundary, compliance_state, attempt_count, hash, previous_hash)
      values ('${world.tenant}', '${String(award?.['key'])}', 9, '${boundary}', 'x', 0, sha256('a'), sha256('b'))`;
    if (boundary === stage) await world.attempt(stage, metadata);
    else await expect(world.attempt(stage, metadata)).rejects.toMatchObject(REFUSED);
    if (boundary === 'fallback') continue;
    const escalation = `insert into grant_escalation (tenant, id, boundary, key, bytes)
      values ('${world.tenant}', gen_random_uuid(), '${boundary}', 'k', '')`;
    if (boundary === stage) await world.attempt(stage, escalation);
    else await expect(world.attempt(stage, escalation)).rejects.toMatchObject(REFUSED);
  }
});

describe('questions to lanes', () => {
  const PURPOSES = { ingestion: 'fetch', reconciliation: 'verification' } as const;
  const question = (purpose: string): string =>
    `insert into question (tenant, id, purpose, lane, subject, request, request_sha256, started_at, next_at)
     values ('${world.tenant}', gen_random_uuid(), '${purpose}', 'L', '/${purpose}', '{}', sha256('r'), now(), now())`;
  const tried = (purpose: string): string =>
    `insert into question_try (tenant, question, purpose, n, kind, last_error_code, retry_deadline, payload_hash, at)
     select '${world.tenant}', q.id, '${purpose}', 1, 'attempt', 'NONE', now(), 'h', now() from question q`;

  it.each(['ingestion', 'reconciliation'] as const)(
    'of another purpose are not there for %s, and it adds and changes none',
    async (stage) => {
      const { prefix } = await rolesState(world.session);
      const other = stage === 'ingestion' ? 'verification' : 'fetch';
      for (const purpose of Object.values(PURPOSES)) {
        if ((await world.count('question', `purpose = '${purpose}'`)) === 0) {
          await world.rows(question(purpose));
          await world.rows(`${tried(purpose)} where q.purpose = '${purpose}'`);
        }
      }
      await world.session.transaction(async (run) => {
        await run({ name: '', text: `set local role ${prefix}_${stage}` });
        for (const table of ['question', 'question_try']) {
          const seen = await run({ name: '', text: `select distinct purpose from ${table}` });
          expect(seen, table).toEqual([{ purpose: PURPOSES[stage] }]);
        }
        const changed = await run({
          name: '',
          text: `update question set tries = tries where purpose = '${other}' returning id`,
        });
        expect(changed).toEqual([]);
      });
      await expect(world.attempt(stage, question(other))).rejects.toMatchObject(REFUSED);
      await expect(world.attempt(stage, tried(other))).rejects.toMatchObject(REFUSED);
      const turned = `update question set purpose = '${other}'`;
      await expect(world.attempt(stage, turned)).rejects.toThrow();
    },
  );
});

it('each stage finds the data keys of its own boundary and of its contracts, and the bodies of its own log', async () => {
  const domains: Readonly<Record<string, readonly string[]>> = {
    ingestion: ['award', 'escalation', 'ingestion'],
    reconciliation: ['award', 'escalation', 'reconciliation'],
    rules: ['award', 'escalation', 'rules'],
    reporting: ['award', 'escalation', 'reporting'],
    fallback: ['escalation', 'fallback'],
  };
  const all = await world.rows(
    `select distinct split_part(subject, '/', 1) as domain from ledger_dek order by 1`,
  );
  expect(all.map(({ domain }) => domain)).toEqual(
    ['escalation', 'fallback', 'award', 'ingestion', 'reconciliation', 'reporting', 'rules'].sort(),
  );
  const { prefix } = await rolesState(world.session);
  for (const stage of STAGES) {
    await world.session.transaction(async (run) => {
      await run({ name: '', text: `set local role ${prefix}_${stage}` });
      const keys = await run({
        name: '',
        text: `select distinct split_part(subject, '/', 1) as domain from ledger_dek order by 1`,
      });
      expect(
        keys.map(({ domain }) => domain),
        stage,
      ).toEqual(domains[stage]);
      const bodies = await run({ name: '', text: 'select distinct boundary from ledger_blob' });
      expect(bodies, stage).toEqual([{ boundary: stage }]);
    });
    const other = stage === 'fallback' ? 'ingestion' : 'fallback';
    // Of a key that is wrapped as it should be.
    const [named] = await world.session.run({
      name: '',
      text: `select encode(label || 'x', 'hex') as label from ledger_tenant_key where tenant = '${world.tenant}'`,
    });
    const label = String(named?.['label']);
    await expect(
      world.attempt(
        stage,
        `insert into ledger_dek (tenant, id, subject, month, wrapped) values ('${world.tenant}', 'k-x', '${other}/x', '2026-01', decode('${label}', 'hex'))`,
      ),
    ).rejects.toMatchObject(REFUSED);
    await expect(
      world.attempt(stage, `update ledger_dek set wrapped = wrapped || 'x'`),
    ).rejects.toMatchObject(REFUSED);
  }
});

it('another tenant sees none of it, in whatever role', async () => {
  const { prefix } = await rolesState(world.session);
  for (const [table, roles] of Object.entries(MAY)) {
    for (const [role, may] of Object.entries(roles)) {
      if (!may.includes('s')) continue;
      await world.session.transaction(async (run) => {
        await run({ name: '', text: `set local fw.tenant = 'somebody-else'` });
        await run({ name: '', text: `set local role ${prefix}_${role}` });
        expect(await run({ name: '', text: `select 1 from ${table}` }), `${role} ${table}`).toEqual(
          [],
        );
      });
    }
  }
});

it('what is written once stays, even for the owner of the database', async () => {
  for (const table of [
    'grant_award',
    'grant_line',
    'grant_match',
    'grant_period',
    'grant_received',
    'grant_exception',
    'grant_award_group',
  ]) {
    for (const text of [
      `update ${table} set tenant = tenant`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      await expect(world.rows(text), text).rejects.toMatchObject({ code: '23001' });
    }
  }
});

it('no name, account holder, reference or purpose lies open in what ingestion keeps', async () => {
  const rows = await world.rows(
    `select t::text as text from grant_award t union all select g::text from grant_award_group g`,
  );
  for (const { text } of rows) expect(text).not.toMatch(/Harbor|REF-0001|food/);
});

it('a stage imports no other stage', () => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '../../src/grants/pipeline');
  for (const stage of STAGES) {
    for (const file of readdirSync(join(folder, stage))) {
      const text = readFileSync(join(folder, stage, file), 'utf8');
      for (const [, target] of text.matchAll(/from '\.\.\/([^.'][^']*)'/g)) {
        expect(
          ['contracts.ts', 'bytes.ts', 'fiscal-years.ts', 'passed-award.ts', 'questions.ts'],
          `${stage}/${file}`,
        ).toContain(target);
      }
    }
  }
});
