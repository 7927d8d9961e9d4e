/** The payload of each filing kind as JSON Schema; schemas/*.json is written from here, and a test compares the two. */
import { type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { GateFinding, Payload } from './gates-report.ts';
import { KINDS as ENTITY_KINDS } from './law/case-rule.ts';

const text = (charactersMax: number, meaning: string, pattern?: string) =>
  Type.String({
    minLength: 1,
    maxLength: charactersMax,
    description: meaning,
    ...(pattern === undefined ? {} : { pattern }),
  });
const day = (meaning: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: meaning });
const optional = <Item extends TSchema>(item: Item) => Type.Optional(item);
/** CSV brings texts, NDJSON may bring numbers: both are read to the digit. */
const figure = (meaning: string) =>
  Type.Union([Type.String({ pattern: '^(?:\\d+(?:\\.\\d+)?)?$' }), Type.Integer({ minimum: 0 })], {
    description: meaning,
  });

const PERIOD = '^\\d{4}(?:-(?:0[1-9]|1[0-2]))?$';

/** What the law asks about the entity; each may be left out or empty. */
const ENTITY_FIELDS = {
  entity_kind: optional(Type.Union([...ENTITY_KINDS, ''].map((word) => Type.Literal(word)))),
  origin: optional(Type.Union(['domestic', 'foreign', ''].map((word) => Type.Literal(word)))),
  formation_date: optional(
    Type.Union([day('Formation, or qualification in that state.'), Type.Literal('')]),
  ),
  state_record_due: optional(
    Type.Union([day('The due date on the state’s record.'), Type.Literal('')]),
  ),
  payment_rail: optional(
    Type.String({
      maxLength: 40,
      description: 'One of the payment methods (rails) in the profile.',
    }),
  ),
};

/** 8 Del. C. § 503: what the tax is computed from. */
const SHARE_FIELDS = {
  authorized: optional(
    Type.Union([
      Type.String({ description: 'The list as JSON, if it comes from a table.' }),
      Type.Array(
        Type.Object({
          shares: figure('Authorized shares of the class.'),
          par: Type.Optional(
            Type.Union([Type.Null(), figure('Par value in dollars; null for none.')]),
          ),
        }),
        { minItems: 1, maxItems: 1_000 },
      ),
    ]),
  ),
  issued: optional(figure('Issued shares.')),
  gross_assets: optional(figure('Total gross assets in dollars.')),
  tax_year: optional(figure('The tax year.')),
};

/** `kinds` without an entry of their own are checked with the general one. */
const GENERAL = 'entity_filing';

const KINDS: Readonly<
  Record<string, { readonly title: string; readonly fields: Readonly<Record<string, TSchema>> }>
> = {
  [GENERAL]: { title: 'Any filing of an entity', fields: ENTITY_FIELDS },
  annual_report: {
    title: 'Annual report',

    fields: { ...ENTITY_FIELDS, ...SHARE_FIELDS },
  },
  franchise_tax: {
    title: 'Franchise tax',

    fields: { ...ENTITY_FIELDS, ...SHARE_FIELDS },
  },
  statement_of_information: {
    title: 'Statement of Information',

    fields: ENTITY_FIELDS,
  },
  biennial_statement: { title: 'Biennial statement', fields: ENTITY_FIELDS },
  initial_report: { title: 'Initial report', fields: ENTITY_FIELDS },
};

function schemaOf(kind: string): TSchema {
  const { title = kind, fields = {} } = KINDS[kind] ?? {};
  const kindSchema =
    kind === GENERAL
      ? text(64, 'What is filed.', '^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$')
      : Type.Literal(kind);
  return Type.Object(
    {
      jurisdiction: text(16, 'The code of the jurisdiction, for instance US-DE.'),
      registry_number: text(64, 'As the registry prints it.', '^[A-Z0-9][A-Z0-9./-]*$'),
      entity_name: text(500, 'The name as registered.'),
      filing_kind: kindSchema,
      period: Type.String({ pattern: PERIOD, description: 'The year or month the filing is for.' }),
      fee_cents: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 99_999_999_999, description: 'The fee in cents.' }),
      ),
      fields: Type.Object(fields, { description: 'Other fields that the portal requires.' }),
    },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `https://filewright.invalid/schemas/${kind}.json`,
      title,
      additionalProperties: false,
    },
  );
}

/** By the name of their file in schemas/, without the ending. */
export const FILING_SCHEMAS: ReadonlyMap<string, TSchema> = new Map(
  Object.keys(KINDS).map((kind) => [kind, schemaOf(kind)]),
);

// Compiled on first use: checking by walking the schema took half a millisecond a row, and a file has 50,000.
const validators = new Map<string, Validator>();

function validatorOf(name: string): Validator | undefined {
  let validator = validators.get(name);
  const schema = FILING_SCHEMAS.get(name);
  if (validator === undefined && schema !== undefined) {
    validator = Compile(schema);
    validators.set(name, validator);
  }
  return validator;
}

export function schemaFaults(payload: Payload): readonly GateFinding[] {
  const kind = payload['filing_kind'];
  const name = typeof kind === 'string' && FILING_SCHEMAS.has(kind) ? kind : GENERAL;
  const validator = validatorOf(name);
  if (validator === undefined || validator.Check(payload)) return [];
  // A branch of alternatives speaks of each of them; the field itself is what a person needs.
  const first = new Map<string, string>();
  for (const { instancePath, message } of validator.Errors(payload)) {
    if (!first.has(instancePath)) first.set(instancePath, message);
  }
  return [...first].map(([field, message]) => ({
    code: 'SCHEMA' as const,
    field,
    why: `${message} (schemas/${name}.json)`,
  }));
}
