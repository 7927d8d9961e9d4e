import { canonicalBytes, invariant, sha256Of } from '../../core/index.ts';
import type { Page } from '../profile/page-parser.ts';

interface FormControl {
  readonly name: string;
  /** `text`, `hidden`, `select`, `textarea`, ... */
  readonly type: string;
  readonly isRequired: boolean;
  readonly charactersMax: number | undefined;
  /** The values that can be chosen: of a list, or of radio buttons and boxes with one name. */
  readonly options: readonly string[];
  /** What the page itself has filled in or chosen: a browser sends it back. Undefined when nothing is chosen. */
  readonly value: string | undefined;
}

export interface FormStructure {
  /** A path; where the form has no action, the page's own. */
  readonly action: string;
  /** Where it is really posted to: the action with its query, in which a portal may carry the state of the form. */
  readonly target: string;
  readonly method: string;
  readonly enctype: string;
  /** In lower case; undefined where the form does not say in what it wants to be answered. */
  readonly acceptCharset: string | undefined;
  /** Each name once. */
  readonly controls: readonly FormControl[];
  /** One for each control that a browser would look at, in the order of the page; a name may come again. */
  readonly entries: readonly FormControl[];
  /** What can be pressed to send it. */
  readonly buttons: readonly FormButton[];
}

export interface FormButton {
  /** Empty where pressing it says nothing. */
  readonly name: string;
  readonly value: string;
}

export const URL_ENCODED = 'application/x-www-form-urlencoded';
export const MULTIPART = 'multipart/form-data';

// A button is pressed, not filled in; a file cannot come from a payload.
const NOT_CONTROLS: ReadonlySet<string> = new Set(['submit', 'button', 'reset', 'image']);
const CHOICES: ReadonlySet<string> = new Set(['radio', 'checkbox']);
const CONTROLS = 'input[name], select[name], textarea[name]';

/** A form as it stands on its page: data alone, so that a thread can hand it over. */
export interface FormOnPage
  extends Pick<
    FormStructure,
    'method' | 'enctype' | 'acceptCharset' | 'controls' | 'entries' | 'buttons'
  > {
  /** As it is written; empty where the form names none. */
  readonly action: string;
  /** Where the page says that its links start; empty where it does not. */
  readonly base: string;
}

/** The one form at the selector; undefined when there is none, or more than one. */
export function formOn(page: Page, selector: string): FormOnPage | undefined {
  const form = page(selector);
  if (form.length !== 1) return undefined;
  const own = ownedBy(page, form);
  const entries = own(CONTROLS)
    .map((element) => readControl(page, element))
    .filter(({ type }) => !NOT_CONTROLS.has(type));
  const enctype = (form.attr('enctype') ?? '').trim().toLowerCase();
  const charset = form
    .attr('accept-charset')
    ?.trim()
    .split(/[\s,]+/)[0];
  return {
    action: form.attr('action') ?? '',
    base: page('base[href]').first().attr('href') ?? '',
    method: (form.attr('method') ?? 'get').toUpperCase(),
    // As browsers read it: what they do not know is the usual one.
    enctype: enctype === MULTIPART || enctype === 'text/plain' ? enctype : URL_ENCODED,
    acceptCharset: charset === undefined || charset === '' ? undefined : charset.toLowerCase(),
    controls: eachNameOnce(entries),
    entries,
    buttons: own('input[type=submit i], button').flatMap((element) => readButton(page, element)),
  };
}

/** The form with its addresses; undefined where it has none that can be read. `url` is that of the page. */
export function formAt(found: FormOnPage, url: string): FormStructure | undefined {
  const { action: target, base, ...form } = found;
  // A page may say that its links start elsewhere; an empty action means the page itself all the same.
  const from = target !== '' && URL.canParse(base, url) ? new URL(base, url).href : url;
  if (!URL.canParse(target, from)) return undefined;
  const action = new URL(target, from);
  const isHere = action.origin === new URL(url).origin;
  return {
    ...form,
    // Session ids in the address (`;jsessionid=`, a query) change with every visit and are no part of the structure.
    action: isHere ? withoutParameters(action.pathname) : action.href,
    target: isHere ? action.pathname + action.search : action.href,
  };
}

function withoutParameters(path: string): string {
  const at = path.indexOf(';');
  return at === -1 ? path : path.slice(0, at);
}

/** Joined in place: a page with thousands of boxes of one name must not copy their list for each of them. */
function eachNameOnce(entries: readonly FormControl[]): readonly FormControl[] {
  const controls = new Map<string, FormControl[]>();
  for (const control of entries) {
    const known = controls.get(control.name);
    if (known === undefined) controls.set(control.name, [control]);
    else known.push(control);
  }
  return [...controls.values()].map((same) => (same.length === 1 ? same : [joined(same)])).flat();
}

type Elements = ReturnType<Page>;
type Element = Parameters<Page>[0];

