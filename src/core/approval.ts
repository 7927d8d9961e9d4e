/**
 * What needs a second person: one proposes exactly what will run, another approves it by its hash. Pure rules; the table
 * `proposal` in sql/0003_people.sql holds to the same by itself. What the kinds are about is said there.
 */
import { canonicalText, type JsonValue } from './canonical-json.ts';
import { FilewrightError } from './errors.ts';
import type { PersonId, Sha256Hex } from './ids.ts';
import { sha256Of } from './sha256.ts';
import { misuse } from './refusals.ts';

export type ProposalKind =
  | 'batch'
  | 'release'
  | 'replay'
  | 'correct'
  | 'exception'
  | 'statement'
  | 'hold'
  | 'person'
  | 'role'
  | 'quarantine'
  | 'lane'
  | 'hand'
  | 'webhook'
  | 'recipient'
  | 'matrix'
  | 'key'
  | 'docket'
  | 'recovery'
  | 'cancel';
export type ProposalState = 'open' | 'approved' | 'refused' | 'withdrawn';

/** What will run, apart from the filings of a review; undefined is left out. */
export type ProposalTerms = Readonly<Record<string, JsonValue | undefined>>;

interface ProposedAct {
  readonly kind: ProposalKind;
  readonly subject: string;
  readonly reason: string;
  readonly terms: ProposalTerms;
  /** One for each filing of a review, in the order of their ids. */
  readonly lines?: readonly string[];
}

/** SHA-256 of exactly what will run; the database composes the same bytes (proposal_hash) and compares. */
export function proposalHash({ kind, subject, reason, terms, lines = [] }: ProposedAct): Sha256Hex {
  const head = ['filewright proposal 1', `${kind} ${subject} ${sha256Of(reason)}`];
  return sha256Of([...head, termsText(terms), ...lines, ''].join('\n'));
}

export function termsText(terms: ProposalTerms): string {
  const known: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(terms)) if (value !== undefined) known[name] = value;
  return canonicalText(known);
}

/** A text of what was proposed; empty where there is none. */
export function termText(terms: ProposalTerms, name: string): string {
  const value = terms[name];
  return typeof value === 'string' ? value : '';
}

export interface ProposalDecision {
  /** Otherwise the proposal ends without running. */
  readonly approves: boolean;
  readonly by: PersonId;
  /** An approval may go without: it says yes to what was proposed. */
  readonly reason?: string;
  /** The hash that the person saw. */
  readonly sha256?: string;
  /** For how many days an approval to send may begin to be used. */
  readonly validDays?: number;
}

/**
 * How long an approval to send holds unless the person who gives it says otherwise. Long enough for a batch that waits for
 * its portal's window, short enough that nobody sends by a word that is forgotten.
 */
export const APPROVAL_DAYS = 30;
/** A year's filings are approved for the year at most. */
export const APPROVAL_DAYS_MAX = 366;

export function checkValidDays(days: number): number {
  if (Number.isInteger(days) && days >= 1 && days <= APPROVAL_DAYS_MAX) return days;
  throw misuse(`--valid-days: expected a number from 1 to ${APPROVAL_DAYS_MAX}, found ${days}`);
}

/** By person: the party that stands for them (access/party.ts). */
export type Parties = ReadonlyMap<string, string>;

/** Who proposed may only take it back. `what` names the thing in messages, as in "Batch 7". */
export function stateAfter(
  what: string,
  { approves, by }: Pick<ProposalDecision, 'approves' | 'by'>,
  proposedBy: PersonId,
  parties: Parties,
): Exclude<ProposalState, 'open'> {
  if (approves) checkSecondPerson(what, by, [proposedBy], parties);
  if (approves) return 'approved';
  return by === proposedBy ? 'withdrawn' : 'refused';
}

/**
 * The second person is of another party than everybody who came first: a second name or key of the same human is none.
 * Somebody whose party is not known is refused.
 */
export function checkSecondPerson(
  what: string,
  by: string,
  first: readonly string[],
  parties: Parties,
): void {
  const own = parties.get(by);
  const others = first.map((person) => parties.get(person));
  if (own !== undefined && others.every((party) => party !== undefined && party !== own)) return;
  const why = first.includes(by)
    ? 'you proposed or started it'
    : 'you and the person who proposed or started it count as one, because one of you added the other alone';
  throw new FilewrightError('SELF_APPROVAL', `${what}: ${why}; a second person must approve it`);
}

/** Short reasons ("ok", "done") explain nothing to whoever reads the ledger in three years. */
const REASON_CHARACTERS_MIN = 10;
/** Long ones belong in the file; the ledger keeps this for ever. */
const REASON_CHARACTERS_MAX = 500;

/** The one rule for a reason: 10 to 500 characters without the spaces around it, and no controls but lines and tabs. */
export function checkReason(option: string, text: string | undefined): string {
  const reason = text?.trim() ?? '';
  const { length } = Array.from(reason);
  const isPlain = !/[\p{Surrogate}\p{Cc}]/u.test(reason.replaceAll(/[\t\r\n]/g, ' '));
  if (isPlain && length >= REASON_CHARACTERS_MIN && length <= REASON_CHARACTERS_MAX) return reason;
  const found = isPlain ? `${length}` : 'control characters';
  throw misuse(
    `${option}: expected a text of ${REASON_CHARACTERS_MIN} to ${REASON_CHARACTERS_MAX} characters, found ${found}`,
  );
}
