/**
 * What has come of a filing that a person has, or that somebody looked for. One transaction under the lock of the filing: the end
 * of the taking, the outcome with its evidence, the receipt, the change of status and their facts, or nothing.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  canonicalBytes,
  decodeJson,
  type EntryId,
  entryId,
  FilewrightError,
  type Instant,
  type JsonValue,
  type LedgerFact,
  overLimit,
  pointer,
  type Profile,
  receiptSpelling,
  ruledOut,
  sha256Of,
  shownTime,
  toRfc3339,
  userFact,
  type WrappedKey,
} from '../../core/index.ts';
import { dataKeys, type Installation, sequenceAll } from '../../ledger/index.ts';
import { readProfile } from '../../lanes/index.ts';
import type { Run } from '../../postgres/index.ts';
import { exceptionEnvelope } from '../delivery/evidence.ts';
import {
  CONFIRMATION_BYTES_MAX,
  feeFault,
  fileKind,
  filedAtFault,
  isOwnSheet,
  receiptFault,
} from '../rules/confirmation.ts';
import { decideHand, type HandDecision, type HandOutcome, type HandWord } from '../rules/hand.ts';
import { history } from '../store/delivery-store.ts';
import { type FilingView, findFiling, findPayload } from '../store/filings.ts';
import {
  endAttempt,
  endTaking,
  type HandFiling,
  keepConfirmation,
  lockInHand,
  look,
} from '../store/hand.ts';
import { giveReceipt } from '../store/receipts.ts';
import { refusalOf } from './hand.ts';
import type { Evidence } from './reviews-closing.ts';

export type HandSaying =
  | {
      readonly kind: 'filed';
      readonly receipt: string;
      readonly filedAt: Instant;
      readonly feeCents: number | undefined;
      /** Why another fee was paid than the one that was approved. */
      readonly feeReason?: string;
      readonly evidence: Evidence;
      /** The office gave one file for several filings: the person says so. */
      readonly isShared?: boolean;
      /** Where it was found, by somebody who looked. */
      readonly place?: string;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly words: string }
  | { readonly kind: 'not_filed' | 'unsure'; readonly reason: string }
  | { readonly kind: 'absent'; readonly place: string; readonly lookedAt: Instant };

export interface Said {
  readonly filing: FilingView;
  readonly outcome: HandOutcome;
  /** Not refused, and worth a second look. */
  readonly notes: readonly string[];
  readonly evidenceSha256: string | undefined;
}

const CODE = /^[A-Z0-9][A-Z0-9_.-]{0,39}$/;

export async function sayInHand(
  app: Installation,
  actor: Actor,
  name: string,
  saying: HandSaying,
  options: { readonly dryRun?: boolean } = {},
): Promise<Said> {
  allow(actor, 'hand.say');
  const filing = await findFiling(app.session, app.tenant, name);
  const prepared = await prepare(app, filing, saying);
  let said: Said | undefined;
  const saved = app.session.transaction(async (run) => {
    const held = await lockInHand(run, app.tenant, filing.id);
    said = await record(run, { app, actor, held, saying, prepared });
    if (options.dryRun === true) throw new Undone();
  });
  await saved.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  if (options.dryRun !== true) await sequenceAll(app);
  if (said === undefined) throw new Error('a transaction ended without its answer');
  return said;
}

/** A dry run does everything, and then takes it back. */
class Undone extends Error {}

/** What is read before anything is locked: one connection carries both, and a payload is opened without others waiting. */
interface Prepared {
  readonly key: WrappedKey;
  readonly payload: Uint8Array | undefined;
  readonly file: { readonly bytes: Uint8Array; readonly sha256: string } | undefined;
  readonly envelope: ((code: string, trace: string) => Uint8Array) | undefined;
}

