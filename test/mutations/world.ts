/** One firm with something of everything in its tables, and an insider who changes rows behind the program's back. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { personOf } from '../../src/people/acts/people.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { type Role, ROLES } from '../../src/access/role.ts';
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
import { makeLink, revokeSignIn, signIn } from '../../src/people/acts/sign-ins.ts';
import { makeToken } from '../../src/people/acts/tokens.ts';
import { changeLane } from '../../src/lanes/acts/lanes.ts';
import { exportLedger } from '../../src/oversight/acts/audit-export.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { holdData, releaseData } from '../../src/oversight/acts/retention.ts';
import { addOwnKey, enrollUser, revokeKey } from '../../src/oversight/acts/user-keys.ts';
import { approveUser, refuseUser } from '../../src/oversight/acts/user-proposals.ts';
import { addUser, changeRoles, disableUser } from '../../src/oversight/acts/users.ts';
import { signNow } from '../../src/ledger/acts/audit-heads.ts';
import { raiseAlertRow } from '../../src/ledger/store/raise-alert.ts';
import { addWebhook, approveWebhook } from '../../src/people/acts/events.ts';
import { approveMail, changeRecipientOf, setMailServer } from '../../src/people/acts/mail.ts';
import { acknowledge } from '../../src/oversight/acts/alerts.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { Session } from '../../src/postgres/session.ts';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { changedBatches } from './changed-batches.ts';
import { byHand } from './hand-firm.ts';
import type { Mutation } from './mutations.ts';
import { recoveredLane } from './recovered-lane.ts';
import { DeskLine, listAt, type Person } from '../docket-cli/desk-line.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { textAt } from '../fixtures/cli.ts';
import { OPERATOR } from '../operator.ts';
import { ReviewWorld } from '../review/world.ts';
import { verify } from '../verify-py/python.ts';

const REASON = 'agreed with the client by telephone';
const YEAR = join(ROOT, 'samples/grants/lantern-2026');
const ACCOUNT = '4400118822';

export interface Findings {
  /** `reason table` of each difference that `audit verify --rows` shows; of a log that fails, its reason. */
  readonly ours: readonly string[];
  readonly python: string | null;
  readonly where: string | null;
}

export class MutationWorld {
  readonly world: ReviewWorld;
  readonly #insider: Session;
  readonly #auditor: PersonActor;
  #exports = 0;

  private constructor(world: ReviewWorld, insider: Session, auditor: PersonActor) {
    this.world = world;
    this.#insider = insider;
    this.#auditor = auditor;
  }

  static async make(): Promise<MutationWorld> {
    const world = await ReviewWorld.make();
    try {
      return await MutationWorld.#fill(world);
    } catch (error) {
      // Otherwise its server would outlive the test.
      await world.close();
      throw error;
    }
  }

