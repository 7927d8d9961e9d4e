/** Reads one row of a register file: an entity, or every reason why not. */
import { parseDay } from '../../../calendar/index.ts';
import { entityId, type JsonValue, type RowError } from '../../../core/index.ts';
import { controlFault, freeTextFaults } from '../characters.ts';
import { ENTITY_COLUMNS } from '../columns.ts';
import { misspelledColumns, misspelledFault } from '../misspelled-column.ts';
import { KINDS, registerRule } from '../law/case-rule.ts';
import { DATE_CHOICES, TAX_CLASSES } from '../law/entity-case.ts';
import type { EntityRules } from '../law/read-entity-rules.ts';
import type { FilingRule } from '../law/filing-rule.ts';
import { RECORD_DUE_PREFIX, REGISTER_COLUMNS } from './columns.ts';
import type { EntityRecord, SealedFacts } from './entity-record.ts';
import { filingKindOf, INITIAL_KIND, PUBLICATION_KIND } from './filing-kinds.ts';
import {
  mailFault,
  referenceFault,
  sharesOf,
  shown,
  type Words,
  wordsOf,
  yearEndFault,
} from './record-values.ts';

type RecordResult =
  | { readonly ok: true; readonly record: EntityRecord }
  | { readonly ok: false; readonly errors: readonly RowError[] };

type Row = Readonly<Record<string, JsonValue>>;

const TEXT_CHARACTERS_MAX = 500;
const KNOWN: ReadonlySet<string> = new Set(REGISTER_COLUMNS.map((column) => column.name));
/** Columns whose value may be something else than one text; each has its own reader. */
const STRUCTURED: ReadonlySet<string> = new Set([
  'state_record_due',
  'authorized',
  'large_filer',
  'issued',
  'gross_assets',
  'preceding_year_tax',
]);
const FILING_COLUMNS: ReadonlySet<string> = new Set(
  ENTITY_COLUMNS.map(({ name }): string => name).filter((name) => !KNOWN.has(name)),
);
const ORIGINS = ['domestic', 'foreign'] as const;
const meantColumn = misspelledColumns([...KNOWN, ...FILING_COLUMNS]);

export function readRecord(row: Row, rules: EntityRules): RecordResult {
  const errors: RowError[] = [];
  const words = readWords(row, errors);
  const kind = choice(words, 'entity_kind', KINDS, errors);
  const origin = choice(words, 'origin', ORIGINS, errors);
  const jurisdiction = words.get('jurisdiction');
  if (jurisdiction !== undefined && !rules.jurisdictions.has(jurisdiction)) {
    errors.push({ where: 'jurisdiction', why: unknownJurisdiction(jurisdiction, rules) });
  }
  const ruleId = words.get('rule_id');
  if (ruleId !== undefined && !rules.byId.has(ruleId)) {
    const why = `is no rule of version ${rules.version}; see obligation list-rules`;
    errors.push({ where: 'rule_id', why });
  }
  const rule =
    ruleId !== undefined
      ? rules.byId.get(ruleId)
      : jurisdiction === undefined || kind === undefined || origin === undefined
        ? undefined
        : registerRule(rules, { jurisdiction, kind, origin });
  const stateRecordDue = readRecordDue(row, rule, errors);
  const sealed = readSealed(row, words, errors);
  const registryNumber = words.get('registry_number');
  if (
    errors.length > 0 ||
    jurisdiction === undefined ||
    registryNumber === undefined ||
    kind === undefined ||
    origin === undefined
  ) {
    return { ok: false, errors };
  }
  const record: EntityRecord = {
    id: entityId(words.get('entity_id') ?? `${jurisdiction}:${registryNumber}`),
    jurisdiction,
    registryNumber,
    kind,
    origin,
    formationDate: words.get('formation_date'),
    fiscalYearEnd: words.get('fiscal_year_end'),
    ruleId,
    stateRecordDue,
    sealed,
  };
  return { ok: true, record };
}

/** The columns of one text that are present and well formed. */
function readWords(row: Row, errors: RowError[]): Words {
  const words = new Map<string, string>();
  for (const { name, needed } of REGISTER_COLUMNS) {
    if (STRUCTURED.has(name)) continue;
    const value = given(row, name);
    if (value === undefined) {
      if (needed) errors.push({ where: name, why: 'is empty, but required' });
      continue;
    }
    const why = textFault(name, value);
    if (why !== undefined) errors.push({ where: name, why });
    else if (typeof value === 'string') words.set(name, value);
  }
  return words;
}

function textFault(name: string, value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be text in quotes, so that no digit is lost';
  const control = controlFault(value);
  if (control !== undefined) return control;
  if (value.trim() !== value) return 'has white space around it; remove it in the source file';
  // A filing file has some of the same columns, and the same spelling must mean the same entity in both.
  const column = ENTITY_COLUMNS.find((one) => one.name === name);
  const charactersMax = column?.charactersMax ?? TEXT_CHARACTERS_MAX;
  if (value.length > charactersMax) {
    return `has ${value.length} characters, more than ${charactersMax}; check the column`;
  }
  if (column?.shape !== undefined && !column.shape.pattern.test(value)) {
    return `expected ${column.shape.expected}, found ${shown(value)}`;
  }
  if (name === 'formation_date') return dayFault(value);
  if (name === 'fiscal_year_end') return yearEndFault(value);
  if (name === 'agent_email') return mailFault(value);
  if (name === 'payment_reference') return referenceFault(value);
  return undefined;
}

