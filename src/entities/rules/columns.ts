/** The columns of an entity row. Every further column goes into the payload's `fields` unchanged. */

export interface EntityColumn {
  readonly name: ColumnName;
  readonly needed: boolean;
  readonly meaning: string;
  /** Longer than anything a registry prints; a value beyond it is in the wrong column. */
  readonly charactersMax: number;
  /**
   * One spelling for one thing. Two spellings of a registry number would be two obligations, and so two filings:
   * what another spelling could mean is never guessed.
   */
  readonly shape?: { readonly pattern: RegExp; readonly expected: string };
}

export type ColumnName =
  | 'jurisdiction'
  | 'registry_number'
  | 'entity_name'
  | 'filing_kind'
  | 'period'
  | 'due'
  | 'entity_id'
  | 'not_before'
  | 'fee';

/** Of the further columns, those that the gate of obligations reads. */
export const OBLIGATION_FIELDS = [
  'entity_kind',
  'origin',
  'rule_id',
  'formation_date',
  'fiscal_year_end',
  'tax_class',
  'filing_date_choice',
  'state_record_due',
] as const;

/** Those of the gate of Delaware tax, beside `authorized` and `large_filer`, which are read in a way of their own. */
export const TAX_FIELDS = ['method', 'issued', 'gross_assets', 'tax_year'] as const;

/** Further columns that are read here; whatever else there is, only the portal reads. */
export const READ_FIELDS: readonly string[] = [
  ...OBLIGATION_FIELDS,
  ...TAX_FIELDS,
  'authorized',
  'large_filer',
  'payment_rail',
];

export const ENTITY_COLUMNS: readonly EntityColumn[] = [
  {
    name: 'jurisdiction',
    needed: true,
    meaning: 'The jurisdiction code of the lane, for instance US-DE.',
    charactersMax: 16,
  },
  {
    name: 'registry_number',
    needed: true,
    meaning: 'The registry number of the entity, exactly as the registry prints it.',
    charactersMax: 64,
    shape: {
      pattern: /^[A-Z0-9][A-Z0-9./-]*$/,
      expected: 'capital letters, digits, ".", "/" and "-"',
    },
  },
  {
    name: 'entity_name',
    needed: true,
    meaning: 'The name of the entity as registered.',
    charactersMax: 500,
  },
  {
    name: 'filing_kind',
    needed: true,
    meaning: 'What is filed, for instance annual_report, franchise_tax or biennial_statement.',
    charactersMax: 64,
    shape: {
      pattern: /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/,
      expected: 'lower-case words joined by "_", for instance annual_report',
    },
  },
  {
    name: 'period',
    needed: true,
    meaning: 'The year or month the filing is for: 2027 or 2027-03.',
    charactersMax: 7,
    shape: { pattern: /^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/, expected: 'a year or a month (2027-03)' },
  },
  {
    name: 'due',
    needed: true,
    meaning: 'The last day (2028-03-01, until its end in the zone of the portal) or an instant.',
    charactersMax: 40,
  },
  {
    name: 'entity_id',
    needed: false,
    meaning: 'Your own id for the entity (default: jurisdiction and registry number).',
    charactersMax: 200,
  },
  {
    name: 'not_before',
    needed: false,
    meaning:
      'The first day (from its start in the portal’s time zone) or instant; empty means at once.',
    charactersMax: 40,
  },
  {
    name: 'fee',
    needed: false,
    meaning: 'The fee in dollars, for instance 50 or 50.00.',
    charactersMax: 16,
    shape: {
      // Nine digits of dollars stay far below 2^53 cents. "1,000" and "50.5" have two readings each.
      pattern: /^(?:0|[1-9]\d{0,8})(?:\.\d{2})?$/,
      expected: 'dollars as 50 or 50.00, without separators or a currency sign',
    },
  },
];
