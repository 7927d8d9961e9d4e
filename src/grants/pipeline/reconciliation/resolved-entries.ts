/** Lines and expected payments that people have spoken about: kept aside while the others go by, decided when all are there. */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine, ExpectedPayment } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome, MatchOutcome } from '../../rules/matching/outcome.ts';
import { BY_PERSON, type LineResolution } from '../../store/matches.ts';
import { lineId } from './line-codec.ts';
import { resolvedOutcome, sharesOf } from './resolved-outcome.ts';

/** A line with known parts, whose rest is open: its awards are for no other line. */
export interface WaitingLine {
  /** Every delivery of it. */
  readonly deliveries: readonly string[];
  readonly line: string;
  /** Cents by award. */
  readonly known: ReadonlyMap<string, number>;
}

export class ResolvedEntries {
  readonly #resolutions: ReadonlyMap<string, LineResolution>;
  /** The last word counts. */
  readonly #rank: ReadonlyMap<string, number>;
  readonly #wanted: ReadonlySet<string>;
  readonly #lines = new Map<string, BankLine>();
  readonly #deliveries = new Map<string, readonly string[]>();
  readonly #expectedPayments = new Map<string, ExpectedPayment>();
  /** Entries that one word could be about as well as another: nobody can tell, so it is about none of them. */
  readonly #doubtful: BankLine[] = [];
  readonly #isDoubted = new Set<string>();

  /** `resolutions` in the order in which they were said. */
  constructor(resolutions: readonly LineResolution[]) {
    this.#resolutions = new Map(
      resolutions.map((resolution) => [lineId(resolution.feed, resolution.ordinal), resolution]),
    );
    this.#rank = new Map([...this.#resolutions.keys()].map((id, rank) => [id, rank]));
    this.#wanted = new Set(resolutions.flatMap(({ awards }) => awards));
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

  /** Those that somebody has resolved. */
  kept(): Iterable<BankLine> {
    return this.#lines.values();
  }

  keepExpectedPayment(expectedPayment: ExpectedPayment): boolean {
    if (!this.#wanted.has(expectedPayment.id)) return false;
    this.#expectedPayments.set(expectedPayment.id, expectedPayment);
    return true;
  }

  /** Cents by award that people have said go back. */
  reopened(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const [id, { awards }] of this.#resolutions) {
      const line = this.#lines.get(id);
      const [award] = awards;
      if (line?.direction !== 'debit' || award === undefined) continue;
      sums.set(award, (sums.get(award) ?? 0) + line.amountCents);
    }
    return sums;
  }

  /** Outcomes in the order of the resolutions, and the entries that are left to the rules after all. */
  decided(): {
    readonly byPerson: readonly FoundOutcome[];
    readonly waiting: readonly WaitingLine[];
    readonly lines: Iterable<BankLine>;
    readonly expectedPayments: Iterable<ExpectedPayment>;
  } {
    const lines = new Map(this.#lines);
    const expectedPayments = new Map(this.#expectedPayments);
    const byPerson: FoundOutcome[] = [];
    const waiting: WaitingLine[] = [];
    for (const [id, resolution] of this.#resolutions) {
      const line = lines.get(id);
      // Resolved, and closed since; or booked later than what is matched now.
      if (line === undefined) continue;
      if (line.direction === 'debit' && resolution.awards.length > 0) {
        byPerson.push({
          outcome: takenBack(line, resolution),
          lines: [line],
          expectedPayments: [],
        });
        lines.delete(id);
        continue;
      }
      const wanted = resolution.awards.map((award) => expectedPayments.get(award));
      // Another line has taken one of them since: the matcher looks at this one again.
      if (wanted.some((expectedPayment) => expectedPayment === undefined)) continue;
      const given = wanted.flatMap((expectedPayment) => expectedPayment ?? []);
      const shares = sharesOf(line, given, resolution);
      // Less is open of one of them than the person gave it: some of it has come since.
      if (shares.some(({ isTooMuch }) => isTooMuch)) continue;
      byPerson.push({
        outcome: resolvedOutcome(line, shares, resolution),
        lines: [line],
        expectedPayments: given,
      });
      lines.delete(id);
      if (resolution.rest?.state === 'open') {
        const deliveries = this.#deliveries.get(id) ?? [];
        const known = new Map(
          shares.map(({ expectedPayment, cents }) => [expectedPayment.id, cents]),
        );
        waiting.push({ line: line.id, deliveries, known });
      }
      for (const { expectedPayment, left } of shares) {
        expectedPayments.delete(expectedPayment.id);
        // What is left of it is expected: the next line may bring it.
        if (left !== undefined) expectedPayments.set(expectedPayment.id, left);
      }
    }
    return {
      byPerson,
      waiting,
      lines: lines.values(),
      expectedPayments: expectedPayments.values(),
    };
  }
}

/** Money out that a person has given to an award: what came for it before is taken off on this day. */
function takenBack(line: BankLine, { awards, reason }: LineResolution): MatchOutcome {
  return {
    rule: BY_PERSON as MatchOutcome['rule'],
    status: 'matched',
    bank: [line.id],
    ledger: awards,
    reason: {
      text: `Resolved by a person, as a reversal: ${reason}`,
      currency: line.currency,
      bankCents: -line.amountCents,
      ledgerCents: -line.amountCents,
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: [],
    },
    parts: [{ bank: 0, ledger: 0, cents: -line.amountCents }],
  };
}
