/** `demo patent`: a day on which the primary endpoint dies and the lead's mailbox stalls, on real sockets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../command.ts';
import type { PersonActor } from '../../access/index.ts';
import {
  ledgerHistory,
  PRIVATE_TARGETS,
  startDocketRouter,
  verifyLedger,
} from '../../oversight/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import { approveMail, setMailServer } from '../../people/index.ts';
import {
  acknowledgeDocket,
  docketReport,
  type DocketView,
  importDocketFile,
  approveRouting,
  proposeRouting,
  listDockets,
  recoveryStatus,
  serveAcknowledgements,
  showDocket,
} from '../../dockets/index.ts';
import type { Filewright } from '../../filewright.ts';
import { addMs, EXIT, FilewrightError, type Instant, toRfc3339 } from '../../core/index.ts';
import {
  asOperator,
  making,
  newDirectoryOf,
  loopbackToo,
  type GlobalOptions,
  operator,
  stopSignal,
  withApp,
} from '../context.ts';
import { stopHere } from '../ending.ts';
import { print, table } from '../output.ts';
import {
  type DocketSystem,
  lookAt,
  type MailHouse,
  pressButton,
  startDocketSystem,
  startMailHouse,
} from '../../testing/index.ts';
import { demoPeople } from './demo-people.ts';
import {
  ALLOWANCE,
  demoMatrix,
  FINAL,
  isConfirmed,
  line,
  nextWords,
  NON_FINAL,
  type OfficeAction,
  PRIMARY,
  RESTRICTION,
  SCALED,
  wayOf,
  wordOf,
} from './demo-patent-words.ts';

const SUPERVISOR = 'Claire Moreau';
/** Approves where mail goes out; has no dockets. */
const SECOND = 'Noor Haddad';
const SUPERVISOR_MAIL = 'moreau@firm.example';
const LEAD_MAIL = 'ruiz@firm.example';
const STEP_MS_MAX = 40_000;
const POLL_MS = 100;
const DAY_MS = 86_400_000;

export function addDemoPatent(demo: Command): void {
  demo
    .command('patent')
    .description('a day when primary docket routing fails and no office action is lost')
    .action(async (_own: object, command: Command) => {
      const given = command.optsWithGlobals<GlobalOptions>();
      // A tenant for each day: breakers and open dockets of an earlier one would change the story.
      const tenant = given.tenant ?? `demo-patent-${Date.now().toString(36)}`;
      const options = { ...given, tenant };
      await withApp(making(asOperator(options)), async ({ app }) => {
        await new Day(app, newDirectoryOf(options), stopSignal()).live();
      });
    });
}

class Day {
  readonly #app: Filewright;
  readonly #folder: string;
  readonly #dataDirectory: string;
  readonly #signal: AbortSignal;
  readonly #startedAt: Instant;
  /** Other numbers each time: the same events again would be "unchanged", and rightly so. */
  readonly #run: number;

  constructor(app: Filewright, dataDirectory: string, signal: AbortSignal) {
    this.#app = app;
    this.#dataDirectory = dataDirectory;
    this.#folder = join(dataDirectory, 'demo');
    this.#signal = signal;
    this.#startedAt = app.clock.now();
    this.#run = (Math.floor(this.#startedAt / 1_000) % 90_000) + 10_000;
  }

