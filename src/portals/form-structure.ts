import { hash } from 'node:crypto';
import { canonicalBytes } from '../core/index.ts';
import type { Page } from './page-parser.ts';

export interface FormControl {
  readonly name: string;
  /** `text`, `hidden`, `select`, `textarea`, ... */
  readonly type: string;
  readonly isRequired: boolean;
  readonly charactersMax: number | undefined;
  /** The values that can be chosen: of a list, or of radio buttons and boxes with one name. */
  readonly options: readonly string[];
  /** What the page itself has filled in; for a hidden field that is what must come back. */
  readonly value: string | undefined;
}

export interface FormStructure {
  /** A path; where the form has no action, the page's own. */
  readonly action: string;
  readonly method: string;
  readonly controls: readonly FormControl[];
}

// A button is pressed, not filled in; a file cannot come from a payload.
const NOT_CONTROLS: ReadonlySet<string> = new Set(['submit', 'button', 'reset', 'image']);
const CHOICES: ReadonlySet<string> = new Set(['radio', 'checkbox']);

/** The one form at the selector; undefined when there is none, or more than one. */
export function readForm(page: Page, selector: string, url: string): FormStructure | undefined {
  const form = page(selector);
  if (form.length !== 1) return undefined;
  const target = form.attr('action') ?? '';
  if (!URL.canParse(target, url)) return undefined;
  const action = new URL(target, url);
  const controls = new Map<string, FormControl>();
  form.find('input[name], select[name], textarea[name]').each((_index, element) => {
    const control = readControl(page, element);
    if (NOT_CONTROLS.has(control.type)) return;
    const known = controls.get(control.name);
    controls.set(control.name, known === undefined ? control : joined(known, control));
  });
  return {
    // Session ids in the address (`;jsessionid=`, a query) change with every visit and are no part of the structure.
    action:
      action.origin === new URL(url).origin ? action.pathname.replace(/;.*$/, '') : action.href,
    method: (form.attr('method') ?? 'get').toUpperCase(),
    controls: [...controls.values()],
  };
}

type Element = Parameters<Page>[0];

function readControl(page: Page, element: Element): FormControl {
  const control = page(element);
  const tag = (control.prop('tagName') ?? '').toLowerCase();
  const type = tag === 'input' ? (control.attr('type') ?? 'text').toLowerCase() : tag;
  const max = Number(control.attr('maxlength') ?? Number.NaN);
  const value = control.attr('value');
  const options: string[] = [];
  control.find('option').each((_index, option) => {
    options.push(page(option).attr('value') ?? page(option).text().trim());
  });
  if (CHOICES.has(type)) options.push(value ?? 'on');
  const isChosen = !CHOICES.has(type) || control.attr('checked') !== undefined;
  return {
    name: control.attr('name') ?? '',
    type,
    isRequired: control.attr('required') !== undefined,
    charactersMax: Number.isInteger(max) && max >= 0 ? max : undefined,
    options,
    value: isChosen ? value : undefined,
  };
}

/** Radio buttons and boxes of one name are one field. */
function joined(known: FormControl, next: FormControl): FormControl {
  return {
    ...known,
    isRequired: known.isRequired || next.isRequired,
    options: [...known.options, ...next.options],
    value: known.value ?? next.value,
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
  return hash('sha256', canonicalBytes({ action, method: form.method, fields }), 'hex');
}
