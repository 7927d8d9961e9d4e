/**
 * Every command of the program, walked by somebody who may not see the hidden matters: neither an id, a number or a client
 * of them, nor a count that they changed. A command that is added must be put into one of the two tables.
 */
import { docketId, targetId } from '../../src/core/index.ts';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { instant } from '../../src/core/time.ts';
import { queueDigest } from '../../src/filings/watch/digest.ts';
import { docketReaders } from '../../src/dockets/routing/docket-readers.ts';
import { addDifferences } from '../../src/dockets/store/differences.ts';
import { lockRun, startRun, writeRun } from '../../src/dockets/store/recovery.ts';
import { textAt } from '../fixtures/cli.ts';
import { listAt } from './desk-line.ts';
import { EVENTS, type Firm, FIRMS, isRuizs, SECRETS, TwinFirms } from './twin-firms.ts';

const RUN = {
  main: '01900000-0000-7000-8000-000000000001',
  bare: '01900000-0000-7000-8000-000000000002',
};

/** What is asked, and `same` where the answer must not differ by a byte; otherwise it names no secret. */
type Question = readonly [words: (firm: Firm) => readonly string[], how: 'same' | 'silent'];
const says = (...words: string[]): Question => [() => words, 'same'];
const silent = (...words: string[]): Question => [() => words, 'silent'];

const READING: Readonly<Record<string, Question>> = {
  'alert list': says('alert', 'list', '--all'),
  'audit checkpoint': silent('audit', 'checkpoint'),
  'audit export': [() => ['audit', 'export', twins.desk.path('nowhere')], 'same'],
  'audit log': silent('audit', 'log'),
  'audit set-aside': says('audit', 'set-aside'),
  'audit quarantine status': says('audit', 'quarantine', 'status'),
  'audit verify': silent('audit', 'verify'),
  'batch list': says('batch', 'list'),
  'diagnose route': says('diagnose', 'route', 'fwo1-0'),
  'docket list': says('docket', 'list'),
  'docket moved': says('docket', 'moved', 'law/rules/patent.json'),
  'docket proposals': says('docket', 'proposals'),
  'docket report': says('docket', 'report'),
  'docket show': says('docket', 'show', 'fwo1-0'),
  doctor: silent('doctor'),
  'entity list': says('entity', 'list'),
  'event list': says('event', 'list'),
  'filing list': says('filing', 'list'),
  forecast: says('forecast'),
  inbox: says('inbox'),
  'lane list': says('lane', 'list'),
  'mail log': says('mail', 'log'),
  'mail show': says('mail', 'show'),
  'obligation list': says('obligation', 'list'),
  'recovery differences': says('recovery', 'differences'),
  'recovery status': says('recovery', 'status', '--all'),
  'retention status': says('retention', 'status'),
  'retention run': says('retention', 'run', '--dry-run'),
  'review list': says('review', 'list'),
  'review proposals': says('review', 'proposals'),
  'route show': says('route', 'show'),
  'user list': says('user', 'list'),
  'webhook list': says('webhook', 'list'),
  whoami: silent('whoami'),
};

/** Commands that change something, run until told, or speak of filings, grants and law by their own ids alone. */
const ELSEWHERE: readonly RegExp[] = [
  /^(batch (import|create|approve|propose|run|status|show|correct|withdraw|cancel|refuse|ask|answer)|entity (import|show)|filing (show|defend))$/,
  /^(lane (add|proposals|approve|refuse|pause|resume|ceiling)|portal (new|check)|rehearse|simulator|worker|serve|ics)$/,
  /^review (show|replay|correct|approve|withdraw|proposal|accept-as-filed|reject|assign)$/,
  /^diagnose (sessions|blocks|payload|conflicts)$/,
  /^(audit (prove|quarantine (propose|approve|decline))|retention (hold|release))$/,
  // With ids of hidden and of unknown dockets: hidden.test.ts.
  /^(docket (import|consume|ack|close|give|accept|decline|dispute|approve|refuse|second|decide|reveal)|recovery (run|approve|review)|alert ack)$/,
  /^route (import|proposals|approve|refuse|check|absent|run)$/,
  /^(deadline|hand|grants|report|rules|tax|user|session|token|key|witness|init|db|demo|jobs|completion) ?/,
  /^obligation (recompute|compute|explain|list-rules)$/,
  /^(webhook (add|proposals|approve|refuse|enable|disable|remove|rotate|test|log)|mail (set|add|remove|proposals|approve|refuse|test)|event resend)$/,
];

let twins: TwinFirms;

