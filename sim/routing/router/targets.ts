/** The targets, as they really are: when each is ill and how, what came in there, and what it tells of that. */
import { FilewrightError } from '../../../src/core/errors.ts';
import type { WriteGuard } from '../../../src/core/ports.ts';
import { sha256Of } from '../../../src/core/sha256.ts';
import type { getOnce, GetOutcome } from '../../../src/dockets/routing/get-once.ts';
import type { SaturationGauge } from '../../../src/dockets/brokers/saturation.ts';
import type { HandoffLoad, HandoffOutcome, HandoffTarget } from '../../../src/people/index.ts';
import type { Handoffs } from '../../../src/people/notify/handoff/deliver.ts';
import { Draw } from '../../world/draw.ts';
import type { SimProcess } from '../../world/sim-process.ts';
import type { Intent, Span } from './book.ts';
import { QUEUE_TARGET, TABLE_URL, TARGET_IDS } from './firm.ts';
import type { RouterWorld } from './world.ts';

type Fate =
  | 'fine'
  | 'slow'
  | 'answer_lost'
  | 'stall'
  | 'connection_refused'
  | 'server_error'
  | 'denied'
  | 'refused'
  | 'throttled';

const ILL = ['connection_refused', 'server_error', 'stall', 'denied', 'throttled'] as const;
/** As the policy of the firm has it. */
const TIMEOUT_MS = 1_500;
/** Between its intent and its bytes an earlier try of another process may be answered, and end what is on its way. */
const ON_ITS_WAY_MS = 200;

type GetRequest = Parameters<typeof getOnce>[0];

export class Targets {
  readonly #world: RouterWorld;
  readonly #draw: Draw;
  readonly #ill = new Map<string, (Span & { readonly fate: Fate })[]>();
  /** By target and message: the receipt that was given for it. */
  readonly #held = new Map<string, string>();
  /** When nobody takes anything from the queue. */
  readonly #standstill: Span | undefined;
  readonly #keepsNoRecords: ReadonlySet<string>;
  #receipts = 0;
  /** Told of each message that came in. */
  onArrival: ((target: string, dockets: readonly string[], party: string) => void) | undefined;

  constructor(world: RouterWorld) {
    this.#world = world;
    const draw = new Draw(world.seed, 'targets');
    this.#draw = draw;
    const spanMs = world.healAt - world.startMs;
    for (const target of [...TARGET_IDS, TABLE_URL]) {
      const spans = Array.from({ length: draw.int(0, 2) }, () => {
        const from = world.startMs + draw.int(0, spanMs);
        const to = Math.min(world.healAt, from + draw.int(3_000, draw.pick([15_000, 90_000])));
        return { from, to, fate: draw.pick(ILL) };
      });
      this.#ill.set(target, spans);
    }
    const from = world.startMs + draw.int(0, spanMs);
    const to = world.healAt + draw.int(0, 70_000);
    this.#standstill = draw.chance(0.5) ? { from, to } : undefined;
    this.#keepsNoRecords = new Set(draw.chance(0.15) ? ['http-a', 'http-c'] : []);
  }

  /** When nobody took anything from the queue; it may go on after the faults. */
  get standstill(): Span | undefined {
    return this.#standstill;
  }

