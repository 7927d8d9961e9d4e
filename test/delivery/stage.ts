/** A tenant of its own on a shared embedded server, portals that can misbehave, and workers in this process. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Evidence } from '../../sim/chaos/evidence.ts';
import { reckon, type Reckoning } from '../../sim/chaos/reckoning.ts';
import { addPortal, changeLane, lanes, profilesByLane } from '../../src/lanes/acts/lanes.ts';
import { approveLane } from '../../src/filings/acts/lane-recovery.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import { knownProfiles } from '../../src/lanes/acts/known-profiles.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { Clock, Log, Portal, Processes } from '../../src/core/ports.ts';
import type { LaneState } from '../../src/core/lane.ts';
import type { Profile } from '../../src/core/profile.ts';
import { Worker } from '../../src/filings/delivery/worker.ts';
import type { WorkerSettings } from '../../src/filings/delivery/settings.ts';
import { createPortal } from '../../src/lanes/portals/portal.ts';
import { type ConnectionTarget, Session } from '../../src/postgres/session.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { silentLog } from '../../src/system/silent-log.ts';
import { systemClock } from '../../src/system/clock.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import type { Server } from './server.ts';
import { until } from './waiting.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { PAGE_SECRETS } from '../../sim/chaos/pages.ts';

const SCHEMA = 'filewright';
/** Short, so that tests about its end are short; long enough for three heartbeats on a busy machine. */
export const LEASE_MS = 2_000;

/** A quick portal that honours keys and can be asked by key. */
export function quickProfile(code: string, changes: Partial<Profile> = {}): Profile {
  const { status, ...base } = sampleProfile();
  return {
    ...base,
    ...(status === undefined ? {} : { status: { ...status, path: '/status?key={key}' } }),
    code,
    jurisdiction: code,
    timeoutMs: 400,
    longestServiceMs: 700,
    personMs: 1_000,
    // A portal that never decides is given up while a test still waits.
    received: { ...base.received, pollMs: 100, boundMs: 3_000 },
    retry: { inARowMax: 6, totalMsMax: 60_000, delayMsMin: 50, delayMsMax: 400 },
    breaker: { failures: 3, coolDownMs: 300, probeSpacingMs: 200 },
    throttle: { pauseMsMax: 60_000 },
    ...changes,
  };
}

export const NO_KEYS = { idempotency: { ...sampleProfile().idempotency, honouredMs: 0 } };

export interface WorkerOptions {
  readonly settings?: Partial<WorkerSettings>;
  readonly clock?: Clock;
  readonly target?: ConnectionTarget;
  readonly processes?: Processes;
  readonly log?: Log;
  /** What its portal does otherwise than a real one. */
  readonly portal?: Partial<Portal>;
}

export interface RunningWorker {
  /** Drains; throws what the worker threw. */
  stop(): Promise<void>;
}

let hosts = 0;

/** A host of its own: nobody there to be ended. */
export function lonelyHost(): Processes {
  hosts += 1;
  return {
    host: `test-${hosts}`,
    self: { pid: hosts, startedAt: 'test' },
    isRunning: () => true,
    end: () => Promise.resolve(false),
  };
}

export class Stage {
  readonly app: Filewright;
  readonly simulator: Simulator;
  readonly profiles: readonly Profile[];
  readonly evidence: Evidence;
  readonly person: PersonActor;
  /** The second one, who may approve what the first has prepared. */
  readonly approver: PersonActor;
  readonly #server: Server;
  readonly #workers = new Set<RunningWorker>();
  #imported = 0;

  private constructor(
    parts: Pick<Stage, 'app' | 'simulator' | 'profiles' | 'person' | 'approver'> & {
      readonly server: Server;
    },
  ) {
    this.app = parts.app;
    this.simulator = parts.simulator;
    this.profiles = parts.profiles;
    this.person = parts.person;
    this.#server = parts.server;
    this.approver = parts.approver;
    this.evidence = new Evidence(parts.app.session);
  }

  static async set(
    server: Server,
    profiles: readonly Profile[],
    behaviour: Readonly<Record<string, BehaviourChange>> = {},
  ): Promise<Stage> {
    // The tenant is part of every key, and the key decides which faults a filing meets: no dice here.
    const tenant = `t-${server.nextTenant()}`;
    const { dataDirectory } = server;
    const app = await createFilewright({ dataDirectory, tenant, environment: OWN_MACHINE });
    const simulator = await startSimulator({ profiles, port: 0, clock: systemClock, behaviour });
    const first = await foundUser(app, OPERATOR, 'preparer');
    const second = await foundUser(app, OPERATOR, 'approver');
    const [person, approver] = [await personOf(app, first.key), await personOf(app, second.key)];
    const led = profiles.map(({ code }) => simulator.profile(code));
    for (const profile of led) await addPortal(app, person, profile);
    return new Stage({ app, simulator, profiles: led, person, approver, server });
  }

