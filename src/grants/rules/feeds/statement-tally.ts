/** Counts the lines of one statement and holds them against its balances. */
import type {
  FeedEvent,
  FeedFormat,
  FeedPlace,
  LineEvent,
  Statement,
  StatementEndEvent,
} from './feed-events.ts';
import { showCents } from './money.ts';
import { refuse } from './refusal.ts';

export class StatementTally {
  private count = 0;
  // Bigint: the sum of many safe integers need not be one.
  private net = 0n;
  private readonly sums = { credit: 0n, debit: 0n };
  private readonly counts = { credit: 0, debit: 0 };

  add(line: LineEvent): LineEvent {
    this.count += 1;
    if (line.status === 'booked') {
      this.net += signedCents(line);
      this.sums[line.direction] += BigInt(line.amountCents);
      this.counts[line.direction] += 1;
    }
    return line;
  }

  get lines(): number {
    return this.count;
  }

  get netCents(): bigint {
    return this.net;
  }

  /** Booked lines of one direction. */
  of(direction: LineEvent['direction']): { readonly cents: bigint; readonly lines: number } {
    return { cents: this.sums[direction], lines: this.counts[direction] };
  }

  /** The end of a statement whose balances, where it has both, must explain its lines. */
  prove(statement: Statement, at: FeedPlace): StatementEndEvent {
    const { opening, closing } = statement;
    if (opening === undefined || closing === undefined) return this.end(statement, 'none', at);
    if (opening.currency !== closing.currency) {
      refuse(at, {
        code: 'FEED_INCONSISTENT',
        reason: `the opening balance is in ${opening.currency}, the closing one in ${closing.currency}`,
      });
    }
    const expected = BigInt(opening.amountCents) + this.net;
    if (expected !== BigInt(closing.amountCents)) {
      refuse(at, {
        code: 'FEED_INCONSISTENT',
        reason: `the opening balance of ${showCents(opening.amountCents)} and the lines (${showCents(this.net)}) total ${showCents(expected)}, but the closing balance is ${showCents(closing.amountCents)}`,
      });
    }
    return this.end(statement, 'balances', at);
  }

  end(statement: Statement, proof: StatementEndEvent['proof'], at: FeedPlace): StatementEndEvent {
    const netCents = Number(this.net);
    if (!Number.isSafeInteger(netCents)) {
      refuse(at, {
        code: 'INPUT_LIMIT',
        reason: `the lines add up to ${showCents(this.net)}, more than can be counted exactly`,
      });
    }
    return {
      ...statement,
      kind: 'statementEnd',
      lines: this.count,
      netCents,
      proof,
      doubt: undefined,
    };
  }
}

function signedCents(line: Pick<LineEvent, 'amountCents' | 'direction'>): bigint {
  const amount = BigInt(line.amountCents);
  return line.direction === 'credit' ? amount : -amount;
}

/** What the end event reports, counted from the events themselves. */
export class FeedTally {
  private statements = 0;
  private lines = 0;

  count<E extends FeedEvent>(event: E): E {
    if (event.kind === 'statement') this.statements += 1;
    if (event.kind === 'line') this.lines += 1;
    return event;
  }

  get nextOrdinal(): number {
    return this.statements + 1;
  }

  end(format: FeedFormat): FeedEvent {
    return { kind: 'end', format, statements: this.statements, lines: this.lines };
  }
}
