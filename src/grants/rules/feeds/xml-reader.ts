/** XML feeds: one namespace, that of the root; what is wrong is refused as a feed is. */
import type { SaxesTagNS } from 'saxes';
import { GuardedXml, type XmlEvents, type XmlFault, type XmlPlace } from '../xml-guard.ts';
import { encodingNamed } from './decode.ts';
import type { FeedPlace } from './feed-events.ts';
import { DEPTH_MAX, TOKEN_CHARS_MAX } from './limits.ts';
import type { MarkupSink } from './markup.ts';
import { refuse } from './refusal.ts';

export interface XmlSink extends MarkupSink {
  /** The outermost element, with its namespace; the sink refuses what it cannot read. */
  root(name: string, namespace: string, place: FeedPlace): void;
}

const CODES = {
  malformed: 'FEED_MALFORMED',
  limit: 'INPUT_LIMIT',
  unsupported: 'FEED_UNSUPPORTED',
} as const;

/** Elements of other namespaces than the root's are left out with everything inside them. */
export class XmlReader implements XmlEvents {
  private readonly xml: GuardedXml;
  private readonly sink: XmlSink;
  private namespace: string | undefined;
  private depth = 0;
  /** Depth at which a foreign element began; undefined outside. */
  private foreignFrom: number | undefined;

  constructor(sink: XmlSink) {
    this.sink = sink;
    this.xml = new GuardedXml(this, {
      depthMax: DEPTH_MAX,
      tokenCharsMax: TOKEN_CHARS_MAX,
      // What is named here was decoded so before it came to the parser.
      isEncoding: (name) => encodingNamed(name) !== undefined,
    });
  }

  /** The sink is called while this runs. */
  push(piece: string): Generator<void> {
    return this.xml.push(piece);
  }

  finish(): void {
    this.xml.finish();
  }

  get place(): FeedPlace {
    return this.xml.place;
  }

  open(tag: SaxesTagNS, place: XmlPlace): void {
    this.depth += 1;
    if (this.namespace === undefined) {
      this.namespace = tag.uri;
      this.sink.root(tag.local, tag.uri, place);
    } else if (tag.uri !== this.namespace) {
      this.foreignFrom ??= this.depth;
    }
    if (this.foreignFrom !== undefined) return;
    this.sink.open({ name: tag.local, currency: tag.attributes['Ccy']?.value, place });
  }

  close(tag: SaxesTagNS, place: XmlPlace): void {
    if (this.foreignFrom === undefined) this.sink.close(tag.local, place);
    else if (this.foreignFrom === this.depth) this.foreignFrom = undefined;
    this.depth -= 1;
  }

  text(text: string): void {
    if (this.foreignFrom === undefined) this.sink.text(text);
  }

  refuse(place: XmlPlace, { kind, ...fault }: XmlFault): never {
    return refuse(place, { code: CODES[kind], ...fault });
  }
}
