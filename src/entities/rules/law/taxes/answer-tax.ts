/** One question about a tax, `{kind, input}`; every kind that is answered stands in the table below. */
import { badCase, caseFields, FilewrightError, refuseUnknown } from '../../../../core/index.ts';
import type { CaseInput } from '../case-fields.ts';
import {
  commerceTax,
  commerceTaxDue,
  llcFee,
  llcFeeDue,
  licenseFee,
  licenseTax,
} from './amounts.ts';
import { taxDue } from './due.ts';
import {
  delawareLlcTax,
  firstAnnualTax,
  firstYearExempt,
  illinoisPayable,
  louisianaApplies,
  northCarolina,
  tennessee,
  texasInformationReport,
  texasReports,
} from './franchise.ts';
import type { EntityTaxAnswer, TaxDeps } from './tax-course.ts';

interface Kind {
  readonly fields: readonly string[];
  readonly answer: (input: CaseInput, deps: TaxDeps) => EntityTaxAnswer;
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['ca.llc.first_annual_tax', { fields: ['filed'], answer: firstAnnualTax }],
  ['ca.llc.first_year_exempt', { fields: ['filed'], answer: firstYearExempt }],
  ['ca.llc.fee', { fields: ['totalIncome'], answer: llcFee }],
  ['ca.llc.fee_due', { fields: ['taxableYearBegins'], answer: llcFeeDue }],
  ['tx.no_tax_due', { fields: ['reportYear', 'annualizedRevenue'], answer: texasReports }],
  ['tx.information_report', { fields: ['entity'], answer: texasInformationReport }],
  ['tn.franchise', { fields: ['taxYearEnd', 'netWorth'], answer: tennessee }],
  ['nc.franchise', { fields: ['taxClass', 'base', 'taxableYearBegins'], answer: northCarolina }],
  ['il.franchise_payable', { fields: ['liability', 'year'], answer: illinoisPayable }],
  ['de.llc_tax', { fields: ['taxYear'], answer: delawareLlcTax }],
  ['nv.commerce', { fields: ['grossRevenue', 'ratePercent'], answer: commerceTax }],
  ['nv.commerce_due', { fields: ['yearEnd'], answer: commerceTaxDue }],
  ['la.franchise_applies', { fields: ['periodBegins'], answer: louisianaApplies }],
  ['sc.license_fee', { fields: ['capitalAndPaidInSurplus'], answer: licenseFee }],
  ['wy.license_tax', { fields: ['assetsInState'], answer: licenseTax }],
  [
    'tax.due',
    { fields: ['tax', 'year', 'yearEnd', 'taxableYearBegins', 'taxClass'], answer: taxDue },
  ],
]);

export const TAX_KINDS: readonly string[] = [...KINDS.keys()];

const CASE_FIELDS = caseFields(['kind', 'input']);

export function answerEntityTax(given: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  refuseUnknown(given, CASE_FIELDS);
  const { kind: name, input } = given;
  const kind = typeof name === 'string' ? KINDS.get(name) : undefined;
  if (kind === undefined) {
    throw new FilewrightError(
      'RULE_UNKNOWN',
      `kind: expected one of ${TAX_KINDS.join(', ')}, found ${JSON.stringify(name) ?? 'nothing'}`,
      { details: { field: 'kind' } },
    );
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw badCase('input: expected an object with the fields of the kind', {
      details: { field: 'input' },
    });
  }
  // Neither null nor an array: an object whose fields are read as unknown.
  const fields = input as CaseInput;
  refuseUnknown(fields, caseFields(kind.fields));
  return kind.answer(fields, deps);
}