  /** Since when it is well for good. */
  wellSince(target: string): number {
    const ends = (this.#ill.get(target) ?? []).map(({ to }) => to);
    return Math.max(this.#world.startMs, ...ends);
  }

  handoffs(process: SimProcess): Handoffs {
    return { deliver: (target, load, guard) => this.#deliver(process, target, load, guard) };
  }

  #deliver(
    process: SimProcess,
    target: HandoffTarget,
    load: HandoffLoad,
    guard: WriteGuard,
  ): Promise<HandoffOutcome> {
    const world = this.#world;
    const draw = this.#draw;
    const startedAt = world.now;
    if (sha256Of(load.payload) !== load.payloadSha256) throw new Error('the payload was changed');
    return new Promise((resolve) => {
      const answer = (ms: number, outcome: HandoffOutcome): void => {
        world.after(ms, () => process.deliver(() => resolve(outcome)));
      };
      const elapsed = (code: string): HandoffOutcome['evidence'] => ({
        code,
        elapsedMs: world.now - startedAt,
      });
      if (!load.id.startsWith('synthetic-') && world.hits(0.02)) world.control?.freeze(process);
      process.after(draw.int(1, 60), () => {
        if (!guard.mayWrite()) {
          resolve({ kind: 'not_made', evidence: elapsed('LEASE_LOST'), signs: [] });
          return;
        }
        const fate = this.#fateOf(target.id);
        world.note(`${process.name} → ${target.id} ${fate} ${load.handoff}`);
        this.#leave(process, target, load);
        if (world.hits(0.01)) {
          world.control?.crash(process);
          return;
        }
        this.#receive(target, load, fate, answer, elapsed);
      });
    });
  }

  #receive(
    target: HandoffTarget,
    load: HandoffLoad,
    fate: Fate,
    answer: (ms: number, outcome: HandoffOutcome) => void,
    elapsed: (code: string) => HandoffOutcome['evidence'],
  ): void {
    const draw = this.#draw;
    const latencyMs = draw.int(2, 80);
    const status = (code: number): HandoffOutcome['signs'] => [
      { kind: 'http', target: target.id, status: code },
    ];
    switch (fate) {
      case 'fine':
      case 'slow': {
        const receipt = this.#arrive(target, load);
        const ms = fate === 'slow' ? draw.int(200, TIMEOUT_MS - 50) : latencyMs;
        const isMail = target.kind === 'mail';
        const shown = { evidence: elapsed(isMail ? 'SMTP_250' : 'HTTP_200'), signs: [] };
        answer(ms, isMail ? { kind: 'sent', ...shown } : { kind: 'confirmed', receipt, ...shown });
        return;
      }
      case 'answer_lost':
        this.#arrive(target, load);
        answer(TIMEOUT_MS, { kind: 'unknown', evidence: elapsed('TIMEOUT'), signs: [] });
        return;
      case 'stall':
        if (draw.chance(0.5)) this.#arrive(target, load);
        answer(TIMEOUT_MS, { kind: 'unknown', evidence: elapsed('TIMEOUT'), signs: [] });
        return;
      case 'connection_refused':
        answer(1, { kind: 'failed', evidence: elapsed('ECONNREFUSED'), signs: [] });
        return;
      case 'server_error':
        if (draw.chance(0.2)) this.#arrive(target, load);
        answer(latencyMs, { kind: 'failed', evidence: elapsed('HTTP_503'), signs: status(503) });
        return;
      case 'throttled': {
        const evidence = {
          ...elapsed('HTTP_429'),
          retryAfterMs: draw.pick([1_000, 8_000, 70_000]),
        };
        answer(latencyMs, { kind: 'failed', evidence, signs: status(429) });
        return;
      }
      case 'denied':
        answer(latencyMs, { kind: 'denied', evidence: elapsed('HTTP_403'), signs: status(403) });
        return;
      case 'refused':
        answer(latencyMs, { kind: 'refused', evidence: elapsed('HTTP_422'), signs: [] });
    }
  }

  /** Written down with the intent that the database had at this moment. */
  #leave({ name }: SimProcess, { id: target }: HandoffTarget, load: HandoffLoad): void {
    const { book, database, now } = this.#world;
    const dockets = this.#docketsOf(load);
    const rows = [...database.tables.handoff.rows.values()];
    const intents = dockets.flatMap((docket): readonly Intent[] => {
      const row = rows.findLast(
        (one) =>
          one.docket === docket &&
          one.target === target &&
          (one.ended_at === null || now - one.ended_at <= ON_ITS_WAY_MS) &&
          (load.letter === undefined || load.letter.startsWith(one.handoff)),
      );
      if (row === undefined) return [];
      return [{ docket, n: row.n, tier: row.tier, startedAt: row.started_at }];
    });
    book.departures.push({ at: now, by: name, target, dockets, intents });
  }

  #docketsOf({ id, notice, contentType }: HandoffLoad): readonly string[] {
    if (id.startsWith('synthetic-')) return [];
    const rows = [...this.#world.database.tables.docket.rows.values()];
    if (contentType !== 'text/plain')
      return rows.filter((row) => row.message_id === id).map((row) => row.id);
    return rows.filter((row) => notice.text.includes(`docket ${row.id}`)).map((row) => row.id);
  }

