/** What an act is given. `app.ts` makes one; nothing here does anything. */
import type { FilingEngine } from './filings/index.ts';
import type { EventConsumer } from './people/index.ts';
import type { RunningJobs } from './work/index.ts';
import type { RouterOptions, RunningRouter } from './dockets/index.ts';
import type { Installation } from './ledger/index.ts';
import type { Session } from './postgres/index.ts';

export { type RunningDeps } from './filings/index.ts';

/** What can be opened beyond the installation itself. */
export interface Filewright extends Installation, FilingEngine {
  /** Background work beside the filings: events to webhooks, mail and consumers, alerts, the digest. */
  jobs(options?: JobsSettings): Promise<RunningJobs>;
  /** The same, once, until nothing is due. */
  runJobsOnce(
    options?: JobsSettings & { readonly digest?: boolean },
  ): Promise<{ readonly events: number; readonly jobs: number }>;
  /** Asks the witnesses that FILEWRIGHT_POLICY names to cosign the newest head of the spine. */
  askWitnesses(): Promise<readonly WitnessedBy[]>;
  /** Asks the authority that FILEWRIGHT_TIMESTAMP_URL names to stamp the same head; undefined where none is named. */
  askForStamp(): Promise<Stamped | undefined>;
  /** Hands dockets over to the people of the routing matrix, and brings failed targets back. */
  router(settings: RouterSettings): Promise<RunningRouter>;
  /** Another connection on which people act: a service does many things at once. */
  connect(): Session;
  /** This installation over another connection, which its `close` leaves open. */
  on(session: Session): Filewright;
  close(): Promise<void>;
}

/** What came of asking one witness. */
export interface WitnessedBy {
  readonly witness: string;
  readonly state: 'cosigned' | 'idle' | 'away' | 'refused' | 'contradicted';
  /** Of the newest head that it has cosigned. */
  readonly size: number;
  /** Why it has not cosigned the newest one. */
  readonly message: string;
}

/** What came of asking an authority of time. */
export interface Stamped {
  readonly state: 'stamped' | 'idle' | 'away' | 'refused';
  /** Of the newest head that has a stamp, or of the one for which it was asked. */
  readonly size: number;
  /** Of a stamp that was just made: the moment, and the name in the certificate of the authority. */
  readonly at?: string;
  readonly authority?: string;
  /** Why the newest head has none. */
  readonly message: string;
}

export type RouterSettings = Pick<RouterOptions, 'law'> &
  Partial<Omit<RouterOptions, 'target' | 'schema' | 'tenant'>>;

export interface JobsSettings {
  readonly consumers?: readonly EventConsumer[];
}