  async live(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const keyFile = join(this.#folder, `${this.#app.tenant}.key`);
    const secondKeyFile = join(this.#folder, `${this.#app.tenant}-second.key`);
    const [supervisor, second] = await demoPeople(this.#app, [
      { name: SUPERVISOR, keyFile },
      { name: SECOND, keyFile: secondKeyFile },
    ]);
    const system = await startDocketSystem();
    const mail = await startMailHouse(LEAD_MAIL);
    const page = await serveAcknowledgements(this.#app, operator(), { port: 0 });
    try {
      await this.#prepare([supervisor, second], system, mail);
      const environment = { DEMO_SMTP: mail.url, [PRIVATE_TARGETS]: '1', ...loopbackToo({}) };
      const settings = { publicUrl: page.url };
      const router = await startDocketRouter(this.#app, operator(), settings, environment);
      try {
        await this.#morning(supervisor, system);
        await this.#failure(supervisor, { system, mail });
        await this.#recovery(supervisor, system);
      } finally {
        await router.stop();
      }
      await this.#evening(supervisor, system);
    } finally {
      await Promise.all([page.close(), mail.close(), system.close()]);
    }
  }

  async #prepare(
    [supervisor, second]: readonly [PersonActor, PersonActor],
    system: DocketSystem,
    mail: MailHouse,
  ): Promise<void> {
    const setting = {
      smtp: 'env:DEMO_SMTP',
      sender: 'Docketing <docketing@firm.example>',
      allowPrivateAddresses: true,
    };
    const { sha256 } = await setMailServer(this.#app, supervisor, setting, {
      DEMO_SMTP: mail.url,
    });
    // Where mail goes out is what two people agree to.
    await approveMail(this.#app, second, { subject: 'mail server', expectHash: sha256 });
    const matrix = this.#file('matrix.json', demoMatrix(system.url));
    const people = join(packageRoot(), 'samples', 'patent-people.json');
    const routing = await proposeRouting(this.#app, supervisor, [matrix, people]);
    if (routing.state === 'proposed') await approveRouting(this.#app, second, routing.sha256);
    this.#say(
      `1. Routing: ${routing.title}, version ${routing.matrix.slice(0, 12)}; ${SUPERVISOR} proposed it, ${SECOND} approved it.`,
      '   Life sciences: the firm’s endpoint, then Elena Ruiz (lead) by email, then Claire Moreau (supervisor), then the docketing desk.',
      `   Scaled for the demo: time-out ${SCALED.timeout_ms} ms instead of 3 s, cool-down ${SCALED.breaker_cool_down_ms / 1_000} s instead of 30 s.`,
      '   As always: two attempts per tier, 0.5 to 2 s between them, three failures open a breaker, health every 15 s.',
    );
  }

  async #morning(supervisor: PersonActor, system: DocketSystem): Promise<void> {
    const first = await this.#event(supervisor, 1, NON_FINAL);
    const view = await this.#until(supervisor, first, isConfirmed);
    this.#say(
      `2. An office action arrives: ${line(view)}`,
      `   The endpoint confirmed it with receipt ${view.state.state === 'confirmed' ? view.state.receipt : '-'}. It holds ${system.held().events}.`,
    );
  }

  async #failure(
    supervisor: PersonActor,
    { system, mail }: { readonly system: DocketSystem; readonly mail: MailHouse },
  ): Promise<void> {
    system.die();
    this.#say('3. The primary endpoint fails: it now answers 503. Two more events arrive.');
    const one = await this.#event(supervisor, 2, FINAL);
    const two = await this.#event(supervisor, 3, RESTRICTION);
    const atSupervisor = (view: DocketView): boolean =>
      view.state.state === 'awaiting' && view.standing === 'TERTIARY';
    const views = [
      await this.#until(supervisor, one, atSupervisor),
      await this.#until(supervisor, two, atSupervisor),
    ];
    for (const { docket } of views) {
      const { handoffs } = await showDocket(this.#app, supervisor, docket.id);
      const way = handoffs.map(
        (handoff) => `${handoff.target} ${handoff.ended?.outcome ?? 'cut off'}`,
      );
      this.#say(`   ${docket.applicationNumber}: ${way.join(' → ')}`);
    }
    const letter = await mail.letterTo(SUPERVISOR_MAIL, AbortSignal.timeout(STEP_MS_MAX));
    const [link = ''] = /http:\/\/[^\s/]+\/acknowledge\/\S+/.exec(letter.text) ?? [];
    this.#say(
      `4. The lead’s mailbox stalled ${mail.stalls()} times during delivery; the supervisor has both emails.`,
      '   They are labeled attorney-client, so the emails name no application.',
    );
    await this.#acknowledge(supervisor, views, link);
  }

