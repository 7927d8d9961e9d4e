/** The SGML of OFX 1.x: fields have no end tags, groups have them. Gives the same tags and texts as the XML reader. */
import type { FeedPlace } from './feed-events.ts';
import { DEPTH_MAX, TOKEN_CHARS_MAX } from './limits.ts';
import type { MarkupSink } from './markup.ts';
import { quoted, refuse } from './refusal.ts';

export interface SgmlSink extends MarkupSink {
  /** The header before the first tag. */
  header(text: string, place: FeedPlace): void;
  /** The innermost element was never closed: it was an empty field, and has nothing inside it. */
  dissolve(name: string, place: FeedPlace): void;
}

// The only entities that OFX knows.
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', nbsp: '\u00A0' };
const NAME = /^[A-Z][A-Z0-9._]*$/;

export class SgmlReader {
  private readonly sink: SgmlSink;
  private readonly open: string[] = [];
  private token = '';
  private isInTag = false;
  private hasHeader = false;
  private hasRoot = false;
  /** A field that has just ended with its text; an end tag for it may follow and says nothing new. */
  private endedField: string | undefined;
  /** The innermost element was opened by the last tag, so that a text now is its text. */
  private isFresh = false;
  private line = 1;
  private column = 1;
  private start: FeedPlace = { line: 1, column: 1 };

  constructor(sink: SgmlSink) {
    this.sink = sink;
  }

  push(piece: string): void {
    let at = 0;
    while (at < piece.length) {
      const end = piece.indexOf(this.isInTag ? '>' : '<', at);
      const part = piece.slice(at, end === -1 ? piece.length : end);
      this.token += part;
      if (this.token.length > TOKEN_CHARS_MAX) {
        refuse(this.start, {
          code: 'INPUT_LIMIT',
          reason: `expected tags and texts of at most ${TOKEN_CHARS_MAX} characters, but one is longer`,
        });
      }
      this.advance(part);
      if (end === -1) return;
      this.endToken();
      this.column += 1;
      at = end + 1;
    }
  }

  finish(): void {
    if (this.isInTag) refuse(this.start, { reason: 'the feed ends inside a tag' });
    this.text(this.token);
    const innermost = this.open.at(-1);
    if (innermost !== undefined) {
      refuse(this.place, { reason: `the feed ends, but ${quoted(innermost)} is still open` });
    }
    if (!this.hasRoot) refuse(this.place, { reason: 'expected an OFX element, but found none' });
  }

  get place(): FeedPlace {
    return { line: this.line, column: this.column };
  }

  private endToken(): void {
    const { token, isInTag } = this;
    this.token = '';
    this.isInTag = !isInTag;
    if (isInTag) this.tag(token);
    else this.text(token);
    this.start = this.place;
  }

  private text(raw: string): void {
    if (!this.hasHeader) {
      this.hasHeader = true;
      this.sink.header(raw, this.start);
      return;
    }
    const text = raw.trim();
    if (text === '') return;
    const name = this.open.at(-1);
    if (!this.isFresh || name === undefined) {
      return refuse(this.start, {
        reason: `expected a tag, but found the text ${quoted(text)}`,
      });
    }
    this.sink.text(this.resolved(text));
    this.open.pop();
    this.sink.close(name, this.place);
    this.endedField = name;
    this.isFresh = false;
  }

  private tag(raw: string): void {
    const isEnd = raw.startsWith('/');
    const isEmpty = raw.endsWith('/');
    const name = raw
      .slice(isEnd ? 1 : 0, isEmpty ? -1 : undefined)
      .trim()
      .toUpperCase();
    if (!NAME.test(name) || (isEnd && isEmpty)) {
      return refuse(this.start, { reason: `expected an OFX tag, but found ${quoted(`<${raw}>`)}` });
    }
    if (isEnd) this.endTag(name);
    else this.startTag(name);
    if (isEmpty) this.endTag(name);
  }

  private startTag(name: string): void {
    if (this.open.length === 0 && (this.hasRoot || name !== 'OFX')) {
      refuse(this.start, { reason: `expected one OFX element, but found ${quoted(name)}` });
    }
    this.hasRoot = true;
    this.open.push(name);
    if (this.open.length > DEPTH_MAX) {
      refuse(this.start, {
        code: 'INPUT_LIMIT',
        reason: `expected elements nested at most ${DEPTH_MAX} deep, but ${quoted(name)} is deeper`,
      });
    }
    this.sink.open({ name, currency: undefined, place: this.start });
    this.endedField = undefined;
    this.isFresh = true;
  }

  private endTag(name: string): void {
    const isOfField = this.endedField === name;
    this.endedField = undefined;
    this.isFresh = false;
    if (isOfField) return;
    if (!this.open.includes(name)) {
      refuse(this.start, { reason: `found the end of ${quoted(name)}, which is not open` });
    }
    for (let inner = this.open.pop(); inner !== name; inner = this.open.pop()) {
      this.sink.dissolve(inner ?? '', this.start);
    }
    this.sink.close(name, this.start);
  }

  private resolved(text: string): string {
    return text.replace(/&(#\d{1,7}|[a-z]+);/gi, (whole, name: string) => {
      const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
      return (
        known ??
        refuse(this.start, { reason: `expected an entity of OFX, but found ${quoted(whole)}` })
      );
    });
  }

  private advance(part: string): void {
    const last = part.lastIndexOf('\n');
    if (last === -1) {
      this.column += part.length;
      return;
    }
    this.line += part.split('\n').length - 1;
    this.column = part.length - last;
  }
}
