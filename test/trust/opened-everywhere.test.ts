/**
 * The adversary: somebody who reads what is sealed through an act that nobody thought of. Every command of the program is
 * walked while the openings of seals are counted: one that opens any has left an entry that names who and which act.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { csv, row } from '../cli/rows.ts';
import { type DeskLine, listAt, type Person } from '../docket-cli/desk-line.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { textAt } from '../fixtures/cli.ts';
import { fillFirm } from '../mutations/world.ts';
import { ReviewWorld } from '../review/world.ts';

interface Firm {
  readonly world: ReviewWorld;
  readonly desk: DeskLine;
  readonly hart: Person;
  readonly filing: string;
  readonly batch: string;
  readonly exception: string;
  readonly proposal: string;
  readonly docket: string;
  readonly grant: string;
}

type Words = (firm: Firm) => readonly string[];
const says =
  (...words: string[]): Words =>
  () =>
    words;

/** Commands that open something here, so that the walk proves something; each in a form that works. */
const OPENS: Readonly<Record<string, Words>> = {
  'batch approve': ({ batch }) => ['batch', 'approve', batch, '--dry-run'],
  'batch create': says('batch', 'create', '--due-before', '2040-01-01', '--dry-run'),
  'batch import': ({ desk }) => ['batch', 'import', desk.path('conflict.csv'), '--dry-run'],
  'batch show': ({ batch }) => ['batch', 'show', batch],
  'diagnose payload': ({ filing }) => ['diagnose', 'payload', filing],
  'diagnose sessions': ({ batch }) => ['diagnose', 'sessions', batch],
  'docket show': ({ docket }) => ['docket', 'show', docket],
  'entity import': says('entity', 'import', join(ROOT, 'samples/register.csv')),
  'entity list': says('entity', 'list', '--names'),
  'entity show': says('entity', 'show', 'ENT-1001', '--sealed'),
  'filing defend': ({ filing, desk }) => ['filing', 'defend', filing, desk.path('pack')],
  'filing show': ({ filing }) => ['filing', 'show', filing, '--payload'],
  'grants exceptions show': ({ grant }) => ['grants', 'exceptions', 'show', grant],
  'obligation recompute': says('obligation', 'recompute', '--dry-run'),
  'review proposal': ({ proposal }) => ['review', 'proposal', proposal],
  'review show': ({ exception }) => ['review', 'show', exception],
};

/** Commands that only show or compute, and may open something of what is asked. */
const READS: Readonly<Record<string, Words>> = {
  'alert list': says('alert', 'list', '--all'),
  'audit log': says('audit', 'log', '--log', 'access'),
  'audit set-aside': says('audit', 'set-aside'),
  'batch list': says('batch', 'list'),
  'diagnose blocks': ({ batch }) => ['diagnose', 'blocks', batch],
  'batch status': ({ batch }) => ['batch', 'status', batch],
  'diagnose conflicts': ({ batch }) => ['diagnose', 'conflicts', batch],
  'diagnose route': ({ docket }) => ['diagnose', 'route', docket],
  'docket list': says('docket', 'list'),
  'docket moved': says('docket', 'moved', join(ROOT, 'law/rules/patent.json')),
  'docket proposals': says('docket', 'proposals'),
  'docket report': says('docket', 'report'),
  'event list': says('event', 'list'),
  'filing list': says('filing', 'list'),
  forecast: says('forecast'),
  'grants exceptions list': says('grants', 'exceptions', 'list', '--all'),
  'grants awards': says('grants', 'awards'),
  'grants lines': says('grants', 'lines'),
  'grants rules': says('grants', 'rules', '2026', '--states', 'PA', 'NC'),
  'grants statements': says('grants', 'statements'),
  'grants status': says('grants', 'status'),
  'grants unmatched': says('grants', 'unmatched'),
  inbox: says('inbox'),
  'key list': says('key', 'list'),
  'lane list': says('lane', 'list'),
  'lane proposals': says('lane', 'proposals'),
  'mail log': says('mail', 'log'),
  'mail proposals': says('mail', 'proposals'),
  'mail show': says('mail', 'show'),
  'obligation list': says('obligation', 'list'),
  'recovery differences': says('recovery', 'differences'),
  'recovery status': says('recovery', 'status', '--all'),
  rehearse: says('rehearse'),
  'report 990': says('report', '990', '--period', '2026-Q1'),
  'report schedule-b': says('report', 'schedule-b', '--period', '2026-Q1'),
  'report sf425': says('report', 'sf425', '--period', '2026-Q1', '--award', 'S287C260014'),
  'report trace': says('report', 'trace', 'IRS990/GovernmentGrantsAmt', '--period', '2026-Q1'),
  'retention run': says('retention', 'run', '--dry-run'),
  'retention status': says('retention', 'status'),
  'review list': says('review', 'list'),
  'review proposals': says('review', 'proposals'),
  'route proposals': says('route', 'proposals'),
  'route show': says('route', 'show'),
  'hand list': says('hand', 'list'),
  'hand corrections': says('hand', 'corrections'),
  'session list': says('session', 'list'),
  'token list': says('token', 'list'),
  'user list': says('user', 'list'),
  'user proposals': says('user', 'proposals'),
  'webhook list': says('webhook', 'list'),
  'webhook proposals': says('webhook', 'proposals'),
  whoami: says('whoami'),
};

