/** Our awards against the grantor's own ledger: each difference in words. */
import type { ExpectedPayment } from '../../rules/matching/bank-line.ts';

/** Frozen when the verification begins; a retry asks about nothing else. */
export type AskedAwards = {
  readonly grantor: string;
  readonly awards: readonly {
    readonly key: string;
    readonly payload_hash: string;
    readonly cents: number;
    readonly reference: string | null;
  }[];
};

/** By reference, and without one by amount. Each line of the ledger answers for one award. */
export function compareLedgers(
  question: AskedAwards,
  expectedPayments: readonly ExpectedPayment[],
): readonly string[] {
  const open = [...expectedPayments];
  const take = (
    isIt: (expectedPayment: ExpectedPayment) => boolean,
  ): ExpectedPayment | undefined => {
    const place = open.findIndex(isIt);
    return place < 0 ? undefined : open.splice(place, 1)[0];
  };
  const differences: string[] = [];
  // Those with a reference first: one without takes whatever is left of its amount.
  const inOrder = question.awards.toSorted(
    (one, other) => Number(one.reference === null) - Number(other.reference === null),
  );
  for (const { key, cents, reference } of inOrder) {
    const found =
      reference === null
        ? take(({ amountCents }) => amountCents === cents)
        : (take((one) => one.reference === reference && one.amountCents === cents) ??
          take((one) => one.reference === reference));
    if (found === undefined) {
      differences.push(
        `award ${key} (${reference ?? `${cents} cents`}) is not in the grantor's ledger`,
      );
    } else if (found.amountCents !== cents) {
      differences.push(
        `award ${key}: ${cents} cents were awarded, the grantor's ledger says ${found.amountCents}`,
      );
    }
  }
  for (const { id, amountCents } of open) {
    differences.push(
      `the grantor's ledger has ${id} with ${amountCents} cents, for which there is no award`,
    );
  }
  return differences;
}
