import type { Answer, PageReading, Profile } from '../core/index.ts';
import { type Page, parsePage } from './page-parser.ts';

// A confirmation or form page has a few kilobytes; parsing eight megabytes would hold up every other lane.
const PAGE_BYTES_MAX = 2 * 1024 * 1024;
// Whatever stands at a place is a number, a word or a short message.
const TEXT_CHARACTERS_MAX = 1_000;

/** The answer as a page; undefined when it is not whole, too large, no HTML or not in the charset it claims. */
export function pageOf(answer: Answer): Page | undefined {
  if (answer.bodyEnd !== 'whole' || answer.body.length > PAGE_BYTES_MAX) return undefined;
  const type = answer.headers['content-type'] ?? '';
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type)) return undefined;
  const html = decoded(answer.body, /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8');
  // A parser closes what is open, so a page that was cut in the middle of a number would read like a whole one.
  if (html === undefined || (/<html[\s>]/i.test(html) && !/<\/html\s*>/i.test(html)))
    return undefined;
  return parsePage(html);
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // An unknown charset, or bytes that are not in it: a page that nobody may trust.
    return undefined;
  }
}

/** What the profile's places hold on this page, and which of its pages it is. */
export function readPage(page: Page, profile: Profile): PageReading {
  const texts: Record<string, string> = {};
  for (const place of placesOf(profile)) {
    const text = textOf(page, place);
    if (text !== undefined) texts[place] = text;
  }
  return { kind: kindOf(page, profile), texts };
}

/** The answer with its reading; without one where the page cannot be read. */
export function withReading(answer: Answer, profile: Profile): Answer {
  const page = pageOf(answer);
  return page === undefined ? answer : { ...answer, page: readPage(page, profile) };
}

function kindOf(page: Page, { form, session }: Profile): PageReading['kind'] {
  const has = (selector: string | undefined): boolean =>
    selector !== undefined && page(selector).length > 0;
  // In this order: a page that asks for a password says nothing else that could be trusted, and a form that is shown
  // again with an error is a refusal.
  if (has(session?.login?.selector)) return 'login';
  if (has(form?.refusal?.mark)) return 'refusal';
  if (has(form?.selector)) return 'form';
  return has(form?.confirmation) ? 'confirmation' : 'other';
}

function placesOf(profile: Profile): ReadonlySet<string> {
  const { receipt, received, status, registry, answers, form } = profile;
  const places = [
    receipt.numberAt,
    received.submissionIdAt,
    status?.stateAt,
    status?.keyAt,
    registry?.stateAt,
    form?.refusal?.codeAt,
    ...answers.map((rule) => rule.at),
  ];
  return new Set(places.filter((place) => place !== undefined));
}

/** One text, however often it stands there. Two different ones are none: nobody could say which of them is meant. */
function textOf(page: Page, selector: string): string | undefined {
  const found = new Set<string>();
  page(selector).each((_index, element) => {
    found.add(page(element).text().replaceAll(/\s+/g, ' ').trim());
  });
  const [text] = found;
  if (found.size !== 1 || text === undefined || text === '') return undefined;
  return text.length > TEXT_CHARACTERS_MAX ? undefined : text;
}
