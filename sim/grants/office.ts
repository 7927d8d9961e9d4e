/**
 * What an office does in a quarter, command by command. Whoever is interrupted runs the same command again; a person first
 * looks what is there. Nothing here repairs anything: that a repeated command does no harm is what the world finds out.
 */
import { FilewrightError } from '../../src/core/errors.ts';
import type { Figure, FigurePart } from '../../src/grants/rules/reporting/figure.ts';
import type { Organization, Pipeline } from '../../src/grants/pipeline/contracts.ts';
import type { Draw } from '../world/draw.ts';
import { type Book, crossingDay, type Promised } from './book-of-seed.ts';
import {
  ACCOUNT,
  awardLine,
  awardSource,
  intradaySource,
  PAYER,
  statementSource,
} from './documents.ts';
import type { Doom } from './dying-session.ts';
import type { Evidence, Violation } from './evidence.ts';
import type { Targets } from './targets.ts';
import type { Stand } from './stand.ts';

export interface Command {
  readonly name: string;
  run(pipeline: Pipeline): Promise<void>;
  /** Asked first: what nobody waits for is not tried again. */
  isNeeded?(): Promise<boolean>;
  /** Where it dies more often than elsewhere, because somebody may go on from there. */
  readonly weakSpot?: Doom;
  /** Whether the clerk, after a crash, takes it for done and goes on; a later command catches up. */
  isLeft?(pipeline: Pipeline): Promise<boolean>;
}

const ACTOR = { kind: 'system', id: 'simulation' } as const;
const YEAR = { from: '2026-01-01', to: '2026-12-31' } as const;
const LEASE_OVER_MS = 125_000;
/** More than three failures and some crashes need. */
const RETRIES = 10;

export class Office {
  reported: Evidence['reported'];
  readonly #book: Book;
  readonly #stand: Stand;
  readonly #draw: Draw;
  readonly #targets: Targets;
  readonly #say: (violation: Violation) => void;
  readonly #organization: Organization;

  constructor(parts: {
    readonly book: Book;
    readonly stand: Stand;
    readonly draw: Draw;
    readonly targets: Targets;
    readonly say: (violation: Violation) => void;
  }) {
    this.#book = parts.book;
    this.#stand = parts.stand;
    this.#draw = parts.draw;
    this.#targets = parts.targets;
    this.#say = parts.say;
    this.#organization = { states: parts.book.states, fiscalYearEnd: '12-31' };
  }

