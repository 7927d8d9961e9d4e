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
  type Portal,
  type Profile,
  type Random,
  type Vault,
} from './core/index.ts';
import { systemProcesses, Worker, type WorkerSettings } from './delivery/index.ts';
import { KeyVault, logOrigin } from './ledger/index.ts';
import { createPortal } from './portals/index.ts';
import {
  type ConnectionTarget,
  ensureEmbedded,
  hasTenantKey,
  migrate,
  openTenant,
  PLANNER,
  PostgresDeliveryStore,
  PostgresIntakeStore,
  PostgresSequencer,
  Session,
  startSequencerThread,
} from './store/index.ts';
import { readRootKey, silentLog, systemClock, systemIds, systemRandom } from './system/index.ts';

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
  readonly intake: PostgresIntakeStore;
  readonly sequencer: PostgresSequencer;
  worker(
    profiles: ReadonlyMap<LaneCode, Profile>,
    settings?: Partial<WorkerSettings>,
  ): RunningParts;
  close(): Promise<void>;
}

export interface RunningParts {
  readonly worker: Worker;
  close(): Promise<void>;
}

export async function createFilewright(options: FilewrightOptions = {}): Promise<Filewright> {
  const environment = options.environment ?? {};
  const dataDirectory = resolve(options.dataDirectory ?? '.filewright');
  const target = await connectionTarget(dataDirectory, options.databaseUrl);
  const schema = options.schema ?? 'filewright';
  const session = new Session({ target, schema, name: 'command', statementMsMax: 600_000 });
  try {
    await migrate(session, schema);
    const random = systemRandom();
    const clock = systemClock;
    const ids = systemIds(clock, random);
    const mayCreate = !(await hasTenantKey(session));
    const tenant = await openTenant(session, {
      id: options.tenant ?? 'main',
      instance: options.instance ?? 'filewright.local',
      rootKey: () => readRootKey({ dataDirectory, environment, mayCreate }),
      random: (count) => random.bytes(count),
    });
    const origin = logOrigin(tenant.instance, tenant.id, 'filing');
    const vault = new KeyVault({ origin, tenantKey: tenant.key, random });
    const log = options.log ?? silentLog;
    // Connects on first use; its planner is pinned as the workers' is, since the intake table is always nearly empty.
    const sequencing = new Session({ target, schema, name: 'sequencer', settings: PLANNER });
    const sequencer = new PostgresSequencer({
      session: sequencing,
      tenant: tenant.id,
      instance: tenant.instance,
    });
    return {
      dataDirectory,
      tenant: tenant.id,
      instance: tenant.instance,
      session,
      clock,
      ids,
      random,
      log,
      vault,
      intake: new PostgresIntakeStore(session, tenant.id),
      sequencer,
      worker: (profiles, settings) => {
        const store = new PostgresDeliveryStore({
          target,
          schema,
          tenant: tenant.id,
          ...(settings?.leaseMs === undefined ? {} : { leaseMs: settings.leaseMs }),
        });
        // From the sources, where threads cannot be started, the worker sequences by itself.
        const thread = import.meta.url.endsWith('.js')
          ? startSequencerThread({
              target,
              schema,
              tenant: tenant.id,
              instance: tenant.instance,
              everyMs: SEQUENCE_MS,
            })
          : undefined;
        const portal: Portal & { close(): Promise<void> } = createPortal({ environment });
        const worker = new Worker(
          {
            clock,
            ids,
            store,
            sequencer: thread === undefined ? sequencer : undefined,
            portal,
            vault,
            log,
            processes: systemProcesses(),
            profiles,
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
