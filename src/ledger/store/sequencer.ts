/**
 * Turns intake rows into ledger entries and signs the heads of the logs. One sequencer per log at a time: the lock of its
 * head keeps others out, and the compare-and-set on the head's size fences one that lost the lock without noticing. A row of
 * ours, not an advisory lock: that can be taken by every login of the server, and one that holds it would stop the ledger.
 *
 * Rows are taken by presence, not by a high-water mark, because a lower number may commit later. Per subject the order
 * is right all the same: `subj_ver` and `n` are both assigned while the subject's row is locked, so a later version has
 * a larger number, and it is visible only after the earlier one.
 *
 * A crash before a commit leaves intake and log as they were; one between the commit and the copy outside leaves a
 * checkpoint that the next start copies.
 */
import {
  FilewrightError,
  type Instant,
  instant,
  LEDGER_BOUNDARIES,
  type LedgerBoundary,
  type SequencerStore,
} from '../../core/index.ts';
import { logOrigin } from '../entry.ts';
import {
  CHECKPOINT_MS,
  type CheckpointCopies,
  copyFrom,
  isQuarantined,
  signHead,
} from './checkpoints.ts';
import { EntryWriter } from './entry-writer.ts';
import { keepAside } from './kept-facts.ts';
import { bringUpTiles, copyMissing, inspectLog } from './log-start.ts';
import { appendGroup, type LogEnd, readEnd, takeGroup } from './log-group.ts';
import { unsignedLogs, waitingLogs } from './log-work.ts';
import { lockedOnce, type Run, type Session, sql, when } from '../../postgres/index.ts';
import {
  type Impossibility,
  ImpossibleFacts,
  type SetAside,
  tellFactWaits,
  tellSetAside,
} from './set-aside.ts';
import { Signers, type SigningMeans } from './signing-keys.ts';

/** Bounds the memory and the length of one transaction; larger groups were not faster. */
export const GROUP_MAX = 256;

/** Whoever wants a head now looks so often, for 3 seconds, whether another process still has the log in hand. */
const BUSY_LOOKS_MAX = 300;
const BUSY_WAIT = sql('ledger-busy-wait')`select pg_sleep(0.01)`;

const HEAD = sql('ledger-head')`
insert into ledger_head (tenant, boundary) values ($1, $2) on conflict do nothing`;

// The head is read by a statement of its own: one that takes the lock has its snapshot from before, and could see the
// head as it was until the last sequencer let go.
const LOCK = sql('ledger-lock')`
with ${lockedOnce('mine', 'select 1 from ledger_head where tenant = $1 and boundary = $2')}
select exists (select 1 from mine) as mine,
  date_trunc('milliseconds', clock_timestamp()) as now,
  -- From here to the commit as the sequencer of this one log, who can touch no other.
  (select set_config('role', role_prefix || '_seq_' || $2::text, true) from installation where roles = 'ready') as role`;

/** A fact whose id is in the log already: the group is taken again, with a look for such facts. */
const TWICE = '23505';

interface SequencerOptions {
  readonly session: Session;
  readonly tenant: string;
  readonly instance: string;
  readonly boundaries?: readonly LedgerBoundary[];
  /**
   * Signs checkpoints when given, and seals what no entry can hold; without it the logs only grow, up to the first fact
   * of that kind.
   */
  readonly signing?: SigningMeans;
  /** Where each checkpoint is also kept, outside the database. */
  readonly copies?: CheckpointCopies;
}

/** What this process knows of a log while nobody else appends to it. */
interface OpenLog {
  readonly tenant: string;
  readonly boundary: string;
  readonly origin: string;
  readonly writer: EntryWriter;
  readonly signers: Signers | undefined;
  /** Undefined: to be read from the database. */
  end: LogEnd | undefined;
  /** The largest size this process has seen: a smaller one later means that the database was put back. */
  sizeSeen: number;
  /** Whether this process has checked what is stored of it. */
  isInspected: boolean;
  /** The newest checkpoint that has its copy, as this process knows; undefined where none are kept. */
  copiedSize: number | undefined;
  /** The fact that waits for a sequencer with a key, once somebody was told of it. */
  waitsTold: string | undefined;
}

type Turn =
  /** Another process has it in hand. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly appended: number; readonly signed: Signed | undefined }
  | { readonly kind: 'moved' }
  | { readonly kind: 'twice' }
  | {
      readonly kind: 'impossible';
      readonly facts: readonly Impossibility[];
      readonly before: number;
    };

interface Signed {
  readonly size: number;
  /** What was signed before: another host may have done that, and kept its copy elsewhere. */
  readonly before: number;
  readonly note: Uint8Array;
}

