/** An entity as the register keeps it: what lists and rules need in the clear, the rest sealed. */
import type { EntityId, JsonValue } from '../../../core/index.ts';
import type { EntityKind } from '../law/filing-rule.ts';

type Origin = 'domestic' | 'foreign';

/** What stands in plain columns. */
export interface EntityFacts {
  readonly id: EntityId;
  readonly jurisdiction: string;
  readonly registryNumber: string;
  readonly kind: EntityKind;
  readonly origin: Origin;
  readonly formationDate: string | undefined;
  readonly fiscalYearEnd: string | undefined;
  readonly ruleId: string | undefined;
  /** Days by filing kind. */
  readonly stateRecordDue: Readonly<Record<string, string>>;
}

/** What is sealed, under the names of the columns it came from. */
export interface SealedFacts {
  readonly entity_name: string;
  /** Every further column, for the payload. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  readonly agent_email?: string;
  readonly payment_reference?: string;
  /** Delaware: classes of authorized shares as {shares, par}, issued shares, total gross assets. */
  readonly authorized?: readonly JsonValue[];
  readonly issued?: string;
  readonly gross_assets?: string;
  readonly large_filer?: boolean;
  readonly preceding_year_tax?: string;
  /** What the due date hangs on in some states. */
  readonly tax_class?: string;
  readonly filing_date_choice?: string;
}

export interface EntityRecord extends EntityFacts {
  readonly sealed: SealedFacts;
}

/** The plain columns as JSON, under the names of the file's columns; absent ones left out. */
export function plainFacts(entity: EntityFacts): Readonly<Record<string, JsonValue>> {
  return {
    entity_id: entity.id,
    jurisdiction: entity.jurisdiction,
    registry_number: entity.registryNumber,
    entity_kind: entity.kind,
    origin: entity.origin,
    ...(entity.formationDate === undefined ? {} : { formation_date: entity.formationDate }),
    ...(entity.fiscalYearEnd === undefined ? {} : { fiscal_year_end: entity.fiscalYearEnd }),
    ...(entity.ruleId === undefined ? {} : { rule_id: entity.ruleId }),
    state_record_due: entity.stateRecordDue,
  };
}

/** The sealed part as JSON. */
export function sealedFacts(sealed: SealedFacts): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(sealed).filter((pair): pair is [string, JsonValue] => pair[1] !== undefined),
  );
}
