/** Lines and receipts that people have spoken about: kept aside while the others go by, decided when all are there. */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine, ExpectedReceipt } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome, MatchOutcome } from '../../rules/matching/outcome.ts';
import { BY_PERSON, type Settlement } from '../../store/matches.ts';
import { lineId } from './line-codec.ts';
import { settledOutcome, sharesOf } from './settled-outcome.ts';

/** A line with known parts, whose rest is open: its awards are for no other line. */
export interface WaitingLine {
  /** Every delivery of it. */
  readonly deliveries: readonly string[];
  readonly line: string;
  /** Cents by award. */
  readonly known: ReadonlyMap<string, number>;
}

export class SettledEntries {
  readonly #settlements: ReadonlyMap<string, Settlement>;
  /** The last word counts. */
  readonly #rank: ReadonlyMap<string, number>;
  readonly #wanted: ReadonlySet<string>;
  readonly #lines = new Map<string, BankLine>();
  readonly #deliveries = new Map<string, readonly string[]>();
  readonly #receipts = new Map<string, ExpectedReceipt>();
  /** Entries that one word could be about as well as another: nobody can tell, so it is about none of them. */
  readonly #doubtful: BankLine[] = [];
  readonly #isDoubted = new Set<string>();

  /** `settlements` in the order in which they were said. */
  constructor(settlements: readonly Settlement[]) {
    this.#settlements = new Map(
      settlements.map((settlement) => [lineId(settlement.feed, settlement.ordinal), settlement]),
    );
    this.#rank = new Map([...this.#settlements.keys()].map((id, rank) => [id, rank]));
    this.#wanted = new Set(settlements.flatMap(({ awards }) => awards));
  }

  /** False for one that nobody has spoken about. A word about any delivery of an entry is a word about the entry. */
  keepLine(line: BankLine, deliveries: readonly string[] = [line.id]): boolean {
    if (this.#rank.size === 0) return false;
    const said = deliveries
      .filter((id) => this.#rank.has(id))
      .toSorted((one, other) => (this.#rank.get(other) ?? 0) - (this.#rank.get(one) ?? 0));
    const [last] = said;
    if (last === undefined) return false;
    const other = this.#lines.get(last);
    if (other !== undefined || this.#isDoubted.has(last)) {
      this.#isDoubted.add(last);
      this.#lines.delete(last);
      this.#doubtful.push(...(other === undefined ? [] : [other]), line);
      return true;
    }
    this.#lines.set(last, line);
    this.#deliveries.set(last, deliveries);
    return true;
  }

  /** Those that are for the rules after all, because a word about them could be about another one as well. */
  doubtful(): readonly BankLine[] {
    return this.#doubtful;
  }

  /** Those that somebody has settled. */
  kept(): Iterable<BankLine> {
    return this.#lines.values();
  }

  keepReceipt(receipt: ExpectedReceipt): boolean {
    if (!this.#wanted.has(receipt.id)) return false;
    this.#receipts.set(receipt.id, receipt);
    return true;
  }

  /** Cents by award that people have said go back. */
  reopened(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const [id, { awards }] of this.#settlements) {
      const line = this.#lines.get(id);
      const [award] = awards;
      if (line?.direction !== 'debit' || award === undefined) continue;
      sums.set(award, (sums.get(award) ?? 0) + line.amountCents);
    }
    return sums;
  }

  /** Outcomes in the order of the settlements, and the entries that are left to the rules after all. */
  decided(): {
    readonly byPerson: readonly FoundOutcome[];
    readonly waiting: readonly WaitingLine[];
    readonly lines: Iterable<BankLine>;
    readonly receipts: Iterable<ExpectedReceipt>;
  } {
    const lines = new Map(this.#lines);
    const receipts = new Map(this.#receipts);
    const byPerson: FoundOutcome[] = [];
    const waiting: WaitingLine[] = [];
    for (const [id, settlement] of this.#settlements) {
      const line = lines.get(id);
      // Settled, and closed since; or booked later than what is matched now.
      if (line === undefined) continue;
      if (line.direction === 'debit' && settlement.awards.length > 0) {
        byPerson.push({ outcome: takenBack(line, settlement), lines: [line], receipts: [] });
        lines.delete(id);
        continue;
      }
      const wanted = settlement.awards.map((award) => receipts.get(award));
      // Another line has taken one of them since: the matcher looks at this one again.
      if (wanted.some((receipt) => receipt === undefined)) continue;
      const given = wanted.flatMap((receipt) => receipt ?? []);
      const shares = sharesOf(line, given, settlement);
      // Less is open of one of them than the person gave it: some of it has come since.
      if (shares.some(({ isTooMuch }) => isTooMuch)) continue;
      byPerson.push({
        outcome: settledOutcome(line, shares, settlement),
        lines: [line],
        receipts: given,
      });
      lines.delete(id);
      if (settlement.rest?.state === 'open') {
        const deliveries = this.#deliveries.get(id) ?? [];
        const known = new Map(shares.map(({ receipt, cents }) => [receipt.id, cents]));
        waiting.push({ line: line.id, deliveries, known });
      }
      for (const { receipt, left } of shares) {
        receipts.delete(receipt.id);
        // What is left of it is expected: the next line may bring it.
        if (left !== undefined) receipts.set(receipt.id, left);
      }
    }
    return {
      byPerson,
      waiting,
      lines: lines.values(),
      receipts: receipts.values(),
    };
  }
}

/** Money out that a person has given to an award: what came for it before is taken off on this day. */
function takenBack(line: BankLine, { awards, reason }: Settlement): MatchOutcome {
  return {
    rule: BY_PERSON as MatchOutcome['rule'],
    status: 'matched',
    bank: [line.id],
    ledger: awards,
    reason: {
      text: `Settled by a person, as money that was taken back: ${reason}`,
      currency: line.currency,
      bankCents: -line.amountCents,
      ledgerCents: -line.amountCents,
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: [],
    },
    parts: [{ bank: 0, ledger: 0, cents: -line.amountCents }],
  };
}