  nameOf = (registryNumber: string): string => `Entity ${registryNumber.slice(1)}`;

  imported = (): number => this.#imported;

  /** Imports and approves filings for one lane. */
  async feed(lane: string, count: number, due = '2030-03-01'): Promise<void> {
    const from = this.#imported;
    const rows = Array.from(
      { length: count },
      (_, n) => `${lane},R${from + n},${this.nameOf(`R${from + n}`)},annual_report,2027,${due}`,
    );
    const header = 'jurisdiction,registry_number,entity_name,filing_kind,period,due';
    const path = join(this.#server.dataDirectory, `${this.app.tenant}-${from}.csv`);
    writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
    const report = await importFile(this.app, this.person, { path, dryRun: false });
    rmSync(path);
    if (report.batch === undefined || report.refused > 0) {
      throw new Error(`The batch was refused: ${JSON.stringify(report.errors[0])}`);
    }
    await approve(this.app, this.approver, report.batch);
    this.#imported += count;
  }

  async worker(options: WorkerOptions = {}): Promise<RunningWorker> {
    const { app } = this;
    // Row security shows a session its own tenant's rows only.
    const target = {
      ...(options.target ?? this.#server.target),
      settings: { 'fw.tenant': app.tenant },
    };
    const leaseMs = options.settings?.leaseMs ?? LEASE_MS;
    const store = new PostgresDeliveryStore({
      target,
      schema: SCHEMA,
      tenant: app.tenant,
      leaseMs,
    });
    const session = new Session({ target, schema: SCHEMA, name: 'sequencer' });
    const portal = createPortal({ environment: { ...OWN_MACHINE, ...PAGE_SECRETS } });
    const { tenant, instance, ids, vault } = app;
    const first = await profilesByLane(app);
    const known = knownProfiles({ session: app.session, tenant, log: silentLog, first });
    const worker = new Worker(
      {
        clock: options.clock ?? systemClock,
        ids,
        store,
        sequencer: new PostgresSequencer({ session, tenant, instance }),
        portal: Object.assign(portal, options.portal),
        vault,
        log: options.log ?? silentLog,
        processes: options.processes ?? lonelyHost(),
        profiles: known.profiles,
        refreshProfiles: () => known.refresh(),
      },
      { drainMsMax: 10_000, ...options.settings, leaseMs },
    );
    // Kept, so that a failure is thrown by `stop` and not by nobody.
    const ended = worker.run().catch((error: unknown) => error);
    const running: RunningWorker = {
      stop: async () => {
        if (!this.#workers.delete(running)) return;
        await worker.stop();
        const failure = await ended;
        await Promise.all([store.close(), session.close(), portal.close()]);
        if (failure !== undefined) throw failure;
      },
    };
    this.#workers.add(running);
    return running;
  }

  async lane(code: string): Promise<LaneState> {
    const found = (await lanes(this.app)).find(({ state }) => state.code === code);
    if (found === undefined) throw new Error(`There is no lane ${code}`);
    return found.state;
  }

  async change(code: string, event: Parameters<typeof changeLane>[3]): Promise<void> {
    await changeLane(this.app, this.person, code, event);
  }

  /** The second person lets a lane go on, as soon as it waits for one. */
  async approve(code: string): Promise<void> {
    await until(async () => (await this.lane(code)).recovery?.run.state === 'awaiting_approval');
    const reason = 'looked at the portal';
    await approveLane(this.app, this.approver, { lane: code, reason });
  }

  /** Filings of this tenant that are in one of these states. */
  count(...states: readonly string[]): Promise<number> {
    return this.evidence.count('filing where tenant = $1 and status = any($2)', [
      this.app.tenant,
      states,
    ]);
  }

  /** The database's clock. */
  async now(): Promise<number> {
    const [row] = await this.evidence.read('select clock_timestamp() as now');
    return Number(row?.['now']);
  }

  async untilDone(msMax = 30_000): Promise<void> {
    await until(async () => (await this.count('pending', 'submitted')) === 0, msMax);
  }

  /** Record and truth agree in everything, when the workers are at rest. */
  async reckon(): Promise<Reckoning> {
    await this.#stopWorkers();
    const reckoning = await reckon(this, this.evidence);
    expect(reckoning.violations).toEqual([]);
    return reckoning;
  }

  async close(): Promise<void> {
    await this.#stopWorkers();
    await this.simulator.close();
    await this.app.close();
  }

  async #stopWorkers(): Promise<void> {
    for (const worker of this.#workers) await worker.stop();
  }
}
