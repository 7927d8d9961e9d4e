import type { IntakeStore, LaneCode, Profile } from '../../core/index.ts';
import type { LaneAccess } from '../../lanes/index.ts';
import type { WorkerSettings } from './settings.ts';
import type { Worker } from './worker.ts';

/** What acts on filings are given beyond the installation. */
export interface FilingEngine extends LaneAccess {
  readonly intake: IntakeStore;
  worker(
    profiles: ReadonlyMap<LaneCode, Profile>,
    settings?: Partial<WorkerSettings>,
  ): Promise<RunningDeps>;
}

export interface RunningDeps {
  readonly worker: Worker;
  close(): Promise<void>;
}
