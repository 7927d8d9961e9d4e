import { type Static, Type } from 'typebox';
import { isLinearPattern } from '../../core/index.ts';
import { isCalendarDate, isPortalUrl, isRequestPath, isTimeZone } from './profile-fields.ts';
import {
  byHand,
  egress,
  form,
  limits,
  registry,
  session,
  synthetic,
} from './profile-schema-pages.ts';
import {
  count,
  echoes,
  header,
  list,
  ms,
  path,
  place,
  record,
  reference,
  text,
  timeOfDay,
  TIMER_MS_MAX,
  words,
} from './schema-kit.ts';

/** What a profile means when it leaves a field out. Published in the schema, applied in read-profile.ts. */
export const PROFILE_DEFAULTS = {
  automation: 'unknown',
  effect: 'filing',
  allowPrivateAddresses: false,
  timeoutMs: 45_000,
  tlsHandshakeMsMax: 3_000,
  expectedServiceMs: 2_000,
  personMs: 7_200_000,
  health: { method: 'HEAD', path: '/health' },
  idempotency: { header: 'X-Idempotency-Key', honouredMs: 0 },
  captcha: { marks: ['captcha'], threshold: 3 },
  throttle: { pauseMsMax: 3_600_000 },
  retry: { inARowMax: 3, totalMsMax: 900_000, delayMsMin: 500, delayMsMax: 30_000 },
  breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
  slowStartStepMs: 2_000,
} as const;

/** Lanes wider than this are a typing mistake, and every slot is a row. */
const CEILING_MAX = 1_000;

const defaults = PROFILE_DEFAULTS;

const status = record(
  {
    path: text(
      'a path with {key} or {submissionId} in it',
      (value) => isRequestPath(value) && /\{(?:key|submissionId)\}/.test(value),
      { description: '{key} and {submissionId} are replaced, percent-encoded.' },
    ),
    visibilityLagMs: ms({
      description: 'How long after acceptance the endpoint may still answer "not found".',
    }),
    stateAt: place(),
    accepted: list(words('a state word'), { minItems: 1 }),
    refused: list(words('a state word')),
    processing: list(words('a state word')),
    notFound: list(words('a state word')),
    keyAt: Type.Optional(place()),
    echoes: Type.Optional(echoes()),
  },
  { description: 'Absent: the portal cannot be asked, and an unknown outcome goes to a person.' },
);

const hours = record({
  zone: text('an IANA time zone such as America/New_York', isTimeZone),
  weekly: list(
    record({
      days: list(Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), { minItems: 1 }),
      from: timeOfDay(),
      to: timeOfDay(),
    }),
    { minItems: 1 },
  ),
  closedOn: Type.Optional(list(text('a date YYYY-MM-DD', isCalendarDate), { default: [] })),
});

const answer = record({
  status: count(100, 599),
  at: Type.Optional(place()),
  equals: Type.Optional(Type.String({ maxLength: 500 })),
  verdict: Type.Enum(['rejected', 'denied', 'transient', 'unknown', 'throttled', 'drift']),
});

const credential = record({ header: header(), value: reference() });

