/**
 * A slip in what was recorded of a filing by hand: the number, the time or the fee. One person proposes what is right, another
 * approves it by its hash; the first outcome stays in the log, and the filing stays accepted.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  filingId,
  FilewrightError,
  type Instant,
  type ProposalTerms,
  receiptSpelling,
  ruledOut,
  termText,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChange,
  refuseChange,
  type StoredProposal,
} from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { filedAtFault, receiptFault } from '../rules/confirmation.ts';
import { type FilingView, findFiling } from '../store/filings.ts';
import { correctReceipt, findInHand } from '../store/hand.ts';
import { giveReceipt, receiptHolder } from '../store/receipts.ts';

interface HandCorrection {
  readonly filing: string;
  readonly receipt: string | undefined;
  readonly filedAt: Instant | undefined;
  readonly feeCents: number | undefined;
  readonly reason: string;
}

export async function proposeHandCorrection(
  app: Installation,
  actor: Actor,
  wanted: HandCorrection,
): Promise<{ readonly filing: FilingView; readonly sha256: string }> {
  allow(actor, 'hand.correct');
  const filing = await findFiling(app.session, app.tenant, wanted.filing);
  requireByHand(filing);
  const { receipt = filing.receipt ?? '', filedAt, feeCents, reason } = wanted;
  if (receipt === filing.receipt && filedAt === undefined && feeCents === undefined) {
    throw ruledOut(`Filing ${filing.id} has the receipt ${receipt} already; nothing would change`);
  }
  const profile = (await profilesByLane(app)).get(filing.lane);
  const now = app.clock.now();
  const faults = [
    profile === undefined ? undefined : receiptFault(receipt, profile),
    filedAt === undefined
      ? undefined
      : filedAtFault(filedAt, {
          now,
          notBefore: filing.notBefore,
          firstSent: undefined,
          zone: profile?.hours?.zone ?? 'UTC',
        }),
  ].flatMap((why) => (why === undefined ? [] : [why]));
  if (faults.length > 0) throw new FilewrightError('CASE_INVALID', faults.join('; '));
  const number = { number: receipt, spelling: receiptSpelling(receipt) };
  const run: Run = (statement, values) => app.session.run(statement, values);
  const holder = await receiptHolder(run, app.tenant, filing.id, number);
  if (holder !== undefined) throw receiptOfAnother(receipt, holder);
  const terms: ProposalTerms = {
    former_receipt: filing.receipt ?? '',
    receipt,
    filed_at: filedAt === undefined ? undefined : toRfc3339(filedAt),
    fee_cents: feeCents,
  };
  const { sha256 } = await proposeChange(app, actor, {
    kind: 'hand',
    subject: filing.id,
    terms,
    reason,
  });
  return { filing, sha256 };
}

export async function handCorrections(
  app: Installation,
  actor: Actor,
): Promise<readonly ChangeView[]> {
  allow(actor, 'hand.corrections');
  return openChanges(app, 'hand');
}

export async function approveHandCorrection(
  app: Installation,
  actor: Actor,
  input: { readonly filing: string; readonly expectHash: string },
): Promise<{ readonly filing: string; readonly receipt: string }> {
  allow(actor, 'hand.approve');
  const { filing, expectHash } = input;
  const done = await approveChange(app, actor, {
    kind: 'hand',
    subject: filing,
    expectHash,
    make: (run, approved) => correct(run, app, actor, approved),
    event: () => ({
      kind: 'receipt_changed',
      subject: filing,
      severity: 'warning',
      did: `approved a correction of what was recorded of filing ${filing}`,
    }),
  });
  return { filing, receipt: termText(done.terms, 'receipt') };
}

export async function refuseHandCorrection(
  app: Installation,
  actor: Actor,
  input: { readonly filing: string; readonly reason: string },
): Promise<void> {
  allow(actor, 'hand.refuse');
  const { filing, reason } = input;
  await refuseChange(app, actor, { kind: 'hand', subject: filing, reason });
}

async function correct(
  run: Run,
  app: Installation,
  actor: PersonActor,
  { subject, terms, proposedBy, reason }: StoredProposal,
): Promise<void> {
  const { filing } = await findInHand(run, app.tenant, filingId(subject));
  requireByHand(filing);
  const [former, receipt] = [termText(terms, 'former_receipt'), termText(terms, 'receipt')];
  if (filing.receipt !== former) {
    throw new FilewrightError(
      'PROPOSAL_STALE',
      `Filing ${filing.id} has another receipt than when this was proposed; refuse it and propose it again`,
    );
  }
  const owner = await giveReceipt(run, app.tenant, filing.id, {
    number: receipt,
    spelling: receiptSpelling(receipt),
  });
  if (owner !== filing.id) {
    throw receiptOfAnother(receipt, owner);
  }
  const { filed_at: filedAt, fee_cents: feeCents } = terms;
  const fact = userFact(app, 'filing.state', actor, {
    cause: 'hand_correct',
    lane: filing.lane,
    receipt,
    former_receipt: former,
    ...(filedAt === undefined ? {} : { filed_at: filedAt }),
    ...(feeCents === undefined ? {} : { fee_cents: feeCents }),
    proposed_by: proposedBy,
    reason,
  });
  await correctReceipt(run, app.tenant, filing.id, receipt, fact);
}

/** Two numbers that were exchanged would otherwise keep each other for ever. */
function receiptOfAnother(receipt: string, owner: string): FilewrightError {
  return ruledOut(
    `Receipt ${receipt} is already on record for filing ${owner}; one receipt proves one filing. If that one is the slip, correct it first; if the two were exchanged, first correct one of them to a number that no filing has`,
  );
}

function requireByHand(filing: FilingView): void {
  if (filing.status === 'accepted' && filing.code === 'FILED_BY_HAND') return;
  throw ruledOut(
    `Filing ${filing.id} is ${filing.status}; only what a person recorded as filed by hand is corrected here`,
  );
}
