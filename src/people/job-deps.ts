import type { LookupFunction } from 'node:net';
import type { Clock, Ids, Log, Vault } from '../core/index.ts';
import type { Session } from '../postgres/index.ts';
import type { Environment } from '../wire/index.ts';
import type { DocketReaders } from './alerts.ts';

/** What background work needs; one tenant, because only its own secrets open with its vault. */
export interface JobDeps {
  readonly session: Session;
  readonly tenant: string;
  readonly instance: string;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Where `env:` references look. */
  readonly environment: Environment;
  /** Where the console or the API is reached; events carry links only with it. */
  readonly publicUrl?: string;
  /** Who may be told of a docket; without it nobody may. */
  readonly docketReaders?: DocketReaders;
  /** Under which slack somebody is warned; default seven days, two days, four hours. */
  readonly slackThresholdsMs?: readonly number[];
  readonly network?: {
    readonly lookup?: LookupFunction;
    readonly certificateAuthorities?: readonly string[];
    readonly webhookMs?: number;
    readonly mailAnswerMs?: number;
  };
}