  async #acknowledge(
    supervisor: PersonActor,
    views: readonly DocketView[],
    link: string,
  ): Promise<void> {
    const looked = await lookAt(link);
    const open = await this.#views(supervisor, views);
    this.#say(
      `5. A mail scanner opens the link (GET, ${looked}): ${open.filter(isConfirmed).length} acknowledged. The supervisor presses the button (POST).`,
    );
    await pressButton(link);
    const after = await this.#views(supervisor, views);
    const other = after.find((view) => !isConfirmed(view));
    if (other !== undefined) {
      await acknowledgeDocket(this.#app, supervisor, other.docket.id);
    }
    const done = await this.#views(supervisor, views);
    this.#say(
      `   By the link: ${after.filter(isConfirmed).length}. The other with docket ack: ${done.filter(isConfirmed).length} of ${done.length} are acknowledged.`,
    );
  }

  async #recovery(supervisor: PersonActor, system: DocketSystem): Promise<void> {
    system.comeBack();
    this.#say(
      '6. The endpoint is back. Nothing is sent to it before its recovery is complete; two good health checks, 15 s apart:',
    );
    let told = 0;
    await this.#wait('the recovery of the endpoint', async () => {
      const filter = { all: true, target: PRIMARY };
      const { runs } = await recoveryStatus(this.#app, supervisor, filter);
      const [run] = runs;
      for (const one of run?.evidence.slice(told) ?? []) {
        this.#say(`   ${toRfc3339(one.at).slice(11, 19)}  ${one.step.padEnd(15)}${one.verdict}`);
        told += 1;
      }
      if (run?.state.state !== 'closed') return undefined;
      for (const { docket, flag, kind, reviewBy } of run.differences) {
        this.#say(
          `   ${flag}: the endpoint lacks ${docket.slice(0, 20)}… (${kind}); to be reviewed by ${toRfc3339(reviewBy).slice(11, 16)}`,
        );
      }
      return true;
    });
    const next = await this.#event(supervisor, 4, ALLOWANCE);
    const view = await this.#until(supervisor, next, isConfirmed);
    const target = view.state.state === 'confirmed' ? view.state.hop?.target : undefined;
    this.#say(
      `7. Its breaker is closed. The next event goes to ${target ?? '?'} again: ${line(view)}`,
    );
  }

  async #evening(supervisor: PersonActor, system: DocketSystem): Promise<void> {
    const { rows } = await docketReport(this.#app, supervisor, {});
    const own = rows.filter((row) => row.applicationNumber?.startsWith(`18/${this.#run}`) === true);
    const cells = own.map((row) => [
      `${row.due ?? 'not known'}${row.unverified.length > 0 ? ' *' : ''}`,
      row.final ?? '',
      row.owner ?? '',
      row.applicationNumber ?? '',
      row.title ?? '',
    ]);
    const held = system.held();
    this.#say(
      '8. The docket report of the day',
      table(['due', 'final', 'owner', 'application', 'title'], cells),
      `   The endpoint holds ${held.events} events, ${held.twice} of them twice.`,
    );
    await this.#ledger(supervisor, own.length);
    const key = join(this.#folder, `${this.#app.tenant}.key`);
    this.#say(...nextWords({ place: this.#dataDirectory, tenant: this.#app.tenant, key }));
  }

  async #ledger(supervisor: PersonActor, events: number): Promise<void> {
    const range = { from: this.#startedAt, to: addMs(this.#app.clock.now(), 1_000) };
    const filings = { boundary: 'filing', ...range } as const;
    const { lines } = await ledgerHistory(this.#app, supervisor, filings, 10_000);
    const moves = lines.filter(({ type }) => /^(docket\.transition|breaker\.)/.test(type));
    const shown = moves.map(({ at, type, subject, facts }) => [
      at.slice(11, 19),
      type,
      type === 'docket.transition' ? wayOf(facts) : subject,
      wordOf(facts['reason']),
    ]);
    this.#say('9. The routing history in the ledger', table(['at', 'entry', 'what', 'why'], shown));
    const report = await verifyLedger(this.#app, supervisor, { bodies: true });
    const rows = report.logs.map((log) => [
      log.log,
      log.entries,
      log.bodies,
      log.ok ? 'verified' : String(log.reason),
    ]);
    this.#say('10. The ledger proves it', table(['log', 'entries', 'bodies', 'verdict'], rows));
    if (!report.ok) process.exitCode = EXIT.verification;
    if (events !== 4) process.exitCode = EXIT.failed;
  }

  /** One event of today, as a file like any other. */
  async #event(supervisor: PersonActor, n: number, action: OfficeAction): Promise<string> {
    const day = toRfc3339(addMs(this.#startedAt, -5 * DAY_MS)).slice(0, 10);
    const record = {
      application_number: `18/${this.#run}${n}`,
      filing_date: '2024-03-11',
      event_date: day,
      ...action,
      client: 'Northwind',
      technology_group: 'BIO',
      privilege: ['attorney-client'],
    };
    const path = this.#file(`event-${n}.ndjson`, record);
    await importDocketFile(this.#app, supervisor, { path, dryRun: false });
    return record.application_number;
  }

  async #view(supervisor: PersonActor, application: string): Promise<DocketView | undefined> {
    const question = { closed: false, limit: 10_000 };
    const { dockets } = await listDockets(this.#app, supervisor, question);
    return dockets.find(({ docket }) => docket.applicationNumber === application);
  }

  async #views(supervisor: PersonActor, views: readonly DocketView[]): Promise<DocketView[]> {
    const found = await Promise.all(
      views.map(({ docket }) => showDocket(this.#app, supervisor, docket.id)),
    );
    return found;
  }

  #until(
    supervisor: PersonActor,
    application: string,
    is: (view: DocketView) => boolean,
  ): Promise<DocketView> {
    return this.#wait(`docket ${application}`, async () => {
      const view = await this.#view(supervisor, application);
      return view !== undefined && is(view) ? view : undefined;
    });
  }

  async #wait<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
    const endMs = this.#app.clock.monotonicMs() + STEP_MS_MAX;
    while (!this.#signal.aborted && this.#app.clock.monotonicMs() < endMs) {
      const found = await look();
      if (found !== undefined) return found;
      await this.#app.clock.sleep(POLL_MS, this.#signal);
    }
    stopHere('To see the whole demo, start it again.');
    throw new FilewrightError('BROKEN_INVARIANT', `The demo timed out waiting for ${what}`);
  }

  #file(name: string, value: object): string {
    const path = join(this.#folder, name);
    writeFileSync(path, `${JSON.stringify(value)}\n`);
    return path;
  }

  #say(...lines: readonly string[]): void {
    print(lines.join('\n'));
  }
}
