/**
 * Wiring, and nothing else: opens the store, the key, the vault and the portals, and hands them to whoever acts.
 * The command line, the tests and a program that embeds Filewright all start here.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type Clock,
  FilewrightError,
  type Ids,
  type LaneCode,
  type Log,
  type Profile,
  type Random,
  type Vault,
} from './core/index.ts';
import {
  type CommandSlots,
  type LaneReader,
  type LaneToUse,
  systemProcesses,
  withLaneReader,
  withLaneSlots,
  Worker,
  type WorkerSettings,
} from './delivery/index.ts';
import { knownProfiles, readThresholds, sendGate } from './acts/index.ts';
import type { EventConsumer, RunningJobs } from './jobs/index.ts';
import { KeyVault, logOrigin } from './ledger/index.ts';
import { createPortal } from './portals/index.ts';
import type { RouterOptions, RunningRouter } from './routing/index.ts';
import {
  type ConnectionTarget,
  ensureEmbedded,
  hasTenantKey,
  LEASE_MS,
  localRootKey,
  mayTakePart,
  migrate,
  openTenantKey,
  PLANNER,
  PostgresDeliveryStore,
  PostgresIntakeStore,
  PostgresSequencer,
  Session,
  startSequencerThread,
} from './store/index.ts';
import {
  CheckpointFiles,
  checkpointsFolder,
  rootKeySource,
  silentLog,
  systemClock,
  systemIds,
  systemRandom,
} from './system/index.ts';

/** Often enough that readiness (5 s) is never in doubt, seldom enough that groups are full. */
const SEQUENCE_MS = 100;

export interface FilewrightOptions {
  /** Where the embedded database, the root key and nothing else live. Default `.filewright` in the working directory. */
  readonly dataDirectory?: string;
  /** Replaces the embedded database. */
  readonly databaseUrl?: string;
  readonly schema?: string;
  readonly tenant?: string;
  /** First part of the ledger's origin; fixed when the tenant is first opened. */
  readonly instance?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
}

/** Everything an act needs. */
export interface Filewright {
  readonly dataDirectory: string;
  readonly tenant: string;
  readonly instance: string;
  readonly session: Session;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly vault: Vault;
  /** Opens the signing keys; data keys are the vault's affair. */
  readonly tenantKey: Uint8Array;
  /** The checkpoints kept outside the database. */
  readonly copies: CheckpointFiles;
  readonly intake: PostgresIntakeStore;
  readonly sequencer: PostgresSequencer;
  worker(
    profiles: ReadonlyMap<LaneCode, Profile>,
    settings?: Partial<WorkerSettings>,
  ): RunningParts;
  /** Reads from the portal of a lane, in a slot of that lane. */
  reading<Result>(
    lane: { readonly code: LaneCode; readonly profile: Profile },
    work: (reader: LaneReader) => Promise<Result>,
  ): Promise<Result>;
  /** The same for a command that does more than read, also while the lane is held. */
  inSlots<Result>(
    lane: LaneToUse,
    count: number,
    work: (slots: CommandSlots) => Promise<Result>,
  ): Promise<Result>;
  /** Background work beside the filings: events to webhooks, mail and consumers, alerts, the digest. */
  jobs(options?: JobsSettings): Promise<RunningJobs>;
  /** The same, once, until nothing is due. */
  runJobsOnce(
    options?: JobsSettings & { readonly digest?: boolean },
  ): Promise<{ readonly events: number; readonly jobs: number }>;
  /** Hands dockets over to the people of the routing matrix, and brings failed targets back. */
  router(settings: RouterSettings): Promise<RunningRouter>;
  close(): Promise<void>;
}

export type RouterSettings = Pick<RouterOptions, 'law'> &
  Partial<Omit<RouterOptions, 'target' | 'schema' | 'tenant'>>;

export interface JobsSettings {
  readonly consumers?: readonly EventConsumer[];
}

export interface RunningParts {
  readonly worker: Worker;
  close(): Promise<void>;
}

