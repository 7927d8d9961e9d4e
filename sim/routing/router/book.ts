/** What really happened in a world of routers: what was committed, what left, what came in, and who could not run. */
import type { MemoryDatabase } from '../memory/database.ts';
import type {
  AlertRow,
  DocketRow,
  EvidenceRow,
  HandoffRow,
  IntakeRow,
  LaneRow,
  ReadingRow,
  RunRow,
  WorkRow,
} from '../memory/tables.ts';
import type { Transaction } from '../memory/transaction.ts';

/** A row as a commit left it, and as it was before. */
interface Written<Row> {
  readonly before: Row | undefined;
  readonly after: Row;
}

export interface Commit {
  readonly at: number;
  /** When its transaction began. */
  readonly since: number;
  /** The process, by its name. */
  readonly by: string;
  readonly dockets: readonly Written<DocketRow>[];
  readonly handoffs: readonly Written<HandoffRow>[];
  readonly lanes: readonly Written<LaneRow>[];
  readonly runs: readonly Written<RunRow>[];
  readonly works: readonly Written<WorkRow>[];
  readonly alerts: readonly Written<AlertRow>[];
  readonly evidence: readonly EvidenceRow[];
  readonly readings: readonly ReadingRow[];
  readonly facts: readonly IntakeRow[];
}

/** The intent for a docket, as the database had it when its message left. */
export interface Intent {
  readonly docket: string;
  readonly n: number;
  readonly tier: string;
  readonly startedAt: number;
}

/** A message that left a process for a target. */
export interface Departure {
  readonly at: number;
  readonly by: string;
  readonly target: string;
  /** None for a synthetic message. */
  readonly dockets: readonly string[];
  /** Committed by then, and not ended by anybody. */
  readonly intents: readonly Intent[];
}

/** A message that came in at a target. */
export interface Arrival {
  readonly at: number;
  readonly target: string;
  readonly dockets: readonly string[];
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A check of a recovery, from its first question to its answer. */
export interface Probe extends Span {
  readonly by: string;
  readonly target: string;
}

export class Book {
  readonly commits: Commit[] = [];
  readonly departures: Departure[] = [];
  readonly arrivals: Arrival[] = [];
  readonly probes: Probe[] = [];
  /** Spans in which a process stood still, or after which it was dead. */
  readonly still = new Map<string, { from: number; to: number }[]>();
  /** All spans in which some process stood still. */
  readonly frozen: { from: number; to: number }[] = [];
  /** Times in which nothing of ours could run, or the database was away. */
  readonly storms: Span[] = [];
  /** Errors that no fault of the world explains. */
  readonly errors: string[] = [];

  note(database: MemoryDatabase, transaction: Transaction, at: number): Commit {
    const { tables } = database;
    const commit: Commit = {
      at,
      since: transaction.startedAt,
      by: transaction.name,
      dockets: transaction.written(tables.docket),
      handoffs: transaction.written(tables.handoff),
      lanes: transaction.written(tables.lane),
      runs: transaction.written(tables.run),
      works: transaction.written(tables.work),
      alerts: transaction.written(tables.alert),
      evidence: transaction.written(tables.evidence).map(({ after }) => after),
      readings: transaction.written(tables.reading).map(({ after }) => after),
      facts: transaction.written(tables.intake).map(({ after }) => after),
    };
    this.commits.push(commit);
    return commit;
  }

  isStill(process: string, at: number): boolean {
    return (this.still.get(process) ?? []).some(({ from, to }) => from <= at && at <= to);
  }

  /** Whether somebody who stood still may have held a row in that time. */
  wasHeld(from: number, to: number): boolean {
    return this.frozen.some((span) => span.from < to && span.to > from);
  }

  /** Whether the database was there and somebody ran, for all of that time. */
  isCalm(from: number, to: number): boolean {
    return !this.storms.some((storm) => storm.from < to && storm.to > from);
  }
}
