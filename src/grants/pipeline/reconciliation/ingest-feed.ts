/** A bank feed goes in whole or not at all: its lines are committed together with its end. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import { type ActorRef, badInput, canonicalBytes, ruledOut } from '../../../core/index.ts';
import { checkContinuity } from '../../rules/feeds/continuity.ts';
import type { EndEvent, LineEvent, StatementEndEvent } from '../../rules/feeds/feed-events.ts';
import { readFeed } from '../../rules/feeds/read-feed.ts';
import { type BankLine, isHint } from '../../rules/matching/bank-line.ts';
import { bankLineOf } from '../../rules/matching/from-feed.ts';
import { fieldsOfLine } from '../../rules/matching/entries/entry-codec.ts';
import { addFeed, addLines, LINE_GROUP, lockFeed, lockLines } from '../../store/feeds.ts';
import {
  addStatement,
  statementBefore,
  tellingStatements,
  type StoredStatement,
  withdrawnStatements,
} from '../../store/statements.ts';
import { newLateLines } from '../../store/late-lines.ts';
import type { StageRun } from '../../store/stage.ts';
import { hashOfSource, sameBytes } from '../bytes.ts';
import type { FeedReport, FeedSource } from '../contracts.ts';
import type { ReconciliationDeps } from './deps.ts';

export async function ingestFeed(
  deps: ReconciliationDeps,
  source: FeedSource,
  actor: ActorRef,
): Promise<FeedReport> {
  const feed = await hashOfSource(source);
  return deps.store.transaction(async (at) => {
    const known = await lockFeed(at, feed);
    if (known !== undefined) {
      await refuseWithdrawn(at, feed, source.name);
      await refuseOtherWords(at, feed, source);
      const { statements, lines } = known;
      // Written from a FeedFormat.
      const format = known.format as FeedReport['format'];
      return { feed, format, statements, lines, gaps: [], late: [], isRepeatedFeed: true };
    }
    await lockLines(at);
    const intake = new FeedIntake(deps, at, feed, actor);
    let end: EndEvent | undefined;
    const events = source.events?.(feed) ?? readFeed(source.format, sameBytes(source, feed));
    for await (const event of events) {
      if (event.kind === 'statement') intake.isInterim = event.isInterim;
      else if (event.kind === 'line') await intake.take(event);
      else if (event.kind === 'statementEnd') await intake.endStatement(event);
      else if (event.kind === 'end') end = event;
    }
    await intake.flush();
    // Without its end nothing of the feed may be used; throwing undoes all of it.
    if (end === undefined) throw badInput(`${source.name}: the end of the feed is missing`);
    const late = await lateWords(at, feed, source.name);
    const { format, statements, lines } = end;
    await addFeed(at, { id: feed, name: source.name, format, statements, lines });
    await deps.store.record(at, {
      type: 'feed.ingested',
      actor,
      subject: { kind: 'grant_feed', id: feed, ver: intake.facts + 1 },
      data: { format, statements, lines, gaps: intake.gaps.length, late: late.length },
    });
    return { feed, format, statements, lines, gaps: intake.gaps, late, isRepeatedFeed: false };
  });
}

/** Two people took it out; only two people bring it back. */
async function refuseWithdrawn(at: StageRun, feed: string, name: string): Promise<void> {
  const withdrawn = await withdrawnStatements(at);
  if (!withdrawn.some((one) => one.feed === feed)) return;
  throw ruledOut(
    `${name} was withdrawn by two people. If that was a mistake, propose grants withdraw ${feed.slice(0, 8)} --restore`,
  );
}

/**
 * The same table with other words of a person, its days or its balances: what is imported does not change by them, and nobody is left to
 * believe that it did.
 */
async function refuseOtherWords(at: StageRun, feed: string, source: FeedSource): Promise<void> {
  if (source.events === undefined) return;
  const told: string[] = [];
  for (const event of source.events(feed)) {
    if (event.kind !== 'statementEnd' || event.isInterim) continue;
    const { account, opening, closing, from = opening?.on, to = closing?.on } = event;
    if (account === undefined || from === undefined || to === undefined) continue;
    const balances = [opening?.amountCents, closing?.amountCents];
    told.push([account, formatDay(from), formatDay(to), ...balances].join(' '));
  }
  const kept = (await tellingStatements(at))
    .filter((one) => one.feed === feed)
    .map(({ account, from, to, openingCents, closingCents }) =>
      [account, from, to, openingCents, closingCents].join(' '),
    );
  if (kept.length === 0 || JSON.stringify(kept.sort()) === JSON.stringify(told.sort())) return;
  throw ruledOut(
    `${source.name} is imported already, with other days or balances; those stay as they are. To say others, save the table once more with an empty line at its end and import that: its lines are known, and count once`,
  );
}