async function prepare(
  app: Installation,
  filing: FilingView,
  saying: HandSaying,
): Promise<Prepared> {
  const { session, tenant, vault } = app;
  const month = toRfc3339(app.clock.now()).slice(0, 7);
  const keys = await dataKeys(session, { tenant, month }, [filing.entityId], () =>
    vault.newKey(month),
  );
  const key = keys.get(filing.entityId);
  if (key === undefined) throw new Error(`no data key for ${month}`);
  const opens = saying.kind === 'refused' || saying.kind === 'filed';
  const payload = opens ? vault.open(await findPayload(session, tenant, filing.id)) : undefined;
  const attempts = saying.kind === 'refused' ? await history(session, tenant, filing.id) : [];
  const envelope = (reason: string, trace: string): Uint8Array =>
    exceptionEnvelope({
      filing,
      payload,
      reason,
      exchange: undefined,
      dispute: undefined,
      history: attempts,
      trace,
    });
  return {
    key,
    payload,
    file: saying.kind === 'filed' ? contentOf(saying.evidence) : undefined,
    envelope: saying.kind === 'refused' ? envelope : undefined,
  };
}

export function contentOf(evidence: Evidence): NonNullable<Prepared['file']> {
  const bytes = evidence.kind === 'text' ? Buffer.from(evidence.text, 'utf8') : evidence.bytes;
  if (bytes.length === 0 || bytes.length > CONFIRMATION_BYTES_MAX) {
    throw overLimit(
      `Expected a confirmation of 1 to ${CONFIRMATION_BYTES_MAX} bytes, found ${bytes.length}`,
    );
  }
  return { bytes, sha256: sha256Of(bytes) };
}

interface Recording {
  readonly app: Installation;
  readonly actor: PersonActor;
  readonly held: HandFiling;
  readonly saying: HandSaying;
  readonly prepared: Prepared;
}

async function record(run: Run, recording: Recording): Promise<Said> {
  const { app, actor, held, saying, prepared } = recording;
  const { tenant } = app;
  const { filing, facts } = held;
  const decision = decideHand(facts, { kind: 'say', word: wordOf(saying) }, actor.party);
  if (decision.kind !== 'say') throw refusalOf(held, decision);
  const { outcome, ends, lost } = decision;
  const notes = checked(recording);
  const taking = facts.taking;
  const doubt = { from: taking?.takenAt ?? facts.now, to: taking?.expiresAt ?? facts.now };
  if (ends !== undefined)
    await endTaking(run, tenant, filing.id, { no: facts.attempt, ended: ends });
  if (lost !== undefined) {
    const fact = userFact(app, 'filing.outcome', actor, outcomeData(held, lost));
    await endAttempt(run, tenant, filing.id, { outcome: lost, doubt, fact });
  }
  if (outcome.action === 'look') await recordLook(run, recording, outcome);
  const { file } = prepared;
  if (saying.kind === 'filed' && file !== undefined) {
    await claimProof(run, recording, outcome.attempt, saying, file);
  }
  const end = factsOf(recording, decision);
  await endAttempt(run, tenant, filing.id, {
    outcome,
    doubt,
    ...end,
    ...(saying.kind === 'filed' ? { receipt: saying.receipt } : {}),
  });
  return {
    filing: { ...filing, status: outcome.to, attempt: outcome.attempt },
    outcome,
    notes,
    evidenceSha256: file?.sha256,
  };
}

function wordOf(saying: HandSaying): HandWord {
  switch (saying.kind) {
    case 'filed':
      return { kind: 'filed', receipt: saying.receipt };
    case 'refused':
      return { kind: 'refused', code: saying.code };
    case 'absent':
      return { kind: 'absent', lookedAt: saying.lookedAt };
    case 'not_filed':
    case 'unsure':
      return { kind: saying.kind };
  }
}

