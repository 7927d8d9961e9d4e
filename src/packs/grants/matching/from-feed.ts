/** Where the feed readers plug in: their lines become the matcher's lines, and only when the whole feed agreed. */
import { FilewrightError } from '../../../core/index.ts';
import type { FeedEvent, LineEvent } from '../feeds/index.ts';
import type { BankLine } from './bank-line.ts';
import type { StatementCover } from './statement-chain.ts';

/** A bound for feeds in which every name is another one. */
const WORDS_MAX = 10_000;

export interface ReadFeed {
  readonly lines: readonly BankLine[];
  readonly statements: readonly StatementCover[];
}

/** Collects one feed of `readFeed`. `feed` names it in every trace: the hash of its bytes, or its file name. */
export async function linesOfFeed(
  feed: string,
  events: AsyncIterable<FeedEvent>,
): Promise<ReadFeed> {
  const lines: BankLine[] = [];
  const statements: StatementCover[] = [];
  const words = new Words();
  let hasEnded = false;
  for await (const event of events) {
    switch (event.kind) {
      case 'statement':
        break;
      case 'line':
        lines.push(words.shared(bankLineOf(feed, event, lines.length + 1)));
        break;
      case 'statementEnd': {
        const { account, number, opening, closing } = event;
        const from = event.from ?? opening?.on;
        const to = event.to ?? closing?.on;
        // An interim report is no statement: its lines come again.
        if (account === undefined || from === undefined || to === undefined || event.isInterim)
          break;
        const balances = { openingCents: opening?.amountCents, closingCents: closing?.amountCents };
        statements.push({ account, from, to, number, ...balances });
        break;
      }
      case 'end':
        hasEnded = true;
    }
  }
  if (!hasEnded) {
    throw new FilewrightError('INPUT_MALFORMED', `feed ${feed}: its end was expected, found none`);
  }
  return { lines, statements };
}

/** The id holds feed and ordinal, so that two deliveries of one entry stay two lines until the matcher sees them. */
export function bankLineOf(feed: string, line: LineEvent, ordinal: number): BankLine {
  const { place } = line;
  return {
    id: `${feed}#${ordinal}`,
    account: line.account,
    nativeId: line.nativeId,
    bookingDate: line.bookingDate,
    valueDate: line.valueDate,
    amountCents: line.amountCents,
    currency: line.currency,
    direction: line.direction,
    status: line.status,
    isReversal: line.isReversal,
    trace: line.trace,
    // A batch names its payments one by one; the deposit may be for any of them.
    references: [...new Set([line, ...line.details].flatMap(({ references }) => references))],
    counterparty: line.counterparty,
    description: line.description,
    source: { feed, line: place.line },
  };
}

/** Names that come back are held once: a year of lines has a few hundred payers and one account. */
class Words {
  readonly #known = new Map<string, string>();

  shared(line: BankLine): BankLine {
    const { references, description } = line;
    return {
      ...line,
      account: this.#once(line.account),
      counterparty: line.counterparty === undefined ? undefined : this.#once(line.counterparty),
      description: references.find((reference) => reference === description) ?? description,
    };
  }

  #once(word: string): string {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    if (this.#known.size >= WORDS_MAX) this.#known.clear();
    this.#known.set(word, word);
    return word;
  }
}