  *commands(): Generator<Command> {
    const { documents, corrections, months, grantors } = this.#book;
    for (const [n, lines] of documents.entries()) {
      if (lines.length === 0) continue;
      if (this.#draw.chance(0.5)) yield* this.#fetch(n, lines);
      yield this.#ingest(n, lines);
    }
    for (const [award, line] of corrections) {
      yield this.#propose(award, line);
      yield this.#approve(award);
      yield this.#reingest(award, line);
    }
    for (const [n, month] of months.entries()) {
      if (month.intraday.length > 0) {
        const source = intradaySource(`intraday-${n + 1}`, month.intraday);
        yield command('feed', async (pipeline) => void (await pipeline.ingestFeed(source, ACTOR)));
      }
      if (month.sent !== undefined) {
        const source = statementSource(month.sent);
        yield command('feed', async (pipeline) => void (await pipeline.ingestFeed(source, ACTOR)));
      }
      yield command('reconcile', async (pipeline) => {
        await pipeline.reconcilePeriod({ to: month.to }, ACTOR);
      });
      yield command('settle', (pipeline) => this.#settleAll(pipeline, month.to));
      yield this.#close(month);
      if (this.#draw.chance(0.3)) yield this.#lateFeed(month.to);
      if (this.#draw.chance(0.3))
        yield command('hand off', (pipeline) => this.#handOffAll(pipeline));
    }
    for (const grantor of grantors) {
      yield command('verify', async (pipeline) => {
        await pipeline.verifyGrantor(grantor, this.#targets.ledger);
      });
    }
    for (let n = 0; n < RETRIES; n += 1) {
      this.#waitForTurn(n);
      yield {
        name: 'retry',
        run: async (pipeline) => void (await pipeline.runRetryQueue(this.#targets.ledger)),
        isNeeded: () => this.#targets.isWaiting(),
      };
    }
    yield command('hand off', (pipeline) => this.#handOffAll(pipeline));
    yield command('rules', async (pipeline) => {
      await pipeline.evaluateRules({ ...this.#organization, ...YEAR }, ACTOR);
    });
    yield command('report', (pipeline) => this.#report(pipeline));
  }

  #ingest(n: number, lines: readonly string[]): Command {
    const source = awardSource(`awards-${n + 1}.ndjson`, lines);
    return command('ingest', async (pipeline) => void (await pipeline.ingestAwards(source, ACTOR)));
  }

  /** Read over a lane; what a person must take over comes as a file afterwards, and so does now and then what was read. */
  *#fetch(n: number, lines: readonly string[]): Generator<Command> {
    const lane = this.#targets.documents(lines);
    const wanted = { path: `/awards-${n + 1}.ndjson`, format: 'ndjson' } as const;
    yield command('fetch', async (pipeline) => {
      if (!(await this.#targets.hasDocument(n))) await pipeline.fetchAwards(wanted, lane, ACTOR);
    });
    for (let turn = 0; turn < RETRIES; turn += 1) {
      this.#waitForTurn(turn);
      yield {
        name: 'fetch again',
        run: async (pipeline) => void (await pipeline.runFetchQueue(lane)),
        isNeeded: () => this.#targets.isWaiting(),
      };
    }
  }

  /** Impatient at first; in the end long enough that even the attempt of a process that died is due again. */
  #waitForTurn(turn: number): void {
    const isLate = turn >= RETRIES / 2;
    this.#stand.advance(isLate ? LEASE_OVER_MS : this.#draw.pick([0, 31_000, LEASE_OVER_MS]));
  }

  #propose(award: Promised, line: string): Command {
    const [by] = this.#stand.people;
    return command('propose', async (pipeline) => {
      const { id, state } = await this.#exceptionOf(pipeline, award);
      if (state !== 'open') return;
      const wrong = awardSource('wrong.ndjson', [awardLine({ ...award, currency: 'EUR' })]);
      await this.#mustRefuse('a correction that would be refused again', () =>
        pipeline.exceptions.propose(
          id,
          { kind: 'reingest', source: wrong, reason: 'not the right one' },
          by,
        ),
      );
      const source = awardSource('right.ndjson', [line]);
      const resolution = { kind: 'reingest', source, reason: 'the currency was wrong' } as const;
      await pipeline.exceptions.propose(id, resolution, by);
    });
  }

  #approve(award: Promised): Command {
    const [first, second] = this.#stand.people;
    return command('approve', async (pipeline) => {
      const { id, state } = await this.#exceptionOf(pipeline, award);
      if (state !== 'proposed') return;
      await this.#mustRefuse('an approval by the person who proposed', () =>
        pipeline.exceptions.approve(id, first),
      );
      await pipeline.exceptions.approve(id, second);
    });
  }

  #reingest(award: Promised, line: string): Command {
    const [by] = this.#stand.people;
    return command('reingest', async (pipeline) => {
      const { id, state } = await this.#exceptionOf(pipeline, award);
      if (state === 'reingested') return;
      const other = awardSource('other.ndjson', [awardLine({ ...award, cents: award.cents + 5 })]);
      await this.#mustRefuse('a document that nobody agreed to', () =>
        pipeline.exceptions.reingest(id, other, by),
      );
      await pipeline.exceptions.reingest(id, awardSource('right.ndjson', [line]), by);
    });
  }

  async #exceptionOf(pipeline: Pipeline, award: Promised) {
    for (const { id } of await pipeline.exceptions.list()) {
      const found = await pipeline.exceptions.show(id);
      // As it came in a line of the book.
      const payload = found.envelope.original_payload as { readonly award_id?: unknown } | null;
      if (payload?.award_id === award.number) return found;
    }
    throw new Error(`the exception of ${award.number} is not in the ledger of exceptions`);
  }

  async #settleAll(pipeline: Pipeline, to: string): Promise<void> {
    const { forPeople } = this.#book;
    for (const entry of await pipeline.unmatched(to)) {
      if (entry.side !== 'bank') continue;
      const number = await this.#targets.numberOfLine(entry.id);
      const pays = forPeople.get(number);
      if (pays === undefined) {
        this.#say({ invariant: 'totals', text: `${number} is left to a person: ${entry.rule}` });
        continue;
      }
      const expectedPayments = await Promise.all(pays.map((award) => this.#targets.keyOf(award)));
      const [by] = this.#stand.people;
      await pipeline.resolve({
        line: entry.id,
        expectedPayments,
        reason: 'known from the bank',
        by,
      });
    }
  }

  #close({ from, to }: { readonly from: string; readonly to: string }): Command {
    return {
      name: 'close',
      // Closed, and its money not released.
      weakSpot: { point: 'after commit', after: 0 },
      run: async (pipeline) => {
        const period = { account: ACCOUNT, from, to };
        const closed = await pipeline.closePeriod(period, this.#organization, ACTOR);
        if (closed.kind === 'closed') return;
        this.#say({
          invariant: 'totals',
          text: `${to} stays open: ${closed.obstacles.join('; ')}`,
        });
      },
      isLeft: async (pipeline) => {
        const isClosed = (await pipeline.periods()).some((period) => period.to === to);
        return isClosed && this.#draw.chance(0.8);
      },
    };
  }

  #lateFeed(on: string): Command {
    const entry = { id: 'LATE-1', on, cents: 777, text: 'LATE', payer: PAYER };
    return command('late feed', (pipeline) =>
      this.#mustRefuse('a line of a closed period', async () => {
        const { isRepeatedFeed } = await pipeline.ingestFeed(
          intradaySource('late', [entry]),
          ACTOR,
        );
        if (isRepeatedFeed) throw new FilewrightError('REFUSED_BY_RULE', 'known');
      }),
    );
  }

