/** The columns of filings and entities in tables that people keep: what stands in them, and how people call them. */
import type { SheetColumn, SheetColumns, SheetValue } from '../../core/index.ts';
import { ENTITY_COLUMNS, OBLIGATION_FIELDS, TAX_FIELDS } from './columns.ts';
import { RECORD_DUE_PREFIX, REGISTER_COLUMNS } from './register/columns.ts';

type Known = Readonly<Record<string, readonly [value: SheetValue, ...also: string[]]>>;

const OURS: Known = {
  jurisdiction: [
    'jurisdiction',
    'State',
    'Filing State',
    'State of Filing',
    'State of Registration',
    'State of Qualification',
    'Juris',
    'St',
  ],
  registry_number: [
    'number',
    'File No.',
    'File Number',
    'File #',
    'Registry No.',
    'Registration Number',
    'Registration No.',
    'Entity Number',
    'Entity No.',
    'Company Number',
    'Corporate ID',
    'Charter Number',
    'Charter No.',
    'Control Number',
    'Document Number',
    'State ID',
    'State File Number',
    'SOS Number',
    'SOS ID',
    'DOS ID',
    'Filing Number',
  ],
  entity_name: [
    'name',
    'Entity',
    'Name',
    'Company',
    'Company Name',
    'Legal Name',
    'Legal Entity Name',
    'Business Name',
    'Corporation Name',
    'Name of Entity',
    'Entity Legal Name',
  ],
  filing_kind: [
    'words',
    'Filing',
    'Filing Type',
    'Form',
    'Form Type',
    'Report',
    'Report Type',
    'Type of Filing',
    'Filing Name',
  ],
  period: [
    'period',
    'Year',
    'Filing Year',
    'Report Year',
    'Reporting Year',
    'Reporting Period',
    'Filing Period',
    'Tax Period',
    'For Year',
  ],
  due: [
    'day',
    'Due Date',
    'Deadline',
    'Date Due',
    'Filing Due Date',
    'Filing Deadline',
    'Report Due',
    'Report Due Date',
    'Due On',
    'Due By',
  ],
  entity_id: ['text', 'Our ID', 'Client ID', 'Internal ID', 'Our Number', 'Matter', 'Matter No.'],
  not_before: [
    'day',
    'Not Before',
    'Earliest',
    'Earliest Date',
    'Window Opens',
    'Opens',
    'File After',
  ],
  fee: [
    'money',
    'Fees',
    'Filing Fee',
    'State Fee',
    'Fee Amount',
    'Amount',
    'Amount Due',
    'Fee Due',
  ],
  entity_kind: [
    'kind',
    'Entity Type',
    'Type',
    'Type of Entity',
    'Company Type',
    'Kind',
    'Structure',
  ],
  origin: [
    'origin',
    'Domestic/Foreign',
    'Domestic or Foreign',
    'Foreign/Domestic',
    'Dom/For',
    'Residency',
  ],
  rule_id: ['text'],
  formation_date: [
    'past-day',
    'Formed',
    'Date Formed',
    'Date of Formation',
    'Incorporated',
    'Date Incorporated',
    'Incorporation Date',
    'Date of Incorporation',
    'Registration Date',
    'Qualification Date',
    'Date Qualified',
    'Date Registered',
    'Inception Date',
  ],
  fiscal_year_end: ['month-day', 'FYE', 'Fiscal Year End', 'Year End', 'FY End', 'Fiscal Year-End'],
  tax_class: ['tax-class', 'Tax Classification', 'Tax Status', 'Tax Type'],
  filing_date_choice: ['words'],
  state_record_due: [
    'day',
    'Due Date on Record',
    'State Due Date',
    'Next Due (State)',
    'SOS Due Date',
  ],
  agent_email: ['text', 'Agent Email Address', 'Registered Agent Email'],
  payment_reference: ['text', 'Payment Ref', 'Payment Method Reference'],
  authorized: ['text', 'Authorized Shares', 'Shares Authorized'],
  issued: ['figure', 'Issued Shares', 'Shares Issued', 'Shares Outstanding'],
  gross_assets: ['figure', 'Total Gross Assets', 'Gross Assets', 'Total Assets'],
  large_filer: ['flag', 'Large Corporate Filer'],
  preceding_year_tax: ['figure', 'Prior Year Tax', 'Last Year Tax'],
  method: ['text', 'Tax Method'],
  tax_year: ['period', 'Tax Year'],
  payment_rail: ['words', 'Payment Method', 'Pay By'],
};

