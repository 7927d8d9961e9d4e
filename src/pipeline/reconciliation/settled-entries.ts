/** Lines and receipts that people have spoken about: kept aside while the others go by, decided when all are there. */
import { formatDay } from '../../calendar/index.ts';
import type {
  BankLine,
  ExpectedReceipt,
  FoundOutcome,
  MatchOutcome,
} from '../../packs/grants/index.ts';
import { BY_PERSON, type Settlement } from '../../store/index.ts';
import { lineId } from './line-codec.ts';

export class SettledEntries {
  readonly #settlements: ReadonlyMap<string, Settlement>;
  readonly #wanted: ReadonlySet<string>;
  readonly #lines = new Map<string, BankLine>();
  readonly #receipts = new Map<string, ExpectedReceipt>();

  constructor(settlements: readonly Settlement[]) {
    this.#settlements = new Map(
      settlements.map((settlement) => [lineId(settlement.feed, settlement.ordinal), settlement]),
    );
    this.#wanted = new Set(settlements.flatMap(({ awards }) => awards));
  }

  /** False for one that nobody has spoken about. */
  keepLine(line: BankLine): boolean {
    if (!this.#settlements.has(line.id)) return false;
    this.#lines.set(line.id, line);
    return true;
  }

  keepReceipt(receipt: ExpectedReceipt): boolean {
    if (!this.#wanted.has(receipt.id)) return false;
    this.#receipts.set(receipt.id, receipt);
    return true;
  }

  /** Outcomes in the order of the settlements, and the entries that are left to the rules after all. */
  decided(): {
    readonly byPerson: readonly FoundOutcome[];
    readonly lines: Iterable<BankLine>;
    readonly receipts: Iterable<ExpectedReceipt>;
  } {
    const lines = new Map(this.#lines);
    const receipts = new Map(this.#receipts);
    const byPerson: FoundOutcome[] = [];
    for (const [id, settlement] of this.#settlements) {
      const line = lines.get(id);
      // Settled, and closed since; or booked later than what is matched now.
      if (line === undefined) continue;
      const wanted = settlement.awards.map((award) => receipts.get(award));
      // Another line has taken one of them since: the matcher looks at this one again.
      if (wanted.some((receipt) => receipt === undefined)) continue;
      const given = wanted.flatMap((receipt) => receipt ?? []);
      byPerson.push({
        outcome: settledOutcome(line, given, settlement),
        lines: [line],
        receipts: given,
      });
      lines.delete(id);
      for (const receipt of given) receipts.delete(receipt.id);
    }
    return { byPerson, lines: lines.values(), receipts: receipts.values() };
  }
}

function settledOutcome(
  line: BankLine,
  receipts: readonly ExpectedReceipt[],
  { reason }: Settlement,
): MatchOutcome {
  return {
    // Beside the matcher's own rules; wherever rules are counted, it is counted under its own name.
    rule: BY_PERSON as MatchOutcome['rule'],
    status: receipts.length === 0 ? 'ignored' : 'matched',
    bank: [line.id],
    ledger: receipts.map(({ id }) => id),
    reason: {
      text: `Settled by a person: ${reason}`,
      currency: line.currency,
      bankCents: line.amountCents,
      ledgerCents: receipts.reduce((sum, { amountCents }) => sum + amountCents, 0),
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: receipts.map(({ expected }) => formatDay(expected)),
    },
  };
}