beforeAll(async () => {
  twins = await TwinFirms.make();
  for (const firm of FIRMS) {
    const addresses = ['ruiz@firm.example', 'hart@firm.example', 'porter@firm.example'];
    for (const address of addresses) {
      for (const role of ['alert', 'digest']) {
        const added = await twins.desk.data(['mail', 'add', role, address], twins.hart(firm));
        const [subject, hash] = [
          textAt(added, 'proposal', 'subject'),
          textAt(added, 'proposal', 'sha256'),
        ];
        const approve = ['mail', 'approve', subject, '--expect-hash', hash];
        await twins.desk.data(approve, twins.ruiz(firm));
      }
    }
  }
  // The others hear of new recipients, which is about no docket; what is counted below is about dockets.
  for (const firm of FIRMS) {
    await twins.inside(firm, async ({ session, tenant }) => {
      for (const text of [
        `delete from work where tenant = $1 and kind in ('alert', 'event', 'mail')`,
        `delete from alert where tenant = $1 and kind in ('recipient_changed', 'routing_changed')`,
      ]) {
        await session.run({ name: '', text }, [tenant]);
      }
    });
  }
  // Other bytes of the same events: an alert about each, those of Ruiz's own in both firms.
  for (const line of EVENTS) await twins.bring(line.replace('"title":"', '"title":"Other '), 5);
  for (const firm of FIRMS) await recover(firm);
  for (const firm of FIRMS) {
    await twins.inside(firm, async (app) => {
      await app.runJobsOnce({});
      await queueDigest({
        ...app,
        docketReaders: (run, docket, addresses) =>
          docketReaders({ run }, app.tenant, { docket, addresses }),
      });
    });
  }
});
afterAll(() => twins.desk.close());

/** A recovery that waits for a person, with what it counted in the dockets of the firm. */
async function recover(firm: Firm): Promise<void> {
  const hidden = firm === 'main' ? twins.hidden : [];
  const dockets = [twins.seen[0] ?? '', ...hidden];
  // The ids of dockets hold the name of their firm.
  const own = await twins.desk.data(['docket', 'list'], twins.hart(firm));
  const known = listAt(own, 'dockets').map((one) => textAt(one, 'docket'));
  const found = firm === 'main' ? dockets : known.slice(0, 1);
  await twins.inside(firm, (app) =>
    app.session.transaction(async (run) => {
      const at = instant(1_790_000_000_000);
      const baseline = { openedAt: at, queues: [{ queue: 'filewright', backlog: found.length }] };
      const state = { state: 'probing', good: 0, nextAt: at };
      const id = RUN[firm];
      const target = targetId('bio-endpoint');
      const start = { id, target, mode: 'automatic', phase: 'probing' } as const;
      await startRun(run, firm, { ...start, baseline, state, nextAt: at });
      const { run: row } = await lockRun(run, firm, id);
      const evidence = [
        { step: 'health', verdict: 'good', evidence: { status: 200, backlog: found.length } },
        { step: 'schema', verdict: 'good', evidence: { sample: 'fallback log', faults: hidden } },
        { step: 'drain', verdict: 'wait', evidence: { duplicates: found.length, now: hidden } },
        {
          step: 'reconciliation',
          verdict: 'wait',
          evidence: { passed: found.length, differences: { twice: found.length } },
        },
        {
          step: 'approval',
          verdict: 'wait',
          evidence: { act: 'run', over: [`${found.length} twice`] },
        },
      ] as const;
      for (const [index, one] of evidence.entries()) {
        const reasons = [`${found.length} twice`, ...hidden.map(() => '1 differs')];
        await writeRun(
          run,
          firm,
          {
            id,
            phase: 'awaiting_approval',
            mode: row.mode,
            nextAt: undefined,
            ver: row.ver + index + 1,
            state: { state: 'awaiting_approval', since: at, reasons },
          },
          { by: 'router', ...one },
        );
      }
      const differences = found.map((docket) => ({
        docket: docketId(docket),
        kind: 'twice' as const,
        evidence: {},
      }));
      await addDifferences(run, firm, { run: id, reviewBy: at }, differences);
    }),
  );
}

describe('no command shows a hidden matter to who may not see it', () => {
  it('every command of the program is in one of the tables', async () => {
    const open = leaves(await createProgram()).filter(
      (name) => READING[name] === undefined && !ELSEWHERE.some((known) => known.test(name)),
    );
    expect(open).toEqual([]);
  });

  it.each(Object.entries(READING))('%s', async (_name, [words, how]) => {
    for (const json of [[], ['--json']]) {
      const [one, two] = await twins.bothSay((firm) => [...json, ...words(firm)]);
      if (how === 'same') expect(one).toBe(two);
      // As it was said: ids are not told apart any more in what was made comparable.
      const { stdout, stderr } = await twins.desk.run(
        [...json, ...words('main')],
        twins.ruiz('main'),
      );
      for (const secret of [...twins.hidden, SECRETS]) {
        expect(`${stdout}${stderr}`).not.toMatch(secret);
      }
    }
  });

  it('and without a key, alerts, mails and the ledger show no docket at all', async () => {
    const nobody = { tenant: 'main', keyFile: await twins.desk.file('keys/none', '') };
    for (const words of [
      ['alert', 'list'],
      ['mail', 'log'],
      ['audit', 'log'],
    ]) {
      const { code, stdout } = await twins.desk.run(['--json', ...words], nobody);
      expect(code).toBe(0);
      for (const docket of [...twins.hidden, ...twins.seen]) expect(stdout).not.toContain(docket);
    }
  });
});

