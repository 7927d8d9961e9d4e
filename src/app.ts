/**
 * Wiring, and nothing else: opens the store, the key, the vault and the portals, and hands them to whoever acts.
 * The command line, the tests and a program that embeds Filewright all start here.
 */
import { resolve } from 'node:path';
import { whoActs } from './access/index.ts';
import type { Log } from './core/index.ts';
import {
  type CommandSlots,
  type LaneReader,
  type LaneToUse,
  LEASE_MS,
  type SlotWants,
} from './lanes/index.ts';
import {
  PostgresDeliveryStore,
  PostgresIntakeStore,
  readThresholds,
  type RunningDeps,
  warnOnArrival,
} from './filings/index.ts';
import type { Filewright, RouterSettings } from './filewright.ts';
import type { JobsOptions } from './oversight/index.ts';
import {
  hasTenantKey,
  KeyVault,
  localRootKey,
  logOrigin,
  mayTakePart,
  openTenantKey,
  PostgresSequencer,
  type SequencerThread,
  startSequencerThread,
  type KnownKeys,
  TenantKey,
  watchKeys,
} from './ledger/index.ts';
import type { RunningRouter } from './dockets/index.ts';
import {
  type ConnectionTarget,
  ensureEmbedded,
  migrate,
  PLANNER,
  Session,
} from './postgres/index.ts';
import {
  CheckpointFiles,
  checkpointsFolder,
  KnownLogFiles,
  makeDataDirectory,
  rootKeySource,
  silentLog,
  systemClock,
  systemIds,
  systemRandom,
} from './system/index.ts';

export {
  type Filewright,
  type JobsSettings,
  type RouterSettings,
  type RunningDeps,
} from './filewright.ts';

/** As whom the embedded server runs when root starts it. */
const DATABASE_USER = 'FILEWRIGHT_DB_USER';
/** Set to 1 where the way to a database on another machine is protected by other means than TLS. */
const DATABASE_PLAINTEXT = 'FILEWRIGHT_DATABASE_PLAINTEXT';
/** Often enough that readiness (5 s) is never in doubt, seldom enough that groups are full. */
const SEQUENCE_MS = 100;

export interface FilewrightOptions {
  /** Where the embedded database, the root key and nothing else live. Default `.filewright` in the working directory. */
  readonly dataDirectory?: string;
  /** Replaces the embedded database. */
  readonly databaseUrl?: string;
  readonly schema?: string;
  readonly tenant?: string;
  /** Refuses a tenant that is not there (`NOT_FOUND`); it is made unless told. */
  readonly mustExist?: boolean;
  /** First part of the ledger's origin; fixed when the tenant is first opened. */
  readonly instance?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
  /** Told, in one sentence, what opening has changed about an older installation. */
  readonly say?: (text: string) => void;
  /** Called when the embedded server was not running and has been started for this. */
  readonly onServerStarted?: () => void;
}

/** What is open before anybody acts. */
type Base = Omit<
  Filewright,
  | 'worker'
  | 'reading'
  | 'inSlots'
  | 'jobs'
  | 'runJobsOnce'
  | 'askWitnesses'
  | 'askForStamp'
  | 'router'
  | 'connect'
  | 'on'
  | 'close'
>;

/** What more can be opened with. */
interface Opened {
  readonly base: Base;
  readonly target: ConnectionTarget;
  readonly schema: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The sequencer's own connection. */
  readonly sequencing: Session;
}