/**
 * Finds what belongs to a form as browsers see it: all inside it that names no other form, and all elsewhere that names
 * this one, unless it is disabled. A form that begins between the rows of a table ends there at once for the parser,
 * and yet the fields in the following rows belong to it.
 */
function ownedBy(page: Page, form: Elements): (selector: string) => readonly Element[] {
  const id = form.attr('id') ?? '';
  const table = form.parent().is('table, thead, tbody, tfoot, tr')
    ? form.closest('table').get(0)
    : undefined;
  const self = form.get(0);
  const followers = table === undefined ? undefined : followersOf(page, form);
  return (selector) =>
    // Of the page and not of the form, because what names the form may stand anywhere.
    page(selector)
      .toArray()
      .filter((element) => {
        const control = page(element);
        if (control.closest('[disabled], fieldset[disabled]').length > 0) return false;
        const named = control.attr('form');
        if (named !== undefined) return id !== '' && named === id;
        const around = control.closest('form').get(0);
        if (around !== undefined || followers === undefined) return around === self;
        return control.closest('table').get(0) === table && followers.has(element);
      });
}

/** What stands behind this form and before the next one. Found in one pass: a page may have thousands of both. */
function followersOf(page: Page, form: Elements): ReadonlySet<Element> {
  const self = form.get(0);
  const found = new Set<Element>();
  let isBehind = false;
  for (const element of page('form, input, select, textarea, button').toArray()) {
    if (element.tagName === 'form') isBehind = element === self;
    else if (isBehind) found.add(element);
  }
  return found;
}

function readControl(page: Page, element: Element): FormControl {
  const control = page(element);
  const tag = (control.prop('tagName') ?? '').toLowerCase();
  const type = tag === 'input' ? (control.attr('type') ?? 'text').toLowerCase() : tag;
  const max = Number(control.attr('maxlength') ?? Number.NaN);
  const value = control.attr('value');
  const options: string[] = [];
  control.find('option').each((_index, option) => {
    options.push(optionValue(page, option));
  });
  if (CHOICES.has(type)) options.push(value ?? 'on');
  return {
    name: control.attr('name') ?? '',
    type,
    isRequired: control.attr('required') !== undefined,
    charactersMax: Number.isInteger(max) && max >= 0 ? max : undefined,
    options,
    value: filledIn(page, { control, type, options }),
  };
}

/** What a browser would send if nobody touched the control; undefined when that is nothing at all. */
function filledIn(
  page: Page,
  seen: { readonly control: Elements; readonly type: string; readonly options: readonly string[] },
): string | undefined {
  const { control, type, options } = seen;
  if (type === 'textarea') return control.text().replace(/^\n/, '');
  if (CHOICES.has(type)) return control.attr('checked') === undefined ? undefined : options[0];
  if (type !== 'select') return control.attr('value') ?? '';
  const chosen = control.find('option[selected]').last();
  if (chosen.length === 1) return optionValue(page, chosen);
  // A list that shows one line shows its first choice, and sends it.
  const isOpen = control.attr('multiple') !== undefined || Number(control.attr('size') ?? 1) > 1;
  return isOpen ? undefined : options[0];
}

function optionValue(page: Page, option: Element | Elements): string {
  const element = page(option);
  return element.attr('value') ?? element.text().replaceAll(/\s+/g, ' ').trim();
}

function readButton(page: Page, element: Element): readonly FormButton[] {
  const button = page(element);
  const type = (button.attr('type') ?? 'submit').toLowerCase();
  if (type === 'button' || type === 'reset') return [];
  return [{ name: button.attr('name') ?? '', value: button.attr('value') ?? '' }];
}

/** Radio buttons and boxes of one name are one field. */
function joined(same: readonly FormControl[]): FormControl {
  const [first] = same;
  invariant(first !== undefined, 'A name that was found has a control');
  return {
    ...first,
    isRequired: same.some((one) => one.isRequired),
    options: same.flatMap((one) => one.options),
    value: same.find((one) => one.value !== undefined)?.value,
  };
}

/**
 * SHA-256 over what a filled-in form depends on: action, method, and of each field its name, type, whether it is
 * required, its longest text and the values to choose from. Order, wording and looks may change; values that the page
 * fills in (a CSRF token) change with every visit.
 */
export function fingerprintOf(form: FormStructure, basePath: string): string {
  const action = form.action.startsWith(`${basePath}/`)
    ? form.action.slice(basePath.length)
    : form.action;
  const fields = form.controls
    .map(({ name, type, isRequired, charactersMax, options }) => ({
      name,
      type,
      required: isRequired,
      maxlength: charactersMax ?? null,
      options: [...options].sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  // Said only where it is not the usual one: the fingerprints in profiles stay what they are.
  const enctype = form.enctype === URL_ENCODED ? {} : { enctype: form.enctype };
  const parts = { action, method: form.method, fields, ...enctype };
  return sha256Of(canonicalBytes(parts));
}
