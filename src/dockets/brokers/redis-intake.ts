/** Messages in from a Redis stream through a consumer group: acknowledged after our commit, and only then. */
import type { Redis } from 'ioredis';
import { type Clock, invariant } from '../../core/index.ts';
import type { BrokerTrouble, MessageSink } from './message.ts';
import { PREFETCH_MAX } from './rabbit-intake.ts';
import { openRedis, type RedisAddress } from './redis-connection.ts';
import { type StreamEntry, toMessage } from './redis-entry.ts';
import { trimmedUnread } from './redis-trimmed.ts';
import { settleMessage, textOf, waitMs } from './settle-message.ts';

/** How long a read waits for something new; also how late a claim or the end may come. */
const BLOCK_MS = 1_000;
/** An entry that its consumer has not acknowledged for so long is taken over. Too early costs a repeat, never an effect. */
const CLAIM_IDLE_MS = 60_000;

export interface RedisIntake extends RedisAddress {
  readonly stream: string;
  readonly group: string;
  /** Unique among the consumers that are alive; the same name after a restart goes on with what it had. */
  readonly consumer: string;
  readonly prefetch: number;
  /** Makes the stream when it does not exist. Off by default, because a mistyped name would look healthy. */
  readonly create?: boolean;
  readonly claimIdleMs?: number;
  readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'>;
  readonly onTrouble?: (trouble: BrokerTrouble) => void;
}

/**
 * Consumes until `signal` aborts, through any number of lost connections and restarts. Nothing is ever removed from the
 * stream: how long it keeps its entries is its owner's affair.
 */
export async function consumeRedis(
  intake: RedisIntake,
  sink: MessageSink,
  signal: AbortSignal,
): Promise<void> {
  const { prefetch } = intake;
  invariant(
    Number.isInteger(prefetch) && prefetch >= 1 && prefetch <= PREFETCH_MAX,
    `Expected a prefetch from 1 to ${PREFETCH_MAX}, found ${prefetch}.`,
  );
  if (!signal.aborted) await new StreamConsumer(intake, sink, signal).run();
}

class StreamConsumer {
  private readonly intake: RedisIntake;
  private readonly sink: MessageSink;
  private readonly signal: AbortSignal;
  private readonly onTrouble: (trouble: BrokerTrouble) => void;
  /** A read blocks its connection, so everything else has another one. */
  private readonly reader: Redis;
  private readonly writer: Redis;
  /** By entry id, at most `prefetch`; and losses that are being kept. */
  private readonly inHand = new Map<string, Promise<void>>();
  /** Where reading our own pending entries goes on; undefined when they have all been seen. */
  private ownFrom: string | undefined = '0-0';
  private claimFrom = '0-0';
  private claimAt = 0;
  private isGroupThere = false;
  /** How much had been taken out of the stream when a loss was last told. */
  private goneTold = 0;

  constructor(intake: RedisIntake, sink: MessageSink, signal: AbortSignal) {
    this.intake = intake;
    this.sink = sink;
    this.signal = signal;
    this.onTrouble = intake.onTrouble ?? (() => undefined);
    const onError = (error: Error): void => this.tell('connection', error);
    this.reader = openRedis(intake, onError);
    this.writer = openRedis(intake, onError);
  }

  async run(): Promise<void> {
    // Ends a read that blocks.
    const stop = (): void => this.reader.disconnect();
    this.signal.addEventListener('abort', stop, { once: true });
    for (let failures = 0; !this.signal.aborted; ) {
      try {
        await this.takeSome();
        failures = 0;
      } catch (error) {
        if (this.signal.aborted) break;
        this.tell('consumer', error);
        // An answer may have been lost on its way: what it held is ours, and only a look at our own entries finds it.
        this.ownFrom = '0-0';
        this.isGroupThere = false;
        await this.intake.clock.sleep(waitMs(failures), this.signal);
        failures += 1;
      }
    }
    await Promise.allSettled(this.inHand.values());
    this.reader.disconnect();
    this.writer.disconnect();
  }

  private async takeSome(): Promise<void> {
    if (!this.isGroupThere) await this.ensureGroup();
    const free = this.intake.prefetch - this.inHand.size;
    if (free <= 0) await Promise.race(this.inHand.values());
    else if (this.ownFrom !== undefined) await this.takeOwn(free, this.ownFrom);
    else if (this.intake.clock.monotonicMs() >= this.claimAt) await this.claim(free);
    else await this.takeNew(free);
  }

  private async ensureGroup(): Promise<void> {
    const { stream, group, create = false } = this.intake;
    try {
      // From the beginning: a group that starts at the end would skip what came before its consumer.
      if (create) await this.writer.xgroup('CREATE', stream, group, '0', 'MKSTREAM');
      else await this.writer.xgroup('CREATE', stream, group, '0');
    } catch (error) {
      if (!textOf(error).startsWith('BUSYGROUP')) throw error;
    }
    this.isGroupThere = true;
  }

