/** Where the feed readers plug in: their lines become the matcher's lines, and only when the whole feed agreed. */
import { badInput } from '../../../core/index.ts';
import type { FeedEvent, LineEvent, StatementEndEvent } from '../feeds/feed-events.ts';
import type { BankLine, LinePayment } from './bank-line.ts';
import { feeInText } from './fees.ts';
import { type StatementCover, statementKey } from './statement-chain.ts';

/** A bound for feeds in which every name is another one. */
const WORDS_MAX = 10_000;

interface ReadFeed {
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
  let isInterim = false;
  for await (const event of events) {
    switch (event.kind) {
      case 'statement':
        isInterim = event.isInterim;
        break;
      case 'line':
        lines.push(words.shared(bankLineOf(feed, event, { ordinal: lines.length + 1, isInterim })));
        break;
      case 'statementEnd': {
        const cover = coverOf(feed, event);
        if (cover !== undefined) statements.push(cover);
        break;
      }
      case 'end':
        hasEnded = true;
    }
  }
  if (!hasEnded) throw badInput(`feed ${feed}: expected its end, found none`);
  return { lines, statements };
}

/** What a statement says about itself; undefined for one that tells no days, and for a report whose lines come again. */
function coverOf(feed: string, event: StatementEndEvent): StatementCover | undefined {
  const { account, number, page, statementId, opening, closing, hasPageBefore, doubt } = event;
  const from = event.from ?? opening?.on;
  const to = event.to ?? closing?.on;
  if (account === undefined || from === undefined || to === undefined) return undefined;
  if (event.isInterim) return undefined;
  return {
    account,
    from,
    to,
    number,
    page,
    statementId,
    hasPageBefore,
    hasPageAfter: event.hasPageAfter,
    doubt,
    key: statementKey(feed, event.ordinal),
    openingCents: opening?.amountCents,
    closingCents: closing?.amountCents,
  };
}

/** The id holds feed and ordinal, so that two deliveries of one entry stay two lines until the matcher sees them. */
export function bankLineOf(
  feed: string,
  line: LineEvent,
  { ordinal, isInterim }: { readonly ordinal: number; readonly isInterim: boolean },
): BankLine {
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
    feeCents: line.chargesCents ?? feeInText(line),
    ...paymentsOf(line),
    source: { feed, line: place.line },
    statement: line.statement,
    ...(isInterim && { isAnnounced: true }),
  };
}

/** Only where all of them are there, to the cent: otherwise what they say is no more than references. */
function paymentsOf({ details, amountCents, currency }: LineEvent): Pick<BankLine, 'payments'> {
  if (details.length < 2) return {};
  let sum = 0;
  const payments: LinePayment[] = [];
  for (const { amountCents: cents, currency: own, references, counterparty } of details) {
    if (cents === undefined || cents === 0 || (own ?? currency) !== currency) return {};
    sum += cents;
    payments.push({ amountCents: cents, references, counterparty });
  }
  return sum === amountCents ? { payments } : {};
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
