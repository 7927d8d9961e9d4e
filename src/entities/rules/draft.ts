/** A row that has been read, as payload bytes and as the draft of a filing. */
import {
  effectOfFilings,
  addMs,
  canonicalBytes,
  FilewrightError,
  type FilingDraft,
  type JsonValue,
  keyOf,
  laneCode,
  obligationKey,
  type Profile,
  type RowError,
  sha256Of,
} from '../../core/index.ts';
import type { ColumnName } from './columns.ts';
import type { Gated, Payload } from './gates-report.ts';

/** The named columns that are present and well formed. */
export type Texts = ReadonlyMap<ColumnName, string>;

export type Moments = Pick<Gated, 'due' | 'notBefore'>;

const PAYLOAD_TEXTS = [
  'jurisdiction',
  'registry_number',
  'entity_name',
  'filing_kind',
  'period',
] as const;

/** What the gates look at. */
export function payloadOf(texts: Texts, fields: Readonly<Record<string, JsonValue>>): Payload {
  const fee = texts.get('fee');
  const payload: Record<string, JsonValue> = { fields };
  for (const name of PAYLOAD_TEXTS) payload[name] = texts.get(name) ?? '';
  if (fee !== undefined) payload.fee_cents = centsOf(fee);
  return payload;
}

/** The bytes that are hashed, sealed and sent; adds to `errors` when a further column has no canonical spelling. */
export function payloadBytes(payload: Payload, errors: RowError[]): Uint8Array | undefined {
  try {
    return canonicalBytes(payload);
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'NOT_CANONICAL') throw error;
    // Only a JSON value in a further column can get here: a fraction, or one nested too deep.
    errors.push({
      where: String(error.details.path).replace(/^\/fields/, ''),
      why: `${error.details.reason}; write it as a text or a whole number`,
    });
    return undefined;
  }
}

/** The shape of the text is checked before: digits, and either no decimals or two. */
function centsOf(fee: string): number {
  return Number(fee.includes('.') ? fee.replace('.', '') : `${fee}00`);
}

export function draftOf(input: {
  readonly texts: Texts;
  readonly profile: Profile;
  readonly gated: Gated;
  readonly payload: Uint8Array;
  readonly tenant: string;
  readonly changed: readonly string[];
}): FilingDraft {
  const { texts, profile, gated, payload, tenant, changed } = input;
  const text = (name: ColumnName): string => texts.get(name) ?? '';
  const jurisdiction = text('jurisdiction');
  const registryNumber = text('registry_number');
  const filingKind = text('filing_kind');
  const period = text('period');
  const obligation = {
    pack: 'entity',
    tenant,
    jurisdiction,
    registryNumber,
    filingKind,
    period,
  } as const;
  return {
    lane: laneCode(profile.code),
    jurisdiction,
    effect: effectOfFilings(profile.effect),
    entityId: texts.get('entity_id') ?? `${jurisdiction}:${registryNumber}`,
    filingKind,
    period,
    revision: 1,
    key: keyOf(obligation, 1),
    obligation: obligationKey(obligation),
    payload,
    payloadSha256: sha256Of(payload),
    notBefore: gated.notBefore,
    due: gated.due,
    lastSafe: addMs(gated.cutoff, -(profile.expectedServiceMs + profile.personMs)),
    ...(changed.length === 0 ? {} : { changed }),
  };
}
