import type { Answer, PageReading, Profile } from '../../core/index.ts';
import { type Page, parsePage } from '../profile/page-parser.ts';

// A confirmation or form page has a few kilobytes; parsing eight megabytes would hold up every other lane.
const PAGE_BYTES_MAX = 2 * 1024 * 1024;
// Browsers look no further either.
const META_BYTES_MAX = 1024;
// Whatever stands at a place is a number, a word or a short message.
const TEXT_CHARACTERS_MAX = 1_000;

/** The answer as a page; undefined when it is not whole, too large, no HTML or not in the charset it claims. */
export function pageOf(answer: Answer): Page | undefined {
  if (answer.bodyEnd !== 'whole' || answer.body.length > PAGE_BYTES_MAX) return undefined;
  const type = answer.headers['content-type'] ?? '';
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type)) return undefined;
  const html = decoded(answer.body, charsetOf(answer));
  // A parser closes what is open, so a page that was cut in the middle of a number would read like a whole one.
  if (html === undefined || (/<html[\s>]/i.test(html) && !/<\/html\s*>/i.test(html)))
    return undefined;
  return parsePage(html);
}

/** As browsers find it: the mark at the beginning, then the header, then what the page says of itself. */
export function charsetOf({ body, headers }: Pick<Answer, 'body' | 'headers'>): string {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const named = /charset\s*=\s*["']?([\w:.-]+)/i;
  const declared = named.exec(headers['content-type'] ?? '')?.[1];
  if (declared !== undefined) return declared;
  const head = Buffer.from(body.subarray(0, META_BYTES_MAX)).toString('latin1');
  for (const [meta] of head.replaceAll(/<!--[^]*?-->/g, '').matchAll(/<meta\s[^>]*>/gi)) {
    const said = named.exec(meta)?.[1];
    // A page whose bytes could be read far enough to find this is not in UTF-16, whatever it says.
    if (said !== undefined) return /^utf-?16/i.test(said) ? 'utf-8' : said;
  }
  return 'utf-8';
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
  const isConfirmed = has(form?.confirmation);
  // Many pages keep an empty place for errors. A page that confirms and refuses proves neither.
  if (hasContent(page, form?.refusal?.mark)) return isConfirmed ? 'other' : 'refusal';
  if (has(form?.selector)) return 'form';
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

function placesOf(profile: Profile): ReadonlySet<string> {
  const { receipt, received, status, registry, answers, form } = profile;
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
