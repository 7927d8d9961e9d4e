/** NACHA ACH files with CCD, CCD+ and CTX entries, as a stream. */
import { readDayOfYear, readShortDate } from './feed-dates.ts';
import type { FeedEvent, FeedReader, Statement } from './feed-events.ts';
import { type NachaBatch, NachaEntry } from './nacha-entry.ts';
import {
  BLOCKING_FACTOR,
  columns,
  type NachaRecord,
  numberIn,
  RECORD_CHARS,
  RecordCutter,
  trimmed,
} from './nacha-records.ts';
import { BATCH_TOTALS, FILE_TOTALS, NachaTotals } from './nacha-totals.ts';
import { quoted, refuse } from './refusal.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';

const FILLER = '9'.repeat(RECORD_CHARS);

interface OpenBatch {
  readonly header: NachaRecord;
  readonly batch: NachaBatch;
  readonly statement: Statement;
  readonly tally: StatementTally;
}

export class NachaReader implements FeedReader {
  private readonly cutter = new RecordCutter();
  private readonly tally = new FeedTally();
  private readonly totals = new NachaTotals('file');
  private records = 0;
  private batches = 0;
  private header: NachaRecord | undefined;
  private open: OpenBatch | undefined;
  private entry: NachaEntry | undefined;
  private control: NachaRecord | undefined;

  *push(piece: string): Generator<FeedEvent> {
    for (const record of this.cutter.push(piece)) yield* this.record(record);
  }

  *finish(): Generator<FeedEvent> {
    this.cutter.finish();
    const { control } = this;
    if (control === undefined) {
      return refuse(this.cutter.place, {
        reason: 'expected a file control record (9) at the end, but the file stops before it',
      });
    }
    const blocks = numberIn(control, 8, 13);
    if (this.records !== blocks * BLOCKING_FACTOR) {
      refuse(control.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the file control record gives ${blocks} blocks of ${BLOCKING_FACTOR} records, but there are ${this.records} records`,
      });
    }
    yield this.tally.end('nacha');
  }

  private *record(record: NachaRecord): Generator<FeedEvent> {
    this.records += 1;
    const type = columns(record, 1, 1);
    if (this.control !== undefined) {
      if (record.text === FILLER) return;
      return refuse(record.place, {
        reason: 'expected only lines of nines after the file control',
      });
    }
    if (this.header === undefined) {
      this.header = readFileHeader(record);
      return;
    }
    if (type === '7') {
      if (this.entry === undefined) this.misplaced(record, 'an entry before its addenda');
      this.entry.add(record);
      return;
    }
    yield* this.endEntry();
    switch (type) {
      case '5':
        if (this.open !== undefined) this.misplaced(record, 'the end of the batch before the next');
        this.open = beginBatch(record, this.tally.nextOrdinal, this.header);
        yield this.tally.count({ ...this.open.statement, kind: 'statement' });
        return;
      case '6':
        if (this.open === undefined) this.misplaced(record, 'a batch before its entries');
        this.entry = new NachaEntry(record, this.open.batch);
        return;
      case '8':
        if (this.open === undefined) this.misplaced(record, 'a batch before its end');
        yield this.endBatch(this.open, record);
        this.open = undefined;
        return;
      case '9':
        if (this.open !== undefined) this.misplaced(record, 'the end of the batch first');
        this.checkFile(record);
        this.control = record;
        return;
      default:
        refuse(record.place, {
          reason: `expected a record of type 5 to 9, but found ${quoted(type)}`,
        });
    }
  }

  private misplaced(record: NachaRecord, expected: string): never {
    return refuse(record.place, {
      reason: `expected ${expected}, but found a record of type ${columns(record, 1, 1)}`,
    });
  }

  private *endEntry(): Generator<FeedEvent> {
    const { entry, open } = this;
    this.entry = undefined;
    if (entry !== undefined && open !== undefined) {
      yield this.tally.count(open.tally.add(entry.line()));
    }
  }

  private endBatch({ header, batch, statement, tally }: OpenBatch, record: NachaRecord): FeedEvent {
    const repeated = [
      { what: 'service class', stated: columns(record, 2, 4), known: columns(header, 2, 4) },
      { what: 'company id', stated: columns(record, 45, 54), known: columns(header, 41, 50) },
      { what: 'bank and number', stated: columns(record, 80, 94), known: columns(header, 80, 94) },
    ];
    for (const { what, stated, known } of repeated) {
      if (stated === known) continue;
      refuse(record.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the batch began with the ${what} ${quoted(known)}, but ends with ${quoted(stated)}`,
      });
    }
    batch.totals.check(record, BATCH_TOTALS);
    this.totals.addBatch(batch.totals);
    this.batches += 1;
    return tally.end(statement, 'controlTotals', record.place);
  }

  private checkFile(record: NachaRecord): void {
    const batches = numberIn(record, 2, 7);
    if (batches !== this.batches) {
      refuse(record.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the file control record gives ${batches} batches, but there are ${this.batches}`,
      });
    }
    this.totals.check(record, FILE_TOTALS);
  }
}

function readFileHeader(record: NachaRecord): NachaRecord {
  if (columns(record, 1, 3) !== '101' || columns(record, 35, 40) !== '094101') {
    refuse(record.place, {
      reason: `expected a NACHA file header (101 … 094101), but found ${quoted(record.text)}`,
    });
  }
  return record;
}

function beginBatch(record: NachaRecord, ordinal: number, header: NachaRecord): OpenBatch {
  const entryClass = columns(record, 51, 53);
  if (entryClass !== 'CCD' && entryClass !== 'CTX') {
    return refuse(
      { line: record.place.line, column: record.place.column + 50 },
      {
        code: 'FEED_UNSUPPORTED',
        reason: `expected a batch of class CCD or CTX, but found ${quoted(entryClass)}`,
        remedy:
          'Payments to organizations come as CCD or CTX; ask the bank for those batches alone',
      },
    );
  }
  const created = readShortDate(columns(header, 24, 29), header.place);
  const effective = trimmed(record, 70, 75);
  const effectiveOn = effective === '' ? created : readShortDate(effective, record.place);
  const resolution = trimmed(record, 76, 78);
  const resolvedOn =
    resolution === '' || resolution === '000'
      ? effectiveOn
      : readDayOfYear(resolution, effectiveOn, record.place);
  numberIn(record, 80, 94);
  const originatingBank = columns(record, 80, 87);
  return {
    header: record,
    batch: {
      ordinal,
      entryClass,
      company: trimmed(record, 5, 20),
      purpose: trimmed(record, 54, 63),
      originatingBank,
      resolvedOn,
      effectiveOn,
      totals: new NachaTotals('batch'),
    },
    statement: {
      ordinal,
      place: record.place,
      account: undefined,
      bank: originatingBank,
      statementId: `${trimmed(record, 41, 50)}-${columns(record, 88, 94)}`,
      number: undefined,
      page: undefined,
      hasPageBefore: false,
      hasPageAfter: false,
      currency: 'USD',
      from: resolvedOn,
      to: resolvedOn,
      // The same payments come again, as credits of the account, in the bank's statement.
      isInterim: true,
      notice: undefined,
      opening: undefined,
      closing: undefined,
    },
    tally: new StatementTally(),
  };
}
