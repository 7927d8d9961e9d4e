/** Desks that keep what they were given in memory: one effect for one id, as a store's unique index would have it. */
import type {
  BrokerMessage,
  BrokerTrouble,
  MessageSink,
} from '../../src/dockets/brokers/message.ts';

export interface MemorySink extends MessageSink {
  readonly effects: ReadonlyMap<string, BrokerMessage>;
  readonly aside: ReadonlyMap<string, string>;
  /** Sources of which a loss was kept, once for each time. */
  readonly losses: readonly string[];
  /** How often `commit` was called, and how many calls ran at once at most. */
  readonly calls: () => number;
  readonly atOnce: () => number;
  /** Runs before the effect; may throw or wait. */
  before: (message: BrokerMessage, call: number) => Promise<void> | void;
  /** Runs after the effect, before the broker may be told. */
  after: (message: BrokerMessage, call: number) => Promise<void> | void;
}

export function memorySink(): MemorySink {
  const effects = new Map<string, BrokerMessage>();
  const aside = new Map<string, string>();
  const losses: string[] = [];
  let calls = 0;
  let running = 0;
  let atOnce = 0;
  const desk: MemorySink = {
    effects,
    aside,
    losses,
    calls: () => calls,
    atOnce: () => atOnce,
    before: () => undefined,
    after: () => undefined,
    async commit(message) {
      calls += 1;
      const call = calls;
      running += 1;
      atOnce = Math.max(atOnce, running);
      try {
        await desk.before(message, call);
        if (!effects.has(message.id)) effects.set(message.id, message);
        await desk.after(message, call);
      } finally {
        running -= 1;
      }
    },
    async setAside(message, reason) {
      aside.set(message.id, reason);
    },
    async noteLoss(source) {
      losses.push(source);
    },
  };
  return desk;
}

export function troubles() {
  const told: BrokerTrouble[] = [];
  return {
    told,
    onTrouble: (trouble: BrokerTrouble): void => void told.push(trouble),
    codes: () => new Set(told.map(({ code }) => code)),
  };
}

/** Starts a consumer and ends it, with whatever it holds, when the test is over. */
export async function during(
  consume: (signal: AbortSignal) => Promise<void>,
  test: () => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const running = consume(controller.signal);
  try {
    await test();
  } finally {
    controller.abort();
    await running;
  }
}
