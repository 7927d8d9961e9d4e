import { createRequire } from 'node:module';
import type * as Cheerio from 'cheerio';

/** A parsed page: `$(selector)` finds elements. */
export type Page = Cheerio.CheerioAPI;

const require = createRequire(import.meta.url);
let cheerio: Pick<typeof Cheerio, 'load'> | undefined;

/**
 * Parses HTML as a browser does. Loaded with the first page: it costs a tenth of a second, which a command that never
 * sees one should not pay.
 */
export function parsePage(html: string): Page {
  // `require` is untyped; the package is pinned, and its types are those of the import above.
  cheerio ??= require('cheerio') as typeof Cheerio;
  const page = cheerio.load(html);
  // What a script may show later stands in templates, and is no part of the page that was sent: the receipt of an
  // unused confirmation would pass for one.
  page('template').remove();
  return page;
}

/** Judged by the parser that will look for it; a misspelt selector would only ever find nothing. */
export function isSelector(text: string): boolean {
  if (text.trim() !== text || text === '' || /^[/<]/.test(text)) return false;
  try {
    parsePage('<p></p>').root().find(text);
    return true;
  } catch {
    // Not a selector: the caller reports the field.
    return false;
  }
}
