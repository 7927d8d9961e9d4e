/**
 * Forty people who file by hand at once: 50,000 filings in the 51 lanes of people as they are shipped, each person on a connection
 * of their own, through the real acts. How long taking takes, and whether two people ever have one filing.
 */
import { closeSync, createWriteStream, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { localOperator, type PersonActor } from '../src/access/actor.ts';
import { whoActs } from '../src/access/acting.ts';
import { createFilewright, type Filewright } from '../src/app.ts';
import { approve, importFile } from '../src/filings/acts/batches.ts';
import { addByHandLanes } from '../src/filings/acts/by-hand-lanes.ts';
import { takeFiling } from '../src/filings/acts/hand.ts';
import { listFilings } from '../src/filings/store/filings.ts';
import { nextFree } from '../src/filings/store/hand.ts';
import { enrollUser } from '../src/oversight/acts/user-keys.ts';
import { approveUser } from '../src/oversight/acts/user-proposals.ts';
import { addUser, foundUser } from '../src/oversight/acts/users.ts';
import { personOf } from '../src/people/acts/people.ts';
import { ensureEmbedded } from '../src/postgres/embedded/ensure.ts';
import { type Run, Session } from '../src/postgres/session.ts';
import { simulatedDays } from './hand-days.ts';
import { atMost, type Figure } from './report.ts';
import { newStage, type Stage } from './stage.ts';

const TENANT = 'hand';
const PEOPLE = 40;
/** Filings that everybody tries to take by name, one after another, before they take what is next. */
const CONTESTED = 100;
/** A machine that is too slow must not hold the others up: what was taken until then is what is judged. */
const TAKING_MS_MAX = 110_000;

interface HandResult {
  readonly filings: number;
  readonly taken: number;
  readonly seconds: number;
  readonly nextMs: readonly number[];
  readonly namedMs: readonly number[];
  /** Filings that two people were given, and those that everybody wanted and not exactly one got. */
  readonly twice: number;
  readonly contestedWrong: number;
  /** By a row of the database for each. */
  readonly rows: number;
  readonly plans: readonly string[];
  /** What this disk takes to keep one page, which each taking waits for. */
  readonly syncMs: readonly number[];
}

export async function handFigures(
  filings: number,
  say: (text: string) => void,
): Promise<{ readonly figures: readonly Figure[]; readonly details: readonly string[] }> {
  const days = simulatedDays(say);
  const stage = newStage();
  try {
    const result = await measured(stage, filings, say);
    return { figures: [...days, ...figuresOf(result)], details: detailsOf(result) };
  } finally {
    await stage.close();
  }
}

async function measured(
  stage: Stage,
  filings: number,
  say: (text: string) => void,
): Promise<HandResult> {
  const { dataDirectory } = stage;
  const app = await createFilewright({ dataDirectory, tenant: TENANT });
  const { connection } = await ensureEmbedded({ dataDirectory });
  const settings = { 'fw.tenant': TENANT };
  const open = (): Session =>
    new Session({
      target: { ...connection, settings },
      schema: 'filewright',
      name: 'bench',
      acting: whoActs,
    });
  const sessions = Array.from({ length: PEOPLE }, open);
  try {
    const people = await hired(app);
    await queued(app, people, { filings, path: join(dataDirectory, 'hand.csv') });
    say(`  ${filings} filings are approved`);
    for (const session of sessions) await session.run({ name: '', text: 'select 1' });
    const contested = await listFilings(app.session, TENANT, { limit: CONTESTED });
    const desks = people.map((person, at) => ({
      person,
      app: { ...app, session: sessions[at] ?? app.session },
    }));
    const syncMs = pagesKept(join(dataDirectory, 'page'));
    const fromMs = performance.now();
    const taken = new Taken();
    const names = contested.map(({ id }) => id);
    await allAtOnce(desks, names, taken, fromMs);
    const seconds = (performance.now() - fromMs) / 1000;
    const [counted] = await app.session.run({
      name: '',
      text: 'select count(distinct filing)::int as n from taking where ended_at is null',
    });
    say(`  ${taken.ids.size} taken in ${seconds.toFixed(1)} s`);
    return {
      filings,
      taken: taken.ids.size,
      seconds,
      nextMs: taken.nextMs.sort((a, b) => a - b),
      namedMs: taken.namedMs.sort((a, b) => a - b),
      twice: taken.twice,
      contestedWrong: names.filter((id) => taken.winners.get(id) !== 1).length,
      rows: Number(counted?.['n']),
      plans: await plansOf(app),
      syncMs,
    };
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
    await app.close();
  }
}

const PAGES = 300;

function pagesKept(path: string): readonly number[] {
  const file = openSync(path, 'w');
  const page = Buffer.alloc(8192);
  const times = Array.from({ length: PAGES }, () => {
    const startMs = performance.now();
    writeSync(file, page, 0, page.length, 0);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  rmSync(path);
  return times.sort((a, b) => a - b);
}

class Taken {
  readonly ids = new Set<string>();
  readonly winners = new Map<string, number>();
  readonly nextMs: number[] = [];
  readonly namedMs: number[] = [];
  twice = 0;

  got(id: string): void {
    if (this.ids.has(id)) this.twice += 1;
    this.ids.add(id);
  }
}

interface Desk {
  readonly app: Filewright;
  readonly person: PersonActor;
}

/** Everybody at the same moment, again and again: first one filing that all of them want, then whatever is next. */
async function allAtOnce(
  desks: readonly Desk[],
  contested: readonly string[],
  taken: Taken,
  fromMs: number,
): Promise<void> {
  for (const name of contested) {
    await Promise.all(
      desks.map(async ({ app, person }) => {
        const startMs = performance.now();
        // Somebody else has it, as a rule.
        const got = await takeFiling(app, person, { name }).catch(() => undefined);
        taken.namedMs.push(performance.now() - startMs);
        if (got === undefined) return;
        taken.got(got.filing.id);
        taken.winners.set(got.filing.id, (taken.winners.get(got.filing.id) ?? 0) + 1);
      }),
    );
  }
  for (let isLeft = true; isLeft && performance.now() - fromMs < TAKING_MS_MAX; ) {
    const found = await Promise.all(
      desks.map(async ({ app, person }) => {
        const startMs = performance.now();
        const got = await takeFiling(app, person, { lane: undefined });
        if (got === undefined) return false;
        taken.nextMs.push(performance.now() - startMs);
        taken.got(got.filing.id);
        return true;
      }),
    );
    isLeft = found.some((one) => one);
  }
}

/** Forty people with keys: two founders, and each of the others proposed by one of them and approved by the other. */
async function hired(app: Filewright): Promise<readonly PersonActor[]> {
  const operator = localOperator('bench');
  const first = await foundUser(app, operator, 'preparer');
  const second = await foundUser(app, operator, 'approver');
  const founders = [await personOf(app, first.key), await personOf(app, second.key)] as const;
  const people: PersonActor[] = [...founders];
  for (let n = people.length; n < PEOPLE; n += 1) {
    const name = `paralegal ${n}`;
    const asked = await addUser(app, founders[0], { name, roles: ['preparer'] });
    if (asked.state !== 'waiting') throw new Error('Expected that a second person approves it');
    const { proposal: id, sha256, code = '' } = asked;
    const approved = await approveUser(app, founders[1], { id, sha256 });
    const codes = [code, approved.code ?? ''];
    const { key } = await enrollUser(app, operator, { name, codes });
    people.push(await personOf(app, key));
  }
  return people;
}

async function queued(
  app: Filewright,
  [preparer, approver]: readonly PersonActor[],
  { filings, path }: { readonly filings: number; readonly path: string },
): Promise<void> {
  if (preparer === undefined || approver === undefined) throw new Error('Expected two people');
  const { added } = await addByHandLanes(app, preparer, 'all');
  const file = createWriteStream(path);
  file.write('jurisdiction,registry_number,entity_name,filing_kind,period,due,fee,signatory\n');
  for (let n = 0; n < filings; n += 1) {
    // Days and states mixed, as a queue by urgency has them.
    const due = new Date(Date.UTC(2030, 0, 1 + ((n * 37) % 365))).toISOString().slice(0, 10);
    const row = `${added[n % added.length]},R${n},"Bench Holdings ${n}, Inc.",annual_report,2027,${due},50.00,Ana María Peña\n`;
    if (!file.write(row)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  const report = await importFile(app, preparer, { path, dryRun: false });
  if (report.batch === undefined || report.refused > 0)
    throw new Error(`The bench batch was refused: ${JSON.stringify(report.errors[0])}`);
  await approve(app, approver, report.batch);
  rmSync(path);
}

/** How the database reads the queue for the next filing, by values and by none: what scans a table is named. */
async function plansOf(app: Filewright): Promise<readonly string[]> {
  const plans: string[] = [];
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await app.session.transaction(async (run) => {
      await run({ name: '', text: `set local plan_cache_mode = ${mode}` });
      const explained: Run = async (statement, values) => {
        const [, , ofEach, ofAll] = values ?? [];
        const asked = `asked ('${TENANT}', null, ${String(ofEach)}, ${String(ofAll)})`;
        await run({ name: '', text: `prepare asked (text, text, int, int) as ${statement.text}` });
        const rows = await run({ name: '', text: `explain execute ${asked}` });
        await run({ name: '', text: 'deallocate asked' });
        plans.push(rows.map((row) => String(row['QUERY PLAN'])).join('\n'));
        return [];
      };
      await nextFree(explained, TENANT, undefined);
    });
  }
  return plans;
}

/** Of the tables that grow; there are 51 lanes. */
const SCAN = /Seq Scan on (?:filing|envelope|taking)\b/;

function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function figuresOf(result: HandResult): readonly Figure[] {
  const { filings, taken, twice, contestedWrong, rows, plans } = result;
  const isOnce = twice === 0 && contestedWrong === 0 && rows === taken;
  const isRead = plans.length >= 2 && !plans.some((plan) => SCAN.test(plan));
  const yes = (name: string, met: boolean): Figure => ({
    name,
    measured: met ? 'yes' : 'no',
    limit: 'yes',
    met,
  });
  const name = `taking the next of ${filings} filings by hand, ${PEOPLE} people at once, p99`;
  return [
    atMost(name, p99(result.nextMs), 100, 'ms', 1),
    atMost('taking one that everybody wants, p99', p99(result.namedMs), 100, 'ms', 1),
    yes(`${taken} taken, never one filing by two people`, isOnce),
    yes('the next one is found by an index', isRead),
  ];
}

function detailsOf({ taken, seconds, nextMs, plans, syncMs }: HandResult): readonly string[] {
  const scans = plans.filter((plan) => SCAN.test(plan));
  return [
    '',
    ...scans.flatMap((plan) => ['```', plan, '```']),
    `By hand: ${taken} taken by ${PEOPLE} people on ${PEOPLE} connections in ${seconds.toFixed(1)} s (${(taken / seconds).toFixed(0)} /s), all of them at the same moment each time; median ${middle(nextMs).toFixed(1)} ms, slowest ${(nextMs.at(-1) ?? 0).toFixed(1)} ms. One page kept where the data lies, alone: median ${middle(syncMs).toFixed(1)} ms, p99 ${p99(syncMs).toFixed(1)} ms.`,
  ];
}
