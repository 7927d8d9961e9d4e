/** Duties of awards end: a person records that one is filed, with what proves it; the proof can be opened again. */
import { type Actor, allow } from '../../access/index.ts';
import { dateAtOffice, formatDay, parseDay } from '../../calendar/index.ts';
import {
  canonicalBytes,
  FilewrightError,
  type JsonValue,
  misuse,
  notFound,
  receiptSpelling,
  ruledOut,
  sha256Of,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { GrantObligation } from '../rules/obligations/award-obligations.ts';
import { addDuty, type FiledDuty, lastDuties, lockDuties } from '../store/duties.ts';
import { StageStore } from '../store/stage.ts';
import { awardObligations } from './obligations.ts';

/** A receipt number, a confirmation number: never a story. */
const RECEIPT_CHARACTERS_MAX = 200;
/** The latest day that is anywhere: who files at night is not told to wait. */
const LATEST_ZONE = 'Pacific/Kiritimati';

interface DutyProof {
  /** The id of the obligation, or enough of its beginning. */
  readonly obligation: string;
  readonly receipt: string;
  readonly filedOn: string;
  readonly confirmation?: { readonly name: string; readonly bytes: Uint8Array };
  /** Why what was recorded before is wrong; then another person than the one who recorded it. */
  readonly reason?: string;
}

interface RecordedDuty extends Pick<FiledDuty, 'obligation' | 'n' | 'filingKind' | 'period'> {
  readonly filedOn: string;
  readonly evidenceSha256: string | undefined;
}

export async function fileDuty(
  app: Installation,
  actor: Actor,
  proof: DutyProof,
): Promise<RecordedDuty> {
  allow(actor, 'grants.duty.file');
  const receipt = proof.receipt.trim();
  if (receipt === '' || receipt.length > RECEIPT_CHARACTERS_MAX) {
    throw misuse(`--receipt: expected 1 to ${RECEIPT_CHARACTERS_MAX} characters`);
  }
  const day = parseDay(proof.filedOn);
  if (day === undefined) throw misuse(`--filed-on: expected a day, found "${proof.filedOn}"`);
  const today = dateAtOffice(app.clock.now(), LATEST_ZONE);
  if (day > today) {
    throw misuse(
      `--filed-on: expected a day that has come, found ${proof.filedOn} (today ${formatDay(today)})`,
    );
  }
  const duty = dutyNamed(proof.obligation, await awardObligations(app, actor));
  const store = storeOf(app);
  return store.transaction(async (at) => {
    await lockDuties(at);
    const known = await lastDuties(at);
    const before = known.get(duty.id);
    const receiptSha256 = sha256Of(receipt);
    // A blank, a small letter or an O for a 0 makes no other receipt of it.
    const spelling = sha256Of(receiptSpelling(receipt));
    const evidence = proof.confirmation;
    const evidenceSha256 = evidence === undefined ? undefined : sha256Of(evidence.bytes);
    checkBefore(duty, before, proof.reason);
    checkUnused([...known.values()], {
      obligation: duty.id,
      receiptSpelling: spelling,
      evidenceSha256,
    });
    const n = (before?.n ?? 0) + 1;
    const { id: obligation, filingKind, period } = duty;
    const { filedOn, reason } = proof;
    const ct = await store.record(at, {
      type: 'duty.filed',
      actor: { kind: 'user', id: actor.id },
      subject: { kind: 'grant_duty', id: obligation, ver: n },
      data: {
        filing_kind: filingKind,
        period,
        filed_on: filedOn,
        receipt_sha256: receiptSha256,
        ...(evidenceSha256 !== undefined && { evidence_sha256: evidenceSha256 }),
        ...(reason !== undefined && { reason }),
      },
      body: { about: `duty/${obligation}`, canonical: canonicalBytes(bodyOf(receipt, evidence)) },
    });
    const row = { obligation, n, filingKind, period, filedOn, receiptSha256, evidenceSha256 };
    const more = { receiptSpelling: spelling, ct: ct ?? '', reason, by: actor.id };
    await addDuty(at, { ...row, ...more });
    return { obligation, n, filingKind, period, filedOn, evidenceSha256 };
  });
}

function bodyOf(receipt: string, evidence: DutyProof['confirmation']): JsonValue {
  if (evidence === undefined) return { receipt };
  const base64 = Buffer.from(evidence.bytes).toString('base64');
  return { receipt, evidence_name: evidence.name, evidence_base64: base64 };
}

function dutyNamed(name: string, duties: readonly GrantObligation[]): GrantObligation {
  const found = duties.filter(
    ({ id }) => id === name || (name.length >= 12 && id.startsWith(name)),
  );
  const [duty] = found;
  if (duty === undefined) {
    throw notFound(`No duty of an award ${name}; see obligation list, after grants rules`);
  }
  if (found.length > 1)
    throw misuse(`"${name}" matches ${found.length} duties; add more characters`);
  if (duty.state === 'superseded') {
    throw ruledOut(`Duty ${duty.id} is not owed: its award was amended or canceled`);
  }
  return duty;
}

function checkBefore(
  { id }: GrantObligation,
  before: FiledDuty | undefined,
  reason: string | undefined,
): void {
  if (before === undefined && reason !== undefined) {
    throw ruledOut(
      `Duty ${id} is not recorded as filed, so there is nothing to correct; omit --correct`,
    );
  }
  if (before !== undefined && reason === undefined) {
    throw ruledOut(
      `Duty ${id} is recorded as filed on ${before.filedOn}; another person corrects that with --correct and a reason`,
    );
  }
}

/** A receipt or a file that proves another duty was taken by mistake. */
function checkUnused(
  known: readonly FiledDuty[],
  proof: Pick<FiledDuty, 'obligation' | 'receiptSpelling' | 'evidenceSha256'>,
): void {
  for (const other of known) {
    if (other.obligation === proof.obligation) continue;
    const isReceipt = other.receiptSpelling === proof.receiptSpelling;
    const isFile =
      proof.evidenceSha256 !== undefined && other.evidenceSha256 === proof.evidenceSha256;
    if (!isReceipt && !isFile) continue;
    throw ruledOut(
      `This ${isReceipt ? 'receipt' : 'confirmation'} is recorded for another duty, ${other.filingKind} for ${other.period} (${other.obligation}); check it`,
    );
  }
}

interface OpenedProof {
  readonly obligation: string;
  readonly filedOn: string;
  readonly receipt: string;
  readonly name: string | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** From the sealed body, held against the hashes that were recorded. */
export async function openDutyProof(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<OpenedProof> {
  allow(actor, 'grants.duty.evidence', name);
  await noteOpened(app, actor, 'grants.duty.evidence', name);
  const store = storeOf(app);
  return store.transaction(async (at) => {
    const found = [...(await lastDuties(at)).values()].filter(
      ({ obligation }) => obligation === name || (name.length >= 12 && obligation.startsWith(name)),
    );
    const [duty] = found;
    if (duty === undefined || found.length > 1) {
      throw notFound(`No filed duty ${name}; see obligation list --state met`);
    }
    const text = Buffer.from(await store.openBody(at, duty.ct)).toString('utf8');
    // Written by `fileDuty`; the seal has proved that it is unchanged.
    const body = JSON.parse(text) as {
      readonly receipt: string;
      readonly evidence_name?: string;
      readonly evidence_base64?: string;
    };
    const bytes =
      body.evidence_base64 === undefined ? undefined : Buffer.from(body.evidence_base64, 'base64');
    const isSame =
      sha256Of(body.receipt) === duty.receiptSha256 &&
      (bytes === undefined ? undefined : sha256Of(bytes)) === duty.evidenceSha256;
    if (!isSame) {
      throw new FilewrightError(
        'LEDGER_BROKEN',
        `What was recorded of duty ${duty.obligation} is not what its sealed body holds`,
      );
    }
    const { obligation, filedOn } = duty;
    return { obligation, filedOn, receipt: body.receipt, name: body.evidence_name, bytes };
  });
}

function storeOf(app: Installation): StageStore {
  return new StageStore('rules', { ...app, now: () => app.clock.now() });
}