export async function createFilewright(options: FilewrightOptions = {}): Promise<Filewright> {
  const dataDirectory = resolve(options.dataDirectory ?? '.filewright');
  const database = await connectionTarget(dataDirectory, options);
  const schema = options.schema ?? 'filewright';
  const tenant = options.tenant ?? 'main';
  // Row security shows a session the rows of this tenant only; without it, none.
  const target = { ...database, settings: { 'fw.tenant': tenant } };
  const session = commandSession(target, schema);
  try {
    await migrate(session, schema);
    const opened = await open(options, { dataDirectory, target, schema, tenant, session });
    return {
      ...filewrightOf(opened),
      close: async () => {
        await Promise.all([session.close(), opened.sequencing.close()]);
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** On which people act; the connections of workers, jobs, routers and sequencers act for nobody. */
function commandSession(target: ConnectionTarget, schema: string): Session {
  return new Session({
    target,
    schema,
    name: 'command',
    statementMsMax: 600_000,
    acting: whoActs,
  });
}

function filewrightOf(opened: Opened): Filewright {
  const jobs = jobsOptionsOf(opened);
  return {
    ...opened.base,
    worker: (profiles, settings) => workerOf(opened, profiles, settings),
    reading: (lane, work) => readingOf(opened, lane, work),
    inSlots: (lane, wants, work) => inSlotsOf(opened, lane, wants, work),
    // Loaded on demand: most commands never need it.
    jobs: async (settings) => {
      const { startBackgroundWork } = await import('./oversight/index.ts');
      return startBackgroundWork({ ...jobs, ...settings });
    },
    runJobsOnce: async (settings) => {
      const { runBackgroundWorkOnce } = await import('./oversight/index.ts');
      return runBackgroundWorkOnce({ ...jobs, ...settings }, settings);
    },
    askWitnesses: async () => {
      if ((opened.environment['FILEWRIGHT_POLICY'] ?? '') === '') return [];
      const { askWitnesses } = await import('./oversight/index.ts');
      const { environment } = opened;
      return askWitnesses({ ...opened.base, environment }, { always: true });
    },
    askForStamp: async () => {
      if ((opened.environment['FILEWRIGHT_TIMESTAMP_URL'] ?? '') === '') return undefined;
      const { askForStamp } = await import('./oversight/index.ts');
      const { environment } = opened;
      return askForStamp({ ...opened.base, environment }, { always: true });
    },
    router: (settings) => routerOf(opened, settings),
    connect: () => commandSession(opened.target, opened.schema),
    on: (session) =>
      filewrightOf({ ...opened, base: { ...opened.base, ...actingOn(opened, session) } }),
    close: async () => {
      // Whoever opened the connections closes them.
    },
  };
}

/** What an act writes with. */
function actingOn(
  { base }: { readonly base: Pick<Base, 'tenant' | 'ids' | 'clock'> },
  session: Session,
): Pick<Base, 'session' | 'intake'> {
  const { tenant, ids, clock } = base;
  const intake = new PostgresIntakeStore(session, tenant, (run, filings) =>
    warnOnArrival(run, { tenant, ids, clock }, filings),
  );
  return { session, intake };
}

async function open(
  options: FilewrightOptions,
  place: Pick<Base, 'dataDirectory' | 'tenant' | 'session'> & Pick<Opened, 'target' | 'schema'>,
): Promise<Opened> {
  const { dataDirectory, tenant, session, schema } = place;
  // References are judged by where the files of this installation are, however that was said.
  const environment = { ...options.environment, FILEWRIGHT_DATA: dataDirectory };
  const random = systemRandom();
  const mayCreate = !(await hasTenantKey(session));
  const wanted = {
    tenant,
    mustExist: options.mustExist === true,
    instance: options.instance ?? 'filewright.local',
    rootKey: () => {
      const source = rootKeySource({ dataDirectory, environment, mayCreate });
      return source.kind === 'local' ? localRootKey(source.key, random, source.next) : source;
    },
    random,
  };
  const { key, instance } = await openTenantKey(session, wanted);
  const clock = systemClock;
  // On a connection of its own: the others wait for it in the middle of what they do.
  const look = async (): Promise<KnownKeys> => {
    const looking = new Session({ target: place.target, schema, name: 'key' });
    try {
      return await openTenantKey(looking, wanted);
    } finally {
      await looking.close();
    }
  };
  const tenantKey = new TenantKey(key, { look, clock });
  const watch = watchKeys(tenantKey);
  session.watchRows(watch);
  const target = { ...place.target, watch };
  const copies = new CheckpointFiles(checkpointsFolder(dataDirectory, environment));
  // Connects on first use; its planner is pinned as the workers' is, since the intake table is always nearly empty.
  const sequencing = new Session({ target, schema, name: 'sequencer', settings: PLANNER });
  const signing = { tenantKey, random };
  const ids = systemIds(clock, random);
  const base: Base = {
    dataDirectory,
    tenant,
    instance,
    tenantKey,
    copies,
    known: new KnownLogFiles(dataDirectory),
    ...actingOn({ base: { tenant, ids, clock } }, session),
    clock,
    ids,
    random,
    log: options.log ?? silentLog,
    vault: new KeyVault({ origin: logOrigin(instance, tenant, 'filing'), ...signing }),
    sequencer: new PostgresSequencer({ session: sequencing, tenant, instance, signing, copies }),
  };
  return { base, target, schema, environment, sequencing };
}

/** Loaded on demand, as all that speaks with portals is: most commands only ask the database. */
async function workerOf(
  opened: Opened,
  profiles: Parameters<Filewright['worker']>[0],
  settings: Parameters<Filewright['worker']>[1],
): Promise<RunningDeps> {
  const { base, environment } = opened;
  const { sendGate, Worker } = await import('./filings/index.ts');
  const { createPortal, knownProfiles, systemProcesses } = await import('./lanes/index.ts');
  const { session, tenant, clock, ids, vault, log } = base;
  const store = deliveryStoreOf(opened, settings?.leaseMs);
  const thread = sequencerThreadOf(opened);
  const portal = createPortal({ environment });
  const known = knownProfiles({ session, tenant, log, first: profiles });
  await known.refresh();
  const worker = new Worker(
    {
      clock,
      ids,
      store,
      sequencer: thread === undefined ? base.sequencer : undefined,
      portal,
      gate: sendGate({ session, tenant, portal }),
      vault,
      log,
      processes: systemProcesses(),
      profiles: known.profiles,
      numberOf: known.numberOf,
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
}

/** From the sources, where threads cannot be started, there is none, and the worker sequences by itself. */
function sequencerThreadOf({ base, target, schema }: Opened): SequencerThread | undefined {
  if (!import.meta.url.endsWith('.js')) return undefined;
  const { tenant, instance, tenantKey, copies } = base;
  const everyMs = SEQUENCE_MS;
  return startSequencerThread({ target, schema, tenant, instance, everyMs, tenantKey }, copies);
}

function deliveryStoreOf(
  { base, target, schema }: Opened,
  leaseMs: number | undefined,
): PostgresDeliveryStore {
  const { session, tenant, instance, copies, random } = base;
  return new PostgresDeliveryStore({
    target,
    schema,
    tenant,
    mayTakePart: () => mayTakePart(session, { id: tenant, instance }, copies, random),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
}

async function readingOf<Result>(
  opened: Opened,
  lane: Parameters<Filewright['reading']>[0],
  work: (reader: LaneReader) => Promise<Result>,
): Promise<Result> {
  const { clock } = opened.base;
  const { createPortal, systemProcesses, withLaneReader } = await import('./lanes/index.ts');
  const store = deliveryStoreOf(opened, undefined);
  const portal = createPortal({ environment: opened.environment });
  const ports = { clock, store, processes: systemProcesses(), portal, leaseMs: LEASE_MS };
  try {
    return await withLaneReader(ports, lane, work);
  } finally {
    await Promise.all([store.close(), portal.close()]);
  }
}

async function inSlotsOf<Result>(
  opened: Opened,
  lane: LaneToUse,
  wants: Omit<SlotWants, 'whileHeld'>,
  work: (slots: CommandSlots) => Promise<Result>,
): Promise<Result> {
  const { clock } = opened.base;
  const { systemProcesses, withLaneSlots } = await import('./lanes/index.ts');
  const store = deliveryStoreOf(opened, undefined);
  const ports = { clock, store, processes: systemProcesses(), leaseMs: LEASE_MS };
  try {
    return await withLaneSlots(ports, lane, { ...wants, whileHeld: true }, work);
  } finally {
    await store.close();
  }
}

function jobsOptionsOf({ base, target, schema, environment }: Opened): JobsOptions {
  const { tenant, instance, vault, clock, ids, random, log, copies } = base;
  const publicUrl = environment['FILEWRIGHT_PUBLIC_URL'];
  const slack = environment['FILEWRIGHT_SLACK'];
  return {
    target,
    schema,
    tenant,
    instance,
    vault,
    clock,
    ids,
    log,
    environment,
    copies,
    random,
    // Loaded on demand, as the router is: only an alert about a docket asks for it.
    docketReaders: async (run, docket, addresses) => {
      const { docketReaders } = await import('./dockets/index.ts');
      return docketReaders({ run }, tenant, { docket, addresses });
    },
    ...(slack === undefined || slack === '' ? {} : { slackThresholdsMs: readThresholds(slack) }),
    ...(publicUrl === undefined || publicUrl === '' ? {} : { publicUrl }),
  };
}

async function routerOf(
  { base, target, schema, environment }: Opened,
  settings: RouterSettings,
): Promise<RunningRouter> {
  const { session, tenant, instance, clock, ids, random, vault, log, sequencer } = base;
  const { openTransport, startRouter } = await import('./dockets/index.ts');
  const opened = await openTransport({ session, tenant, instance, clock, environment });
  const parts = { target, schema, tenant, clock, ids, random, vault, log, sequencer };
  const { transport, secretOf } = opened;
  const router = await startRouter({ ...parts, transport, secretOf, ...settings });
  return {
    stop: async () => {
      await router.stop();
      await opened.close();
    },
  };
}

async function connectionTarget(
  dataDirectory: string,
  { databaseUrl, environment, say, onServerStarted }: FilewrightOptions,
): Promise<ConnectionTarget> {
  makeDataDirectory(dataDirectory);
  if (databaseUrl !== undefined && databaseUrl !== '') {
    const mayBePlain = environment?.[DATABASE_PLAINTEXT] === '1';
    return { connectionString: databaseUrl, mayBePlain };
  }
  const databaseUser = environment?.[DATABASE_USER];
  const server = await ensureEmbedded({ dataDirectory, databaseUser, say });
  if (server.startedHere) onServerStarted?.();
  return server.connection;
}
