/** Two people, a real database, real portals on loopback, and a batch that went wrong: where every review begins. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { approve, importFile, runBatch } from '../../src/filings/acts/batches.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { BatchId } from '../../src/core/ids.ts';
import type { Profile } from '../../src/core/profile.ts';
import { type FilingView, findFiling, listFilings } from '../../src/filings/store/filings.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { systemClock } from '../../src/system/clock.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { csv, row } from '../cli/rows.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

/** Failures are what these tests begin with; they must not close the lane. */
const PATIENT = { failures: 1_000, coolDownMs: 1_000, probeSpacingMs: 1_000 };

/** California can neither be asked nor honours keys: an unknown outcome there needs a person. */
const SILENT: Partial<Profile> = {
  code: 'US-CA',
  jurisdiction: 'US-CA',
  idempotency: { header: 'X-Key', honouredMs: 0 },
  breaker: PATIENT,
};
/** New York can be asked by key, and honours no keys. */
const { status: SAMPLE_STATUS } = sampleProfile();
const ASKABLE: Partial<Profile> = {
  ...(SAMPLE_STATUS === undefined
    ? {}
    : { status: { ...SAMPLE_STATUS, path: '/status?key={key}' } }),
  code: 'US-NY',
  jurisdiction: 'US-NY',
  idempotency: { header: 'X-Key', honouredMs: 0 },
  breaker: PATIENT,
  // One unanswered question hands the filing to a person, so that reviews have something unsettled to begin with.
  retry: { inARowMax: 1, totalMsMax: 60_000, delayMsMin: 1, delayMsMax: 2 },
};

export class ReviewWorld {
  readonly app: Filewright;
  readonly simulator: Simulator;
  readonly paula: PersonActor;
  readonly arthur: PersonActor;
  readonly keys: { readonly paula: string; readonly arthur: string };
  readonly folder: string;
  #next = 1;

  private constructor(parts: {
    app: Filewright;
    simulator: Simulator;
    people: readonly [PersonActor, PersonActor];
    keys: { readonly paula: string; readonly arthur: string };
    folder: string;
  }) {
    this.app = parts.app;
    this.simulator = parts.simulator;
    [this.paula, this.arthur] = parts.people;
    this.keys = parts.keys;
    this.folder = parts.folder;
  }

  static async make(): Promise<ReviewWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-review-'));
    // For root the server runs as somebody else, who must be able to pass through.
    await chmod(folder, 0o711);
    copyPreparedCluster(join(folder, 'data'));
    const app = await createFilewright({
      dataDirectory: join(folder, 'data'),
      environment: OWN_MACHINE,
    });
    const paulasKey = (await foundUser(app, OPERATOR, 'Paula Preparer')).key;
    const arthursKey = (await foundUser(app, OPERATOR, 'Arthur Approver')).key;
    const people = [await personOf(app, paulasKey), await personOf(app, arthursKey)] as const;
    const { status: _status, ...silent } = sampleProfile(SILENT);
    const simulator = await startSimulator({
      profiles: [sampleProfile(), silent, sampleProfile(ASKABLE)],
      port: 0,
      clock: systemClock,
      behaviour: {},
    });
    for (const lane of ['US-DE', 'US-CA', 'US-NY']) {
      await addPortal(app, people[0], simulator.profile(lane));
    }
    const keys = { paula: paulasKey, arthur: arthursKey };
    return new ReviewWorld({ app, simulator, people, keys, folder });
  }

  /** Imports and approves a batch of `count` filings; nothing of it has been sent. */
  async batch(count: number, lane = 'US-DE'): Promise<{ id: BatchId; filings: FilingView[] }> {
    const rows = Array.from({ length: count }, () => {
      const number = String(this.#next++);
      return row(number, { jurisdiction: lane });
    });
    const path = join(this.folder, `batch-${this.#next}.csv`);
    await writeFile(path, csv(...rows));
    const report = await importFile(this.app, this.paula, { path, dryRun: false });
    if (report.batch === undefined) throw new Error(JSON.stringify(report.errors));
    await approve(this.app, this.arthur, report.batch);
    const filter = { batch: report.batch, limit: count };
    return {
      id: report.batch,
      filings: await listFilings(this.app.session, this.app.tenant, filter),
    };
  }

  async run(id: BatchId): Promise<void> {
    await runBatch(this.app, OPERATOR, id, { signal: new AbortController().signal });
  }

  /** One filing that its portal refuses with 422 whenever it comes under its first key. */
  async refused(): Promise<{ id: BatchId; filing: FilingView }> {
    const { id, filings } = await this.batch(1);
    const filing = this.only(filings);
    this.simulator.behave('US-DE', { schedule: [{ fault: 'rejected_422', key: filing.key }] });
    await this.run(id);
    return { id, filing: await this.filing(filing.id) };
  }

  /** One filing that its portal took without a word: it may have been accepted. */
  async unsettled(lane: 'US-CA' | 'US-NY'): Promise<{ id: BatchId; filing: FilingView }> {
    const { id, filings } = await this.batch(1, lane);
    this.simulator.behave(lane, { faults: { accept_then_cut: 1, status_500: 1 } });
    await this.run(id);
    this.simulator.behave(lane, { faults: {} });
    return { id, filing: await this.filing(this.only(filings).id) };
  }

  filing(id: string): Promise<FilingView> {
    return findFiling(this.app.session, this.app.tenant, id);
  }

  only(filings: readonly FilingView[]): FilingView {
    const [filing] = filings;
    if (filing === undefined || filings.length > 1) throw new Error('expected one filing');
    return filing;
  }

  sql(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.app.session.run({ name: '', text }, values);
  }

  async ledgerStands(): Promise<boolean> {
    return (await verifyLedger(this.app, OPERATOR, { bodies: true })).ok;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.simulator.close();
    await stopEmbedded(join(this.folder, 'data'), { mode: 'immediate' });
    await rm(this.folder, { recursive: true, force: true });
  }
}
