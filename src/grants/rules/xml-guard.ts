/** The XML parser behind a guard: no document type, bounded depth, bounded tokens, every fault with its place. */
import { type SaxesOptions, SaxesParser, type SaxesTagNS } from 'saxes';

export interface XmlPlace {
  readonly line: number;
  readonly column: number;
}

export interface XmlFault {
  readonly kind: 'malformed' | 'limit' | 'unsupported';
  /** What was expected and what was found, without a full stop. */
  readonly reason: string;
  readonly remedy?: string;
}

/** What a reader is told, in the order of the document, and how it refuses what the guard does not let pass. */
export interface XmlEvents {
  open(tag: SaxesTagNS, place: XmlPlace): void;
  text(text: string): void;
  close(tag: SaxesTagNS, place: XmlPlace): void;
  refuse(place: XmlPlace, fault: XmlFault): never;
}

interface XmlBounds {
  readonly depthMax: number;
  /** One tag, text or comment: the parser holds it whole until its end has come. */
  readonly tokenCharsMax: number;
  /** Whether the bytes were decoded as a declaration of this encoding asks. */
  readonly isEncoding: (name: string) => boolean;
}

type Options = SaxesOptions & { readonly xmlns: true };

// Text given to the parser at once: small, so that a token that goes on is noticed soon after its bound is passed.
const SLICE_CHARS = 16 * 1024;
const QUOTED_CHARS_MAX = 60;

export class GuardedXml {
  private readonly parser = new SaxesParser<Options>({ xmlns: true, position: true });
  private readonly events: XmlEvents;
  private readonly bounds: XmlBounds;
  private depth = 0;
  /** Where the parser last let go of what it held. */
  private releasedAt = 0;
  private releasedLine = 1;
  private releasedColumn = 1;

  constructor(events: XmlEvents, bounds: XmlBounds) {
    this.events = events;
    this.bounds = bounds;
    this.listen();
  }

  /** Events are told while this runs. */
  *push(piece: string): Generator<void> {
    const { tokenCharsMax } = this.bounds;
    for (let start = 0; start < piece.length; start += SLICE_CHARS) {
      this.parser.write(piece.slice(start, start + SLICE_CHARS));
      if (this.parser.position - this.releasedAt > tokenCharsMax) {
        const reason = `expected tags and texts of at most ${tokenCharsMax} characters, but one is longer`;
        this.events.refuse(this.place, { kind: 'limit', reason });
      }
      yield;
    }
  }

  finish(): void {
    this.parser.close();
  }

  get place(): XmlPlace {
    return { line: this.parser.line, column: this.parser.column + 1 };
  }

  private listen(): void {
    const { parser } = this;
    parser.on('error', (error) => this.refuseMalformed(error.message));
    parser.on('xmldecl', (declared) => this.declaration(declared));
    parser.on('doctype', (doctype) => this.refuseDoctype(doctype));
    parser.on('opentag', (tag) => this.open(tag));
    parser.on('closetag', (tag) => {
      this.release();
      this.events.close(tag, this.place);
      this.depth -= 1;
    });
    parser.on('text', (text) => this.text(text));
    parser.on('cdata', (text) => this.text(text));
    parser.on('comment', () => this.release());
    parser.on('processinginstruction', () => this.release());
  }

  private refuseMalformed(message: string): never {
    // The parser writes its own line and column in front; ours follow one form everywhere.
    const said = message.replace(/^(?:undefined:)?\d+:\d+: /, '').replace(/\.$/, '');
    // Stray text is noticed somewhere behind its beginning, by how the feed was cut; its beginning is always the same.
    const place = said.startsWith('text data outside')
      ? { line: this.releasedLine, column: this.releasedColumn }
      : this.place;
    const reason = `expected well-formed XML, but the parser says: ${said}`;
    return this.events.refuse(place, { kind: 'malformed', reason });
  }

  private refuseDoctype(doctype: string): never {
    const line = this.place.line - (doctype.match(/\n/g)?.length ?? 0);
    return this.events.refuse(
      { line, column: 1 },
      {
        kind: 'malformed',
        reason:
          'expected XML without a document type, but found a DOCTYPE, which can define entities that grow without bound',
        remedy: 'No valid file of this kind has one; check its source',
      },
    );
  }

  private declaration(declared: {
    readonly encoding?: string | undefined;
    readonly version?: string | undefined;
  }): void {
    this.release();
    const { encoding, version } = declared;
    if (encoding !== undefined && !this.bounds.isEncoding(encoding)) {
      this.events.refuse(this.place, {
        kind: 'unsupported',
        reason: `expected XML in UTF-8 or ISO 8859-1, but it declares ${quoted(encoding)}`,
        remedy: 'Convert the file to UTF-8 and change its declaration',
      });
    }
    if (version !== '1.0') {
      const reason = `expected XML 1.0, but it declares ${quoted(version ?? '')}`;
      this.events.refuse(this.place, { kind: 'unsupported', reason });
    }
  }

  private open(tag: SaxesTagNS): void {
    this.release();
    this.depth += 1;
    const { depthMax } = this.bounds;
    if (this.depth > depthMax) {
      const reason = `expected elements nested at most ${depthMax} deep, but ${quoted(tag.local)} is deeper`;
      this.events.refuse(this.place, { kind: 'limit', reason });
    }
    this.events.open(tag, this.place);
  }

  private text(text: string): void {
    // Outside the document only layout may stand; the parser refuses anything else right after this.
    if (this.depth === 0) return;
    this.release();
    this.events.text(text);
  }

  private release(): void {
    this.releasedAt = this.parser.position;
    this.releasedLine = this.parser.line;
    this.releasedColumn = this.parser.column + 1;
  }
}

function quoted(text: string): string {
  return JSON.stringify(
    text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text,
  );
}
