/** The parts of the profile schema that only some portals need: pages, sessions, egress, registry, limits. */
import { Type } from 'typebox';
import { isLinearPattern } from '../../core/index.ts';
import { isProxyUrl, isRequestPath } from './profile-fields.ts';
import {
  count,
  list,
  ms,
  path,
  place,
  pointer,
  record,
  reference,
  selector,
  text,
  token,
  words,
} from './schema-kit.ts';

const fieldName = () => words('the name of a form field');

const formField = record({
  name: fieldName(),
  at: Type.Optional(pointer()),
  optional: Type.Optional(Type.Boolean({ description: 'Left empty when nothing is at `at`.' })),
  text: Type.Optional(Type.String({ maxLength: 500 })),
});

export const form = record(
  {
    path: path(),
    selector: selector(),
    fields: list(formField, { minItems: 1 }),
    keyField: Type.Optional(fieldName()),
    fingerprint: Type.Optional(
      Type.String({
        title: 'a SHA-256 in 64 lower-case hex digits',
        pattern: '^[0-9a-f]{64}$',
        description: 'As `portal check` prints it.',
      }),
    ),
    confirmation: selector(),
    refusal: Type.Optional(record({ mark: selector(), codeAt: selector() })),
  },
  { description: 'Exactly with the driver html-form.' },
);

const login = record({
  path: path(),
  submitPath: Type.Optional(path({ description: 'Where the login posts to, if not to `path`.' })),
  selector: selector(),
  fields: list(record({ name: fieldName(), value: reference() }), { minItems: 1 }),
});

const HOUR_MS = 3_600_000;
/** Short enough that a filing somebody went home with is looked for the same day. */
const TAKE_MS_MAX = 4 * HOUR_MS;

export const byHand = record(
  {
    office: words('the name of the office'),
    takeMs: count(60_000, TAKE_MS_MAX, {
      description:
        'How long a person has a filing without a sign of work before it counts as lost.',
    }),
    visibleAfterMs: ms({
      description: 'How long after a filing the search of the office may not show it yet.',
    }),
    fields: list(
      record({
        label: words('what the form calls the field'),
        at: pointer(),
        note: Type.Optional(words('a note')),
      }),
      { minItems: 1, description: 'What to type, in the order of the form.' },
    ),
    kinds: list(
      record({
        kind: words('a filing kind such as annual_report'),
        appliesTo: words('for whom'),
        name: words('what the office calls it'),
        fee: Type.Optional(words('a fee')),
        window: Type.Optional(words('when it may be filed')),
        citation: Type.Optional(words('a citation')),
        verified: Type.Enum(['primary', 'secondary', 'none']),
      }),
    ),
  },
  { description: 'Exactly with the driver person.' },
);

export const session = record({
  scope: Type.Enum(['slot', 'lane']),
  idleMs: ms({}, 1),
  cookies: Type.Optional(list(token('a cookie name'), { default: [] })),
  headers: Type.Optional(list(token('a header name'), { default: [] })),
  keepAlive: Type.Optional(record({ path: path(), everyMs: ms({}, 1) })),
  login: Type.Optional(login),
});

export const egress = record({
  proxies: list(text('an http URL of a proxy, without user and password', isProxyUrl), {
    minItems: 1,
  }),
  authorization: Type.Optional(reference()),
  afterBlock: Type.Optional(Type.Enum(['stay', 'next'], { default: 'stay' })),
  terms: Type.Optional(words('where the terms allow it')),
});

export const registry = record({
  path: text(
    'a path with {number} in it',
    (value) => isRequestPath(value) && value.includes('{number}'),
  ),
  numberAt: pointer(),
  pattern: text(
    'a regular expression without look-around, backreferences and counts above 1000',
    isLinearPattern,
    { format: 'regex', maxLength: 500 },
  ),
  stateAt: place(),
  entityAt: Type.Optional(place({ description: 'Of the number that the answer speaks about.' })),
  active: list(words('a state word'), { minItems: 1 }),
  inactive: list(words('a state word')),
  notFound: list(words('a state word')),
});

const payment = record({
  centsAt: pointer(),
  railAt: pointer(),
  rails: list(record({ rail: words('a rail'), centsMax: Type.Optional(count(1, 1e12)) }), {
    minItems: 1,
  }),
});

export const limits = record({
  fields: Type.Optional(
    list(
      record({
        at: pointer(),
        required: Type.Optional(Type.Boolean({ default: false })),
        charactersMax: Type.Optional(count(1, 10_000_000)),
      }),
      { default: [] },
    ),
  ),
  whitespace: Type.Optional(Type.Enum(['any', 'trimmed'], { default: 'any' })),
  characters: Type.Optional(Type.Enum(['unicode', 'ascii'], { default: 'unicode' })),
  duplicateWindowMs: Type.Optional(ms({ default: 0 })),
  notBeforePeriod: Type.Optional(record({ periodAt: pointer() })),
  payment: Type.Optional(payment),
});

export const synthetic = record({
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'A filing that the portal takes without effect.',
  }),
});
