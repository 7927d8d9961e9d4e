/** SWIFT MT940, alone or in its SWIFT envelope, one message or many, as a stream. */
import { readSwiftCharges } from './charges.ts';
import type {
  Balance,
  FeedEvent,
  FeedPlace,
  FeedReader,
  LineEvent,
  Statement,
} from './feed-events.ts';
import { CONTINUATIONS_MAX, RECORD_CHARS_MAX } from './limits.ts';
import {
  readStatementLine,
  readStatementNumber,
  readSwiftAccount,
  readSwiftBalance,
  type StatementLineField,
  type SwiftField,
} from './mt940-fields.ts';
import { nameIn, readSwiftNarrative } from './narrative.ts';
import { findReferences } from './references.ts';
import { quoted, refuse } from './refusal.ts';
import { isSwiftReturn } from './returns.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';
import { LineCutter, type TextLine } from './text-lines.ts';

const TAG = /^:(\d{2}[A-Z]?):/;
const ENVELOPE = /^\{1:[^{}]*\}.*\{4:$/;
const TRAILER = /^-(?:\}(?:\{5:.*)?)?$/;

interface Message {
  readonly place: FeedPlace;
  readonly statementId: string;
  account: { readonly account: string; readonly bank: string | undefined } | undefined;
  number: { readonly number: number; readonly page: number | undefined } | undefined;
  opening: Balance | undefined;
  closing: Balance | undefined;
  /** `:60M:` and `:62M:` are balances between pages. */
  hasPageBefore: boolean;
  hasPageAfter: boolean;
  begun: Statement | undefined;
  readonly tally: StatementTally;
}

/** A line waits for the `:86:` that may follow it. */
interface HeldLine {
  readonly field: StatementLineField;
  readonly narrative: readonly string[];
}

export class Mt940Reader implements FeedReader {
  private readonly cutter = new LineCutter();
  private readonly tally = new FeedTally();
  private field: { tag: string; lines: string[]; chars: number; place: FeedPlace } | undefined;
  private message: Message | undefined;
  private held: HeldLine | undefined;

  *push(piece: string): Generator<FeedEvent> {
    for (const line of this.cutter.push(piece)) yield* this.line(line);
  }

  *finish(): Generator<FeedEvent> {
    for (const line of this.cutter.finish()) yield* this.line(line);
    const place = { line: this.cutter.lastLine, column: 1 };
    yield* this.endField();
    yield* this.endMessage(place);
    if (this.tally.nextOrdinal === 1) {
      refuse(place, { reason: 'expected at least one MT940 message, but found none' });
    }
    yield this.tally.end('mt940');
  }

  private *line({ text, line }: TextLine): Generator<FeedEvent> {
    const place = { line, column: 1 };
    const tag = TAG.exec(text);
    if (tag !== null) {
      yield* this.endField();
      this.field = {
        tag: tag[1] ?? '',
        lines: [text.slice(tag[0].length)],
        chars: text.length,
        place,
      };
    } else if (TRAILER.test(text)) {
      yield* this.endField();
      yield* this.endMessage(place);
    } else if (ENVELOPE.test(text)) {
      yield* this.endField();
      yield* this.endMessage(place);
    } else if (text.trim() !== '') {
      this.continueField(text, place);
    }
  }

  private continueField(text: string, place: FeedPlace): void {
    const { field } = this;
    if (field === undefined || text.startsWith(':') || text.startsWith('-')) {
      return refuse(place, { reason: `expected a tag such as :61:, but found ${quoted(text)}` });
    }
    field.chars += text.length;
    if (field.lines.length >= CONTINUATIONS_MAX || field.chars > RECORD_CHARS_MAX) {
      refuse(place, {
        code: 'INPUT_LIMIT',
        reason: `expected at most ${CONTINUATIONS_MAX} lines and ${RECORD_CHARS_MAX} characters in one field, but it is longer`,
      });
    }
    field.lines.push(text);
  }

  private *endField(): Generator<FeedEvent> {
    const { field } = this;
    this.field = undefined;
    if (field === undefined) return;
    if (field.tag === '20') {
      yield* this.endMessage(field.place);
      this.message = newMessage(field);
      return;
    }
    const { message } = this;
    if (message === undefined) {
      return refuse(field.place, { reason: `expected :20: first, but found :${field.tag}:` });
    }
    yield* this.take(field, message);
  }

  private *take(field: SwiftField, message: Message): Generator<FeedEvent> {
    switch (field.tag) {
      case '25':
      case '25P':
        once(message.account, field);
        message.account = readSwiftAccount(field);
        break;
      case '28':
      case '28C':
        once(message.number, field);
        message.number = readStatementNumber(field);
        break;
      case '60F':
      case '60M':
        once(message.opening, field);
        message.opening = readSwiftBalance(field);
        message.hasPageBefore = field.tag === '60M';
        message.begun = this.begin(message, field.place);
        yield this.tally.count({ ...message.begun, kind: 'statement' });
        break;
      case '61':
        yield* this.release();
        this.held = {
          field: readStatementLine(field, this.needOpen(message, field).opening.currency),
          narrative: [],
        };
        break;
      case '86':
        // After the closing balance it speaks of the whole statement.
        if (this.held !== undefined) {
          this.held = { field: this.held.field, narrative: field.lines };
          yield* this.release();
        }
        break;
      case '62F':
      case '62M':
        yield* this.release();
        this.needOpen(message, field);
        message.closing = readSwiftBalance(field);
        message.hasPageAfter = field.tag === '62M';
        break;
      case '21':
      case '64':
      case '65':
        yield* this.release();
        break;
      default:
        refuse(field.place, {
          reason: `expected a field of MT940, but found :${field.tag}:`,
          remedy: 'Ask the bank for MT940; an MT942 or MT950 has other fields',
        });
    }
  }

  private *release(): Generator<FeedEvent> {
    const { held, message } = this;
    this.held = undefined;
    if (held === undefined || message?.begun === undefined) return;
    yield this.tally.count(message.tally.add(lineOf(held, message.begun)));
  }

  private begin(message: Message, place: FeedPlace): Statement {
    const { account, number, opening } = message;
    if (account === undefined || number === undefined || opening === undefined) {
      return refuse(place, { reason: 'expected :25: and :28C: before the opening balance' });
    }
    return {
      ordinal: this.tally.nextOrdinal,
      place: message.place,
      ...account,
      statementId: message.statementId,
      ...number,
      hasPageBefore: message.hasPageBefore,
      hasPageAfter: false,
      currency: opening.currency,
      from: opening.on,
      to: undefined,
      isInterim: false,
      notice: undefined,
      opening,
      closing: undefined,
    };
  }

  /** Lines stand between the two balances. */
  private needOpen(message: Message, field: SwiftField): { readonly opening: Balance } {
    const { opening, closing } = message;
    if (opening === undefined || closing !== undefined) {
      return refuse(field.place, {
        reason: `expected :${field.tag}: between the opening and the closing balance`,
      });
    }
    return { opening };
  }

  private *endMessage(place: FeedPlace): Generator<FeedEvent> {
    yield* this.release();
    const { message } = this;
    this.message = undefined;
    if (message === undefined) return;
    const { begun, closing, tally } = message;
    if (begun === undefined || closing === undefined) {
      return refuse(place, {
        reason: `the message ${quoted(message.statementId)} ends without its ${begun === undefined ? 'opening' : 'closing'} balance`,
      });
    }
    const { hasPageAfter } = message;
    yield tally.prove({ ...begun, closing, to: closing.on, hasPageAfter }, place);
  }
}

function newMessage(field: SwiftField): Message {
  const statementId = (field.lines[0] ?? '').trim();
  if (statementId === '') refuse(field.place, { reason: 'expected a reference in :20:' });
  return {
    place: field.place,
    statementId,
    account: undefined,
    number: undefined,
    opening: undefined,
    closing: undefined,
    hasPageBefore: false,
    hasPageAfter: false,
    begun: undefined,
    tally: new StatementTally(),
  };
}

function once(known: unknown, field: SwiftField): void {
  if (known === undefined) return;
  refuse(field.place, { reason: `found a second :${field.tag}: in one message` });
}

function lineOf({ field, narrative }: HeldLine, statement: Statement): LineEvent {
  const told = readSwiftNarrative(narrative);
  // With a space before it: the supplement is a text of its own, not the rest of a word.
  const pieces = field.supplement === '' ? told.pieces : [...told.pieces, ` ${field.supplement}`];
  const found = findReferences({ fields: [field.ownerReference, ...told.fields], pieces });
  return {
    kind: 'line',
    place: field.place,
    statement: statement.ordinal,
    account: statement.account ?? '',
    nativeId: field.nativeId,
    bookingDate: field.bookingDate,
    valueDate: field.valueDate,
    amountCents: field.amountCents,
    currency: statement.currency ?? '',
    direction: field.direction,
    status: 'booked',
    isReversal: field.isReversal || isSwiftReturn(field.code, narrative),
    trace: found.trace,
    references: found.references,
    counterparty: told.counterparty ?? nameIn(found.text),
    description: found.text,
    code: field.code,
    chargesCents: readSwiftCharges(
      `${field.supplement} ${narrative.join('')}`,
      { amountCents: field.amountCents, currency: statement.currency ?? '' },
      field.place,
    ),
    details: [],
  };
}
