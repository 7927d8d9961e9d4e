/** From what a person types to what closes a docket: exactly one kind of ground, and all of it. */
import type { ClosingGround } from '../../dockets/index.ts';
import type { Actor } from '../../access/index.ts';
import { ledgerHistory } from '../../oversight/index.ts';
import { showFiling } from '../../filings/index.ts';
import type { Filewright } from '../../filewright.ts';
import { FilewrightError, type Instant, misuse, parseRfc3339, sha256Of } from '../../core/index.ts';
import { checkUuid, readNamedFile } from '../arguments.ts';

/** A filing that was tried more often than this is not what proves anything. */
const HISTORY_MAX = 10_000;

export interface CloseOptions {
  readonly filing?: string;
  readonly receipt?: string;
  readonly document?: string;
  readonly filedAt?: string;
  readonly override?: string;
  readonly seen?: true;
}

export async function closingRequest(
  app: Filewright,
  actor: Actor,
  own: CloseOptions,
): Promise<ClosingGround> {
  const { filing, receipt, document, override, seen } = own;
  const given = [filing, receipt, document, override, seen].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw misuse('Expected exactly one of --filing, --receipt, --document, --override and --seen');
  }
  if (own.filedAt !== undefined && receipt === undefined && document === undefined) {
    throw misuse('--filed-at is used with --receipt or --document');
  }
  if (override !== undefined) return { kind: 'override', reason: override };
  if (seen === true) return { kind: 'seen' };
  if (filing !== undefined) return filingProof(app, actor, filing);
  const filedAt = readFiledAt(own.filedAt);
  if (receipt !== undefined) return { kind: 'proof', receipt, filedAt };
  const bytes = readNamedFile('document', document ?? '');
  const sha256 = sha256Of(bytes);
  return { kind: 'proof', receipt: `document sha256:${sha256}`, filedAt };
}

/** What this installation filed itself: accepted, with the receipt and the moment from the ledger. */
async function filingProof(app: Filewright, actor: Actor, id: string): Promise<ClosingGround> {
  checkUuid('--filing', id);
  const { filing } = await showFiling(app, actor, id);
  const { lines } = await ledgerHistory(app, actor, { filing: filing.id }, HISTORY_MAX);
  const accepted = lines.findLast(({ facts }) => facts['to'] === 'accepted');
  const filedAt = accepted === undefined ? undefined : parseRfc3339(accepted.at);
  if (filing.status !== 'accepted' || filing.receipt === undefined || filedAt === undefined) {
    throw new FilewrightError(
      'PROOF_NEEDED',
      `Filing ${filing.id} is ${filing.status} and does not prove filing yet`,
    );
  }
  return { kind: 'proof', receipt: `filing ${filing.id}: ${filing.receipt}`, filedAt };
}

function readFiledAt(text: string | undefined): Instant {
  const filedAt = text === undefined ? undefined : parseRfc3339(text);
  if (filedAt !== undefined) return filedAt;
  throw misuse(
    text === undefined
      ? '--receipt and --document need --filed-at'
      : `--filed-at: expected an instant such as 2027-01-29T15:04:00Z, found "${text}"`,
  );
}