/** The JSON format of core/profile.ts: the same fields, those with a default may be left out. */
export const ProfileSchema = record({
  $schema: Type.Optional(Type.String({ description: 'For editors; ignored.' })),
  format: Type.Literal(1),
  code: Type.String({
    title: 'a lane code such as US-DE',
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  }),
  jurisdiction: words('a jurisdiction such as US-DE'),
  title: words('a title'),
  automation: Type.Optional(
    Type.Enum(['allowed', 'forbidden', 'unknown'], { default: defaults.automation }),
  ),
  effect: Type.Optional(Type.Enum(['filing', 'notice', 'question'], { default: defaults.effect })),
  driver: Type.Enum(['json-api', 'html-form', 'person']),
  baseUrl: text('an http(s) URL without user, password, query or fragment', isPortalUrl),
  allowPrivateAddresses: Type.Optional(Type.Boolean({ default: false })),
  ceiling: count(1, CEILING_MAX, { description: 'Most requests in flight, over all processes.' }),
  timeoutMs: Type.Optional(count(1, TIMER_MS_MAX, { default: defaults.timeoutMs })),
  tlsHandshakeMsMax: Type.Optional(count(1, TIMER_MS_MAX, { default: defaults.tlsHandshakeMsMax })),
  longestServiceMs: Type.Optional(ms({ description: 'timeoutMs when absent.' })),
  expectedServiceMs: Type.Optional(ms({ default: defaults.expectedServiceMs })),
  personMs: Type.Optional(ms({ default: defaults.personMs })),
  submit: Type.Optional(
    record(
      { method: Type.Enum(['POST', 'PUT']), path: path() },
      { description: 'Needed unless the driver is person.' },
    ),
  ),
  status: Type.Optional(status),
  health: Type.Optional(
    record({ method: Type.Enum(['HEAD', 'GET']), path: path() }, { default: defaults.health }),
  ),
  idempotency: Type.Optional(
    record(
      {
        header: Type.Optional(header({ default: defaults.idempotency.header })),
        honouredMs: Type.Optional(ms({ default: 0, description: '0: keys are not honored.' })),
      },
      { default: defaults.idempotency },
    ),
  ),
  receipt: record({
    statuses: Type.Optional(list(count(200, 299), { minItems: 1 })),
    numberAt: Type.Optional(place()),
    pattern: text(
      'a regular expression without look-around, backreferences and counts above 1000',
      isLinearPattern,
      { format: 'regex', maxLength: 500 },
    ),
    echoes: Type.Optional(echoes()),
  }),
  received: Type.Optional(
    record(
      {
        submissionIdAt: place(),
        pollMs: ms({}, 1),
        boundMs: ms({}, 1),
        always: Type.Optional(
          Type.Boolean({ description: 'Every filing is answered with 202 and polled for.' }),
        ),
      },
      { description: 'Needed unless the driver is person.' },
    ),
  ),
  answers: Type.Optional(list(answer, { default: [] })),
  captcha: Type.Optional(
    record(
      {
        marks: Type.Optional(list(words('a mark'), { default: defaults.captcha.marks })),
        threshold: Type.Optional(count(1, 100, { default: defaults.captcha.threshold })),
      },
      { default: defaults.captcha },
    ),
  ),
  throttle: Type.Optional(
    record(
      {
        pauseMsMax: Type.Optional(ms({ default: defaults.throttle.pauseMsMax }, 1)),
        provesNothingTaken: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'The portal documents that a throttled filing was not taken. Without that it is settled as unknown.',
          }),
        ),
      },
      { default: defaults.throttle },
    ),
  ),
  redirects: Type.Optional(
    list(path(), { default: [], description: 'Below baseUrl, like submit.path; query ignored.' }),
  ),
  retry: Type.Optional(
    record(
      {
        inARowMax: Type.Optional(count(0, 100, { default: defaults.retry.inARowMax })),
        totalMsMax: Type.Optional(ms({ default: defaults.retry.totalMsMax })),
        delayMsMin: Type.Optional(ms({ default: defaults.retry.delayMsMin })),
        delayMsMax: Type.Optional(ms({ default: defaults.retry.delayMsMax })),
      },
      { default: defaults.retry },
    ),
  ),
  breaker: Type.Optional(
    record(
      {
        failures: Type.Optional(count(1, 1_000, { default: defaults.breaker.failures })),
        coolDownMs: Type.Optional(ms({ default: defaults.breaker.coolDownMs })),
        probeSpacingMs: Type.Optional(ms({ default: defaults.breaker.probeSpacingMs })),
      },
      { default: defaults.breaker },
    ),
  ),
  slowStartStepMs: Type.Optional(ms({ default: defaults.slowStartStepMs })),
  hours: Type.Optional(hours),
  credentials: Type.Optional(list(credential, { default: [] })),
  form: Type.Optional(form),
  byHand: Type.Optional(byHand),
  session: Type.Optional(session),
  egress: Type.Optional(egress),
  registry: Type.Optional(registry),
  limits: Type.Optional(limits),
  synthetic: Type.Optional(synthetic),
  quirks: Type.Optional(
    list(record({ name: words('a name'), note: words('a note'), verified: Type.Boolean() }), {
      default: [],
    }),
  ),
});

export type ProfileInput = Static<typeof ProfileSchema>;

/** JSON Schema 2020-12, for docs/reference/profile.schema.json and for editors. */
export function profileJsonSchema(): unknown {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://filewright.invalid/profile.schema.json',
    title: 'Filewright portal profile, format 1',
    ...ProfileSchema,
  };
  // TypeBox keeps its own marks on non-JSON properties; a round trip leaves the standard alone.
  return JSON.parse(JSON.stringify(schema));
}