/** Slips are refused with what was expected; returns what is only worth a word. */
function checked({ held, saying, prepared }: Recording): readonly string[] {
  if (saying.kind === 'refused' && !CODE.test(saying.code)) {
    throw ruledOut(
      `--code: expected capital letters, digits, "_", "." and "-", found "${saying.code}"`,
    );
  }
  if (saying.kind !== 'filed') return [];
  const { filing, facts, zone } = held;
  const profile: Profile = readProfile(held.profile, `lane ${filing.lane}`);
  const { now, taking } = facts;
  const paid = pointer(decodeJson(prepared.payload ?? new Uint8Array()), '/fee_cents');
  const approved = typeof paid === 'number' && paid > 0 ? paid : undefined;
  const firstSent = taking?.takenAt;
  const faults: readonly (readonly [string, string | undefined])[] = [
    ['--receipt', receiptFault(saying.receipt, profile)],
    [
      '--filed-at',
      filedAtFault(saying.filedAt, { now, notBefore: filing.notBefore, firstSent, zone }),
    ],
    ['--fee', feeFault(zeroless(saying.feeCents), approved, saying.feeReason)],
    ['--confirmation', fileFault(saying.evidence)],
  ];
  const found = faults.flatMap(([where, why]) => (why === undefined ? [] : [`${where}: ${why}`]));
  if (found.length > 0) {
    throw new FilewrightError('CASE_INVALID', `Filing ${filing.id}: ${found.join('; ')}`);
  }
  return saying.filedAt > filing.due
    ? [
        `It was filed after its due time, ${shownTime(filing.due, zone)}; the office may ask for a penalty`,
      ]
    : [];
}

function zeroless(cents: number | undefined): number | undefined {
  return cents === 0 ? undefined : cents;
}

function fileFault(evidence: Evidence): string | undefined {
  if (evidence.kind === 'text') return undefined;
  if (isOwnSheet(evidence.bytes))
    return 'expected what the office gave, found the sheet that says what to type';
  if (fileKind(evidence.bytes) !== undefined) return undefined;
  return 'expected a PDF, PNG, JPEG or an email message (.eml), found something else';
}

async function recordLook(
  run: Run,
  { app, actor, held, saying }: Recording,
  { attempt: no }: HandOutcome,
): Promise<void> {
  const { filing, facts } = held;
  const id = app.ids.next();
  const isThere = saying.kind !== 'absent';
  const place = saying.kind === 'absent' || saying.kind === 'filed' ? saying.place : undefined;
  const fact =
    filing.status === 'submitted'
      ? undefined
      : userFact(app, 'filing.state', actor, {
          from: filing.status,
          to: 'submitted',
          action: 'look',
          attempt: no,
          lane: filing.lane,
          key: filing.key,
          payload_sha256: filing.payloadSha256,
          profile_sha256: held.profileSha256,
        });
  await look(run, app.tenant, held, {
    no,
    id: fact?.id ?? id,
    by: actor.id,
    isThere,
    place: place ?? 'the confirmation of the office',
    lookedAt: saying.kind === 'absent' ? saying.lookedAt : facts.now,
    fact,
  });
}

/** One receipt and one file prove one filing. */
async function claimProof(
  run: Run,
  { app, held }: Recording,
  no: number,
  saying: Extract<HandSaying, { kind: 'filed' }>,
  file: NonNullable<Prepared['file']>,
): Promise<void> {
  const { filing } = held;
  const { receipt, evidence, isShared = false } = saying;
  const owner = await giveReceipt(run, app.tenant, filing.id, {
    number: receipt,
    spelling: receiptSpelling(receipt),
  });
  if (owner !== filing.id) {
    throw ruledOut(
      `Receipt ${receipt} is already on record for filing ${owner}. One receipt proves one filing: check the number; if that one has the wrong number, use hand correct`,
    );
  }
  if (evidence.kind === 'text') return;
  const other = await keepConfirmation(run, app.tenant, filing.id, {
    no,
    sha256: file.sha256,
    kind: typeOf(evidence),
    bytes: file.bytes.length,
    isShared,
  });
  if (other === undefined) return;
  throw ruledOut(
    `This file is already the confirmation of filing ${other}. Attach the one of filing ${filing.id}; or, if the office gave one file for both, add --shared`,
  );
}

