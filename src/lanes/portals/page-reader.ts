import type { Answer, Profile } from '../../core/index.ts';
import { factsOf, type PageFacts, type PageQuestion, questionOf } from './page-facts.ts';
import { placeFor } from './page-scan.ts';
import { PageThreads } from './page-threads.ts';

// A confirmation or form page has a few kilobytes.
const PAGE_BYTES_MAX = 2 * 1024 * 1024;
// Browsers look no further either.
const META_BYTES_MAX = 1024;
// `text/html; charset=...` and nothing of note behind it.
const TYPE_CHARACTERS_MAX = 1000;

/** Reads the pages of all lanes of a process. Each answer is read once, however often it is asked about. */
export class PageReader {
  private readonly threads = new PageThreads();
  private readonly known = new WeakMap<Answer, Promise<PageFacts | undefined>>();
  private readonly questions = new WeakMap<Profile, PageQuestion>();

  /** Undefined when the page is not whole, too large, no HTML, not in the charset it claims, or makes too much work. */
  read(answer: Answer, profile: Profile): Promise<PageFacts | undefined> {
    let facts = this.known.get(answer);
    if (facts === undefined) {
      facts = this.factsIn(answer, profile);
      this.known.set(answer, facts);
    }
    return facts;
  }

  /** The answer with its reading; without one where the page cannot be read. */
  async withReading(answer: Answer, profile: Profile): Promise<Answer> {
    const facts = await this.read(answer, profile);
    return facts === undefined ? answer : { ...answer, page: facts.reading };
  }

  close(): Promise<void> {
    return this.threads.close();
  }

  private async factsIn(answer: Answer, profile: Profile): Promise<PageFacts | undefined> {
    const html = htmlOf(answer);
    if (html === undefined) return undefined;
    const question = this.questionOf(profile);
    switch (placeFor(html)) {
      case 'here':
        return factsOf(html, question);
      case 'apart':
        return this.threads.read(html, question);
      case 'nowhere':
        return undefined;
    }
  }

  private questionOf(profile: Profile): PageQuestion {
    let question = this.questions.get(profile);
    if (question === undefined) {
      question = questionOf(profile);
      this.questions.set(profile, question);
    }
    return question;
  }
}

function htmlOf(answer: Answer): string | undefined {
  if (answer.bodyEnd !== 'whole' || answer.body.length > PAGE_BYTES_MAX) return undefined;
  const type = typeOf(answer);
  if (!/^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type)) return undefined;
  const html = decoded(answer.body, charsetOf(answer));
  // A parser closes what is open, so a page that was cut in the middle of a number would read like a whole one.
  const isCut = html !== undefined && /<html[\s>]/i.test(html) && !/<\/html[\s>]/i.test(html);
  return isCut ? undefined : html;
}

function typeOf({ headers }: Pick<Answer, 'headers'>): string {
  return (headers['content-type'] ?? '').slice(0, TYPE_CHARACTERS_MAX).trimStart();
}

/** As browsers find it: the mark at the beginning, then the header, then what the page says of itself. */
export function charsetOf({ body, headers }: Pick<Answer, 'body' | 'headers'>): string {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const named = /charset\s*=\s*["']?([\w:.-]+)/i;
  const declared = named.exec(typeOf({ headers }))?.[1];
  if (declared !== undefined) return declared;
  const head = Buffer.from(body.subarray(0, META_BYTES_MAX)).toString('latin1');
  for (const [meta] of withoutComments(head).matchAll(/<meta\s[^<>]*>/gi)) {
    const said = named.exec(meta)?.[1];
    // A page whose bytes could be read far enough to find this is not in UTF-16, whatever it says.
    if (said !== undefined) return /^utf-?16/i.test(said) ? 'utf-8' : said;
  }
  return 'utf-8';
}

function withoutComments(html: string): string {
  let text = '';
  let at = 0;
  for (;;) {
    const from = html.indexOf('<!--', at);
    const to = from === -1 ? -1 : html.indexOf('-->', from + 4);
    if (to === -1) return text + html.slice(at);
    text += html.slice(at, from);
    at = to + 3;
  }
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // An unknown charset, or bytes that are not in it: a page that nobody may trust.
    return undefined;
  }
}