/** What the forms of many states ask for, beside what we read ourselves. Whatever else a table holds stays in it. */
const FORM_FIELDS: Known = {
  principal_office: ['text', 'Principal Office Address', 'Principal Address', 'Office Address'],
  mailing_address: ['text', 'Mailing', 'Mail Address', 'Mailing Addr'],
  agent: [
    'text',
    'Registered Agent',
    'Registered Agent Name',
    'RA',
    'Statutory Agent',
    'Resident Agent',
  ],
  agent_address: ['text', 'Registered Agent Address', 'RA Address', 'Registered Office'],
  signatory: ['text', 'Signer', 'Signed By', 'Authorized Signer', 'Signatory Name'],
  signatory_title: ['text', 'Signer Title', 'Title of Signer'],
  officers: ['text', 'Officer', 'Officers and Directors'],
  directors: ['text', 'Director'],
  managers: ['text', 'Manager', 'Managing Member'],
  members: ['text', 'Member'],
  business_description: ['text', 'Business Purpose', 'Nature of Business', 'Business Activity'],
  naics_code: ['text', 'NAICS'],
  fein: ['text', 'EIN', 'Federal EIN', 'Federal Tax ID', 'Tax ID', 'Employer ID', 'FEIN/EIN'],
  formation_state: ['jurisdiction', 'State of Formation', 'Home State', 'State of Incorporation'],
  phone: ['text', 'Telephone', 'Phone Number'],
  email: ['text', 'Email Address', 'Contact Email'],
};

const FILING_NAMES: readonly string[] = [
  ...ENTITY_COLUMNS.map(({ name }) => name),
  ...OBLIGATION_FIELDS,
  ...TAX_FIELDS,
  'authorized',
  'large_filer',
  'payment_rail',
];
const FILING_NEEDED = new Set<string>(
  ENTITY_COLUMNS.filter((column) => column.needed).map(({ name }) => name),
);
const REGISTER_NEEDED = new Set(
  REGISTER_COLUMNS.filter((column) => column.needed).map(({ name }) => name),
);

interface SheetOf {
  readonly jurisdictions: Iterable<string>;
  /** Fields that the portals' profiles name: what stands there is asked for. */
  readonly fields: Iterable<string>;
}

export function filingSheet(by: SheetOf): SheetColumns {
  return sheetOf(FILING_NAMES, FILING_NEEDED, by, () => undefined);
}

/** A column of a filing stands there by mistake, and is told as one by whoever reads the row. */
export function registerSheet(by: SheetOf): SheetColumns {
  const register = REGISTER_COLUMNS.map(({ name }) => name);
  const filing = new Set(FILING_NAMES.filter((name) => !register.includes(name)));
  const sheet = sheetOf(register, REGISTER_NEEDED, by, (name) => {
    if (name.startsWith(RECORD_DUE_PREFIX)) return 'day';
    return filing.has(name) ? 'text' : undefined;
  });
  // A filing's name is cleaned by its gates; the register has none.
  const columns = sheet.columns.map((one) =>
    one.value === 'name' ? { ...one, value: 'text' as const } : one,
  );
  return { ...sheet, columns };
}

function sheetOf(
  names: readonly string[],
  needed: ReadonlySet<string>,
  by: SheetOf,
  further: (name: string) => SheetValue | undefined,
): SheetColumns {
  const columns = [
    ...names.map((name) => columnOf(name, OURS[name] ?? ['text'], needed.has(name))),
    ...Object.entries(FORM_FIELDS).map(([name, known]) => columnOf(name, known, false)),
  ];
  const fields = new Set(by.fields);
  return {
    columns,
    own: (name) => further(name) ?? (fields.has(name) ? 'text' : undefined),
    jurisdictions: new Set(by.jurisdictions),
  };
}

function columnOf(name: string, [value, ...also]: Known[string], needed: boolean): SheetColumn {
  return { name, needed, value, also };
}
