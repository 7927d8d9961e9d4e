/** The XML parser behind a guard: no document type, bounded depth, bounded tokens, every fault with its line. */
import { type SaxesOptions, SaxesParser, type SaxesTagNS } from 'saxes';
import { encodingNamed } from './decode.ts';
import type { FeedPlace } from './feed-events.ts';
import { DEPTH_MAX, SLICE_CHARS, TOKEN_CHARS_MAX } from './limits.ts';
import type { MarkupSink } from './markup.ts';
import { quoted, refuse } from './refusal.ts';

export interface XmlSink extends MarkupSink {
  /** The outermost element, with its namespace; the sink refuses what it cannot read. */
  root(name: string, namespace: string, place: FeedPlace): void;
}

type Options = SaxesOptions & { readonly xmlns: true };

/** Elements of other namespaces than the root's are left out with everything inside them. */
export class XmlReader {
  private readonly parser = new SaxesParser<Options>({ xmlns: true, position: true });
  private readonly sink: XmlSink;
  private namespace: string | undefined;
  private depth = 0;
  /** Depth at which a foreign element began; undefined outside. */
  private foreignFrom: number | undefined;
  /** Where the parser last let go of what it held. */
  private releasedAt = 0;
  private releasedLine = 1;
  private releasedColumn = 1;

  constructor(sink: XmlSink) {
    this.sink = sink;
    this.listen();
  }

  /** The sink is called while this runs. */
  *push(piece: string): Generator<void> {
    for (let start = 0; start < piece.length; start += SLICE_CHARS) {
      this.parser.write(piece.slice(start, start + SLICE_CHARS));
      if (this.parser.position - this.releasedAt > TOKEN_CHARS_MAX) {
        refuse(this.place, {
          code: 'INPUT_LIMIT',
          reason: `expected tags and texts of at most ${TOKEN_CHARS_MAX} characters, but one goes on`,
        });
      }
      yield;
    }
  }

  finish(): void {
    this.parser.close();
  }

  get place(): FeedPlace {
    return { line: this.parser.line, column: this.parser.column + 1 };
  }

  private listen(): void {
    const { parser } = this;
    parser.on('error', (error) => {
      // The parser writes its own line and column in front; ours follow one form everywhere.
      const reason = error.message.replace(/^(?:undefined:)?\d+:\d+: /, '').replace(/\.$/, '');
      // Stray text is noticed somewhere behind its beginning, by how the feed was cut; its beginning is always the same.
      const place = reason.startsWith('text data outside')
        ? { line: this.releasedLine, column: this.releasedColumn }
        : this.place;
      refuse(place, { reason: `expected well-formed XML, but the parser says: ${reason}` });
    });
    parser.on('xmldecl', ({ encoding, version }) => {
      this.release();
      // What is named here was decoded so before it came to the parser.
      if (encoding !== undefined && encodingNamed(encoding) === undefined) {
        refuse(this.place, {
          code: 'FEED_UNSUPPORTED',
          reason: `expected XML in UTF-8 or ISO 8859-1, but it declares ${quoted(encoding)}`,
          remedy: 'Convert the file to UTF-8 and change its declaration',
        });
      }
      if (version !== '1.0') {
        refuse(this.place, {
          code: 'FEED_UNSUPPORTED',
          reason: `expected XML 1.0, but it declares ${quoted(version ?? '')}`,
        });
      }
    });
    parser.on('doctype', (doctype) => this.refuseDoctype(doctype));
    parser.on('opentag', (tag) => this.open(tag));
    parser.on('closetag', (tag) => this.close(tag));
    parser.on('text', (text) => this.text(text));
    parser.on('cdata', (text) => this.text(text));
    parser.on('comment', () => this.release());
    parser.on('processinginstruction', () => this.release());
  }

  private refuseDoctype(doctype: string): never {
    const { line } = this.place;
    return refuse(
      { line: line - (doctype.match(/\n/g)?.length ?? 0), column: 1 },
      {
        reason:
          'expected XML without a document type, but found a DOCTYPE, which can define entities that grow without bound',
        remedy: 'No bank feed has one; ask where this file comes from',
      },
    );
  }

  private open(tag: SaxesTagNS): void {
    this.release();
    this.depth += 1;
    if (this.depth > DEPTH_MAX) {
      refuse(this.place, {
        code: 'INPUT_LIMIT',
        reason: `expected elements nested at most ${DEPTH_MAX} deep, but ${quoted(tag.local)} is deeper`,
      });
    }
    if (this.namespace === undefined) {
      this.namespace = tag.uri;
      this.sink.root(tag.local, tag.uri, this.place);
    } else if (tag.uri !== this.namespace) {
      this.foreignFrom ??= this.depth;
    }
    if (this.foreignFrom !== undefined) return;
    this.sink.open({
      name: tag.local,
      currency: tag.attributes['Ccy']?.value,
      place: this.place,
    });
  }

  private close(tag: SaxesTagNS): void {
    this.release();
    if (this.foreignFrom === undefined) this.sink.close(tag.local, this.place);
    else if (this.foreignFrom === this.depth) this.foreignFrom = undefined;
    this.depth -= 1;
  }

  private text(text: string): void {
    // Outside the document only layout may stand; the parser refuses anything else right after this.
    if (this.depth === 0) return;
    this.release();
    if (this.foreignFrom === undefined) this.sink.text(text);
  }

  private release(): void {
    this.releasedAt = this.parser.position;
    this.releasedLine = this.parser.line;
    this.releasedColumn = this.parser.column + 1;
  }
}
