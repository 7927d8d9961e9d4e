/** Whose data key a docket is sealed under, and which of these keys a legal hold keeps. Pure. */
import { mayBe, nameOf } from '../identity/names.ts';

const DOCKETS = 'docket/';
/** No client has this name; a hold on any client keeps these, since it may be the one that nobody wrote down. */
const UNKNOWN_CLIENT = 'unknown client/';

/** The client's as it was written, or that of the one matter where no client is known: destroyed together. */
export function keptUnder(docket: {
  readonly client?: string | undefined;
  readonly applicationNumber?: string | undefined;
}): string {
  const { client, applicationNumber } = docket;
  return `${DOCKETS}${client ?? `${UNKNOWN_CLIENT}${applicationNumber ?? 'unread'}`}`;
}

function isOfDockets(subject: string): boolean {
  return subject.startsWith(DOCKETS);
}

/**
 * Whether a hold on one subject keeps the key of another. What is destroyed cannot be had back, and what is kept too long
 * can be destroyed later; so it goes by who may be meant, as a wall does: any legal form, letters that look alike, each
 * of several names. Where nobody can tell who is meant, on either side, or no client is known, the key is kept.
 */
export function mayHold(hold: string, subject: string): boolean {
  if (hold === subject) return true;
  if (!isOfDockets(hold) || !isOfDockets(subject)) return false;
  const [held, found] = [hold, subject].map((one) => one.slice(DOCKETS.length));
  if (held === undefined || found === undefined || isNoClient(found)) return true;
  const [wanted, name] = [nameOf(held), nameOf(found)];
  // A hold may name several, or a former name: each counts.
  return (
    mayBe(wanted, name) ||
    [...wanted.others].some((one) => name.looks.has(one) || name.others.has(one))
  );
}

/** Digits alone are a number of an application, whatever field they came in. */
function isNoClient(found: string): boolean {
  return found.startsWith(UNKNOWN_CLIENT) || !/\p{L}/u.test(found);
}
