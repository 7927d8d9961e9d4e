/** What an act is given. `app.ts` makes one; nothing here does anything. */
import type { Clock, Ids, LaneCode, Log, Profile, Random, Vault } from './core/index.ts';
import type {
  CommandSlots,
  LaneReader,
  LaneToUse,
  SlotWants,
  Worker,
  WorkerSettings,
} from './delivery/index.ts';
import type { EventConsumer, RunningJobs } from './jobs/index.ts';
import type { RouterOptions, RunningRouter } from './routing/index.ts';
import type { PostgresIntakeStore, PostgresSequencer, Session } from './store/index.ts';
import type { CheckpointFiles } from './system/index.ts';

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
    wants: Omit<SlotWants, 'whileHeld'>,
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
