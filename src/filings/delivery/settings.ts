/** What can be set for a worker. */
export interface WorkerSettings {
  readonly leaseMs: number;
  readonly ahead: number;
  /**
   * Ticks start at least this far apart, so that each carries more filings: a commit has a price of its own. The
   * intents committed ahead keep the slots busy meanwhile.
   */
  readonly tickMsMin: number;
  readonly manageMs: number;
  /** How often facts are sequenced while there are any. */
  readonly sequenceMs: number;
  /** How long a stop waits for answers in flight before it leaves them to be settled. */
  readonly drainMsMax: number;
}

export const DEFAULT_SETTINGS: WorkerSettings = {
  leaseMs: 5_000,
  ahead: 3,
  tickMsMin: 4,
  manageMs: 250,
  sequenceMs: 100,
  drainMsMax: 60_000,
};