/** Commands that read and write files alone, that run until told, or whose own entry names the person who does them. */
const ELSEWHERE: readonly RegExp[] = [
  // Corrections before approval: approve/changes.test.ts.
  /^(batch (propose|run|correct|withdraw|cancel|refuse|ask|answer)|session revoke|token (add|revoke)|init|db|demo|jobs|worker|serve|simulator|witness|ics|rules|tax|deadline|doctor|completion)\b/,
  /^(portal (new|check)|lane (add|approve|refuse|pause|resume|ceiling)|alert ack|event resend)$/,
  /^audit (verify|export|prove|checkpoint|quarantine)\b/,
  /^review (replay|correct|approve|withdraw|accept-as-filed|reject|assign)$/,
  // Dates that are disputed or docketed twice: docket-cli/dates.test.ts.
  /^docket (give|accept|decline|dispute|approve|refuse|second|decide|reveal)$/,
  /^(docket (import|consume|ack|close)|recovery (run|approve|review)|route (import|approve|refuse|check|absent|run))$/,
  // Whoever has the filing: hand/sealed.test.ts.
  /^hand (?!list|corrections)/,
  /^grants (ingest|feed|fetch|reconcile|resolve|close|attach-registration|release|withdraw|balance|verify|retry|amend|cancel|evaluate|filed)$/,
  // Of a duty that is filed: grants-cli/filed.test.ts.
  /^grants proof$/,
  /^grants exceptions (resolve|reingest)$/,
  /^report (schedule-i|sefa)$/,
  /^(retention (hold|release)|obligation (compute|explain|list-rules))$/,
  /^(user (?!list|proposals)|key (rotate|approve)|webhook (?!list|proposals)|mail (?!log|show|proposals))/,
];

/** Where seals are opened. A new place is put here with its acts, and the acts are walked above. */
const DOORS: Readonly<Record<string, string>> = {
  'dockets/routing/docket-acts.ts': 'docket show',
  'dockets/routing/hand-over.ts': 'the router, for the target that a docket is handed to',
  'entities/acts/sealed-record.ts':
    'entity list, show and import; obligation recompute; batch create',
  'filings/acts/approvals.ts': 'batch approve',
  'filings/acts/defense-bodies.ts': 'filing defend',
  'filings/acts/diagnose-payload.ts': 'diagnose payload',
  'filings/acts/diagnose.ts': 'diagnose blocks and sessions',
  'filings/acts/filings.ts': 'filing show --payload',
  'filings/acts/hand-evidence.ts': 'hand evidence',
  'filings/acts/hand-say.ts': 'hand filed, of the fee that was approved',
  'filings/acts/hand-sheet.ts': 'hand sheet',
  'filings/acts/reviews.ts': 'review show and proposal',
  'filings/delivery/payload.ts': 'workers, for the portal; their intents and outcomes are entries',
  'filings/delivery/recorder.ts': 'workers, for a key to seal under',
  'grants/acts/duties.ts': 'grants proof',
  'grants/acts/obligations.ts': 'obligation list, ics',
  'grants/pipeline/fallback/exceptions.ts': 'grants exceptions show',
  'grants/pipeline/questions.ts': 'grants fetch, verify and retry, for the lane that is asked',
  'grants/store/awards.ts':
    'grants rules, unmatched, awards and reports; reconcile, whose entry names the person',
  'grants/store/escalations.ts': 'the fallback stage, which takes exceptions over',
  'grants/store/feeds.ts':
    'grants unmatched and lines; reconcile and close, whose entries name the person',
  'grants/store/stage.ts': 'the doors of the stages above',
  'intake/conflict.ts': 'batch import, of a row that differs from its filing',
  'ledger/store/kept-facts.ts': 'audit set-aside show',
  'oversight/acts/audit.ts':
    'audit verify --bodies, which shows whether they open and nothing else',
  'people/notice-sender.ts': 'jobs, to sign what a webhook gets',
  'service/once.ts': 'the answer to a request, for who sent it and sends it again',
};

