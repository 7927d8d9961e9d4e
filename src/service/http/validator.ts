/** Holds requests to the schemas of their routes, and says where they do not fit. The values are in none of the faults. */
import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Misfit } from './problem.ts';

/** More would be a list that nobody reads. */
const FAULTS_MAX = 20;

type Validated = { readonly value: unknown } | { readonly error: Misfit };

export function validatorOf(schema: TSchema, part: string): (value: unknown) => Validated {
  const validator = Compile(schema);
  return (given) => {
    // Only a body has types of its own; everything in an address is text.
    const value = part === 'body' ? given : typed(schema, given);
    if (validator.Check(value)) return { value };
    const faults = [...validator.Errors(value)].slice(0, FAULTS_MAX);
    return {
      error: new Misfit(
        faults.map(({ instancePath, message }) => ({
          pointer: `/${part}${instancePath}`,
          detail: message,
        })),
      ),
    };
  };
}

/** Texts as the numbers, flags and lists that the schema asks for; what does not read as one stays, and is refused. */
function typed(schema: TSchema, given: unknown): unknown {
  const { properties } = schema as TObject;
  return Object.fromEntries(
    Object.entries(Object(given) as Readonly<Record<string, unknown>>).map(([name, text]) => {
      const { type } = Object(properties[name]) as { readonly type?: unknown };
      return [name, typedAs(type, text)];
    }),
  );
}

function typedAs(type: unknown, text: unknown): unknown {
  if (type === 'array') return Array.isArray(text) ? text : [text];
  if (typeof text !== 'string') return text;
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