  /** The last period first, as a careless clerk would; what is blocked gets its check, now and then one that is too old. */
  async #handOffAll(pipeline: Pipeline): Promise<void> {
    const waiting = (await pipeline.periods()).filter(({ isReleased }) => !isReleased);
    const day = crossingDay(this.#book);
    for (const { id } of waiting.toReversed()) {
      const before = await pipeline.release(id, this.#organization, ACTOR);
      if (before.kind === 'passed') continue;
      if (day === undefined) {
        this.#say({
          invariant: 'release_checked',
          text: `blocked for nothing: ${before.reasons.join('; ')}`,
        });
        return;
      }
      await this.#attach(pipeline, '2026-01-02');
      const early = await pipeline.release(id, this.#organization, ACTOR);
      if (early.kind === 'passed') {
        this.#say({
          invariant: 'release_checked',
          text: 'a check from before the crossing was enough',
        });
      }
      await this.#attach(pipeline, '2026-04-01');
      const after = await pipeline.release(id, this.#organization, ACTOR);
      if (after.kind === 'blocked') {
        this.#say({ invariant: 'release_checked', text: 'blocked although the check is attached' });
      }
    }
  }

  async #attach(pipeline: Pipeline, checkedOn: string): Promise<void> {
    const [, by] = this.#stand.people;
    await pipeline.attachRegistrationCheck({
      jurisdiction: 'PA',
      checkedOn,
      evidence: 'BCO-1',
      by,
    });
  }

  async #report(pipeline: Pipeline): Promise<void> {
    const request = { kind: '990', from: '2026-01-01', to: '2026-03-31' } as const;
    const { figures } = await pipeline.reportFigures(request, ACTOR);
    const total = figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt');
    const lines = new Map<string, number>();
    for (const { bank } of total === undefined ? [] : partsOf(total)) {
      for (const { line, cents } of bank) lines.set(line, cents);
    }
    this.reported = {
      total: total?.cents ?? 0n,
      traced: [...lines.values()].reduce((sum, cents) => sum + BigInt(cents), 0n),
    };
  }

  async #mustRefuse(what: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof FilewrightError) return;
      throw error;
    }
    this.#say({ invariant: 'exceptions_untouched', text: `${what} was taken` });
  }
}

/** Down to the expected payments, through the lines that a total is made of. */
function partsOf({ parts, from }: Figure): readonly FigurePart[] {
  return [...parts, ...from.flatMap(({ figure }) => partsOf(figure))];
}

function command(name: string, run: Command['run']): Command {
  return { name, run };
}
