/** Every filing comes to an end that a person can see, by legal steps, in time. */
import { type Book, type Rule, short } from './book.ts';

/** Typed from design § 1; the product's own table is not looked at. */
const LEGAL = new Set([
  '->pending',
  'pending->submitted',
  'pending->fallout',
  'submitted->pending',
  'submitted->submitted',
  'submitted->accepted',
  'submitted->rejected',
  'submitted->fallout',
  'rejected->pending',
  'rejected->accepted',
  'fallout->pending',
  'fallout->accepted',
  'fallout->rejected',
]);
const ENDS = new Set(['accepted', 'rejected', 'fallout']);

const noLoss: Rule = {
  name: 'no_loss',
  check: ({ evidence }) =>
    evidence.filings.flatMap((filing) => {
      const row = evidence.rows.find((other) => other.envelope.id === filing.id);
      if (row === undefined) return [`filing ${short(filing.key)} is gone`];
      if (ENDS.has(row.status)) return [];
      return [
        `filing ${short(filing.key)} on ${filing.lane} is still ${row.status}, held by ${row.holder ?? 'nobody'}`,
      ];
    }),
};

const legalTransitions: Rule = {
  name: 'legal_transitions',
  check: (book) =>
    book.evidence.filings.flatMap((filing) => {
      let from = '';
      return book.versions(filing.id).flatMap(({ at, row }) => {
        const step = `${from}->${row.status}`;
        const isSame = from === row.status;
        from = row.status;
        return isSame || LEGAL.has(step) ? [] : [`${short(filing.key)}: ${step} at ${book.at(at)}`];
      });
    }),
};

/** `accepted` is final: no later version of the row says anything else. */
const acceptedIsFinal: Rule = {
  name: 'accepted_is_final',
  check: (book) =>
    book.evidence.filings.flatMap((filing) => {
      const versions = book.versions(filing.id);
      const first = versions.findIndex(({ row }) => row.status === 'accepted');
      const after = first < 0 ? [] : versions.slice(first + 1);
      return after.length === 0 ? [] : [`${short(filing.key)} changed after it was accepted`];
    }),
};

const outboxOnce: Rule = {
  name: 'outbox_once',
  check: ({ evidence }) =>
    evidence.rows.flatMap((row) => {
      const events = evidence.outbox.filter((event) => event.filing === row.envelope.id).length;
      const wanted = row.status === 'accepted' ? 1 : 0;
      if (events === wanted) return [];
      return [`${short(row.envelope.key)} is ${row.status} and has ${events} events`];
    }),
};

/**
 * A filing whose last safe moment passes lies with a person soon after. Soon: the longest a request may still take, and
 * two leases, and one more for each holder that died with it in hand; time in which the database was away or nobody ran
 * is not counted, since nobody could have written it down.
 */
const lateInSilence: Rule = {
  name: 'late_in_silence',
  check: (book) => {
    const { evidence } = book;
    return evidence.filings.flatMap((filing) => {
      const versions = book.versions(filing.id);
      const deaths = versions.filter(
        ({ at, row }) => row.claim === 'orphan' && at > filing.lastSafe,
      ).length;
      const { timeoutMs } = book.profile(filing.lane);
      const boundMs = (2 + deaths) * evidence.leaseMs + timeoutMs + 5_000;
      const end = versions.find(({ row }) => ENDS.has(row.status));
      const endAt = end?.at ?? evidence.endMs;
      const lateMs = endAt - filing.lastSafe - book.deadMs(filing.lastSafe, endAt);
      if (lateMs <= boundMs) return [];
      return [
        `${short(filing.key)} on ${filing.lane} was open until ${book.at(endAt)}, ${Math.round(lateMs)} ms after its last safe moment`,
      ];
    });
  },
};

const noBrokenAssumption: Rule = {
  name: 'no_broken_assumption',
  check: ({ evidence }: Book) => evidence.crashes,
};

export const END_RULES: readonly Rule[] = [
  noBrokenAssumption,
  noLoss,
  legalTransitions,
  acceptedIsFinal,
  outboxOnce,
  lateInSilence,
];
