/** The building blocks of the profile schema. */
import { type TSchema, Type } from 'typebox';
import { isCredentialReference } from '../../wire/index.ts';
import { isSelector } from './page-parser.ts';
import { isFreeHeader, isRequestPath, minuteOfDay } from './profile-fields.ts';

// Longer waits are dates, not durations; a number above this is a unit mistake.
const MS_MAX = 90 * 24 * 3_600_000;
// Some become timers, and a Node timer above 2^31 ms fires at once. An hour is more than any gateway waits.
export const TIMER_MS_MAX = 3_600_000;
// Lists are short by nature; the bound stops a generated file from becoming a memory problem.
const ITEMS_MAX = 200;

// `title` is the noun phrase that error messages print after "expected".
export const text = (title: string, isValid: (value: string) => boolean, options: object = {}) =>
  Type.Refine(Type.String({ title, minLength: 1, maxLength: 2_000, ...options }), isValid);
export const words = (title: string) => text(title, (value) => value.trim() === value);
export const ms = (options: object = {}, minimum = 0) =>
  Type.Integer({ minimum, maximum: MS_MAX, ...options });
export const count = (minimum: number, maximum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, ...options });
export const list = <Item extends TSchema>(item: Item, options: object = {}) =>
  Type.Array(item, { maxItems: ITEMS_MAX, ...options });
export const record = <Fields extends Record<string, TSchema>>(
  fields: Fields,
  options: object = {},
) => Type.Object(fields, { additionalProperties: false, ...options });

export const pointer = () =>
  Type.String({
    title: 'a JSON pointer such as /receipt/number',
    pattern: '^(?:/(?:[^~/]|~[01])*)+$',
    maxLength: 500,
  });
export const path = (options: object = {}) =>
  text('a path of visible ASCII that starts with one slash', isRequestPath, options);
export const header = (options: object = {}) =>
  text(
    'a header name that is a token and is not set by the exchange itself',
    isFreeHeader,
    options,
  );
export const token = (title: string) =>
  text(title, (value) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(value));
export const timeOfDay = () => text('a time HH:MM', (value) => minuteOfDay(value) !== undefined);
/** A place in an answer; which of the two it must be follows from the driver. */
export const place = (options: object = {}) =>
  text(
    'a JSON pointer such as /receipt/number, or a CSS selector with the driver html-form',
    isPlace,
    { maxLength: 500, ...options },
  );
/** What of the filing an answer names, so that the answer to another filing is noticed. */
export const echoes = () =>
  list(
    record({
      at: place(),
      of: text(
        'key, or a JSON pointer into the payload such as /registry_number',
        (value) => value === 'key' || isPointer(value),
        { maxLength: 500 },
      ),
    }),
    { minItems: 1, description: 'Where an answer names the filing it is about, and by what.' },
  );
export const selector = () => text('a CSS selector', isSelector, { maxLength: 500 });
export const reference = () =>
  text(
    'a reference (env:NAME, file:/path or command:program), never the secret itself',
    isCredentialReference,
    // Tells the reader of the schema, and our own messages, not to show what was found here.
    { writeOnly: true },
  );

function isPlace(value: string): boolean {
  return isPointer(value) || isSelector(value);
}

export function isPointer(value: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)+$/.test(value);
}
