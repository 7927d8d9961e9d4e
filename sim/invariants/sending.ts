/** What reaches a portal: the right bytes under the right key, once, by a worker that may, after a committed intent. */
import { type Book, isSynthetic, type Post, type Rule, short } from './book.ts';

/** Design § 5: a worker whose clock is further off refuses to send; it learns so with each heartbeat. */
const SKEW_MS_MAX = 2_000;
/** An answer of the database may take this long, which a worker cannot tell from a clock that is off. */
const SKEW_TOLERANCE_MS = 2_600;

const acceptedOnce: Rule = {
  name: 'accepted_once',
  check: ({ evidence }) =>
    evidence.filings.flatMap((filing) => {
      const times = evidence.acceptances.filter(({ key }) => key === filing.key);
      // A notice must not fail to happen; its receivers drop repeats by the message id, which is the key.
      if (times.length <= 1 || filing.effect === 'notice') return [];
      return [`${short(filing.key)} was accepted ${times.length} times on ${filing.lane}`];
    }),
};

const noSendAfterAcceptance: Rule = {
  name: 'no_send_after_known_acceptance',
  check: (book) =>
    book.evidence.filings.flatMap((filing) => {
      const known = book.versions(filing.id).find(({ row }) => row.status === 'accepted');
      if (known === undefined) return [];
      return (book.postsByKey.get(filing.key) ?? [])
        .filter((post) => post.writtenAt > known.at)
        .map((post) => `${short(filing.key)} sent at ${book.at(post.writtenAt)}`);
    }),
};

const oneKey: Rule = {
  name: 'one_key',
  check: (book) => {
    const byPayload = new Map(book.evidence.filings.map((one) => [one.payloadSha256, one]));
    return allPosts(book).flatMap((post) => {
      const filing = byPayload.get(post.bodySha256);
      if (filing === undefined || filing.key === post.key) return [];
      return [`the payload of ${short(filing.key)} was sent under ${short(post.key)}`];
    });
  },
};

const sessionIsolation: Rule = {
  name: 'session_isolation',
  check: ({ evidence, filingByKey }) =>
    evidence.flights
      .filter(({ key }) => key !== '' && !isSynthetic(key))
      .filter(({ key, lane }) => filingByKey.get(key)?.lane !== lane)
      .map(({ key, lane }) => `${short(key)} reached ${lane}`),
};

const hashConstant: Rule = {
  name: 'hash_constant',
  check: (book) =>
    allPosts(book).flatMap((post) => {
      const filing = book.filingByKey.get(post.key);
      if (filing === undefined || filing.payloadSha256 === post.bodySha256) return [];
      return [`${short(post.key)} was sent with other bytes at ${book.at(post.writtenAt)}`];
    }),
};

const intentBeforeEffect: Rule = {
  name: 'intent_before_effect',
  check: (book) => {
    const used = new Set<string>();
    // A synthetic filing is none of ours to file: the recovery of its lane is what was committed before it.
    const posts = allPosts(book).filter(({ key }) => !isSynthetic(key));
    return posts.flatMap((post) => {
      const attempt = book.attemptOf(post);
      const name = `${short(post.key)} written at ${book.at(post.writtenAt)}`;
      if (attempt === undefined) return [`${name} without an intent`];
      if (attempt.action !== 'send' && attempt.action !== 'resend') {
        return [`${name} under an intent to ${attempt.action}`];
      }
      if (used.has(attempt.id)) return [`${name} under an intent that was used before`];
      used.add(attempt.id);
      return [];
    });
  },
};

const notBefore: Rule = {
  name: 'not_before',
  check: (book) =>
    allPosts(book).flatMap((post) => {
      const filing = book.filingByKey.get(post.key);
      if (filing === undefined || post.writtenAt >= filing.notBefore) return [];
      return [`${short(post.key)} was sent before its first moment`];
    }),
};

/** "No retry runs past the last safe moment": then the filing is a person's, who must not find it sent behind his back. */
const inTime: Rule = {
  name: 'sent_in_time',
  check: (book) =>
    allPosts(book).flatMap((post) => {
      const filing = book.filingByKey.get(post.key);
      const lateMs = filing === undefined ? 0 : post.writtenAt - filing.lastSafe;
      if (lateMs <= SKEW_TOLERANCE_MS / 2) return [];
      return [`${short(post.key)} was sent ${lateMs} ms after its last safe moment`];
    }),
};

const clockSkew: Rule = {
  name: 'clock_skew',
  check: (book) =>
    allPosts(book)
      .filter(
        (post) =>
          Math.abs(post.skewMs) > SKEW_MS_MAX + SKEW_TOLERANCE_MS &&
          post.skewForMs > book.evidence.leaseMs,
      )
      .map((post) => `${short(post.key)} was sent by a clock ${post.skewMs} ms off`),
};

/** By the database's own rows: whoever writes a request, of any kind, has a lease that is not over. */
const leaseAtWrite: Rule = {
  name: 'lease_at_write',
  check: (book) =>
    book.evidence.flights.flatMap((flight) => {
      const { writtenAt, pid, lane, endpoint } = flight;
      if (writtenAt === undefined) return [];
      const last = new Map<string, number>();
      for (const { at, row } of book.evidence.workerVersions) {
        if (at > writtenAt) break;
        if (row.pid === pid) last.set(row.id, row.endedAt ?? row.expiresAt);
      }
      if ([...last.values()].some((endsAt) => endsAt >= writtenAt)) return [];
      return [`${endpoint} to ${lane} by ${pid} at ${book.at(writtenAt)} without a lease`];
    }),
};

function allPosts(book: Book): readonly Post[] {
  return [...book.postsByKey.values()].flat();
}

export const SENDING_RULES: readonly Rule[] = [
  acceptedOnce,
  noSendAfterAcceptance,
  oneKey,
  sessionIsolation,
  hashConstant,
  intentBeforeEffect,
  notBefore,
  inTime,
  clockSkew,
  leaseAtWrite,
];
