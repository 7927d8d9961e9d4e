/** An office of three people with portals on loopback, some of them a thief's: where the stories about trust begin. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import type { BatchId } from '../../src/core/ids.ts';
import type { Profile } from '../../src/core/profile.ts';
import { importFile } from '../../src/filings/acts/batches.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import type { Row } from '../../src/postgres/session.ts';
import { systemClock } from '../../src/system/clock.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { csv, row } from '../cli/rows.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { OPERATOR } from '../operator.ts';
import { founders, vouchedFor } from '../people/firm.ts';

export class TrustWorld {
  readonly app: Filewright;
  readonly folder: string;
  /** Paula prepares, Arthur approves, Mallory has a key like everybody. */
  readonly people: readonly [PersonActor, PersonActor, PersonActor];
  readonly authority: Simulator;
  readonly thief: Simulator;
  #next = 1;

  private constructor(
    app: Filewright,
    folder: string,
    people: TrustWorld['people'],
    portals: readonly [Simulator, Simulator],
  ) {
    this.app = app;
    this.folder = folder;
    this.people = people;
    [this.authority, this.thief] = portals;
  }

  static async make(): Promise<TrustWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-trust-'));
    // For root the server runs as somebody else, who must be able to pass through.
    await chmod(folder, 0o711);
    copyPreparedCluster(join(folder, 'data'));
    const app = await createFilewright({
      dataDirectory: join(folder, 'data'),
      environment: OWN_MACHINE,
    });
    const [paula, arthur] = await founders(app, 'Paula Preparer', 'Arthur Approver');
    if (paula === undefined || arthur === undefined) throw new Error('nobody was founded');
    const mallory = await vouchedFor(app, [paula, arthur], 'Mallory Manager');
    const portal = (): Promise<Simulator> =>
      startSimulator({ profiles: [sampleProfile()], port: 0, clock: systemClock, behaviour: {} });
    return new TrustWorld(app, folder, [paula, arthur, mallory], [await portal(), await portal()]);
  }

  /** The profile of the authority's portal, or of the thief's. */
  profile(of: 'authority' | 'thief', changes: Partial<Profile> = {}): Profile {
    return { ...this[of].profile('US-DE'), ...changes };
  }

  async batch(count: number, by = this.people[0]): Promise<BatchId> {
    const rows = Array.from({ length: count }, () => row(String(this.#next++), {}));
    const path = join(this.folder, `batch-${this.#next}.csv`);
    await writeFile(path, csv(...rows));
    const report = await importFile(this.app, by, { path, dryRun: false });
    if (report.batch === undefined) throw new Error(JSON.stringify(report.errors));
    return report.batch;
  }

  async sql(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.app.session.run({ name: '', text }, values);
  }

  async isSound(): Promise<boolean> {
    return (await verifyLedger(this.app, OPERATOR, { bodies: true })).ok;
  }

  async close(): Promise<void> {
    await this.app.close();
    await Promise.all([this.authority.close(), this.thief.close()]);
    await stopEmbedded(join(this.folder, 'data'), { mode: 'immediate' });
    await rm(this.folder, { recursive: true, force: true });
  }
}
