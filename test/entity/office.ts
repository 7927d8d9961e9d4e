/** The four shipped states as simulated portals on real sockets, a real database, and workers in this process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPortal, lanes, profilesByLane } from '../../src/lanes/acts/lanes.ts';
import { approveLane } from '../../src/filings/acts/lane-recovery.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { approve, importFile, proposeAgain } from '../../src/filings/acts/batches.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { BatchId } from '../../src/core/ids.ts';
import type { LaneState } from '../../src/core/lane.ts';
import type { Profile } from '../../src/core/profile.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { listFilings } from '../../src/filings/store/filings.ts';
import { systemClock } from '../../src/system/clock.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import type { Server } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

export type Row = Readonly<Record<string, string>>;

export class Office {
  readonly app: Filewright;
  readonly simulator: Simulator;
  readonly person: PersonActor;
  readonly key: string;
  private readonly approver: PersonActor;
  private readonly folder: string;
  private readonly stops = new Set<() => Promise<void>>();

  private constructor(
    parts: Pick<Office, 'app' | 'simulator' | 'person' | 'key'> & {
      readonly approver: PersonActor;
      readonly folder: string;
    },
  ) {
    this.app = parts.app;
    this.simulator = parts.simulator;
    this.person = parts.person;
    this.key = parts.key;
    this.approver = parts.approver;
    this.folder = parts.folder;
  }

  static async open(
    server: Server,
    names: readonly string[],
    options: {
      readonly behaviour?: Readonly<Record<string, BehaviourChange>>;
      readonly changes?: Readonly<Record<string, Partial<Profile>>>;
    } = {},
  ): Promise<Office> {
    const folder = mkdtempSync(join(tmpdir(), 'fw-office-'));
    const app = await createFilewright({
      dataDirectory: server.dataDirectory,
      tenant: `office-${server.nextTenant()}`,
      environment: { ...OWN_MACHINE, PORTAL_US_NY_USER: 'clerk', PORTAL_US_NY_PASSWORD: 'secret' },
    });
    const profiles = names.map((name) => quickened(name, options.changes?.[name] ?? {}));
    const simulator = await startSimulator({
      profiles,
      port: 0,
      clock: systemClock,
      behaviour: options.behaviour ?? {},
    });
    const first = await foundUser(app, OPERATOR, 'preparer');
    const second = await foundUser(app, OPERATOR, 'approver');
    const [person, approver] = [await personOf(app, first.key), await personOf(app, second.key)];
    for (const { code } of profiles) await addPortal(app, person, simulator.profile(code));
    return new Office({ app, simulator, person, key: first.key, approver, folder });
  }

  /** For filings whose approval ended because their lane has another profile. */
  async approveAgain(batch: BatchId): Promise<void> {
    await proposeAgain(this.app, this.person, batch);
    await approve(this.app, this.approver, batch);
  }

  /** Imports and approves; every row must be good. */
  async file(rows: readonly Row[]): Promise<BatchId> {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const lines = rows.map((row) => names.map((name) => cell(row[name] ?? '')).join(','));
    const path = join(this.folder, 'batch.csv');
    writeFileSync(path, `${[names.join(','), ...lines].join('\n')}\n`);
    const choices = { extra: names };
    const report = await importFile(this.app, this.person, { path, dryRun: false, choices });
    if (report.batch === undefined || report.refused > 0) {
      throw new Error(`The rows were refused: ${JSON.stringify(report.errors.slice(0, 3))}`);
    }
    await approve(this.app, this.approver, report.batch);
    return report.batch;
  }

  /** Starts a worker; drains it when called back. */
  async worker(): Promise<() => Promise<void>> {
    const parts = await this.app.worker(await profilesByLane(this.app), { leaseMs: 4_000 });
    const ended = parts.worker.run();
    const stop = async (): Promise<void> => {
      if (!this.stops.delete(stop)) return;
      await parts.worker.stop();
      await ended;
      await parts.close();
    };
    this.stops.add(stop);
    return stop;
  }

  async lane(code: string): Promise<LaneState> {
    const found = (await lanes(this.app)).find(({ state }) => state.code === code);
    if (found === undefined) throw new Error(`There is no lane ${code}`);
    return found.state;
  }

  /** Says that a lane which waits for a person may go on. */
  async approve(code: string): Promise<void> {
    const isWaiting = async (): Promise<boolean> =>
      (await this.lane(code)).recovery?.run.state === 'awaiting_approval';
    await until(isWaiting);
    await approveLane(this.app, this.person, { lane: code, reason: 'looked at the portal' });
  }

  /** How many filings of a lane stand where. */
  async ends(lane: string): Promise<Readonly<Record<string, number>>> {
    const ends: Record<string, number> = {};
    for (const { status } of await this.filings(lane)) ends[status] = (ends[status] ?? 0) + 1;
    return ends;
  }

  filings(lane: string): ReturnType<typeof listFilings> {
    return listFilings(this.app.session, this.app.tenant, { lane, limit: 1_000 });
  }

  async untilEnded(lane: string, msMax = 20_000): Promise<void> {
    await until(async () => {
      const { pending = 0, submitted = 0 } = await this.ends(lane);
      return pending + submitted === 0;
    }, msMax);
  }

  /** What no portal may ever see from us, whatever happens to it. */
  harm(lane: string): Readonly<Record<string, number>> {
    const truth = this.simulator.truth(lane).summary();
    const { inFlightMax, arrivedOverCeiling, arrivedWhilePaused, keysAcceptedTwice } = truth;
    return {
      overCeiling: Math.max(0, inFlightMax - this.simulator.profile(lane).ceiling),
      arrivedOverCeiling,
      arrivedWhilePaused,
      keysAcceptedTwice,
      closed: truth.refusals.closed ?? 0,
      examined: truth.refusals.examined ?? 0,
      blocked: truth.refusals.blocked ?? 0,
      foreignSessions: truth.sessions.foreign,
      sharedSessions: truth.sessions.shared,
    };
  }

  async close(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.simulator.close();
    await this.app.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const NO_HARM = {
  overCeiling: 0,
  arrivedOverCeiling: 0,
  arrivedWhilePaused: 0,
  keysAcceptedTwice: 0,
  closed: 0,
  examined: 0,
  blocked: 0,
  foreignSessions: 0,
  sharedSessions: 0,
};

const WEEK = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** Open all week; the gate against early filings needs hours to know the first open day of a month. */
export const ALWAYS = {
  zone: 'America/New_York',
  weekly: [{ days: WEEK, from: '00:00', to: '24:00' }],
  closedOn: [],
};

/** Open on one day only, and that is far from today in every zone. */
export function closedNow(): NonNullable<Profile['hours']> {
  const day = WEEK[(new Date(systemClock.now()).getUTCDay() + 3) % WEEK.length] ?? 'sun';
  return { ...ALWAYS, weekly: [{ days: [day], from: '00:00', to: '24:00' }] };
}

/** A shipped profile with the waits of a test instead of those of a state; always open unless told otherwise. */
function quickened(name: string, changes: Partial<Profile>): Profile {
  const path = join(ROOT, 'profiles', `${name}.json`);
  const { hours: _real, ...profile } = readProfile(readFileSync(path), path);
  return {
    ...profile,
    automation: 'allowed',
    timeoutMs: 1_500,
    longestServiceMs: 500,
    personMs: 1_000,
    slowStartStepMs: 0,
    ...(name === 'us-ny' ? { hours: ALWAYS } : {}),
    ...(profile.status === undefined
      ? {}
      : { status: { ...profile.status, visibilityLagMs: 300 } }),
    received: { ...profile.received, pollMs: 200, boundMs: 20_000 },
    retry: { inARowMax: 4, totalMsMax: 60_000, delayMsMin: 50, delayMsMax: 400 },
    breaker: { failures: 3, coolDownMs: 400, probeSpacingMs: 300 },
    ...changes,
  };
}

/** `YYYY-MM` so many months from now. */
export function month(offset: number): string {
  const now = new Date(systemClock.now());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1))
    .toISOString()
    .slice(0, 7);
}

export function rowsOf(
  lane: 'US-DE' | 'US-CA' | 'US-NY' | 'US-TX',
  count: number,
  changes: Row = {},
): readonly Row[] {
  const kinds = {
    'US-DE': 'annual_report',
    'US-CA': 'statement_of_information',
    'US-NY': 'biennial_statement',
    'US-TX': 'franchise_tax_report',
  };
  return Array.from({ length: count }, (_, n) => ({
    jurisdiction: lane,
    registry_number: String(4_000_000 + n),
    entity_name: `Scenario ${n} Inc.`,
    filing_kind: kinds[lane],
    period: lane === 'US-NY' ? month(-1) : '2026',
    due: '2030-03-01',
    ...changes,
  }));
}
