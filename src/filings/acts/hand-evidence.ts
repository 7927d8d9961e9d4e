/** The confirmation of a filing by hand, opened again: from the sealed body of its outcome, held against the hash in the entry. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError, notFound, parseStrictJson, pointer, sha256Of } from '../../core/index.ts';
import { entriesOfFiling, type Installation, parseEntry, sequenceAll } from '../../ledger/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { noteOpened } from '../../people/index.ts';
import { history } from '../store/delivery-store.ts';
import { findFiling } from '../store/filings.ts';

interface OpenedEvidence {
  readonly filing: string;
  readonly receipt: string;
  readonly filedAt: string | undefined;
  /** Of the office. */
  readonly zone: string;
  readonly feeCents: number | undefined;
  /** As it came in; somebody's text. */
  readonly name: string | undefined;
  readonly type: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

export async function openEvidence(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<OpenedEvidence> {
  allow(actor, 'hand.evidence', name);
  const filing = await findFiling(app.session, app.tenant, name);
  const attempts = await history(app.session, app.tenant, filing.id);
  const sealed = attempts.findLast(
    ({ action, outcome }) =>
      (action === 'file' || action === 'look') && outcome?.verdict === 'accepted',
  )?.outcome?.sealed;
  if (sealed === undefined) {
    throw notFound(
      `Filing ${filing.id} has no confirmation that was recorded by hand; see filing show`,
    );
  }
  await noteOpened(app, actor, 'hand.evidence', filing.id);
  const body = parseStrictJson(app.vault.open(sealed), { bytesMax: BODY_BYTES_MAX });
  const text = (at: string): string | undefined => {
    const value = pointer(body, at);
    return typeof value === 'string' ? value : undefined;
  };
  const words = text('/evidence_text');
  const bytes =
    words === undefined
      ? Buffer.from(text('/evidence_base64') ?? '', 'base64')
      : Buffer.from(words, 'utf8');
  const sha256 = sha256Of(bytes);
  await sequenceAll(app);
  await requireNamed(app, filing.id, sha256);
  const cents = pointer(body, '/fee_cents');
  return {
    filing: filing.id,
    receipt: filing.receipt ?? text('/receipt') ?? '',
    filedAt: text('/filed_at'),
    zone: (await profilesByLane(app)).get(filing.lane)?.hours?.zone ?? 'UTC',
    feeCents: typeof cents === 'number' ? cents : undefined,
    name: text('/evidence_name'),
    type: text('/evidence_type') ?? 'text',
    sha256,
    bytes,
  };
}

/** The entry says which file it was; another one is no evidence. */
async function requireNamed(
  app: Installation,
  filing: Parameters<typeof entriesOfFiling>[2],
  sha256: string,
): Promise<void> {
  for await (const { bytes } of entriesOfFiling(app.session, app.tenant, filing)) {
    if (parseEntry(bytes).data['evidence_sha256'] === sha256) return;
  }
  throw new FilewrightError(
    'LEDGER_BROKEN',
    `No entry of filing ${filing} names a confirmation with the SHA-256 ${sha256}`,
    { details: { filing } },
  );
}