/**
 * What came although its period is closed, and was not there then. A feed that has nothing else is refused: its sender is told
 * at once. Of one that has more, such lines wait for a person.
 */
async function lateWords(at: StageRun, feed: string, name: string): Promise<readonly string[]> {
  const { lines, isAllLate } = await newLateLines(at, feed);
  const [first] = lines;
  if (first === undefined) return [];
  if (isAllLate) {
    throw ruledOut(
      `${name}, line ${first.place}: the period of account ${first.account} around ${first.day} is closed and did not include this line. Ask the bank for a correction in an open period. Nothing in this feed was used.`,
    );
  }
  return lines
    .filter(({ isHint }) => !isHint)
    .map(
      ({ account, day, place, count }) =>
        `${account}: ${count === 1 ? 'a line' : `${count} lines`} of ${day} (line ${place} of the feed) arrived after that period was closed; see grants unmatched`,
    );
}

class FeedIntake {
  readonly #deps: ReconciliationDeps;
  readonly #at: StageRun;
  readonly #feed: string;
  readonly #actor: ActorRef;
  #waiting: BankLine[] = [];
  #groups = 0;
  /** Of the statement that is being read. */
  isInterim = false;
  lines = 0;
  facts = 0;
  readonly gaps: string[] = [];

  constructor(deps: ReconciliationDeps, at: StageRun, feed: string, actor: ActorRef) {
    this.#deps = deps;
    this.#at = at;
    this.#feed = feed;
    this.#actor = actor;
  }

  async take(event: LineEvent): Promise<void> {
    this.lines += 1;
    const place = { ordinal: this.lines, isInterim: this.isInterim };
    this.#waiting.push(bankLineOf(this.#feed, event, place));
    if (this.#waiting.length >= LINE_GROUP) await this.flush();
  }

  async flush(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    const first = this.lines - group.length + 1;
    this.facts += 1;
    const ct = await this.#deps.store.record(this.#at, {
      type: 'feed.lines',
      actor: this.#actor,
      subject: { kind: 'grant_feed', id: this.#feed, ver: this.facts },
      data: { first, last: this.lines },
      body: {
        about: this.#feed,
        canonical: canonicalBytes(group.map(fieldsOfLine)),
      },
    });
    const place = { feed: this.#feed, n: this.#groups, ct: ct ?? '' };
    await addLines(
      this.#at,
      place,
      group.map((line, index) => ({
        ordinal: first + index,
        account: line.account,
        bookedOn: formatDay(line.bookingDate),
        cents: line.amountCents,
        currency: line.currency,
        direction: line.direction,
        status: line.status,
        nativeId: line.nativeId,
        place: line.source.line,
        statement: line.statement,
        announced: isHint(line),
      })),
    );
    this.#groups += 1;
  }

  async endStatement(event: StatementEndEvent): Promise<void> {
    const { account, opening, closing, number, page, ordinal } = event;
    const from = event.from ?? opening?.on;
    const to = event.to ?? closing?.on;
    // An interim report is no statement: its lines come again.
    if (account === undefined || from === undefined || to === undefined || event.isInterim) return;
    const statement: StoredStatement = {
      account,
      currency: event.currency,
      number,
      page,
      from: formatDay(from),
      to: formatDay(to),
      statementId: event.statementId,
      hasPageBefore: event.hasPageBefore,
      hasPageAfter: event.hasPageAfter,
      doubt: event.doubt,
      openingCents: opening?.amountCents,
      closingCents: closing?.amountCents,
    };
    const before = await statementBefore(this.#at, statement);
    const continuity = checkContinuity(
      before === undefined ? undefined : { ...before, closing: balanceOf(before, to) },
      event,
    );
    if (continuity.kind === 'broken') {
      this.gaps.push(...continuity.findings.map(({ reason }) => `${account}: ${reason}`));
    }
    await addStatement(this.#at, { feed: this.#feed, ordinal }, statement);
  }
}

function balanceOf(statement: StoredStatement, on: Day) {
  const { closingCents, currency } = statement;
  if (closingCents === undefined || currency === undefined) return undefined;
  return { amountCents: closingCents, currency, on };
}
