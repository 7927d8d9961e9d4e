/** A house whose lanes are people's: three of them with keys, a real database, and the office as a table of what it truly took. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { chmodSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import { addByHandLanes } from '../../src/filings/acts/by-hand-lanes.ts';
import { type HandSaying, type Said, sayInHand } from '../../src/filings/acts/hand-say.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { type FilingView, findFiling, listFilings } from '../../src/filings/store/filings.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';
import { OPERATOR } from '../operator.ts';
import { vouchedFor } from '../people/firm.ts';

export const PDF = (text: string): Uint8Array => Buffer.from(`%PDF-1.7\n${text}\n%%EOF\n`);

const COLUMNS =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';

export class HandWorld {
  readonly app: Filewright;
  readonly people: readonly [PersonActor, PersonActor];
  readonly keys: readonly [string, string];
  readonly folder: string;
  #next = 1;

  private constructor(
    app: Filewright,
    people: readonly [PersonActor, PersonActor],
    keys: readonly [string, string],
    folder: string,
  ) {
    this.app = app;
    this.people = people;
    this.keys = keys;
    this.folder = folder;
  }

  get paula(): PersonActor {
    return this.people[0];
  }

  get arthur(): PersonActor {
    return this.people[1];
  }

  static async make(): Promise<HandWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-hand-'));
    // For root the server runs as somebody else, who must be able to pass through.
    chmodSync(folder, 0o711);
    copyPreparedCluster(join(folder, 'data'));
    const app = await createFilewright({ dataDirectory: join(folder, 'data') });
    const keys = [
      (await foundUser(app, OPERATOR, 'Paula Preparer')).key,
      (await foundUser(app, OPERATOR, 'Arthur Approver')).key,
    ] as const;
    const people = [await personOf(app, keys[0]), await personOf(app, keys[1])] as const;
    return new HandWorld(app, people, keys, folder);
  }

  /** The lane of a state as it is shipped; Nevada's search shows a filing at once here, so that a look need not wait. */
  async lane(code = 'US-NV', visibleAfterMs = 0): Promise<void> {
    const path = `profiles/by-hand/${code.toLowerCase()}.json`;
    const stated = JSON.parse(readFileSync(path, 'utf8')) as { byHand: object };
    const profile = { ...stated, byHand: { ...stated.byHand, visibleAfterMs } };
    await addPortal(this.app, this.paula, readProfile(JSON.stringify(profile), path));
  }

  async allLanes(): Promise<void> {
    await addByHandLanes(this.app, this.paula, 'all');
  }

  async batch(
    count: number,
    {
      lane = 'US-NV',
      isApproved = true,
      values = {},
    }: {
      readonly lane?: string;
      readonly isApproved?: boolean;
      readonly values?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<{ readonly id: BatchId; readonly filings: readonly FilingView[] }> {
    const year = new Date().getUTCFullYear() + 2;
    const rows = Array.from({ length: count }, () => {
      const n = this.#next++;
      return `${lane},N${n},Entity ${n},annual_list,${year},${values['due'] ?? `${year}-03-01`},E-${n},${values['fee'] ?? '225.00'},Paula Signer`;
    });
    const path = join(this.folder, `batch-${this.#next}.csv`);
    await writeFile(path, `${[COLUMNS, ...rows].join('\n')}\n`);
    const report = await importFile(this.app, this.paula, { path, dryRun: false });
    if (report.batch === undefined) throw new Error(JSON.stringify(report.errors));
    if (isApproved) await approve(this.app, this.arthur, report.batch);
    const filter = { batch: report.batch, limit: count };
    return {
      id: report.batch,
      filings: await listFilings(this.app.session, this.app.tenant, filter),
    };
  }

  async one(): Promise<FilingView> {
    const [filing] = (await this.batch(1)).filings;
    if (filing === undefined) throw new Error('expected a filing');
    return filing;
  }

  filed(
    filing: FilingView,
    more: Partial<Extract<HandSaying, { kind: 'filed' }>> = {},
  ): HandSaying {
    return {
      kind: 'filed',
      receipt: `NV-${filing.id.slice(-8)}`,
      filedAt: this.app.clock.now(),
      feeCents: 22_500,
      evidence: { kind: 'file', name: 'confirmation.pdf', bytes: PDF(filing.id) },
      ...more,
    };
  }

  say(who: PersonActor, filing: FilingView, saying: HandSaying): Promise<Said> {
    return sayInHand(this.app, who, filing.id, saying);
  }

  filing(id: string): Promise<FilingView> {
    return findFiling(this.app.session, this.app.tenant, id);
  }

  sql(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.app.session.run({ name: '', text }, values);
  }

  /** The person goes home: the time of the taking is over. Only a test may say so, past the guard. */
  async expire(id: string, agoMs = 1_000): Promise<void> {
    await this.sql('alter table taking disable trigger taking_guard');
    await this.sql(
      `update taking set taken_at = taken_at - interval '1 day',
         expires_at = clock_timestamp() - $2 * interval '1 millisecond' where filing = $1 and ended_at is null`,
      [id, agoMs],
    );
    await this.sql('alter table taking enable always trigger taking_guard');
  }

  /** Of another party than the two: each of them vouched for this person. */
  third(name: string): Promise<PersonActor> {
    return vouchedFor(this.app, this.people, name);
  }

  async ledgerStands(): Promise<boolean> {
    const found = await verifyLedger(this.app, OPERATOR, { bodies: true, rows: true });
    return found.ok;
  }

  async close(): Promise<void> {
    await this.app.close();
    await stopEmbedded(join(this.folder, 'data'), { mode: 'immediate' });
    await rm(this.folder, { recursive: true, force: true });
  }
}