  static async #fill(world: ReviewWorld): Promise<MutationWorld> {
    const { auditor, desk, paula, hart } = await fillFirm(world);
    await mail(world);
    await byHand(world);
    await changedBatches(world);
    await recoveredLane(world, 'US-DE');
    await desk.data(['entity', 'import', join(ROOT, 'samples/register.csv')], paula);
    // Another setup of the routing, so that there is a former one.
    const days = ['--from', '2027-08-01', '--to', '2027-08-02'];
    await desk.data(['route', 'absent', 'ruiz', ...days], hart);
    await signNow(world.app, world.paula);
    // Whoever owns the server needs no leave of ours.
    const { connection } = await ensureEmbedded({ dataDirectory: join(world.folder, 'data') });
    const insider = new Session({ target: connection, schema: 'filewright', name: 'insider' });
    const made = new MutationWorld(world, insider, auditor);
    await made.#disarm();
    return made;
  }

  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.#insider.run({ name: '', text });
  }

  /** The change, committed; what both verifiers find; and every touched table as it was. */
  async after({ sql: statements, bodies = false }: Mutation): Promise<Findings> {
    const tables = tablesOf(statements);
    await this.#insider.transaction(async (run) => {
      for (const text of statements) {
        const rows = await run({ name: '', text: `${text} returning 1` });
        if (rows.length === 0) throw new Error(`nothing was changed by: ${text}`);
      }
    });
    try {
      return await this.findings(bodies);
    } finally {
      await this.#insider.transaction(async (run) => {
        for (const table of tables) {
          await run({ name: '', text: `delete from ${table}` });
          await run({ name: '', text: `insert into ${table} select * from kept.${table}` });
        }
      });
    }
  }

  /** Every table that there is. */
  async tables(): Promise<readonly string[]> {
    const rows = await this.sql(`select tablename from pg_tables where schemaname = 'filewright'`);
    return rows.map(({ tablename }) => String(tablename)).sort();
  }

  async findings(bodies = false): Promise<Findings> {
    const { app } = this.world;
    const report = await verifyLedger(app, OPERATOR, { bodies, rows: true });
    const logs = [
      ...report.logs.flatMap(({ ok, reason }) => (ok ? [] : [String(reason)])),
      ...report.problems.map(({ reason }) => reason),
    ];
    const rows = report.rows?.shown ?? [];
    const ours = [
      ...logs,
      ...rows.map(({ reason, table, field }) =>
        field === undefined ? `${reason} ${table}` : `${reason} ${table}.${field}`,
      ),
    ];
    this.#exports += 1;
    const folder = join(this.world.folder, `export-${this.#exports}`);
    try {
      await exportLedger(app, this.#auditor, {
        folder,
        scope: { kind: 'whole' },
        bodies,
        format: 'tiles',
      });
      const { reason, where } = verify(folder);
      return { ours, python: reason, where };
    } catch (error) {
      // What does not verify is not exported at all.
      if (!(error instanceof FilewrightError) || error.code !== 'LEDGER_BROKEN') throw error;
      const { reason = '' } = error.details as { readonly reason?: string };
      return { ours, python: error.code, where: `${error.message} ${reason}` };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await this.#insider.close();
    await this.world.close();
  }

  /** No trigger fires any more, foreign keys included; and a copy of every table to put back. */
  async #disarm(): Promise<void> {
    await this.sql('create schema kept');
    for (const table of await this.tables()) {
      await this.sql(`alter table ${table} disable trigger all`);
      await this.sql(`create table kept.${table} as table ${table}`);
    }
    // Whoever owns a table has its conditions, too.
    await this.sql('alter table routing_document drop constraint routing_document_hash');
  }
}

interface FullFirm {
  readonly desk: DeskLine;
  readonly paula: Person;
  readonly arthur: Person;
  /** Judith Hart, who has every role and may see every docket. */
  readonly hart: Person;
  readonly auditor: PersonActor;
}

/** Something of everything: filings in every state, people, holds, dockets, a period of grants that is closed. */
export async function fillFirm(world: ReviewWorld): Promise<FullFirm> {
  await filings(world);
  await people(world);
  await house(world);
  const desk = await DeskLine.beside(world.folder);
  const paula = { tenant: 'main', keyFile: await desk.file('keys/paula', world.keys.paula) };
  const arthur = { tenant: 'main', keyFile: await desk.file('keys/arthur', world.keys.arthur) };
  await signNow(world.app, world.paula);
  const auditor = await dockets(world, desk, paula);
  await grants(desk, paula, arthur);
  await signNow(world.app, world.paula);
  const hart = { tenant: paula.tenant, keyFile: desk.path('keys/hart') };
  return { desk, paula, arthur, hart, auditor };
}

/** The tables that these statements change. */
export function tablesOf(statements: readonly string[]): readonly string[] {
  return [...new Set(statements.flatMap(tablesIn))];
}

function tablesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:^update|delete from|insert into) (\w+)/g)].map(
    ([, name = '']) => name,
  );
}

