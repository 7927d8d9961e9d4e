import { decodeJson, type FormRule, pointer } from '../../core/index.ts';
import { type Encoded, encodeForm } from './form-encoding.ts';
import type { FormButton, FormStructure } from './form-structure.ts';

type Filled =
  | Encoded
  /** This payload does not go into this form: a person has to look. */
  | { readonly kind: 'payload'; readonly reason: string }
  /** The form is not the one that the profile describes. */
  | { readonly kind: 'form'; readonly reason: string };

/** What a browser would post: the fields of the page as it filled them in, with those of the payload put in their places. */
export function fillForm(
  form: FormStructure,
  rule: FormRule,
  filing: { readonly payload: Uint8Array; readonly key: string; readonly charset?: string },
): Filled {
  const payload = decodeJson(filing.payload);
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
  const pressed = buttonOf(form, given);
  for (const [name, text] of given) {
    if (name === pressed?.name) continue;
    const control = form.controls.find((one) => one.name === name);
    if (control === undefined) return { kind: 'form', reason: `The form has no field ${name}.` };
    const { charactersMax, options } = control;
    // Counted as browsers count, in UTF-16 units. Sent anyway, it would be cut off or refused in silence.
    if (charactersMax !== undefined && text.length > charactersMax) {
      const reason = `${name} holds at most ${charactersMax} characters, the payload has ${text.length}.`;
      return { kind: 'payload', reason };
    }
    if (options.length > 0 && !options.includes(text)) {
      return { kind: 'payload', reason: `${name} has no choice for the value in the payload.` };
    }
  }
  const pairs = pairsOf(form, given);
  const empty = form.controls.find(
    ({ isRequired, name }) =>
      isRequired && !pairs.some(([one, text]) => one === name && text !== ''),
  );
  if (empty !== undefined) {
    return given.has(empty.name)
      ? { kind: 'payload', reason: `The form requires ${empty.name}, which is empty.` }
      : { kind: 'form', reason: `The form requires ${empty.name}, which the profile omits.` };
  }
  return fillFields(form, given, filing.charset ?? 'utf-8');
}

/** The form with these texts in it, as bytes; `charset` is that of its page. */
export function fillFields(
  form: FormStructure,
  given: ReadonlyMap<string, string>,
  charset: string,
): Encoded {
  const pairs = pairsOf(form, given);
  const pressed = buttonOf(form, given);
  if (pressed !== undefined) pairs.push([pressed.name, pressed.value]);
  // What the page does not have its scripts would have put there.
  for (const [name, text] of given) {
    if (!pairs.some(([one]) => one === name)) pairs.push([name, text]);
  }
  return encodeForm(form, pairs, form.acceptCharset ?? charset);
}

/** What keeps this form from being the one that the profile describes; undefined when nothing does. */
export function misfitOf(
  form: FormStructure,
  { rule, submitPath }: { readonly rule: FormRule; readonly submitPath: string },
): string | undefined {
  // An action that leads elsewhere would carry the filing, and the session, to somebody else.
  const isThere = form.action === submitPath || form.target === submitPath;
  if (!isThere || form.method !== 'POST') {
    return `Expected a form that posts to ${submitPath}, found ${form.method} ${form.action}.`;
  }
  const names = [...form.controls, ...form.buttons].map(({ name }) => name);
  const wanted = rule.fields.map(({ name }) => name);
  if (rule.keyField !== undefined) wanted.push(rule.keyField);
  const missing = wanted.find((name) => !names.includes(name));
  return missing === undefined ? undefined : `The form has no field ${missing}.`;
}

/**
 * The button that the profile names; otherwise the only one there is. Many portals look for its name to tell filing from
 * leaving. Where there are several, nobody but the profile can say which of them files.
 */
function buttonOf(form: FormStructure, given: ReadonlyMap<string, string>): FormButton | undefined {
  const named = form.buttons.find(({ name, value }) => name !== '' && given.get(name) === value);
  const [only] = form.buttons;
  return named ?? (form.buttons.length === 1 && only?.name !== '' ? only : undefined);
}

/** In the order of the page, as browsers do it. */
function pairsOf(form: FormStructure, given: ReadonlyMap<string, string>): [string, string][] {
  const pairs: [string, string][] = [];
  const isTaken = new Set<string>();
  for (const entry of form.entries) {
    const { name, type, value, options } = entry;
    const text = given.get(name);
    const isChoice = type === 'radio' || type === 'checkbox';
    // A hidden field beside a visible one of its name is what is sent when the box is not ticked: it comes back as it is.
    const isBeside =
      type === 'hidden' && form.controls.some((one) => one.name === name && one.type !== 'hidden');
    if (text === undefined || isBeside) {
      if (value !== undefined) pairs.push([name, value]);
    } else if (isTaken.has(name)) {
      if (!isChoice && value !== undefined) pairs.push([name, value]);
    } else if (!isChoice || options[0] === text) {
      isTaken.add(name);
      pairs.push([name, text]);
    }
  }
  return pairs;
}

function textFor(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
