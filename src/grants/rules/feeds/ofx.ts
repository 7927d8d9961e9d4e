/** OFX 1.x (SGML) and 2.x (XML), as a stream. The two differ only in how tags are read. */
import type { Day } from '../../../calendar/index.ts';
import type { FeedEvent, FeedPlace, FeedReader } from './feed-events.ts';
import { ElementCollector, type MarkupElement, type OpenTag, textAt } from './markup.ts';
import { OfxHeader, readTransaction } from './ofx-statement.ts';
import { quoted, refuse } from './refusal.ts';
import { SgmlReader, type SgmlSink } from './sgml-reader.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';
import { XmlReader, type XmlSink } from './xml-reader.ts';

export type OfxVariant = 'sgml' | 'xml';

const STATEMENTS = new Set(['STMTRS', 'CCSTMTRS']);
const PARTS = new Set([
  'CURDEF',
  'BANKACCTFROM',
  'CCACCTFROM',
  'DTSTART',
  'DTEND',
  'STMTTRN',
  'LEDGERBAL',
]);

interface OpenStatement {
  readonly header: OfxHeader;
  readonly tally: StatementTally;
  readonly depth: number;
  ordinal: number | undefined;
  lastBooked: Day | undefined;
  /** Transactions in another currency are in no sum. */
  isOneCurrency: boolean;
}

export class OfxReader implements FeedReader, XmlSink, SgmlSink {
  private readonly tags: XmlReader | SgmlReader;
  private readonly collector = new ElementCollector();
  private readonly tally = new FeedTally();
  private ready: FeedEvent[] = [];
  private current: OpenStatement | undefined;
  private depth = 0;

  constructor(variant: OfxVariant) {
    this.tags = variant === 'xml' ? new XmlReader(this) : new SgmlReader(this);
  }

  *push(piece: string): Generator<FeedEvent> {
    if (this.tags instanceof SgmlReader) {
      this.tags.push(piece);
      yield* this.take();
      return;
    }
    for (const _ of this.tags.push(piece)) yield* this.take();
  }

  *finish(): Generator<FeedEvent> {
    this.tags.finish();
    yield* this.take();
    if (this.tally.nextOrdinal === 1) {
      refuse(this.tags.place, {
        reason: 'expected at least one statement (STMTRS or CCSTMTRS), but the response holds none',
      });
    }
    yield this.tally.end('ofx');
  }

  root(name: string, _namespace: string, place: FeedPlace): void {
    if (name === 'OFX') return;
    refuse(place, { reason: `expected an OFX element, but found ${quoted(name)}` });
  }

  header(text: string, place: FeedPlace): void {
    if (/^\s*OFXHEADER:\s*100\s/.test(text) && /\sDATA:\s*OFXSGML\s/.test(text)) return;
    refuse(place, {
      reason: `expected the header OFXHEADER:100 with DATA:OFXSGML, but found ${quoted(text)}`,
    });
  }

  open(tag: OpenTag): void {
    this.depth += 1;
    if (this.collector.isCollecting) {
      if (tag.name === 'STMTTRN' || STATEMENTS.has(tag.name)) this.notClosed(tag.place);
      this.collector.open(tag);
      return;
    }
    if (STATEMENTS.has(tag.name)) {
      if (this.current !== undefined) {
        refuse(tag.place, { reason: `found ${tag.name} inside another statement` });
      }
      this.current = {
        header: new OfxHeader(tag.place),
        tally: new StatementTally(),
        depth: this.depth,
        ordinal: undefined,
        lastBooked: undefined,
        isOneCurrency: true,
      };
    } else if (tag.name === 'STATUS' || (this.current !== undefined && PARTS.has(tag.name))) {
      this.collector.open(tag);
    } else if (tag.name === 'STMTTRN') {
      refuse(tag.place, { reason: 'found STMTTRN outside a statement' });
    }
  }

  text(text: string): void {
    this.collector.text(text);
  }

  close(_name: string, place: FeedPlace): void {
    const { current } = this;
    if (this.collector.isCollecting) {
      const whole = this.collector.close();
      if (whole !== undefined) this.part(whole);
    } else if (current !== undefined && current.depth === this.depth) {
      this.begin(current);
      const { header, tally, lastBooked, isOneCurrency } = current;
      const netCents = isOneCurrency ? tally.netCents : undefined;
      const ended = header.ended(current.ordinal ?? 0, { lastBooked, netCents });
      this.emit(tally.end(ended, 'none', place));
      this.current = undefined;
    }
    this.depth -= 1;
  }

  dissolve(name: string, place: FeedPlace): void {
    if (STATEMENTS.has(name) || this.collector.path.length === 1) this.notClosed(place);
    this.collector.dissolve();
    this.depth -= 1;
  }

  private *take(): Generator<FeedEvent> {
    const events = this.ready;
    this.ready = [];
    yield* events;
  }

  private emit(event: FeedEvent): void {
    this.ready.push(this.tally.count(event));
  }

  private notClosed(place: FeedPlace): never {
    return refuse(place, {
      reason: `${quoted(this.collector.path[0] ?? 'a statement')} is not closed before this`,
    });
  }

  private part(element: MarkupElement): void {
    if (element.name === 'STATUS') {
      refuseError(element);
      return;
    }
    const { current } = this;
    if (current === undefined) return;
    if (element.name !== 'STMTTRN') {
      current.header.take(element);
      return;
    }
    const line = readTransaction(element, {
      statement: this.begin(current),
      account: current.header.needAccount(),
      currency: current.header.needCurrency(),
    });
    current.isOneCurrency &&= line.currency === current.header.needCurrency();
    const { lastBooked } = current;
    if (lastBooked === undefined || line.bookingDate > lastBooked) {
      current.lastBooked = line.bookingDate;
    }
    this.emit(current.tally.add(line));
  }

  private begin(current: OpenStatement): number {
    if (current.ordinal === undefined) {
      const ordinal = this.tally.nextOrdinal;
      this.emit({ ...current.header.statement(ordinal), kind: 'statement' });
      current.ordinal = ordinal;
    }
    return current.ordinal;
  }
}

/** A response that says it failed holds no statement, whatever else stands in it. */
function refuseError(status: MarkupElement): void {
  const severity = textAt(status, 'SEVERITY');
  if (severity !== 'ERROR') return;
  refuse(status.place, {
    reason: `the bank answered with error ${quoted(textAt(status, 'CODE') ?? '')}: ${quoted(textAt(status, 'MESSAGE') ?? '')}`,
    remedy: 'Ask the bank for the download again',
  });
}
