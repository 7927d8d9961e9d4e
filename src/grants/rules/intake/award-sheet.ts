/** Awards in a table that people keep, in dollars: the names of its columns, and a row as a record of cents. Pure. */
import type { JsonValue, SheetColumn, SheetColumns, SheetValue } from '../../../core/index.ts';
import type { AwardRecord } from './award-record.ts';
import { AWARD_FIELD_NAMES, kindOfField } from './award-schema.ts';

type Known = Readonly<Record<string, readonly [value: SheetValue, ...also: string[]]>>;

/** Those that people name in their own words; every other field of an award is known by its own name. */
const OURS: Known = {
  grantor_id: ['text', 'Grantor', 'Funder', 'Grantor ID', 'Funder ID', 'Grantmaker', 'Donor'],
  award_amount: [
    'money',
    'Amount',
    'Award Amount',
    'Grant Amount',
    'Amount Awarded',
    'Total Award',
    'Payment Amount',
    'Amount (USD)',
    'Award Total',
  ],
  currency: ['text', 'Currency Code'],
  fiscal_year: ['text', 'FY', 'Fiscal Year', 'Grant Year'],
  award_id: [
    'text',
    'Award Number',
    'Award No.',
    'Award #',
    'Grant Number',
    'Grant No.',
    'Grant ID',
  ],
  grantor_name: ['text', 'Grantor Name', 'Funder Name'],
  payer: ['text', 'Payer Name', 'Paid By'],
  reference: ['text', 'Payment Reference', 'Reference Number', 'Ref', 'Ref No.'],
  expected_on: [
    'day',
    'Expected Date',
    'Payment Date',
    'Date Expected',
    'Expected Payment Date',
    'Due',
    'Due Date',
  ],
  noncash_amount: ['money', 'In-Kind Amount', 'Noncash', 'In Kind'],
  funder_type: ['text', 'Funder Type', 'Type of Funder'],
  purpose: ['text', 'Program', 'Project', 'Description'],
  period_start: ['day', 'Start Date', 'Period Start', 'Grant Start'],
  period_end: ['day', 'End Date', 'Period End', 'Grant End'],
};

const NEEDED: ReadonlySet<string> = new Set(['grantor_id', 'award_amount', 'fiscal_year']);
const TAGS = /^compliance_tags\.[a-z][a-z0-9_-]{0,49}$/;

export const AWARD_SHEET: SheetColumns = {
  columns: AWARD_FIELD_NAMES.map((name): SheetColumn => {
    const [value, ...also] = OURS[name] ?? ([valueOf(name)] as const);
    return { name, value, also, needed: NEEDED.has(name) };
  }),
  own: (name) => (TAGS.test(name) ? 'text' : undefined),
  jurisdictions: new Set(),
};

function valueOf(name: string): SheetValue {
  switch (kindOfField(name)) {
    case 'cents':
      return 'money';
    case 'day':
      return 'day';
    case 'flag':
      return 'flag';
    case 'text':
    case 'integer':
    case 'dayOfYear':
    case 'choice':
    case undefined:
      return 'text';
  }
}

/** Dollars become cents; what the table wrote is kept beside it. */
export function awardRecordOf(
  row: Readonly<Record<string, JsonValue>>,
  place: { readonly ordinal: number; readonly line: number; readonly written: JsonValue },
): AwardRecord {
  const values = new Map<string, JsonValue>([['compliance_tags', {}]]);
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'string' || value === '') continue;
    values.set(name, kindOfField(name) === 'cents' ? centsOf(value) : value);
  }
  // Amounts of the table are dollars unless a column says otherwise, which is refused then.
  if (!values.has('currency')) values.set('currency', 'USD');
  const payer = values.get('grantor_name') ?? values.get('grantor_id');
  if (!values.has('payer') && payer !== undefined) values.set('payer', payer);
  const { ordinal, line, written } = place;
  return { ordinal, line, spelling: 'text', values, violations: [], original: written, written };
}

/** `125000.5` or `125000`, as the sheet has read it, in the spelling of cents. */
function centsOf(dollars: string): string {
  const [whole = '', fraction = ''] = dollars.split('.');
  return `${whole}${fraction.padEnd(2, '0')}`.replace(/^0+(?=\d)/, '');
}
