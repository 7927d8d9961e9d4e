/** ISO 20022 camt.053 (end of day), .052 (intraday) and .054 (notification), versions .02 to .08 and their later kin, as a stream. */
import { BatchTally } from './camt-batch.ts';
import { readDetail, readDirection, readEntry } from './camt-entry.ts';
import { CamtHeader } from './camt-statement.ts';
import type { FeedEvent, FeedPlace, FeedReader, LineDetail, Statement } from './feed-events.ts';
import { DETAILS_CHARS_MAX, DETAILS_MAX } from './limits.ts';
import { ElementCollector, find, isBlank, type MarkupElement, type OpenTag } from './markup.ts';
import { quoted, refuse } from './refusal.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';
import { XmlReader, type XmlSink } from './xml-reader.ts';

type CamtFormat = 'camt.053' | 'camt.052' | 'camt.054';

const SHAPES = {
  'camt.053': { message: 'BkToCstmrStmt', statement: 'Stmt' },
  'camt.052': { message: 'BkToCstmrAcctRpt', statement: 'Rpt' },
  'camt.054': { message: 'BkToCstmrDbtCdtNtfctn', statement: 'Ntfctn' },
} as const;

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(camt\.\d{3})\.001\.\d{2}$/;
// Document, message, statement: what is inside a statement is collected element by element.
const STATEMENT_DEPTH = 3;

interface OpenStatement {
  readonly header: CamtHeader;
  readonly tally: StatementTally;
  /** Known once the first entry begins, since the balances come before it. */
  begun: Statement | undefined;
  booked: number;
}

export class CamtReader implements FeedReader, XmlSink {
  private readonly format: CamtFormat;
  private readonly xml: XmlReader;
  private readonly collector = new ElementCollector();
  private readonly tally = new FeedTally();
  private ready: FeedEvent[] = [];
  private depth = 0;
  private current: OpenStatement | undefined;
  private details: LineDetail[] = [];
  private detailChars = 0;
  private batch = new BatchTally();

  constructor(format: CamtFormat) {
    this.format = format;
    this.xml = new XmlReader(this);
  }

  *push(piece: string): Generator<FeedEvent> {
    for (const _ of this.xml.push(piece)) yield* this.take();
  }

  *finish(): Generator<FeedEvent> {
    this.xml.finish();
    yield* this.take();
    yield this.tally.end(this.format);
  }

  root(name: string, namespace: string, place: FeedPlace): void {
    const kind = NAMESPACE.exec(namespace)?.[1];
    if (name === 'Document' && kind === this.format) return;
    refuse(place, {
      reason: `expected a ${this.format} Document, but found ${quoted(name)} of ${quoted(namespace)}`,
    });
  }

  open(tag: OpenTag): void {
    this.depth += 1;
    const shape = SHAPES[this.format];
    if (this.collector.isCollecting || (this.depth > STATEMENT_DEPTH && this.current)) {
      if (!this.collector.isCollecting) this.beginPart(tag);
      this.collector.open(tag);
    } else if (this.depth === 2 && tag.name !== shape.message) {
      refuse(tag.place, {
        reason: `expected ${shape.message} in the Document, but found ${quoted(tag.name)}`,
      });
    } else if (this.depth === STATEMENT_DEPTH && tag.name === shape.statement) {
      const header = new CamtHeader(tag.place);
      this.current = { header, tally: new StatementTally(), begun: undefined, booked: 0 };
    }
  }

  text(text: string): void {
    if (this.collector.isCollecting) this.collector.text(text);
    else if (this.current !== undefined && !isBlank(text)) {
      refuse(this.xml.place, { reason: `expected elements, but found the text ${quoted(text)}` });
    }
  }

