import type { Clock, Ids, Log, Random, Vault } from '../../core/index.ts';
import type { TenantKey } from '../tenant-key.ts';
import type { CheckpointArchive, KnownLogs } from './checkpoints.ts';
import type { PostgresSequencer } from './sequencer.ts';
import type { Session } from '../../postgres/index.ts';

/** One tenant of one database, opened: what every act is given. */
export interface Installation {
  readonly dataDirectory: string;
  readonly tenant: string;
  readonly instance: string;
  readonly session: Session;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly vault: Vault;
  /** Opens the signing keys; data keys are the vault's affair. Turned while processes run: tenant-key.ts. */
  readonly tenantKey: TenantKey;
  /** The checkpoints kept outside the database. */
  readonly copies: CheckpointArchive;
  /** What was verified here before, outside the database too. */
  readonly known: KnownLogs;
  readonly sequencer: PostgresSequencer;
}