export class PostgresSequencer implements SequencerStore {
  readonly #session: Session;
  readonly #options: SequencerOptions;
  readonly #boundaries: readonly LedgerBoundary[];
  readonly #logs = new Map<string, OpenLog>();

  constructor(options: SequencerOptions) {
    this.#session = options.session;
    this.#options = options;
    this.#boundaries = options.boundaries ?? LEDGER_BOUNDARIES;
  }

  async sequence(limit = GROUP_MAX): Promise<number> {
    const { tenant, signing } = this.#options;
    let appended = 0;
    let signed = false;
    const signs = signing !== undefined;
    for (const boundary of await waitingLogs(this.#session, tenant, this.#boundaries, { signs })) {
      const turn = await this.#turn(boundary, limit, 'when due');
      appended += turn.appended;
      signed ||= turn.signed;
    }
    // A signed head is a fact of the spine, and nothing may be left waiting by a pass that found nothing else.
    if (appended === 0 && signed && this.#boundaries.includes('spine')) {
      appended += (await this.#turn('spine', limit, 'when due')).appended;
    }
    return appended;
  }

  /**
   * Takes what waits and signs every log that has grown, the spine last; for the end of a batch, a clean stop, and
   * whoever wants a head now. Waits its turn beside a busy process; one that does not let go (it may be stopped) keeps
   * its log unsigned, and the others are signed.
   */
  async checkpoint(): Promise<void> {
    const { tenant } = this.#options;
    const others = this.#boundaries.filter((boundary) => boundary !== 'spine');
    // Until no log had a full group: beside a process that goes on filling them, "until nothing waits" might not end.
    while ((await this.sequence()) >= GROUP_MAX);
    await this.#signAll(tenant, others);
    if (this.#boundaries.includes('spine')) await this.#signAll(tenant, ['spine']);
  }

  async #signAll(tenant: string, boundaries: readonly LedgerBoundary[]): Promise<void> {
    for (const boundary of await unsignedLogs(this.#session, tenant, boundaries)) {
      while ((await this.#turn(boundary, GROUP_MAX, 'now')).appended >= GROUP_MAX);
    }
  }

  async #turn(
    boundary: string,
    rowsMax: number,
    sign: 'when due' | 'now',
  ): Promise<{ readonly appended: number; readonly signed: boolean }> {
    const log = await this.#open(boundary);
    let limit = rowsMax;
    let isDoubtful = false;
    let impossible: readonly Impossibility[] = [];
    let looks = sign === 'now' ? BUSY_LOOKS_MAX : 0;
    for (;;) {
      const how = { isDoubtful, impossible, sign };
      const turn = await this.#group(log, limit, how).catch((error: unknown) => {
        // Whatever failed was undone; what is known of the log's end may be from after it.
        log.end = undefined;
        log.isInspected = false;
        if (!isDoubtful && codeOf(error) === TWICE) return { kind: 'twice' } as const;
        throw error;
      });
      if (turn.kind === 'twice') isDoubtful = true;
      else if (turn.kind === 'moved') log.end = undefined;
      else if (turn.kind === 'impossible' && this.#options.signing !== undefined) {
        impossible = [...impossible, ...turn.facts];
      } else if (turn.kind === 'impossible') {
        // What stands before it goes into the log; then it waits, to be sealed by whoever has the key.
        await this.#tellWaits(log, turn.facts);
        if (turn.before === 0) return { appended: 0, signed: false };
        limit = turn.before;
      } else if (turn.kind === 'busy') {
        if (looks === 0) return { appended: 0, signed: false };
        looks -= 1;
        await this.#session.run(BUSY_WAIT);
      } else {
        log.sizeSeen = Math.max(log.sizeSeen, log.end?.range.size ?? 0);
        if (turn.signed !== undefined) await this.#copy(log, turn.signed);
        return { appended: turn.appended, signed: turn.signed !== undefined };
      }
    }
  }

  #group(
    log: OpenLog,
    limit: number,
    how: {
      readonly isDoubtful: boolean;
      readonly impossible: readonly Impossibility[];
      readonly sign: 'when due' | 'now';
    },
  ): Promise<Turn> {
    const sealing = this.#options.signing;
    return this.#session
      .transaction(async (run): Promise<Turn> => {
        const [lock] = await run(LOCK, [log.tenant, log.boundary]);
        if (lock?.['mine'] !== true) return { kind: 'busy' };
        if (!log.isInspected) await inspectLog(run, log);
        const now = when(lock['now']);
        // Without a key nothing is ever named as impossible here: it waits.
        const aside: ReadonlyMap<string, SetAside> =
          sealing === undefined
            ? new Map()
            : await keepAside(run, log, how.impossible, { sealing, now });
        const rows = await takeGroup(run, log, limit, how.isDoubtful);
        // An append compares sizes; a head that is only to be signed may be another process's, which is gone by now.
        const known = rows.length > 0 ? log.end : undefined;
        let end = known ?? (await this.#end(run, log));
        let appended = 0;
        if (rows.length > 0) {
          const { writer } = log;
          const group = await appendGroup(run, log, end, rows, { writer, now, aside });
          if (group === undefined) throw new Moved();
          ({ end, appended } = group);
        }
        const isDue = how.sign === 'now' || now - end.signedAt >= CHECKPOINT_MS;
        const signed = isDue ? await this.#sign(run, log, end, now) : undefined;
        if (signed !== undefined) {
          const signedRoot = end.range.root();
          end = { ...end, signedSize: signed.size, signedRoot, signedAt: now };
        }
        await tellSetAside(run, log, aside);
        // Kept although the commit is still to come: when it fails, the caller forgets it.
        log.end = end;
        log.isInspected = true;
        return { kind: 'done', appended, signed };
      })
      .catch((error: unknown): Turn => {
        if (error instanceof Moved) return { kind: 'moved' };
        if (error instanceof ImpossibleFacts) {
          return { kind: 'impossible', facts: error.facts, before: error.before };
        }
        throw error;
      });
  }

  /** Once for each such fact: a pass comes many times a second. */
  async #tellWaits(log: OpenLog, [first]: readonly Impossibility[]): Promise<void> {
    if (first === undefined || first.id === log.waitsTold) return;
    await this.#session.transaction((run) => tellFactWaits(run, log));
    log.waitsTold = first.id;
  }

  async #sign(run: Run, log: OpenLog, end: LogEnd, now: Instant): Promise<Signed | undefined> {
    const { signing } = this.#options;
    const { size } = end.range;
    if (log.signers === undefined || signing === undefined || size <= end.signedSize) return;
    if (await isQuarantined(run, log.tenant)) return undefined;
    const signers = await log.signers.current(run, log, { size, signedSize: end.signedSize });
    const head = { size, root: end.range.root() };
    // The clock may have been set back; what was signed last may not look younger than this.
    const signedAt = instant(Math.max(now, end.signedAt));
    const by = { now: signedAt, random: signing.random };
    const note = await signHead(run, log, head, signers, by);
    if (note === undefined) throw new Moved();
    return { size, before: end.signedSize, note };
  }