/** Accepted, rejected, corrected, accepted as filed, replayed, assigned, withdrawn. */
async function filings(world: ReviewWorld): Promise<void> {
  const { app, paula, arthur } = world;
  const { id } = await world.batch(3);
  await world.run(id);
  const rejected = await world.refused();
  await rejectFiling(app, paula, { id: rejected.filing.id, reason: REASON, notFiled: undefined });
  const wrong = await world.refused();
  const correction = await proposeCorrection(app, paula, {
    id: wrong.filing.id,
    reason: REASON,
    notFiled: undefined,
    wanted: { edits: [{ at: 'entity_name', value: 'Corrected Inc.' }] },
  });
  await approveReview(app, arthur, { id: correction.id, expectHash: correction.sha256 });
  await world.run(wrong.id);
  const silent = await world.unsettled('US-CA');
  await acceptFiling(app, paula, {
    id: silent.filing.id,
    reason: REASON,
    receipt: 'CA-2026-77',
    evidence: { kind: 'text', text: 'confirmation page of the portal' },
  });
  const again = await world.refused();
  const replay = await proposeReplay(app, paula, {
    id: again.filing.id,
    reason: REASON,
    notFiled: undefined,
  });
  await approveReview(app, arthur, { id: replay.id, expectHash: replay.sha256 });
  world.simulator.behave('US-DE', { schedule: [] });
  await world.run(again.id);
  const waiting = await world.refused();
  await assignFiling(app, paula, { id: waiting.filing.id, reason: REASON, to: 'Arthur Approver' });
  const first = await proposeReplay(app, paula, {
    id: waiting.filing.id,
    reason: REASON,
    notFiled: undefined,
  });
  await withdrawReview(app, paula, { id: first.id, reason: REASON });
  await proposeReplay(app, paula, { id: waiting.filing.id, reason: REASON, notFiled: undefined });
}

/** Somebody for whom two people vouch; the key. */
async function vouched(
  { app, paula, arthur }: ReviewWorld,
  name: string,
  roles: readonly Role[],
): Promise<string> {
  const asked = await addUser(app, paula, { name, roles });
  if (asked.state !== 'waiting') throw new Error(`${name} was added by one person`);
  const { code } = await approveUser(app, arthur, { id: asked.proposal, sha256: asked.sha256 });
  const codes = [asked.code ?? '', code ?? ''];
  return (await enrollUser(app, OPERATOR, { name, codes })).key;
}

/** Somebody who came, got a second key and a role, lost both, and left; and others who wait, or were refused. */
async function people(world: ReviewWorld): Promise<void> {
  const { app, paula, arthur } = world;
  const key = await vouched(world, 'Carl Clerk', ['viewer']);
  const carl = await personOf(app, key);
  const signed = await signIn(app, { key }, '127.0.0.1');
  await revokeSignIn(app, paula, signed.id);
  await signIn(app, { link: (await makeLink(app, carl)).link }, '127.0.0.1');
  await makeToken(app, carl, { name: 'crm', acts: ['filing.list'], days: 30 });
  const second = await addOwnKey(app, carl, { name: 'in the safe', days: 30 });
  await revokeKey(app, arthur, second.id);
  for (const act of ['give', 'take', 'give'] as const) {
    const asked = await changeRoles(app, paula, { name: 'Carl Clerk', act, roles: ['preparer'] });
    if (asked.state !== 'waiting') throw new Error('a role was changed by one person');
    await approveUser(app, arthur, { id: asked.proposal, sha256: asked.sha256 });
  }
  await disableUser(app, arthur, 'Carl Clerk');
  const refused = await addUser(app, paula, { name: 'Ronald Refused', roles: ['viewer'] });
  if (refused.state !== 'waiting') throw new Error('a person was added by one person');
  await refuseUser(app, arthur, { id: refused.proposal, reason: REASON });
  await addUser(app, paula, { name: 'Wanda Waiting', roles: ['viewer'] });
}

/** Holds, a ceiling, an alert that somebody acknowledged. */
async function house(world: ReviewWorld): Promise<void> {
  const { app, paula, arthur } = world;
  const hold = await holdData(app, paula, { subject: 'E-1', reason: REASON });
  await releaseData(app, arthur, hold.id);
  await holdData(app, paula, { subject: 'E-2', reason: REASON });
  await changeLane(app, paula, 'US-NY', { kind: 'ceiling', ceiling: 1 });
  await changeLane(app, paula, 'US-NY', { kind: 'paused_by_person' });
  await changeLane(app, paula, 'US-CA', { kind: 'paused_by_person' });
  await changeLane(app, paula, 'US-CA', { kind: 'resumed_by_person' });
  const alert = { kind: 'test', subject: 'x', severity: 'info', recipient: undefined } as const;
  const { id } = await raiseAlertRow(app.session.run.bind(app.session), app.tenant, {
    id: app.ids.next(),
    ...alert,
    text: 'something to acknowledge',
    dedup: 'test',
  });
  await acknowledge(app, arthur, id);
}