function factsOf(
  { app, actor, held, saying, prepared }: Recording,
  { outcome }: Extract<HandDecision, { kind: 'say' }>,
): { readonly fact: LedgerFact; readonly exception?: LedgerFact } {
  const { filing } = held;
  const id = entryId(app.ids.next());
  const { key, file, envelope } = prepared;
  // After a lost taking and before a look the filing was submitted all the time.
  const data = { ...outcomeData(held, outcome), ...saidOf(saying, file?.sha256) };
  const body = sealedPart(saying, file?.bytes);
  const fact = {
    ...userFact(app, 'filing.outcome', actor, data),
    id,
    trace: id,
    ...(body === undefined ? {} : { body: sealed(app, key, id, canonicalBytes(body)) }),
  };
  if (envelope === undefined) return { fact };
  const exception = entryId(app.ids.next());
  return {
    fact,
    exception: {
      ...userFact(app, 'dlq.enveloped', actor, {
        filing: filing.id,
        revision: filing.revision,
        reason: outcome.code,
        to: outcome.to,
        payload_sha256: filing.payloadSha256,
      }),
      id: exception,
      trace: id,
      body: sealed(app, key, exception, envelope(outcome.code, id)),
    },
  };
}

function sealed(app: Installation, key: WrappedKey, entry: EntryId, body: Uint8Array) {
  return app.vault.seal({ key, entry, body });
}

export function outcomeData(
  { filing }: HandFiling,
  outcome: HandOutcome,
): Record<string, JsonValue> {
  const { attempt, action, verdict, code, to } = outcome;
  const { lane, key, payloadSha256 } = filing;
  return {
    from: 'submitted',
    to,
    attempt,
    action,
    verdict,
    code,
    lane,
    key,
    payload_sha256: payloadSha256,
  };
}

function saidOf(saying: HandSaying, sha256: string | undefined): Record<string, JsonValue> {
  switch (saying.kind) {
    case 'filed':
      return {
        receipt: saying.receipt,
        filed_at: toRfc3339(saying.filedAt),
        ...(saying.feeCents === undefined ? {} : { fee_cents: saying.feeCents }),
        ...(saying.feeReason === undefined ? {} : { reason: saying.feeReason }),
        ...(sha256 === undefined ? {} : { evidence_sha256: sha256 }),
        evidence_type: typeOf(saying.evidence),
        ...(saying.isShared === true ? { shared_evidence: true } : {}),
        ...(saying.place === undefined ? {} : { place: saying.place }),
      };
    case 'absent':
      return { place: saying.place, looked_at: toRfc3339(saying.lookedAt) };
    case 'not_filed':
    case 'unsure':
      return { reason: saying.reason };
    case 'refused':
      return {};
  }
}

function typeOf(evidence: Evidence): string {
  return evidence.kind === 'text' ? 'text' : (fileKind(evidence.bytes) ?? 'mail');
}

/** What the office said may name people: it is sealed, and the entry has its hash. */
function sealedPart(
  saying: HandSaying,
  file: Uint8Array | undefined,
): Record<string, JsonValue> | undefined {
  if (saying.kind === 'refused') return { kind: 'by_hand', code: saying.code, words: saying.words };
  if (saying.kind !== 'filed' || file === undefined) return undefined;
  const { evidence, receipt, filedAt, feeCents } = saying;
  return {
    kind: 'by_hand',
    receipt,
    filed_at: toRfc3339(filedAt),
    ...(feeCents === undefined ? {} : { fee_cents: feeCents }),
    ...(evidence.kind === 'text'
      ? { evidence_text: evidence.text }
      : {
          evidence_name: evidence.name,
          evidence_type: typeOf(evidence),
          evidence_base64: Buffer.from(file).toString('base64'),
        }),
  };
}
