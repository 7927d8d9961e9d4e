/** What is read on a page, as data alone: a thread that may be ended can be asked for it. */
import type { PageReading, Profile } from '../../core/index.ts';
import { type Page, parsePage } from '../profile/page-parser.ts';
import { formOn, type FormOnPage } from './form-structure.ts';

// Whatever stands at a place is a number, a word or a short message.
const TEXT_CHARACTERS_MAX = 1_000;

/** What a profile wants to know of each of its pages. */
export interface PageQuestion {
  readonly places: readonly string[];
  readonly login: string | undefined;
  readonly form: string | undefined;
  readonly confirmation: string | undefined;
  readonly refusal: string | undefined;
}

export interface PageFacts {
  /** What the profile's places hold on this page, and which of its pages it is. */
  readonly reading: PageReading;
  readonly form: FormOnPage | undefined;
  readonly login: FormOnPage | undefined;
}

export function questionOf(profile: Profile): PageQuestion {
  const { receipt, received, status, registry, answers, form, session } = profile;
  const places = [
    receipt.numberAt,
    received.submissionIdAt,
    status?.stateAt,
    status?.keyAt,
    registry?.stateAt,
    registry?.entityAt,
    ...[...(receipt.echoes ?? []), ...(status?.echoes ?? [])].map((echo) => echo.at),
    form?.refusal?.codeAt,
    ...answers.map((rule) => rule.at),
  ];
  return {
    places: [...new Set(places.filter((place) => place !== undefined))],
    login: session?.login?.selector,
    form: form?.selector,
    confirmation: form?.confirmation,
    refusal: form?.refusal?.mark,
  };
}

/** Undefined when the page cannot be read, for whatever reason: what a parser throws says nothing that could be trusted. */
export function factsOf(html: string, question: PageQuestion): PageFacts | undefined {
  try {
    const page = parsePage(html);
    const texts: Record<string, string> = {};
    for (const place of question.places) {
      const text = textOf(page, place);
      if (text !== undefined) texts[place] = text;
    }
    const { form, login } = question;
    return {
      reading: { kind: kindOf(page, question), texts },
      form: form === undefined ? undefined : formOn(page, form),
      login: login === undefined ? undefined : formOn(page, login),
    };
  } catch {
    // A page nested too deep for the stack, or a shape that no parser foresaw: "cannot be read" is its verdict.
    return undefined;
  }
}

function kindOf(page: Page, question: PageQuestion): PageReading['kind'] {
  const has = (selector: string | undefined): boolean =>
    selector !== undefined && page(selector).length > 0;
  // In this order: a page that asks for a password says nothing else that could be trusted, and a form that is shown
  // again with an error is a refusal.
  if (has(question.login)) return 'login';
  const isConfirmed = has(question.confirmation);
  // Many pages keep an empty place for errors. A page that confirms and refuses proves neither.
  if (hasContent(page, question.refusal)) return isConfirmed ? 'other' : 'refusal';
  if (has(question.form)) return 'form';
  return isConfirmed ? 'confirmation' : 'other';
}

/** Something is at the selector: text, a picture, a field; not only the place for it. */
function hasContent(page: Page, selector: string | undefined): boolean {
  if (selector === undefined) return false;
  return page(selector)
    .toArray()
    .some((element) => {
      const mark = page(element);
      return (
        mark.is('input, img') || mark.find('input, img').length > 0 || mark.text().trim() !== ''
      );
    });
}

/** One text, however often it stands there. Two different ones are none: nobody could say which of them is meant. */
function textOf(page: Page, selector: string): string | undefined {
  const found = new Set<string>();
  for (const element of page(selector).toArray()) {
    found.add(page(element).text().replaceAll(/\s+/g, ' ').trim());
    if (found.size > 1) return undefined;
  }
  const [text] = found;
  if (text === undefined || text === '') return undefined;
  return text.length > TEXT_CHARACTERS_MAX ? undefined : text;
}