  close(name: string, place: FeedPlace): void {
    this.depth -= 1;
    if (this.collector.isCollecting) {
      const whole = this.collector.close((element) => this.keepInEntry(element));
      if (whole !== undefined) this.part(whole);
    } else if (this.current !== undefined && this.depth < STATEMENT_DEPTH) {
      this.endStatement(this.current, place);
    } else if (name === SHAPES[this.format].message && this.tally.nextOrdinal === 1) {
      refuse(place, {
        reason: `expected at least one ${SHAPES[this.format].statement}, but the message holds none`,
      });
    }
  }

  private *take(): Generator<FeedEvent> {
    const events = this.ready;
    this.ready = [];
    yield* events;
  }

  private emit(event: FeedEvent): void {
    this.ready.push(this.tally.count(event));
  }

  /** The schema puts everything about the statement before its entries; later it would come too late to be checked. */
  private beginPart(tag: OpenTag): void {
    const isHeader = tag.name === 'Acct' || tag.name === 'Bal' || tag.name === 'TxsSummry';
    if (isHeader && this.current?.begun !== undefined) {
      refuse(tag.place, { reason: `expected ${tag.name} before the first Ntry` });
    }
  }

  /** Payments of a batch are read and let go one by one: an entry may hold thousands. */
  private keepInEntry(element: MarkupElement): boolean {
    if (element.name !== 'TxDtls' || this.collector.path[0] !== 'Ntry') return true;
    // The direction of the payment, when it names its own, else decided once the entry is known.
    const direction = find(element, 'CdtDbtInd') === undefined ? undefined : readDirection(element);
    const booked = this.collectedDirection();
    const detail = readDetail(element, {
      direction: direction ?? booked,
      currency: find(this.collector.outermost, 'Amt')?.currency ?? '',
    });
    this.batch.add(element, detail, booked);
    this.details.push(detail);
    this.detailChars +=
      detail.description.length + detail.references.reduce((sum, each) => sum + each.length, 0);
    if (this.details.length > DETAILS_MAX || this.detailChars > DETAILS_CHARS_MAX) {
      refuse(element.place, {
        code: 'INPUT_LIMIT',
        reason: `expected at most ${DETAILS_MAX} payments in one entry, but it is longer`,
      });
    }
    return false;
  }

  /** In the schema `CdtDbtInd` stands before `NtryDtls`, so it is already there. */
  private collectedDirection(): 'credit' | 'debit' {
    const entry = this.collector.outermost;
    return entry !== undefined && find(entry, 'CdtDbtInd') !== undefined
      ? readDirection(entry)
      : 'credit';
  }

  private part(element: MarkupElement): void {
    const { current } = this;
    if (current === undefined) return;
    if (element.name !== 'Ntry') {
      current.header.take(element);
      return;
    }
    const statement = this.begin(current, element);
    const line = readEntry(element, this.details, {
      statement,
      account: current.header.needAccount(),
      createdOn: current.header.createdOn,
    });
    this.batch.check(element, line);
    this.details = [];
    this.detailChars = 0;
    this.batch = new BatchTally();
    if (line.status === 'booked') current.booked += 1;
    this.emit(current.tally.add(line));
  }

  private begin(current: OpenStatement, firstEntry?: MarkupElement): Statement {
    if (current.begun !== undefined) return current.begun;
    // Reports and notifications announce what a statement tells again.
    const isInterim = this.format !== 'camt.053';
    const known = current.header.statement(this.tally.nextOrdinal, isInterim);
    // Without a currency of the account or a balance the first entry decides for all.
    const currency = known.currency ?? find(firstEntry, 'Amt')?.currency;
    current.begun = { ...known, currency };
    this.emit({ ...current.begun, kind: 'statement' });
    return current.begun;
  }

  private endStatement(current: OpenStatement, place: FeedPlace): void {
    const statement = this.begin(current);
    const { header, tally, booked } = current;
    header.checkSummary({ all: tally.lines, booked }, tally);
    this.emit(
      header.canBeProved ? tally.prove(statement, place) : tally.end(statement, 'none', place),
    );
    this.current = undefined;
  }
}
