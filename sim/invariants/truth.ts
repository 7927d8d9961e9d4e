/** What we say against what the portal truly did. */
import { type Rule, short } from './book.ts';

const recordMatchesTruth: Rule = {
  name: 'record_matches_truth',
  check: ({ evidence }) =>
    evidence.rows.flatMap((row) => {
      const { key, lane } = row.envelope;
      const taken = evidence.acceptances.filter((one) => one.key === key && one.lane === lane);
      const name = `${short(key)} on ${lane}`;
      if (row.status === 'accepted') {
        if (taken.length === 0)
          return [`${name} is recorded as accepted, and the portal has nothing`];
        if (taken.every(({ receipt }) => receipt !== row.receipt)) {
          return [`${name} has the receipt ${row.receipt}, the portal gave another`];
        }
      }
      if (row.status === 'rejected' && taken.length > 0) {
        return [`${name} is recorded as rejected, and the portal has accepted it`];
      }
      return [];
    }),
};

/** One receipt proves one filing; whoever comes with it second has proven nothing. */
const receiptOnce: Rule = {
  name: 'receipt_once',
  check: ({ evidence }) => {
    const owners = new Map<string, string>();
    return evidence.rows.flatMap(({ status, receipt, envelope }) => {
      if (status !== 'accepted') return [];
      const name = `${envelope.lane} ${receipt}`;
      const owner = owners.get(name);
      owners.set(name, envelope.key);
      if (owner === undefined) return [];
      return [
        `${short(envelope.key)} and ${short(owner)} are accepted with the receipt ${receipt}`,
      ];
    });
  },
};

/** A person who replays must be told to ask first: an exception hides no acceptance without saying that it may. */
const unsettledIsMarked: Rule = {
  name: 'unsettled_is_marked',
  check: ({ evidence }) =>
    evidence.rows.flatMap((row) => {
      const { key, id } = row.envelope;
      const taken = evidence.acceptances.some((one) => one.key === key);
      if (row.status !== 'fallout' || !taken) return [];
      const last = evidence.exceptions.findLast((exception) => exception.filing === id);
      return last?.unsettled === undefined
        ? [`${short(key)} fell out (${last?.reason}) as settled, and the portal has accepted it`]
        : [];
    }),
};

export const TRUTH_RULES: readonly Rule[] = [recordMatchesTruth, receiptOnce, unsettledIsMarked];
