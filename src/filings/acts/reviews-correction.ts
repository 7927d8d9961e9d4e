/** The payload of a correction: the one that was sent with some fields changed, through the same gates as every row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalBytes,
  FilewrightError,
  type JsonValue,
  keyOf,
  misuse,
  obligationKey,
  type Profile,
  ruledOut,
  sha256Of,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { changedFields, type FieldChange } from '../../intake/index.ts';
import { entityGates, type GateChange, type LawGates, type Payload } from '../../entities/index.ts';
import { readProfile } from '../../lanes/index.ts';
import type { FilingView } from '../store/filings.ts';
import { packageRoot } from '../../postgres/index.ts';

/** `/fields/agent` or `fields.agent`; undefined takes the field away. */
export interface FieldEdit {
  readonly at: string;
  readonly value: JsonValue | undefined;
}

interface CorrectedPayload {
  readonly payload: Payload;
  readonly sha256: string;
  readonly key: string;
  readonly changes: readonly FieldChange[];
  readonly gateChanges: readonly GateChange[];
}

/** What names the obligation. A filing about something else is another filing, never a correction of this one. */
const IDENTITY = ['jurisdiction', 'registry_number', 'filing_kind', 'period'] as const;

export async function correctedPayload(input: {
  readonly app: Installation;
  readonly filing: FilingView;
  readonly profile: Profile;
  readonly before: Payload;
  readonly wanted: Payload;
}): Promise<CorrectedPayload> {
  const { app, filing, profile, before, wanted } = input;
  const moved = IDENTITY.filter((name) => before[name] !== wanted[name]);
  if (moved.length > 0) {
    throw ruledOut(
      `A correction may not change ${moved.join(', ')}: that would be another obligation. ` +
        'Reject this filing, and import the correct one as a new row',
    );
  }
  const { gated, changes, refusals } = entityGates({ law: await shippedLawGates() }).run(
    { payload: wanted, notBefore: filing.notBefore, due: filing.due, cutoff: filing.due },
    profile,
  );
  if (refusals.length > 0) {
    const listed = refusals.map(({ code, field, why }) => `${code} at ${field}: ${why}`);
    throw new FilewrightError('GATE_REFUSED', listed.join('; '));
  }
  const { payload } = gated;
  const bytes = canonicalBytes(payload);
  const sha256 = sha256Of(bytes);
  if (sha256 === filing.payloadSha256) {
    throw ruledOut(
      'The corrected payload is the same as the one on record; nothing would change. To send it again, use review replay',
    );
  }
  const text = (name: (typeof IDENTITY)[number]): string => {
    const value = payload[name];
    return typeof value === 'string' ? value : '';
  };
  const obligation = {
    pack: 'entity',
    tenant: app.tenant,
    jurisdiction: text('jurisdiction'),
    registryNumber: text('registry_number'),
    filingKind: text('filing_kind'),
    period: text('period'),
  } as const;
  // The first key of this obligation is that of revision 1; a payload that does not lead to it is not its payload.
  const known = keyOf(obligation, filing.revision);
  if (known !== filing.key) {
    throw ruledOut(
      `The payload of filing ${filing.id} does not match its key (obligation ${obligationKey(obligation)}); it cannot be corrected here`,
    );
  }
  return {
    payload,
    sha256,
    key: keyOf(obligation, filing.revision + 1),
    changes: changedFields(before, payload),
    gateChanges: changes.filter(({ field }) => field !== '/due' && field !== '/not_before'),
  };
}

export function editPayload(payload: Payload, edits: readonly FieldEdit[]): Payload {
  return edits.reduce<Payload>((edited, edit) => editOne(edited, stepsOf(edit.at), edit), payload);
}

function editOne(value: JsonValue | undefined, steps: readonly string[], edit: FieldEdit): Payload {
  const [name = '', ...rest] = steps;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw misuse(
      `${edit.at}: the payload has no such object; set the whole list or object as JSON`,
    );
  }
  // Neither null nor a list, so an object of the JSON reader.
  const object = value as Payload;
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  const changed = rest.length === 0 ? edit.value : editOne(inner ?? {}, rest, edit);
  const kept = Object.entries(object).filter(([key]) => key !== name);
  return Object.fromEntries(changed === undefined ? kept : [...kept, [name, changed]]);
}

function stepsOf(at: string): readonly string[] {
  const steps = at.startsWith('/')
    ? at
        .slice(1)
        .split('/')
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    : at.split('.');
  if (steps.some((step) => step === '')) {
    throw misuse(`Expected a field (entity_name, fields.agent or /fields/agent), found "${at}"`);
  }
  return steps;
}

/** The law and the hours that ship with the program, as the gates want them; loaded when somebody needs them. */
export async function shippedLawGates(): Promise<LawGates> {
  const { readDelawareRates, readEntityRules } = await import('../../entities/index.ts');
  const { lawGates } = await import('../../entities/index.ts');
  const { shippedLaw } = await import('../../system/index.ts');
  const law = shippedLaw();
  const rules = law.compiled('rules/entity.json', readEntityRules);
  return lawGates({
    entity: {
      rules,
      businessDays: law.calendar(rules.businessDayCalendar),
      calendarOf: (code) => law.calendar(code),
      hoursOf: (name) => {
        const path = join(packageRoot(), 'profiles', `${name}.json`);
        return readProfile(readFileSync(path), path).hours;
      },
    },
    delaware: law.compiled('rules/delaware-franchise-tax.json', readDelawareRates),
  });
}
