/** Reads law/rules/entity-taxes.json: what else an entity pays to a state, with the figures of those that were read. */
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type LawNode, type NamedText, readLawDocument } from '../../../../calendar/index.ts';
import { basis, day, monthDay, orNull, record, whole, words, year } from '../shapes.ts';

const money = () => Type.String({ pattern: '^\\d+\\.\\d{2}$' });
const figure = () => Type.String({ pattern: '^\\d+(\\.\\d+)?$' });
const byYear = () =>
  Type.Array(record({ from: year(), to: orNull(year()), amount: money() }), { minItems: 1 });
const monthAndDay = { due_month: whole(1, 12), due_day: whole(1, 28) };

/** The figures of each tax that is computed; a tax without them is only described. */
const FIGURES = {
  'US-CA.llc.annual_tax': record({
    amount: money(),
    ...monthAndDay,
    exempt: record({ from: day(), to: day(), law: words() }),
    idle_days: whole(1, 31),
  }),
  'US-CA.llc.fee': record({
    tiers: Type.Array(record({ from: figure(), fee: money() }), { minItems: 1 }),
    ...monthAndDay,
  }),
  'US-TX.franchise': record({
    thresholds: Type.Array(record({ from: year(), to: year(), amount: whole(1, 1_000_000_000) })),
    read_to: year(),
    no_report_from: year(),
    due: monthDay(),
    public_information_report: Type.Array(words()),
    ownership_information_report: Type.Array(words()),
  }),
  'US-TN.franchise_excise': record({
    rate: figure(),
    per: figure(),
    minimum: money(),
    net_worth_from: day(),
  }),
  'US-NC.franchise': record({
    rate: figure(),
    first: figure(),
    minimum: money(),
    c_first_max: money(),
    c_cap_from: day(),
    s_first: money(),
    s_from: day(),
  }),
  'US-IL.franchise': record({ exempt: byYear() }),
  'US-LA.franchise': record({ repealed_from: day() }),
  'US-DE.llc_lp_gp': record({ by_tax_year: byYear(), due: monthDay() }),
  'US-NV.commerce': record({
    threshold: money(),
    days: whole(1, 366),
    year_end: monthDay(),
    rate_percent_min: figure(),
    rate_percent_max: figure(),
  }),
  'US-SC.license_fee': record({ base: money(), rate: figure(), per: figure(), minimum: money() }),
  'US-WY.license_tax': record({ rate: figure(), minimum: money() }),
} as const;

/** Where the due date was read apart from the amount, or is from memory, it has a basis of its own. */
const DueRuleSchema = record({
  after: Type.Enum(['begin', 'end', 'year', 'next_year']),
  months: whole(1, 12),
  day: whole(1, 28),
  s_months: Type.Optional(whole(1, 12)),
  roll: Type.Boolean(),
  basis: Type.Enum(['primary', 'secondary', 'none']),
});

const TaxSchema = record({
  id: Type.String({ pattern: '^US-[A-Z]{2}\\.[a-z_.]+$' }),
  jurisdiction: Type.String({ pattern: '^US-[A-Z]{2}$' }),
  name: words(),
  who: Type.Array(words(), { minItems: 1 }),
  payee: words(),
  due: words(),
  amount: words(),
  exemptions: Type.Optional(Type.Array(words())),
  late: Type.Optional(words()),
  coupling: Type.Optional(words()),
  history: Type.Optional(words()),
  ...basis(),
  figures: Type.Optional(Type.Unknown()),
  due_rule: Type.Optional(DueRuleSchema),
});

const NamedTaxSchema = record({
  jurisdiction: Type.String({ pattern: '^US-[A-Z]{2}$' }),
  tax: words(),
  figure: words(),
  verified: Type.Enum(['secondary', 'none']),
  sources: Type.Array(words(), { minItems: 1 }),
});

const TaxFileSchema = record({
  format: Type.Literal(1),
  version: words(),
  checked: day(),
  title: words(),
  calendar: words(),
  sources: Type.Record(Type.String(), words()),
  taxes: Type.Array(TaxSchema, { minItems: 1, maxItems: 500 }),
  named: Type.Array(NamedTaxSchema, { maxItems: 500 }),
});

export type TaxRecord = Static<typeof TaxSchema>;
type FiguredTax = keyof typeof FIGURES;
type Figures<Id extends FiguredTax> = Static<(typeof FIGURES)[Id]>;

export interface TaxLaw extends Omit<Static<typeof TaxFileSchema>, 'taxes'> {
  readonly taxes: ReadonlyMap<string, TaxRecord>;
}

export function readTaxLaw(source: NamedText): TaxLaw {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
  const value: unknown = root.value;
  if (!Value.Check(TaxFileSchema, value)) refuseShape(root, value);
  const taxes = new Map<string, TaxRecord>();
  const nodes = root.field('taxes').items();
  for (const [index, tax] of value.taxes.entries()) {
    const node = nodes[index] ?? root;
    if (taxes.has(tax.id)) node.field('id').refuse('this id occurs twice');
    for (const one of tax.sources) {
      if (value.sources[one] === undefined) {
        node.field('sources').refuse(`the source "${one}" is not in the list of sources`);
      }
    }
    taxes.set(tax.id, tax);
  }
  for (const [id, schema] of Object.entries(FIGURES)) {
    const tax = taxes.get(id);
    if (tax === undefined) root.field('taxes').refuse(`the tax ${id} is missing`);
    if (!Value.Check(schema, tax?.figures)) {
      const at = value.taxes.findIndex((one) => one.id === id);
      (nodes[at] ?? root).refuse(`the figures of ${id} are not as the program computes them`);
    }
  }
  return { ...value, taxes };
}

/** The reader has checked the figures of each of these taxes against their schema. */
export function figuresOf<Id extends FiguredTax>(law: TaxLaw, id: Id): Figures<Id> {
  return law.taxes.get(id)?.figures as Figures<Id>;
}

function refuseShape(root: LawNode, value: unknown): never {
  const [fault] = Value.Errors(TaxFileSchema, value);
  return root.refuse(
    `this is not a file of entity taxes: ${fault?.instancePath ?? ''} ${fault?.message ?? ''}`,
  );
}
