/**
 * What to type at the office, in the order of its form: each value from the very bytes that were approved. Opening it is noted as
 * every look at a payload is, and is a sign of work for the person who has the filing.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type FiledKind,
  type Instant,
  type JsonValue,
  parseStrictJson,
  pointer,
  ruledOut,
  sha256Of,
  shownDollars,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { readProfile } from '../../lanes/index.ts';
import { noteOpened } from '../../people/index.ts';
import { type HandState, handState } from '../rules/hand.ts';
import { type FilingView, findPayload } from '../store/filings.ts';
import { lockInHand, namedFiling } from '../store/hand.ts';
import { renewHeld } from './hand.ts';

export interface SheetLine {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}

export interface HandSheet {
  readonly filing: FilingView;
  readonly state: HandState;
  readonly office: string;
  readonly page: string;
  readonly zone: string;
  /** In the order of the form. */
  readonly fields: readonly SheetLine[];
  /** What was approved besides, so that nothing is left out in silence. */
  readonly more: readonly SheetLine[];
  readonly fee: string | undefined;
  /** For the memo of a payment, so that it can be found again. */
  readonly reference: string;
  readonly due: Instant;
  readonly lastSafe: Instant;
  /** What is known of this kind; several where it depends on who files. */
  readonly kinds: readonly FiledKind[];
  /** What the profile assumes about the office. */
  readonly assumed: readonly string[];
}

export async function handSheet(app: Installation, actor: Actor, name: string): Promise<HandSheet> {
  allow(actor, 'hand.sheet', name);
  const { session, tenant } = app;
  const held = await session.transaction(async (run) => {
    const found = await lockInHand(run, tenant, await namedFiling(run, tenant, name));
    const renewed = await renewHeld(run, tenant, found, actor.party);
    if (renewed.kind !== 'renew' || found.facts.taking === undefined) return found;
    const taking = { ...found.facts.taking, expiresAt: renewed.until };
    return { ...found, facts: { ...found.facts, taking } };
  });
  const { filing } = held;
  const profile = readProfile(held.profile, `lane ${filing.lane}`);
  const { byHand, hours, quirks, baseUrl } = profile;
  if (byHand === undefined) {
    throw ruledOut(
      `Lane ${filing.lane} is not one on which people file; see filing show ${filing.id}`,
    );
  }
  await noteOpened(app, actor, 'hand.sheet', filing.id);
  const payload = await approvedPayload(app, filing);
  const fields = byHand.fields.flatMap(({ label, at, note }): SheetLine[] => {
    const value = shown(at, pointer(payload, at));
    return value === undefined ? [] : [{ label, value, ...(note === undefined ? {} : { note }) }];
  });
  const named = new Set(byHand.fields.map(({ at }) => at));
  const cents = pointer(payload, '/fee_cents');
  return {
    filing,
    state: handState(held.facts),
    office: byHand.office,
    page: baseUrl,
    zone: hours?.zone ?? 'UTC',
    fields,
    more: leavesOf(payload, '').filter(({ label }) => !named.has(label)),
    fee: typeof cents === 'number' ? shownDollars(cents) : undefined,
    reference: `FW-${filing.id.slice(-12).toUpperCase()}`,
    due: filing.due,
    lastSafe: filing.lastSafe,
    kinds: byHand.kinds.filter(({ kind }) => kind === filing.filingKind),
    assumed: quirks.filter(({ verified }) => !verified).map(({ note }) => note),
  };
}

/** Other bytes than those that were approved are typed by nobody. */
async function approvedPayload(app: Installation, filing: FilingView): Promise<JsonValue> {
  const bytes = app.vault.open(await findPayload(app.session, app.tenant, filing.id));
  if (sha256Of(bytes) === filing.payloadSha256) return parseStrictJson(bytes);
  throw new FilewrightError(
    'SEAL_BROKEN',
    `The payload of filing ${filing.id} is not the one that was approved; do not file it`,
    { details: { filing: filing.id } },
  );
}

function shown(at: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (at === '/fee_cents' && typeof value === 'number') return shownDollars(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Every value with its place; a list is one value. */
function leavesOf(value: JsonValue, at: string): readonly SheetLine[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      leavesOf(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  }
  const text = shown(at, value);
  return text === undefined ? [] : [{ label: at, value: text }];
}