function dayFault(value: JsonValue): string | undefined {
  if (typeof value === 'string' && parseDay(value) !== undefined) return undefined;
  return `expected a valid date (2027-03-01), found ${shown(value)}`;
}

function choice<Choice extends string>(
  words: Words,
  name: string,
  choices: readonly Choice[],
  errors: RowError[],
): Choice | undefined {
  const value = words.get(name);
  const found = choices.find((one) => one === value);
  if (value !== undefined && found === undefined) {
    errors.push({ where: name, why: `expected ${choices.join(', ')}, found ${shown(value)}` });
  }
  return found;
}

/** `DE` alone is not accepted for `US-DE`: it is also the code of Germany. */
function unknownJurisdiction(found: string, rules: EntityRules): string {
  const near = [...rules.jurisdictions].filter(
    (code) => code === found.toUpperCase() || code.endsWith(`-${found.toUpperCase()}`),
  );
  const remedy =
    near.length === 0 ? 'correct the code' : `use ${near.join(' or ')} if that is meant`;
  return `expected one of the ${rules.jurisdictions.size} jurisdictions that have rules, found ${shown(found)}; ${remedy}`;
}

/** One date is that of the periodic filing; an object, or columns with the kind behind a dot, name the filing kind. */
function readRecordDue(
  row: Row,
  rule: FilingRule | undefined,
  errors: RowError[],
): Readonly<Record<string, string>> {
  const periodic = filingKindOf(rule, 'periodic');
  const known = new Set([periodic, INITIAL_KIND, PUBLICATION_KIND]);
  const dates = new Map<string, string>();
  const keep = (kind: string, value: JsonValue, where: string): void => {
    const why =
      dayFault(value) ??
      (dates.has(kind) ? `gives a second date of ${kind}; one of the two is wrong` : undefined) ??
      (known.has(kind)
        ? undefined
        : `this entity has no filing of that kind; it has ${[...known].join(' and ')}`);
    if (why !== undefined) errors.push({ where, why });
    else if (typeof value === 'string') dates.set(kind, value);
  };
  for (const [column, value] of Object.entries(row)) {
    if (value === '' || value === null) continue;
    if (column.startsWith(RECORD_DUE_PREFIX)) {
      keep(column.slice(RECORD_DUE_PREFIX.length), value, column);
    } else if (column === 'state_record_due') {
      if (typeof value === 'object' && !Array.isArray(value)) {
        for (const [kind, day] of Object.entries(value)) keep(kind, day, `/${column}/${kind}`);
      } else keep(periodic, value, column);
    }
  }
  return Object.fromEntries([...dates].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readSealed(row: Row, words: Words, errors: RowError[]): SealedFacts {
  const fields = Object.entries(row).filter(
    ([name]) => !KNOWN.has(name) && !name.startsWith(RECORD_DUE_PREFIX),
  );
  for (const [name, value] of fields) {
    errors.push(...freeTextFaults(value, name));
    if (FILING_COLUMNS.has(name) && value !== '' && value !== null) {
      const why = 'belongs to a filing; the register computes it; remove the column';
      errors.push({ where: name, why });
    }
    errors.push(...misspelledFault(name, value, meantColumn(name)));
  }
  const authorized = sharesOf(given(row, 'authorized'), errors);
  const figure = (name: 'issued' | 'gross_assets' | 'preceding_year_tax'): object => {
    const text = wordsOf(given(row, name), name, errors);
    return text === undefined ? {} : { [name]: text };
  };
  const largeFiler = flagOf(given(row, 'large_filer'), errors);
  const agent = words.get('agent_email');
  const reference = words.get('payment_reference');
  return {
    entity_name: words.get('entity_name') ?? '',
    // fromEntries also keeps a column called __proto__, which an assignment would lose.
    fields: Object.fromEntries(fields.filter(([name]) => !FILING_COLUMNS.has(name))),
    ...(agent === undefined ? {} : { agent_email: agent }),
    ...(reference === undefined ? {} : { payment_reference: reference }),
    ...(authorized === undefined ? {} : { authorized }),
    ...figure('issued'),
    ...figure('gross_assets'),
    ...figure('preceding_year_tax'),
    ...(largeFiler === undefined ? {} : { large_filer: largeFiler }),
    ...chosen(words, 'tax_class', TAX_CLASSES, errors),
    ...chosen(words, 'filing_date_choice', DATE_CHOICES, errors),
  };
}

function chosen(
  words: Words,
  name: 'tax_class' | 'filing_date_choice',
  choices: readonly string[],
  errors: RowError[],
): Partial<Pick<SealedFacts, typeof name>> {
  if (words.get(name) === undefined) return {};
  const value = choice(words, name, choices, errors);
  return value === undefined ? {} : { [name]: value };
}

function flagOf(value: JsonValue | undefined, errors: RowError[]): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  errors.push({ where: 'large_filer', why: `expected true or false, found ${shown(value)}` });
  return undefined;
}

function given(row: Row, name: string): JsonValue | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return value === null || value === '' ? undefined : value;
}
