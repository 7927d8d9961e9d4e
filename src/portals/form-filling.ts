import { decodeJson, type FormRule, pointer } from '../core/index.ts';
import type { FormStructure } from './form-structure.ts';

export type Filled =
  | { readonly kind: 'filled'; readonly body: Uint8Array }
  /** This payload does not go into this form: a person has to look. */
  | { readonly kind: 'payload'; readonly reason: string }
  /** The form is not the one that the profile describes. */
  | { readonly kind: 'form'; readonly reason: string };

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';

/** Fills in the form: what the page has put into hidden fields comes back, the rest comes from the payload. */
export function fillForm(
  form: FormStructure,
  rule: FormRule,
  filing: { readonly payload: Uint8Array; readonly key: string },
): Filled {
  const payload = decodeJson(filing.payload);
  const values = new Map<string, string>();
  for (const control of form.controls) {
    if (control.type === 'hidden') values.set(control.name, control.value ?? '');
  }
  const given = new Map<string, string>();
  for (const field of rule.fields) {
    const text = 'at' in field ? textFor(pointer(payload, field.at)) : field.text;
    if (text === undefined) {
      if ('at' in field && field.optional === true) continue;
      const place = 'at' in field ? field.at : '';
      return { kind: 'payload', reason: `The payload has no text at ${place} for ${field.name}.` };
    }
    given.set(field.name, text);
  }
  if (rule.keyField !== undefined) given.set(rule.keyField, filing.key);
  for (const [name, text] of given) {
    const control = form.controls.find((one) => one.name === name);
    if (control === undefined) return { kind: 'form', reason: `The form has no field ${name}.` };
    const { charactersMax, options } = control;
    // Counted as browsers count, in UTF-16 units. Sent anyway, it would be cut off or refused in silence.
    if (charactersMax !== undefined && text.length > charactersMax) {
      const reason = `${name} takes ${charactersMax} characters, the payload has ${text.length}.`;
      return { kind: 'payload', reason };
    }
    if (options.length > 0 && !options.includes(text)) {
      return { kind: 'payload', reason: `${name} cannot be chosen as the payload says.` };
    }
    values.set(name, text);
  }
  const empty = form.controls.find(
    ({ isRequired, name }) => isRequired && (values.get(name) ?? '') === '',
  );
  if (empty !== undefined) {
    return given.has(empty.name)
      ? { kind: 'payload', reason: `The form requires ${empty.name}, which is empty.` }
      : { kind: 'form', reason: `The form requires ${empty.name}, which the profile omits.` };
  }
  return { kind: 'filled', body: encode(values) };
}

function textFor(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** UTF-8, percent-encoded as URLSearchParams does it: the bytes are the same whatever the page's charset is. */
export function encode(values: Iterable<readonly [string, string]>): Uint8Array {
  const pairs = [...values].map(([name, value]): [string, string] => [name, value]);
  return Buffer.from(new URLSearchParams(pairs).toString(), 'latin1');
}