let firm: Firm;

beforeAll(async () => {
  const world = await ReviewWorld.make();
  try {
    firm = await filled(world);
  } catch (error) {
    await world.close();
    throw error;
  }
}, 120_000);
afterAll(() => firm.world.close());

async function filled(world: ReviewWorld): Promise<Firm> {
  const { desk, hart, paula } = await fillFirm(world);
  const { filing, id: batch } = await world.refused();
  await desk.run(['entity', 'import', join(ROOT, 'samples/register.csv')], paula);
  const known = row('1', { name: 'Another Name' });
  await desk.file('conflict.csv', csv(known));
  const first = async (words: readonly string[], list: string): Promise<string> =>
    textAt(listAt(await desk.data(words, hart), list)[0], 'id');
  const proposals = listAt(await desk.data(['review', 'proposals', '--all'], hart), 'proposals');
  const correction = textAt(
    proposals.find(({ kind }) => kind === 'correct'),
    'id',
  );
  const dockets = listAt(await desk.data(['docket', 'list'], hart), 'dockets');
  return {
    world,
    desk,
    hart,
    filing: filing.id,
    batch,
    exception: filing.id,
    proposal: correction,
    docket: textAt(dockets[0], 'docket'),
    grant: await first(['grants', 'exceptions', 'list', '--all'], 'exceptions'),
  };
}

interface Walked {
  readonly code: number | null;
  readonly said: string;
  readonly opened: number;
  readonly acts: readonly string[];
}

async function walk(words: readonly string[]): Promise<Walked> {
  const { world, desk, hart } = firm;
  const notes = (): Promise<readonly Record<string, unknown>[]> =>
    world.sql(
      `select data->>'act' as act from ledger_intake where type = 'access.opened' and actor_kind = 'user'
        union all select convert_from(bytes, 'UTF8')::jsonb->'data'->>'act' from ledger_entry
          where boundary = 'access' and convert_from(bytes, 'UTF8')::jsonb->>'type' = 'access.opened'`,
    );
  const before = (await notes()).map(({ act }) => String(act));
  // What is sealed asks for a key too.
  const key = vi.spyOn(KeyVault.prototype, 'dataKey');
  const seal = vi.spyOn(KeyVault.prototype, 'seal');
  try {
    const { code, stdout, stderr } = await desk.run(words, hart);
    const opened = key.mock.calls.length - seal.mock.calls.length;
    // They move from the queue to the log meanwhile.
    const acts = (await notes()).map(({ act }) => String(act));
    for (const act of before) acts.splice(acts.indexOf(act), 1);
    return { code, said: `${stdout}${stderr}`, opened, acts };
  } finally {
    key.mockRestore();
    seal.mockRestore();
  }
}

describe('nobody opens a seal unseen', () => {
  it('every command of the program is walked, or is none that shows what is sealed', async () => {
    const unknown = leaves(await createProgram()).filter(
      (name) =>
        !(name in OPENS) && !(name in READS) && !ELSEWHERE.some((known) => known.test(name)),
    );
    expect(unknown).toEqual([]);
  });

  it('every place that opens a seal is known, with the acts that lead to it', () => {
    const src = join(ROOT, 'src');
    const doors = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => !/^(testing|ledger\/(vault|seal|verify-body))/.test(file))
      .filter((file) =>
        /(?:vault|Vault\([^)]*\)|store)\.(?:open|dataKey|openFrom|openBody)\((?!\))/.test(
          readFileSync(join(src, file), 'utf8').replaceAll(/\s+/g, ' '),
        ),
      );
    expect(doors.toSorted()).toEqual(Object.keys(DOORS).toSorted());
  });

  it.each(Object.entries(OPENS))('%s opens, and leaves an entry', async (_name, words) => {
    const { said, opened, acts } = await walk(words(firm));
    expect(opened, said).toBeGreaterThan(0);
    expect(acts, said).not.toEqual([]);
  });

  it.each(Object.entries(READS))('%s opens nothing, or leaves an entry', async (_name, words) => {
    const { code, said, opened, acts } = await walk(words(firm));
    expect([0, 5, 6], said).toContain(code);
    if (opened > 0) expect(acts, said).not.toEqual([]);
  });
});

function leaves(command: Command, path: readonly string[] = []): string[] {
  return command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}