describe('what is hidden from one is there for the other', () => {
  it('alerts', async () => {
    const about = async (who: 'hart' | 'ruiz'): Promise<string[]> => {
      const found = await twins.desk.data(['alert', 'list'], twins[who]('main'));
      return listAt(found, 'alerts').map((one) => textAt(one, 'subject'));
    };
    expect((await about('ruiz')).toSorted()).toEqual([...twins.seen].toSorted());
    expect((await about('hart')).toSorted()).toEqual([...twins.seen, ...twins.hidden].toSorted());
  });

  it('an alert that is hidden cannot be acknowledged, in the words for one that does not exist', async () => {
    const all = listAt(await twins.desk.data(['alert', 'list'], twins.hart('main')), 'alerts');
    const hidden = textAt(
      all.find((one) => twins.hidden.includes(textAt(one, 'subject'))),
      'id',
    );
    const unknown = '01900000-0000-7000-8000-0000000000ff';
    const [one, two] = [
      await twins.desk.run(['alert', 'ack', hidden], twins.ruiz('main')),
      await twins.desk.run(['alert', 'ack', unknown], twins.ruiz('main')),
    ];
    expect(JSON.stringify(one).replaceAll(hidden, 'ID')).toBe(
      JSON.stringify(two).replaceAll(unknown, 'ID'),
    );
    expect(one.code).toBe(3);
  });

  it('an entry of the ledger keeps its place and its leaf', async () => {
    const lines = async (who: 'hart' | 'ruiz') =>
      listAt(await twins.desk.data(['audit', 'log'], twins[who]('main')), 'lines');
    const [whole, cut] = [await lines('hart'), await lines('ruiz')];
    expect(cut.map((one) => one['leaf'])).toEqual(whole.map((one) => one['leaf']));
    expect(cut.map((one) => one['seq'])).toEqual(whole.map((one) => one['seq']));
    const withheld = cut.filter((one) => one['subject'] === 'withheld');
    // Received, once more with other bytes, and so with its date in question.
    expect(withheld).toHaveLength(3 * twins.hidden.length);
    expect(withheld.every((one) => JSON.stringify(one['facts']) === '{}')).toBe(true);
    expect(cut.some((one) => one['subject'] === `docket ${twins.seen[0]}`)).toBe(true);
  });

  it('an export of a log is for who may see everything, and refused alike in both firms', async () => {
    for (const firm of FIRMS) {
      const folder = twins.desk.path(`export-${firm}`);
      const refused = await twins.desk.run(['--json', 'audit', 'export', folder], twins.ruiz(firm));
      expect([refused.code, refused.stdout]).toEqual([4, expect.stringContaining('SIGHT_NEEDED')]);
      await twins.desk.data(['audit', 'export', folder], twins.hart(firm));
    }
  });

  it('mails about a docket go to people who may see it; of a hidden one, no one else gets even an empty one', async () => {
    const mails = listAt(
      await twins.desk.data(['mail', 'log', '--limit', '100'], twins.hart('main')),
      'notices',
    );
    const told = mails.filter((one) => one['origin'] === 'alert');
    const to = (dockets: readonly string[]): unknown[] =>
      [
        ...new Set(
          told
            .filter((one) => dockets.includes(textAt(one, 'docket')))
            .map((one) => textAt(one, 'recipient')),
        ),
      ].toSorted();
    expect(to(twins.hidden)).toEqual(['hart@firm.example']);
    expect(to(twins.seen)).toEqual(['hart@firm.example', 'ruiz@firm.example']);
    expect(told.every((one) => !textAt(one, 'subject').includes('fwo1-'))).toBe(true);
  });

  it('the digest counts and names for each reader what that one may see', async () => {
    const bodies = await twins.inside('main', async (app) => {
      const rows = await app.session.run({
        name: '',
        text: `select body->>'recipient' as recipient, body->>'text' as body from work
          where tenant = 'main' and kind = 'mail' and body->>'origin' = 'digest' order by 1`,
      });
      return rows.map((row) => [row['recipient'], row['body']].join('\n'));
    });
    const counts = bodies.map((body) => /(\d+) {2}alerts not acknowledged/.exec(body)?.[1] ?? '0');
    const events = { ruiz: EVENTS.filter(isRuizs).length, all: EVENTS.length };
    expect(counts).toEqual([String(events.all), '0', String(events.ruiz)]);
    for (const secret of twins.hidden) expect(bodies[2]).not.toContain(secret);
  });
});

function leaves(command: Command, path: readonly string[] = []): string[] {
  return command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}