  private async takeOwn(free: number, from: string): Promise<void> {
    const entries = await this.read(free, from, undefined);
    const last = entries.at(-1);
    this.ownFrom = last === undefined ? undefined : idOf(last);
    for (const entry of entries) this.start(entry, true);
  }

  private async takeNew(free: number): Promise<void> {
    await this.lookForLosses();
    for (const entry of await this.read(free, '>', BLOCK_MS)) this.start(entry, false);
  }

  private async read(
    count: number,
    from: string,
    blockMs: number | undefined,
  ): Promise<readonly StreamEntry[]> {
    const { stream, group, consumer } = this.intake;
    const head = ['GROUP', group, consumer, 'COUNT', String(count)];
    const block = blockMs === undefined ? [] : ['BLOCK', String(blockMs)];
    const answer = await this.reader.callBuffer('XREADGROUP', [
      ...head,
      ...block,
      'STREAMS',
      stream,
      from,
    ]);
    // RESP 2: one stream was asked for, so null or a list with one pair of its name and entries.
    const streams = answer as readonly (readonly [Buffer, readonly StreamEntry[]])[] | null;
    return streams?.[0]?.[1] ?? [];
  }

  /** Takes over what a consumer left that is dead, or as good as dead. */
  private async claim(free: number): Promise<void> {
    const { stream, group, consumer, claimIdleMs = CLAIM_IDLE_MS, clock } = this.intake;
    const answer = await this.writer.callBuffer('XAUTOCLAIM', [
      stream,
      group,
      consumer,
      String(claimIdleMs),
      this.claimFrom,
      'COUNT',
      String(free),
    ]);
    // The third part, ids of entries that were trimmed away, exists since Redis 7.
    const [next, entries, gone] = answer as readonly [
      Buffer,
      readonly StreamEntry[],
      (readonly Buffer[])?,
    ];
    this.claimFrom = next.toString('latin1');
    // A whole round is over: the next one may wait until an entry can have become old enough.
    if (this.claimFrom === '0-0') this.claimAt = clock.monotonicMs() + claimIdleMs / 2;
    for (const id of gone ?? []) this.startLoss(lostEntry(id.toString('latin1')));
    for (const entry of entries) this.start(entry, true);
  }

  private start(entry: StreamEntry, isRepeat: boolean): void {
    const id = idOf(entry);
    // Our own entry, still being worked on, or claimed from ourselves because it takes long.
    if (this.inHand.has(id)) return;
    const work = this.finish(entry, id, isRepeat).finally(() => this.inHand.delete(id));
    this.inHand.set(id, work);
  }

  private async finish([id, fields]: StreamEntry, idText: string, isRepeat: boolean) {
    const { stream, group, clock } = this.intake;
    const { signal, onTrouble } = this;
    if (fields === null) {
      // Kept before it is acknowledged. (A claim by anybody drops it by itself, and then only who claimed knows.)
      if (!(await this.keepLoss(lostEntry(idText)))) return;
    } else {
      const message = toMessage([id, fields], stream, isRepeat);
      const end = await settleMessage(message, this.sink, { clock, signal, onTrouble });
      // It stays pending, for us after a restart or for whoever claims it.
      if (end === 'give_back') return;
    }
    try {
      await this.writer.xack(stream, group, idText);
    } catch (error) {
      // Committed and not acknowledged: it comes again, and the sink knows it.
      this.tell('acknowledgement', error);
      this.ownFrom = '0-0';
    }
  }

  private async lookForLosses(): Promise<void> {
    const { stream, group } = this.intake;
    const { gone, unread } = await trimmedUnread(this.writer, stream, group);
    if (unread === 0 || gone <= this.goneTold) return;
    this.goneTold = gone;
    this.startLoss(`${unread} entries were trimmed from the stream before they were read`);
  }

  private startLoss(what: string): void {
    const work = this.keepLoss(what).then(() => void this.inHand.delete(what));
    this.inHand.set(what, work);
  }

  /** False when it could not be kept before the end. */
  private async keepLoss(what: string): Promise<boolean> {
    const { stream, clock } = this.intake;
    this.onTrouble({ code: 'entry_lost', message: `${stream}: ${what}.` });
    for (let round = 0; !this.signal.aborted; round += 1) {
      try {
        await this.sink.noteLoss(stream);
        return true;
      } catch (error) {
        this.tell('commit', error);
        await clock.sleep(waitMs(round), this.signal);
      }
    }
    return false;
  }

  private tell(code: BrokerTrouble['code'], error: unknown): void {
    this.onTrouble({ code, message: textOf(error) });
  }
}

function idOf([id]: StreamEntry): string {
  return id.toString('latin1');
}

function lostEntry(id: string): string {
  return `the entry ${id} was trimmed from the stream before it was acknowledged`;
}