/** Two webhooks, one of which waits for a second person; a mail server; recipients, one of whom is one no more. */
async function mail({ app, paula, arthur }: ReviewWorld): Promise<void> {
  const hook = { types: [], allowPrivateAddresses: false, environment: {} };
  const agreed = await addWebhook(app, paula, { ...hook, url: 'https://hooks.example/T1/secret' });
  await approveWebhook(app, arthur, { id: agreed.id, expectHash: agreed.sha256 });
  await addWebhook(app, paula, { ...hook, url: 'https://other.example/waits' });
  const smtp = 'env:SMTP_ADDRESS';
  const setting = { smtp, sender: 'desk@firm.example', allowPrivateAddresses: false };
  const environment = { SMTP_ADDRESS: 'smtp://user:word@mail.example:587' };
  const { sha256 } = await setMailServer(app, paula, setting, environment);
  await approveMail(app, arthur, { subject: 'mail server', expectHash: sha256 });
  for (const address of ['agent@firm.example', 'former@firm.example']) {
    const recipient = { role: 'alert', entityId: undefined, address };
    const { proposal } = await changeRecipientOf(app, paula, recipient, 'add');
    if (proposal === undefined) throw new Error('a recipient was added by one person');
    const { subject, sha256: expectHash } = proposal;
    await approveMail(app, arthur, { subject, expectHash });
  }
  const former = { role: 'alert', entityId: undefined, address: 'former@firm.example' };
  await changeRecipientOf(app, paula, former, 'remove');
}

async function dockets(world: ReviewWorld, desk: DeskLine, by: Person): Promise<PersonActor> {
  // Before there are privileged people: from then on only they may give keys to the people of the file.
  const named = async (name: string): Promise<Person> => {
    const given = await vouched(world, name, ROLES);
    return { tenant: by.tenant, keyFile: await desk.file(`keys/${name}`, given) };
  };
  const [moreau, lind] = [await named('Claire Moreau'), await named('Maja Lind')];
  const key = await vouched(world, 'Judith Hart', ROLES);
  const hart = { tenant: by.tenant, keyFile: await desk.file('keys/hart', key) };
  const [matrix = '', people = ''] = ['matrix', 'people'].map((name) =>
    join(ROOT, `samples/patent-${name}.json`),
  );
  const shipped = JSON.parse(readFileSync(matrix, 'utf8')) as Record<string, object>;
  const policy = { ...shipped['policy'], second_docketing: true };
  const files = [await desk.file('matrix.json', JSON.stringify({ ...shipped, policy })), people];
  const { sha256 } = await desk.data(['route', 'import', ...files], hart);
  await desk.data(['route', 'approve', '--expect-hash', String(sha256)], by);
  await desk.data(['docket', 'import', join(ROOT, 'samples/patent-docket.ndjson')], hart);
  await questionedDates(desk, { hart, moreau, lind });
  const [first] = listAt(await desk.data(['docket', 'list'], hart), 'dockets');
  await desk.data(['docket', 'close', textAt(first, 'docket'), '--override', REASON], hart);
  return personOf(world.app, key);
}

/** A date with a second version, docketed twice and decided; and one that somebody looked at. */
async function questionedDates(
  desk: DeskLine,
  { hart, moreau, lind }: Readonly<Record<'hart' | 'moreau' | 'lind', Person>>,
): Promise<void> {
  const event = {
    application_number: '18/700001',
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    event_date: '2026-11-02',
    client: 'Northwind',
    technology_group: 'BIO',
  };
  for (const [period, code] of [
    ['P3M', 0],
    ['P2M', 5],
  ] as const) {
    const file = await desk.file(`${period}.ndjson`, JSON.stringify({ ...event, period }));
    await desk.data(['docket', 'import', file], hart, code);
  }
  const found = listAt(await desk.data(['docket', 'list'], hart), 'dockets').find(
    (one) => one['applicationNumber'] === '18/700001',
  );
  const id = textAt(found, 'docket');
  await desk.data(['docket', 'reveal', id, '--reason', REASON], hart);
  const read = ['--event', 'CTNF', '--event-date', '2026-11-02', '--period', 'P1M'];
  await desk.data(['docket', 'second', id, ...read], moreau, 5);
  await desk.data(['docket', 'decide', id, '--for', 'first', '--reason', REASON], lind);
}

