/** To which line of the return an award's money goes. Fixed at ingestion and hashed: no retry may map it anew. */
import { canonicalBytes, type JsonValue, type Sha256Hex, sha256Of } from '../../../core/index.ts';
import type { GrantsLaw } from '../law.ts';
import { type Violation, violation } from './award-record.ts';
import type { AwardPayload } from './award-schema.ts';

export type Mapping990 = {
  readonly form: 'IRS990';
  /** The element that takes `award_amount`. */
  readonly element: string;
  readonly xpath: string;
  readonly line: string;
  readonly type: string;
  /** The memo line for `noncash_amount`, where there is one. */
  readonly noncashElement: string | null;
  readonly funderType: string;
  /** Of everything above: the structure, without amounts. */
  readonly hash: Sha256Hex;
};

type Mapped =
  | { readonly kind: 'mapped'; readonly mapping: Mapping990 }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

/** Program service revenue: money for a service to the one who pays. */
const SERVICE_ELEMENT = 'ProgramServiceRevenueGrp';

/**
 * "Grant" on the label does not decide: government money is a contribution only where the public benefits. Nothing is
 * guessed; what is not said stops the award for a person.
 */
export function mapAward(payload: AwardPayload, law: GrantsLaw): Mapped {
  const { funder_type: funderType, benefit, noncash_amount: noncash } = payload;
  if (typeof funderType !== 'string') {
    return refused('CLASSIFICATION_MISSING', 'funder_type', 'the type of funder decides the line');
  }
  if (funderType === 'government' && benefit === undefined) {
    return refused('CLASSIFICATION_MISSING', 'benefit', 'public or grantor: who benefits from it');
  }
  const isService = benefit === 'grantor';
  const { contributionLines, contributionMapping } = law.form990;
  const element = isService
    ? SERVICE_ELEMENT
    : contributionLines.find(({ funderTypes }) => funderTypes.includes(funderType))?.element;
  const known = element === undefined ? undefined : law.elements.find('IRS990', element);
  if (known === undefined) {
    return refused('MAPPING_INVALID', 'funder_type', `no line fits money from ${funderType}`);
  }
  const hasNoncash = typeof noncash === 'number' && noncash > 0;
  if (hasNoncash && isService) {
    return refused('MAPPING_INVALID', 'noncash_amount', 'service revenue has no non-cash memo');
  }
  const structure = {
    form: 'IRS990',
    element: known.element,
    xpath: known.xpath,
    line: known.line,
    type: known.type,
    noncashElement: hasNoncash ? contributionMapping.noncashElement : null,
    funderType,
  } as const satisfies JsonValue;
  return { kind: 'mapped', mapping: { ...structure, hash: sha256Of(canonicalBytes(structure)) } };
}

function refused(
  code: 'CLASSIFICATION_MISSING' | 'MAPPING_INVALID',
  field: string,
  message: string,
): Mapped {
  return { kind: 'refused', violations: [violation(code, field, message)] };
}
