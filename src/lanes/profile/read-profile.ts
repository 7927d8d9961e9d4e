import { Value } from 'typebox/value';
import {
  FilewrightError,
  type FormField,
  parseStrictJson,
  type Profile,
} from '../../core/index.ts';
import { findContradictions } from './profile-contradictions.ts';
import { describeExpected, findIssues, type Issue } from './profile-issues.ts';
import { PROFILE_DEFAULTS, type ProfileInput, ProfileSchema } from './profile-schema.ts';

/**
 * Reads a portal profile, fills in the defaults and reports everything that is wrong with it at once: a person who
 * writes a profile should not have to run it ten times. `source` is named in the message, usually the file.
 */
export function readProfile(text: string | Uint8Array, source: string): Profile {
  const value = parse(text, source);
  const issues = [...findIssues(ProfileSchema, value), ...findContradictions(value)];
  if (issues.length > 0) throw refusal(source, issues);
  if (!Value.Check(ProfileSchema, value)) {
    // The walk above and TypeBox must agree; if they ever do not, nothing gets through.
    throw refusal(source, [{ pointer: '', expected: describeExpected(ProfileSchema), found: '?' }]);
  }
  return complete(value);
}

function parse(text: string | Uint8Array, source: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FilewrightError('PROFILE_INVALID', `${source}: ${reason}`, {
      cause,
      details: { source },
    });
  }
}

function refusal(source: string, issues: readonly Issue[]): FilewrightError {
  const lines = issues.map(
    ({ pointer, expected, found }) =>
      `  ${pointer === '' ? '(whole document)' : pointer}: expected ${expected}, found ${found}`,
  );
  return new FilewrightError(
    'PROFILE_INVALID',
    `${source} is not a valid portal profile:\n${lines.join('\n')}`,
    { details: { source, issues: issues.length } },
  );
}

/** Of a lane whose filings people carry: nothing is requested there. Other drivers state these by themselves (contradictions). */
const UNUSED = {
  submit: { method: 'POST', path: '/' },
  receipt: { statuses: [200], numberAt: '/receipt' },
  received: { submissionIdAt: '/submission', pollMs: 60_000, boundMs: 60_000 },
} as const;

/** Written out field for field, so that the compiler notices when the format and core/profile.ts part ways. */
function complete(input: ProfileInput): Profile {
  const defaults = PROFILE_DEFAULTS;
  const timeoutMs = input.timeoutMs ?? defaults.timeoutMs;
  return {
    format: input.format,
    code: input.code,
    jurisdiction: input.jurisdiction,
    title: input.title,
    automation: input.automation ?? defaults.automation,
    effect: input.effect ?? defaults.effect,
    driver: input.driver,
    baseUrl: input.baseUrl,
    allowPrivateAddresses: input.allowPrivateAddresses ?? defaults.allowPrivateAddresses,
    ceiling: input.ceiling,
    timeoutMs,
    tlsHandshakeMsMax: input.tlsHandshakeMsMax ?? defaults.tlsHandshakeMsMax,
    longestServiceMs: input.longestServiceMs ?? timeoutMs,
    expectedServiceMs: input.expectedServiceMs ?? defaults.expectedServiceMs,
    personMs: input.personMs ?? defaults.personMs,
    submit: input.submit ?? UNUSED.submit,
    ...(input.status === undefined ? {} : { status: input.status }),
    health: input.health ?? defaults.health,
    idempotency: { ...defaults.idempotency, ...input.idempotency },
    receipt: { ...UNUSED.receipt, ...input.receipt },
    received: input.received ?? UNUSED.received,
    answers: input.answers ?? [],
    captcha: { ...defaults.captcha, ...input.captcha },
    throttle: { ...defaults.throttle, ...input.throttle },
    redirects: input.redirects ?? [],
    retry: { ...defaults.retry, ...input.retry },
    breaker: { ...defaults.breaker, ...input.breaker },
    slowStartStepMs: input.slowStartStepMs ?? defaults.slowStartStepMs,
    ...(input.hours === undefined
      ? {}
      : { hours: { ...input.hours, closedOn: input.hours.closedOn ?? [] } }),
    credentials: input.credentials ?? [],
    ...completeParts(input),
    quirks: input.quirks ?? [],
  };
}

/** What most portals do not have: absent stays absent. */
function completeParts(
  input: ProfileInput,
): Pick<Profile, 'form' | 'byHand' | 'session' | 'egress' | 'registry' | 'limits' | 'synthetic'> {
  const { form, byHand, session, egress, registry, limits, synthetic } = input;
  return {
    ...(form === undefined ? {} : { form: { ...form, fields: form.fields.map(completeField) } }),
    ...(byHand === undefined ? {} : { byHand }),
    ...(session === undefined
      ? {}
      : {
          session: { ...session, cookies: session.cookies ?? [], headers: session.headers ?? [] },
        }),
    ...(egress === undefined
      ? {}
      : { egress: { ...egress, afterBlock: egress.afterBlock ?? 'stay' } }),
    ...(registry === undefined ? {} : { registry }),
    ...(limits === undefined
      ? {}
      : {
          limits: {
            ...limits,
            fields: (limits.fields ?? []).map((field) => ({
              ...field,
              required: field.required ?? false,
            })),
            whitespace: limits.whitespace ?? 'any',
            characters: limits.characters ?? 'unicode',
            duplicateWindowMs: limits.duplicateWindowMs ?? 0,
          },
        }),
    // The document was parsed as strict JSON, so every value in it is a JSON value.
    ...(synthetic === undefined
      ? {}
      : { synthetic: synthetic as NonNullable<Profile['synthetic']> }),
  };
}

function completeField(field: NonNullable<ProfileInput['form']>['fields'][number]): FormField {
  const { name, at, optional, text } = field;
  if (at === undefined) return { name, text: text ?? '' };
  return { name, at, ...(optional === undefined ? {} : { optional }) };
}
