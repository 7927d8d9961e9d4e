/** What the routes of all nouns share: the parts of their schemas, and how texts become the values that acts take. */
import { Type } from 'typebox';
import { type Instant, misuse, parseRfc3339 } from '../../core/index.ts';
import { type Paging, PAGE_DEFAULT, PAGE_MAX } from '../paging.ts';
import { routesOf, type RouteKit } from '../route.ts';

export function kit(noun: string): RouteKit {
  return routesOf(noun, (properties) => Type.Object(properties, { additionalProperties: false }));
}

/** Whatever it is called by: an id, a key, a code, a name. */
export const NAME = Type.String({ minLength: 1, maxLength: 300 });
export const ID = { id: NAME };
export const WORDS = Type.String({ minLength: 1, maxLength: 4_000 });
export const REASON = Type.String({ minLength: 10, maxLength: 500 });
export const HASH = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const DAY = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
export const TIME = Type.String({ minLength: 17, maxLength: 40, description: 'RFC 3339' });
export const FLAG = Type.Boolean();
export const PAGING = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
};
/** Of lists that have an end and no middle: the latest so many. */
export const LATEST = { limit: PAGING.limit };
export const REST = Type.Object({}, { additionalProperties: false });

export function limitOf(paging: Paging): number {
  return paging.limit ?? PAGE_DEFAULT;
}

export function timeOf(name: string, text: string): Instant {
  const at = parseRfc3339(text);
  if (at === undefined) throw misuse(`${name}: expected a time like 2027-03-01T23:59:00-05:00`);
  return at;
}

/** Without what was left out, as acts want it. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Only entries that are there are kept, so none of them is undefined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