  async #end(run: Run, log: OpenLog): Promise<LogEnd> {
    const end = await readEnd(run, log);
    if (end.range.size < log.sizeSeen) {
      throw new FilewrightError(
        'LEDGER_BROKEN',
        `The log ${log.origin} had ${log.sizeSeen} entries a moment ago and has ${end.range.size} now: the database was restored while this process ran. Stop every process and start again; the start compares with the checkpoints kept outside the database.`,
        { details: { origin: log.origin, seen: log.sizeSeen, size: end.range.size } },
      );
    }
    return end;
  }

  /** Without gaps: what another host has signed since is copied too, so that each folder of copies is whole. */
  async #copy(log: OpenLog, { size, before, note }: Signed): Promise<void> {
    const { copies } = this.#options;
    if (copies === undefined) return;
    try {
      const hasGap = log.copiedSize !== undefined && before > log.copiedSize;
      if (hasGap) await copyFrom(this.#session, log, copies, (log.copiedSize ?? 0) + 1);
      else await copies.keep(log.origin, size, note);
      log.copiedSize = size;
    } catch (error) {
      // The checkpoint is committed; the next look at this log begins with copying what is missing.
      this.#logs.delete(log.boundary);
      throw error;
    }
  }

  /** Compared with its copies outside once by each process, before it appends to it or signs it. */
  async #open(boundary: string): Promise<OpenLog> {
    const known = this.#logs.get(boundary);
    if (known !== undefined) return known;
    const { tenant, instance, signing, copies } = this.#options;
    // The database holds the column to the names of boundaries, and logOrigin refuses any other.
    const origin = logOrigin(instance, tenant, boundary as LedgerBoundary);
    const log: OpenLog = {
      tenant,
      boundary,
      origin,
      writer: new EntryWriter(origin),
      signers: signing === undefined ? undefined : new Signers(origin, signing),
      end: undefined,
      sizeSeen: 0,
      isInspected: false,
      copiedSize: undefined,
      waitsTold: undefined,
    };
    await this.#session.run(HEAD, [tenant, boundary]);
    await bringUpTiles(this.#session, log);
    if (copies !== undefined && signing !== undefined) {
      log.copiedSize = await copyMissing(this.#session, log, copies, signing.random);
    }
    this.#logs.set(boundary, log);
    return log;
  }
}

/** Another sequencer was here: everything is undone and begun anew. */
class Moved extends Error {}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
