/** What may follow an answer: a question after 409, proof before another send, and an end to trying. */
import type { Flight } from '../evidence.ts';
import { type Book, type Post, type Rule, short } from './book.ts';

/** Commits lag behind decisions by the delays of the database line. */
const COMMIT_LAG_MS = 6_000;

const conflictAsksFirst: Rule = {
  name: 'conflict_asks_first',
  check: (book) =>
    eachPair(book, (before, next) => {
      if (!isAnswer(before, 409)) return undefined;
      // An answer that died with its worker is not known to anybody; then the send is settled as unknown.
      const recorded = book.outcomeOf(before);
      if (recorded === undefined) return undefined;
      const asked = (book.asksByKey.get(before.key) ?? []).some(
        ({ writtenAt }) =>
          writtenAt !== undefined && writtenAt >= recorded.at && writtenAt <= next.writtenAt,
      );
      return asked ? undefined : 'was sent again after 409 without a question';
    }),
};

const noBlindResend: Rule = {
  name: 'no_blind_resend',
  check: (book) =>
    eachPair(book, (before, next, first) => {
      const profile = book.profile(next.lane);
      if (profile.effect === 'notice') return undefined;
      const { honouredMs } = profile.idempotency;
      if (next.writtenAt - first.writtenAt <= honouredMs) return undefined;
      return isRefusedUnread(book, before) || isProvenAbsent(book, before, next)
        ? undefined
        : 'was sent again without proof that nothing was accepted';
    }),
};

const retryBounds: Rule = {
  name: 'retry_bounds',
  check: (book) => [...tooManyInARow(book), ...tooLong(book)],
};

/** Failures that use up the budget; a question that tells nothing has the same one of its own. */
const FAILING = new Set(['transient', 'unknown', 'session', 'drift']);
const ANSWERING = new Set(['received', 'status_processing']);

function tooManyInARow(book: Book): string[] {
  return book.evidence.filings.flatMap((filing) => {
    const { inARowMax } = book.profile(filing.lane).retry;
    let sends = 0;
    let questions = 0;
    return book.outcomes(filing.id).flatMap(({ verdict, no }) => {
      if (FAILING.has(verdict)) sends += 1;
      if (ANSWERING.has(verdict)) sends = 0;
      if (verdict === 'status_unclear') questions += 1;
      else if (verdict.startsWith('status_') && verdict !== 'status_throttled') questions = 0;
      if (sends <= inARowMax && questions <= inARowMax) return [];
      return [`${short(filing.key)} failed ${Math.max(sends, questions)} times in a row at ${no}`];
    });
  });
}

function tooLong(book: Book): string[] {
  return book.evidence.filingVersions.flatMap(({ at, row }) => {
    const { failingSince, nextAt, envelope } = row;
    if (failingSince === undefined || nextAt === undefined) return [];
    const { totalMsMax } = book.profile(envelope.lane).retry;
    const slackMs = COMMIT_LAG_MS + book.deadMs(failingSince, at);
    if (nextAt - failingSince <= totalMsMax + slackMs) return [];
    return [
      `${short(envelope.key)} still tries ${nextAt - failingSince} ms after it began to fail`,
    ];
  });
}

/** Calls with each submission of a key and the one before it; `first`: the earliest that is not proven void. */
function eachPair(
  book: Book,
  judge: (before: Post, next: Post, first: Post) => string | undefined,
): string[] {
  return [...book.postsByKey.values()].flatMap((posts) => {
    let first = posts[0];
    return posts.slice(1).flatMap((next, index) => {
      const before = posts[index];
      if (before === undefined || first === undefined) return [];
      const fault = judge(before, next, first);
      const isVoid = before === first && isRefusedUnread(book, before);
      if (isVoid || isProvenAbsent(book, before, next)) first = next;
      return fault === undefined
        ? []
        : [`${short(next.key)} ${fault} at ${book.at(next.writtenAt)}`];
    });
  });
}

/** A throttle of a portal whose profile says that it did not look at what it throttles (design § 4). */
function isRefusedUnread(book: Book, post: Post): boolean {
  const { exchange } = post;
  if (book.profile(post.lane).throttle.provesNothingTaken !== true) return false;
  if (exchange?.kind !== 'answer' || exchange.bodyEnd === 'cut') return false;
  const { status, headers } = exchange;
  if (status === 429) return true;
  if (status === 503) return headers['retry-after'] !== undefined;
  const isMarked = Buffer.from(exchange.body).toString('latin1').includes('captcha-box');
  return status === 403 && (headers['x-ratelimit-reset'] !== undefined || isMarked);
}

/** Two answers "not found" of the portal itself, spaced by more than its lag, after its longest service. */
function isProvenAbsent(book: Book, before: Post, next: Post): boolean {
  const profile = book.profile(before.lane);
  const { status } = profile;
  if (status === undefined) return false;
  const answers = (book.asksByKey.get(before.key) ?? []).filter(
    (ask) => isAbsent(ask, status.notFound) && (ask.answeredAt ?? 0) <= next.writtenAt,
  );
  const earliest = before.writtenAt + profile.longestServiceMs;
  return answers.some(
    (one) =>
      (one.answeredAt ?? 0) >= earliest &&
      answers.some((two) => (two.arrivedAt ?? 0) - (one.arrivedAt ?? 0) > status.visibilityLagMs),
  );
}

function isAbsent(ask: Flight, words: readonly string[]): boolean {
  if (ask.exchange?.kind !== 'answer' || ask.exchange.bodyEnd !== 'whole') return false;
  return ask.stateWord !== undefined && words.includes(ask.stateWord);
}

function isAnswer(flight: Flight, status: number): boolean {
  return flight.exchange?.kind === 'answer' && flight.exchange.status === status;
}

export const SETTLING_RULES: readonly Rule[] = [conflictAsksFirst, noBlindResend, retryBounds];