export async function createFilewright(options: FilewrightOptions = {}): Promise<Filewright> {
  const environment = options.environment ?? {};
  const dataDirectory = resolve(options.dataDirectory ?? '.filewright');
  const database = await connectionTarget(dataDirectory, options.databaseUrl);
  const schema = options.schema ?? 'filewright';
  const id = options.tenant ?? 'main';
  // Row security shows a session the rows of this tenant only; without it, none.
  const asTenant = { ...database, settings: { 'fw.tenant': id } };
  const session = new Session({
    target: asTenant,
    schema,
    name: 'command',
    statementMsMax: 600_000,
  });
  try {
    await migrate(session, schema);
    const random = systemRandom();
    const clock = systemClock;
    const ids = systemIds(clock, random);
    const mayCreate = !(await hasTenantKey(session));
    const tenantKey = await openTenantKey(session, {
      tenant: id,
      instance: options.instance ?? 'filewright.local',
      rootKey: () => {
        const source = rootKeySource({ dataDirectory, environment, mayCreate });
        return source.kind === 'local' ? localRootKey(source.key, random, source.next) : source;
      },
      random,
    });
    const { instance } = tenantKey;
    // Nothing is sealed under a key that somebody else has replaced meanwhile: the database compares.
    const known = { 'fw.tenant_key': tenantKey.id };
    await session.remember(known);
    const target = { ...asTenant, settings: { ...asTenant.settings, ...known } };
    const origin = logOrigin(instance, id, 'filing');
    const vault = new KeyVault({ origin, tenantKey: tenantKey.key, random });
    const copies = new CheckpointFiles(checkpointsFolder(dataDirectory, environment));
    const log = options.log ?? silentLog;
    // Connects on first use; its planner is pinned as the workers' is, since the intake table is always nearly empty.
    const sequencing = new Session({ target, schema, name: 'sequencer', settings: PLANNER });
    const sequencer = new PostgresSequencer({
      session: sequencing,
      tenant: id,
      instance,
      signing: { tenantKey: tenantKey.key, random },
      copies,
    });
    const publicUrl = environment['FILEWRIGHT_PUBLIC_URL'];
    const slack = environment['FILEWRIGHT_SLACK'];
    const jobParts = {
      target,
      schema,
      tenant: id,
      instance,
      vault,
      clock,
      ids,
      log,
      environment,
      // Loaded on demand, as the router is: only an alert about a docket asks for it.
      docketReaders: async (run: Session['run'], docket: string, addresses: readonly string[]) => {
        const { docketReaders } = await import('./routing/index.ts');
        return docketReaders({ run }, id, { docket, addresses });
      },
      ...(slack === undefined || slack === '' ? {} : { slackThresholdsMs: readThresholds(slack) }),
      ...(publicUrl === undefined || publicUrl === '' ? {} : { publicUrl }),
    };
    const deliveryStore = (leaseMs?: number): PostgresDeliveryStore =>
      new PostgresDeliveryStore({
        target,
        schema,
        tenant: id,
        mayTakePart: () => mayTakePart(session, { id, instance }, copies, random),
        ...(leaseMs === undefined ? {} : { leaseMs }),
      });
    return {
      dataDirectory,
      tenant: id,
      instance,
      tenantKey: tenantKey.key,
      copies,
      session,
      clock,
      ids,
      random,
      log,
      vault,
      intake: new PostgresIntakeStore(session, id),
      sequencer,
      worker: (profiles, settings) => {
        const store = deliveryStore(settings?.leaseMs);
        // From the sources, where threads cannot be started, the worker sequences by itself.
        const thread = import.meta.url.endsWith('.js')
          ? startSequencerThread(
              {
                target,
                schema,
                tenant: id,
                instance,
                everyMs: SEQUENCE_MS,
                tenantKey: tenantKey.key,
              },
              copies,
            )
          : undefined;
        const portal = createPortal({ environment });
        const known = knownProfiles({ session, tenant: id, log, first: profiles });
        const worker = new Worker(
          {
            clock,
            ids,
            store,
            sequencer: thread === undefined ? sequencer : undefined,
            portal,
            gate: sendGate({ session, tenant: id, portal }),
            vault,
            log,
            processes: systemProcesses(),
            profiles: known.profiles,
            refreshProfiles: () => known.refresh(),
          },
          settings,
        );
        return {
          worker,
          close: async () => {
            await Promise.all([store.close(), portal.close()]);
            await thread?.stop();
          },
        };
      },
      reading: async (lane, work) => {
        const store = deliveryStore();
        const portal = createPortal({ environment });
        const processes = systemProcesses();
        const ports = { clock, store, processes, portal, leaseMs: LEASE_MS };
        try {
          return await withLaneReader(ports, lane, work);
        } finally {
          await Promise.all([store.close(), portal.close()]);
        }
      },
      inSlots: async (lane, count, work) => {
        const store = deliveryStore();
        const ports = { clock, store, processes: systemProcesses(), leaseMs: LEASE_MS };
        try {
          return await withLaneSlots(ports, lane, { count, whileHeld: true }, work);
        } finally {
          await store.close();
        }
      },
      // Loaded on demand: the job runner is the heaviest dependency, and most commands never need it.
      jobs: async (settings) => {
        const { startJobs } = await import('./jobs/index.ts');
        return startJobs({ ...jobParts, ...settings });
      },
      runJobsOnce: async (settings) => {
        const { runJobsOnce } = await import('./jobs/index.ts');
        return runJobsOnce({ ...jobParts, ...settings }, settings);
      },
      router: async (settings) => {
        const { openTransport, startRouter } = await import('./routing/index.ts');
        const opened = await openTransport({ session, tenant: id, instance, clock, environment });
        const parts = { target, schema, tenant: id, clock, ids, random, vault, log, sequencer };
        const { transport, secretOf } = opened;
        const router = await startRouter({ ...parts, transport, secretOf, ...settings });
        return {
          stop: async () => {
            await router.stop();
            await opened.close();
          },
        };
      },
      close: async () => {
        await Promise.all([session.close(), sequencing.close()]);
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function connectionTarget(
  dataDirectory: string,
  databaseUrl: string | undefined,
): Promise<ConnectionTarget> {
  makeDataDirectory(dataDirectory);
  if (databaseUrl !== undefined && databaseUrl !== '') return { connectionString: databaseUrl };
  const server = await ensureEmbedded({ dataDirectory });
  return server.connection;
}

/** Traversable by others, so that the server's own user reaches its cluster; what is secret in it has its own mode. */
function makeDataDirectory(path: string): void {
  try {
    // Step by step: the runtime's own recursive form never returns on a file system that refuses new folders.
    const missing: string[] = [];
    for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at);
    for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    if (existsSync(path)) return;
    throw new FilewrightError(
      'DATA_DIRECTORY',
      `The data directory ${path} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