/** The first report that an award asks for, with its receipt. */
async function dutyFiled(desk: DeskLine, paula: Person): Promise<void> {
  await desk.data(['grants', 'rules', '2026-Q1', '--states', 'PA', 'NC'], paula);
  const list = listAt(await desk.data(['obligation', 'list'], paula), 'obligations');
  const duty = textAt(
    list.find((one) => one['pack'] === 'grants' && one['due'] !== undefined),
    'id',
  );
  const proof = ['--receipt', 'R-2026-77', '--filed-on', '2026-04-01'];
  await desk.data(['grants', 'filed', duty, ...proof], paula);
}

/** A line that a person gave to an award, and then took back. */
async function wordsOfLine(desk: DeskLine, paula: Person): Promise<void> {
  const lines = [
    ':20:APRIL',
    `:25:043000096/${ACCOUNT}`,
    ':28C:9/1',
    ':60F:C260401USD100,00',
    ':61:2604160416C77,00NTRFNONREF//LB9',
    ':86:SOME DONOR',
    ':62F:C260430USD177,00',
    '-',
  ];
  await desk.data(['grants', 'feed', await desk.file('april.sta', lines.join('\r\n'))], paula);
  const waiting = await desk.data(['grants', 'unmatched', '--as-of', '2026-06-30'], paula);
  const entries = listAt(waiting, 'entries');
  const idOf = (side: string): string =>
    textAt(
      entries.find((entry) => entry['side'] === side),
      'id',
    );
  const said = ['grants', 'resolve', idOf('bank'), '--reason', REASON];
  await desk.data([...said, '--award', idOf('ledger')], paula);
  await desk.data([...said, '--undo'], paula);
}

async function grants(desk: DeskLine, paula: Person, arthur: Person): Promise<void> {
  const awards = ['federal.ndjson', 'foundations.csv', 'campaign.xml'];
  const ingest = ['grants', 'ingest', ...awards.map((name) => join(YEAR, `awards-${name}`))];
  await desk.run(ingest, paula);
  const feeds = ['2026-02-10.camt052.xml', '2026-q1.camt053.xml'];
  await desk.data(['grants', 'feed', ...feeds.map((name) => join(YEAR, `bank-${name}`))], paula);
  await desk.data(['grants', 'reconcile', '--to', '2026-03-31'], paula);
  const states = ['--states', 'PA', 'NC'];
  const close = ['grants', 'close', '2026-Q1', '--account', ACCOUNT, ...states];
  const { hash } = await desk.data(close, paula);
  await desk.data([...close, '--expect-hash', String(hash)], paula);
  await desk.data(['grants', 'release', ...states], paula);
  const stated = ['--account', ACCOUNT, '--on', '2026-06-30', '--reason', REASON];
  await desk.data(['grants', 'balance', '100.00', ...stated], paula);
  await wordsOfLine(desk, paula);
  await dutyFiled(desk, paula);
  const bad = { grantor_id: 'x', award_amount: 12.5, currency: 'EUR', fiscal_year: 1, tags: {} };
  await desk.run(
    ['grants', 'ingest', await desk.file('bad.ndjson', `${JSON.stringify(bad)}\n`)],
    paula,
  );
  const [open] = listAt(await desk.data(['grants', 'exceptions', 'list'], paula), 'exceptions');
  const id = textAt(open, 'id');
  await desk.data(['grants', 'exceptions', 'resolve', id, '--dismiss', '--reason', REASON], paula);
  await desk.data(['grants', 'exceptions', 'resolve', id, '--approve'], arthur);
}