  #arrive(target: HandoffTarget, load: HandoffLoad): string {
    const { book, now } = this.#world;
    const key = `${target.id} ${load.id}`;
    const known = this.#held.get(key);
    const isGivenTwice = known !== undefined && !this.#world.isHealed && this.#draw.chance(0.1);
    const receipt = known === undefined || isGivenTwice ? `R${(this.#receipts += 1)}` : known;
    this.#held.set(key, receipt);
    const dockets = this.#docketsOf(load);
    book.arrivals.push({ at: now, target: target.id, dockets });
    const { party } = target as HandoffTarget & { readonly party?: string };
    this.onArrival?.(target.id, dockets, party ?? '');
    return receipt;
  }

  #fateOf(target: string): Fate {
    const { now, isHealed } = this.#world;
    if (isHealed) return 'fine';
    const ill = this.#ill.get(target)?.find(({ from, to }) => from <= now && now < to);
    if (ill !== undefined) return ill.fate;
    return this.#draw.weighted({
      fine: 80,
      slow: 6,
      answer_lost: 4,
      stall: 2,
      connection_refused: 3,
      server_error: 3,
      refused: 1,
      throttled: 1,
    });
  }

  get(process: SimProcess): typeof getOnce {
    return (request) => this.#get(process, request);
  }

  #get(process: SimProcess, { url }: GetRequest): Promise<GetOutcome> {
    const world = this.#world;
    const target = url.href.startsWith(TABLE_URL)
      ? TABLE_URL
      : `http-${url.hostname.split('.')[0]}`;
    const fate = this.#fateOf(target);
    const isHung = fate === 'stall' || fate === 'answer_lost';
    const ms = isHung ? TIMEOUT_MS : this.#draw.int(2, 400);
    const probed = target === TABLE_URL ? undefined : this.#probe(process, target);
    const seen = { elapsedMs: ms, times: {} };
    const outcome = (): GetOutcome => {
      if (isHung || fate === 'connection_refused')
        return { kind: 'failed', code: 'TIMEOUT', ...seen };
      const { status, body } = this.#answerOf(target, url, fate);
      return { kind: 'answer', status, body: Buffer.from(body), ...seen };
    };
    return new Promise((resolve) => {
      if (world.hits(0.03)) world.control?.freeze(process);
      else if (world.hits(0.025)) world.control?.crash(process);
      world.after(ms, () =>
        process.deliver(() => {
          probed?.();
          resolve(outcome());
        }),
      );
    });
  }

  #answerOf(
    target: string,
    url: URL,
    fate: Fate,
  ): { readonly status: number; readonly body: string } {
    const draw = this.#draw;
    if (fate === 'server_error') return { status: 503, body: '' };
    if (fate === 'throttled') return { status: 429, body: '' };
    if (fate === 'denied') return { status: 403, body: '' };
    if (target === TABLE_URL) {
      const assigned_to = draw.pick(['team-a', 'team-b', 'nobody-known']);
      return { status: 200, body: JSON.stringify(draw.chance(0.1) ? { who: 1 } : { assigned_to }) };
    }
    switch (url.pathname) {
      case '/health':
        return { status: 200, body: '' };
      case '/dockets': {
        if (this.#keepsNoRecords.has(target)) return { status: 404, body: '' };
        return { status: 200, body: JSON.stringify({ dockets: this.#records(target, url) }) };
      }
      default:
        return { status: 404, body: '' };
    }
  }

  #records(target: string, url: URL): object[] {
    const asked = (url.searchParams.get('message_ids') ?? '').split(',');
    const rows = [...this.#world.database.tables.docket.rows.values()];
    return asked
      .filter((id) => this.#held.has(`${target} ${id}`))
      .map((id) => {
        const row = rows.find(({ message_id }) => message_id === id);
        const bytes = Buffer.from(row?.payload_sha256 ?? []);
        return { message_id: id, payload_sha256: bytes.toString('hex') };
      });
  }

  /** The mail server is one for all mailboxes; the first of them lends it its illnesses. */
  greet(process: SimProcess): () => Promise<{ readonly isWell: boolean; readonly code: string }> {
    return () =>
      new Promise((resolve) => {
        const isWell = ['fine', 'slow', 'refused'].includes(this.#fateOf('mail-p0'));
        const answer = { isWell, code: isWell ? 'SMTP_250' : 'ECONNREFUSED' };
        this.#world.after(this.#draw.int(5, 300), () => process.deliver(() => resolve(answer)));
      });
  }

  gauge(process: SimProcess): SaturationGauge {
    return {
      measure: () =>
        new Promise((resolve) => {
          this.#world.after(this.#draw.int(2, 50), () =>
            process.deliver(() => resolve(this.#level())),
          );
        }),
      close: () => Promise.resolve(),
    };
  }

  #level(): Awaited<ReturnType<SaturationGauge['measure']>> {
    const { now } = this.#world;
    const still = this.#standstill;
    if (!['fine', 'slow', 'refused'].includes(this.#fateOf(QUEUE_TARGET))) {
      return { kind: 'unmeasured', code: 'ECONNREFUSED', message: 'away' };
    }
    const isStill = still !== undefined && still.from <= now && now < still.to;
    const lagMs = isStill ? now - still.from : 0;
    return {
      kind: 'measured',
      backlog: isStill ? 5 : 0,
      lagMs,
      evidence: { lagBasis: isStill ? 'stalled' : 'empty' },
    };
  }

  #probe({ name }: SimProcess, target: string): () => void {
    const { book, now: from } = this.#world;
    const probe = { by: name, target, from, to: Number.POSITIVE_INFINITY };
    book.probes.push(probe);
    return () => {
      probe.to = this.#world.now;
    };
  }
}

/** What the office does again when the database was away. */
export function isAway(error: unknown): boolean {
  return error instanceof FilewrightError && error.code === 'DATABASE_UNREACHABLE';
}
