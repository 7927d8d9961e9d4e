/** Shapes that the records of law/rules/entity.json are made of. */
import { type TSchema, Type } from 'typebox';

const TEXT_CHARS_MAX = 2_000;

export const record = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false });
export const words = () => Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX });
export const orNull = <Item extends TSchema>(item: Item) => Type.Union([item, Type.Null()]);
export const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
export const month = () => whole(1, 12);
export const dayOfMonth = () => whole(1, 31);
export const year = () => whole(1800, 2999);
/** Dollars and cents; 138.75 is a fee. */
export const dollars = () => Type.Number({ minimum: 0, maximum: 1_000_000, multipleOf: 0.01 });
export const monthDay = () => Type.String({ pattern: '^\\d{2}-\\d{2}$' });
export const day = () => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

export const kinds = () =>
  Type.Enum(['corporation', 'llc', 'lp', 'llp', 'nonprofit', 'pc', 'pllc']);
/** How well a record is known, and what it was read in. */
export const basis = () => ({
  citation: orNull(words()),
  citation_basis: Type.Enum(['read', 'memory']),
  sources: Type.Array(words(), { minItems: 1, maxItems: 20 }),
  verified: Type.Enum(['primary', 'secondary', 'none']),
  confidence: Type.Enum(['high', 'medium', 'low']),
  notes: orNull(words()),
});
