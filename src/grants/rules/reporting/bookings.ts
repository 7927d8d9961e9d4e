/** What a reader of a report must know of single bookings: what was taken back, and what of an award has not come yet. */
import type { AcceptedAward } from '../intake/ingest.ts';
import { inDollars } from './figure.ts';
import type { ReceivedMoney } from './received.ts';

/** Remarks of one kind that are told; the trace of a figure has all of them. */
const TOLD_MAX = 50;

/** One for each booking that took money back; its payment stays counted where it was. */
export function returnRemarks(received: readonly ReceivedMoney[]): readonly string[] {
  const back = received.filter(({ part }) => part.cents < 0n);
  const total = back.reduce((sum, { part }) => sum + part.cents, 0n);
  const told = back.slice(0, TOLD_MAX).map(({ part, award, receivedOn, takesBack }) => {
    const payment =
      takesBack === undefined ? 'an earlier payment' : `the payment ${short(takesBack)}`;
    return `award ${nameOf(award)}: ${inDollars(-part.cents)} was reversed on ${receivedOn} and is deducted here; ${payment} stays in the period in which it was received`;
  });
  return back.length === 0
    ? []
    : [...told, `deducted for returns: ${inDollars(-total)} in ${count(back.length, 'booking')}`];
}

interface OpenAward {
  readonly award: AcceptedAward;
  readonly receivedCents: bigint;
}

/** Awards of which some has come, and not all. */
export function remainderRemarks(open: readonly OpenAward[], until: string): readonly string[] {
  const told = open.slice(0, TOLD_MAX).map(({ award, receivedCents }) => {
    const promised = BigInt(Number(award.payload['award_amount']));
    return `award ${nameOf(award)}: ${inDollars(receivedCents)} of ${inDollars(promised)} received through ${until}; ${inDollars(promised - receivedCents)} is still expected and not in any figure`;
  });
  const untold = open.length - told.length;
  return untold > 0 ? [...told, `and ${untold} more awards that are partly unpaid`] : told;
}

/** Its own number; without one the key of its record. */
export function nameOf({ payload, metadata }: AcceptedAward): string {
  const { award_id: id } = payload;
  return typeof id === 'string' ? id : metadata.idempotency_key;
}

/** As `grants resolve` takes it. */
function short(line: string): string {
  return line.replace(/^([0-9a-f]{8})[0-9a-f]*#/, '$1#');
}

function count(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}
