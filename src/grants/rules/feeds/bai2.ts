/** BAI2 version 2, as a stream. */
import type { Day } from '../../../calendar/index.ts';
import { ControlLevel } from './bai2-controls.ts';
import {
  type DetailRecord,
  fieldsOf,
  readAccountRecord,
  readDetailRecord,
  type SummaryItem,
} from './bai2-fields.ts';
import { Bai2Assembler, type Bai2Record } from './bai2-records.ts';
import { readShortDate } from './feed-dates.ts';
import type { Balance, FeedEvent, FeedReader, LineEvent, Statement } from './feed-events.ts';
import { readCurrency } from './money.ts';
import { nameIn } from './narrative.ts';
import { findReferences } from './references.ts';
import { quoted, refuse } from './refusal.ts';
import { isBai2Return } from './returns.ts';
import { FeedTally, StatementTally } from './statement-tally.ts';
import { LineCutter } from './text-lines.ts';

// The standard's default where neither account nor group names one.
const DEFAULT_CURRENCY = 'USD';
const OPENING_LEDGER = '010';
const CLOSING_LEDGER = '015';
const TOTAL_CREDITS = '100';
const TOTAL_DEBITS = '400';

interface Group {
  readonly level: ControlLevel;
  readonly asOf: Day;
  readonly currency: string;
  readonly isInterim: boolean;
  readonly notice: Statement['notice'];
}

interface Account {
  readonly level: ControlLevel;
  readonly statement: Statement;
  readonly account: string;
  readonly currency: string;
  readonly items: readonly SummaryItem[];
  readonly tally: StatementTally;
}

export class Bai2Reader implements FeedReader {
  private readonly cutter = new LineCutter();
  private readonly assembler = new Bai2Assembler();
  private readonly tally = new FeedTally();
  private fullLength: number | undefined;
  private file: ControlLevel | undefined;
  private group: Group | undefined;
  private account: Account | undefined;
  private isOver = false;

  *push(piece: string): Generator<FeedEvent> {
    for (const line of this.cutter.push(piece)) {
      for (const record of this.assembler.push(line)) yield* this.record(record);
    }
  }

  *finish(): Generator<FeedEvent> {
    for (const line of this.cutter.finish()) {
      for (const record of this.assembler.push(line)) yield* this.record(record);
    }
    for (const record of this.assembler.finish()) yield* this.record(record);
    if (!this.isOver) {
      refuse(
        { line: this.cutter.lastLine, column: 1 },
        { reason: 'expected record 99 at the end, but the file stops before it' },
      );
    }
    yield this.tally.end('bai2');
  }

  private *record(record: Bai2Record): Generator<FeedEvent> {
    const { file, group, account } = this;
    switch (record.code) {
      case '01':
        if (file !== undefined) this.misplaced(record, 'one file header');
        this.beginFile(record);
        return;
      case '02':
        if (file === undefined || group !== undefined || this.isOver) {
          return this.misplaced(record, 'a group between the file header and record 99');
        }
        this.group = readGroup(record);
        return;
      case '03':
        if (group === undefined || account !== undefined) {
          return this.misplaced(record, 'an account inside a group');
        }
        this.account = this.beginAccount(record, group);
        yield this.tally.count({ ...this.account.statement, kind: 'statement' });
        return;
      case '16':
        if (group === undefined || account === undefined) {
          return this.misplaced(record, 'a detail inside an account');
        }
        yield this.tally.count(this.detail(record, { group, account }));
        return;
      case '49':
        if (group === undefined || account === undefined) {
          return this.misplaced(record, 'an account before its end');
        }
        account.level.check(record, false);
        group.level.addPart(account.level);
        this.account = undefined;
        yield endOf(account, record);
        return;
      case '98':
        if (file === undefined || group === undefined || account !== undefined) {
          return this.misplaced(record, 'a group before its end');
        }
        group.level.check(record, true);
        file.addPart(group.level);
        this.group = undefined;
        return;
      case '99':
        if (file === undefined || group !== undefined || this.isOver) {
          return this.misplaced(record, 'the end of the file after its groups');
        }
        file.check(record, true);
        this.isOver = true;
    }
  }

  private misplaced(record: Bai2Record, expected: string): never {
    return refuse(record.place, {
      reason: `expected ${expected}, but found record ${record.code} here`,
    });
  }

  private beginFile(record: Bai2Record): void {
    const fields = fieldsOf(record);
    const version = fields[7] ?? '';
    if (version !== '2') {
      refuse(record.place, {
        code: 'FEED_UNSUPPORTED',
        reason: `expected BAI version 2 in record 01, but found ${quoted(version)}`,
        remedy: 'Ask the bank for BAI2',
      });
    }
    const length = fields[5] ?? '';
    this.fullLength = /^[1-9]\d{0,4}$/.test(length) ? Number(length) : undefined;
    this.file = new ControlLevel('file');
    this.file.addRecords(record.physicalRecords);
  }

  private beginAccount(record: Bai2Record, group: Group): Account {
    const { account, currency: own, items } = readAccountRecord(record);
    const currency = own === '' ? group.currency : readCurrency(own, record.place);
    const level = new ControlLevel(`account ${quoted(account)}`);
    level.addRecords(record.physicalRecords);
    for (const item of items) level.addAmount(item.amountCents ?? 0);
    const balance = (type: string): Balance | undefined => {
      const amountCents = amountOf(items, type);
      return amountCents === undefined ? undefined : { amountCents, currency, on: group.asOf };
    };
    const statement: Statement = {
      ordinal: this.tally.nextOrdinal,
      place: record.place,
      account,
      bank: undefined,
      statementId: undefined,
      number: undefined,
      page: undefined,
      hasPageBefore: false,
      hasPageAfter: false,
      currency,
      from: group.asOf,
      to: group.asOf,
      isInterim: group.isInterim,
      notice: group.notice,
      opening: balance(OPENING_LEDGER),
      closing: balance(CLOSING_LEDGER),
    };
    return { level, statement, account, currency, items, tally: new StatementTally() };
  }

  private detail(
    record: Bai2Record,
    { group, account }: { readonly group: Group; readonly account: Account },
  ): LineEvent {
    const detail = readDetailRecord(record, this.fullLength);
    account.level.addRecords(record.physicalRecords);
    account.level.addAmount(detail.amountCents);
    const found = findReferences({
      fields: [detail.customerReference],
      pieces: detail.textPieces,
    });
    const { direction, status } = meaningOf(detail, record);
    return account.tally.add({
      kind: 'line',
      place: record.place,
      statement: account.statement.ordinal,
      account: account.account,
      nativeId: detail.nativeId,
      bookingDate: group.asOf,
      valueDate: detail.valueDate,
      amountCents: detail.amountCents,
      currency: account.currency,
      direction,
      status,
      isReversal: isBai2Return(detail.type),
      trace: found.trace,
      references: found.references,
      counterparty: labelledParty(detail.textPieces, direction) ?? nameIn(found.text),
      description: found.text,
      code: detail.type,
      details: [],
    });
  }
}

function readGroup(record: Bai2Record): Group {
  const fields = fieldsOf(record);
  const [, , status = '', asOf = '', , currency = '', modifier = ''] = fields;
  if (status !== '1' && status !== '3') {
    refuse(record.place, {
      code: 'FEED_UNSUPPORTED',
      reason: `expected a group that updates (1) or corrects (3), but its status is ${quoted(status)}`,
      remedy: 'A deletion (2) or a test (4) holds no money to count',
    });
  }
  const level = new ControlLevel('group');
  level.addRecords(record.physicalRecords);
  return {
    level,
    asOf: readShortDate(asOf, record.place),
    currency: currency === '' ? DEFAULT_CURRENCY : readCurrency(currency, record.place),
    // 1 and 3 are interim, 2 and 4 final; without one it is final.
    isInterim: modifier === '1' || modifier === '3',
    notice: status === '3' ? 'correction' : undefined,
  };
}

function amountOf(items: readonly SummaryItem[], type: string): number | undefined {
  return items.find((item) => item.type === type)?.amountCents;
}

/** 100 to 399 are credits, 400 to 699 debits; 920 to 959 and 960 to 999 are the same for a bank's own codes. */
function meaningOf(
  { type, amountCents }: DetailRecord,
  record: Bai2Record,
): Pick<LineEvent, 'direction' | 'status'> {
  const code = Number(type);
  if ((code >= 100 && code <= 399) || (code >= 920 && code <= 959)) {
    return { direction: 'credit', status: 'booked' };
  }
  if ((code >= 400 && code <= 699) || code >= 960) return { direction: 'debit', status: 'booked' };
  if (amountCents === 0) return { direction: 'credit', status: 'information' };
  return refuse(record.place, {
    reason: `expected a type code of a credit or a debit, but ${quoted(type)} is neither`,
  });
}

// Labels that some banks put on their continuation lines.
const DEBTOR_NAME = /^\s*DBNM: *(.+)$/;
const CREDITOR_NAME = /^\s*CRNM: *(.+)$/;

function labelledParty(
  pieces: readonly string[],
  direction: LineEvent['direction'],
): string | undefined {
  const label = direction === 'credit' ? DEBTOR_NAME : CREDITOR_NAME;
  for (const piece of pieces) {
    const name = label.exec(piece)?.[1]?.trim();
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * The totals of credits and debits against the details. The standard allows a bank to leave details out; one that says how
 * many there are, or closes with a balance, has not. What is left out is in doubt, and no period is closed over it.
 */
function checkTotals(account: Account, record: Bai2Record): string | undefined {
  const { items, tally, statement } = account;
  for (const [type, direction] of [
    [TOTAL_CREDITS, 'credit'],
    [TOTAL_DEBITS, 'debit'],
  ] as const) {
    const item = items.find((one) => one.type === type);
    if (item?.amountCents === undefined) continue;
    const { cents, lines } = tally.of(direction);
    const isSum = BigInt(item.amountCents) === cents;
    if (isSum && (item.count === undefined || item.count === lines)) continue;
    const reason = `the account has ${item.amountCents} as the total of its ${direction}s (${type})${item.count === undefined ? '' : ` in ${item.count} items`}, but its details total ${cents} in ${lines}`;
    if (statement.closing === undefined && item.count === undefined) return reason;
    refuse(record.place, { code: 'FEED_INCONSISTENT', reason });
  }
  return undefined;
}

/** Totals without any detail, and no balances that others could be held against. */
function untold({ items, tally }: Account): string | undefined {
  const moved = [TOTAL_CREDITS, TOTAL_DEBITS].some((type) => (amountOf(items, type) ?? 0) !== 0);
  return tally.lines === 0 && moved ? 'the account has totals, but no details' : undefined;
}

/**
 * Balances must explain the lines. An account without any line may be a summary: then its own totals must explain them.
 */
function endOf(account: Account, record: Bai2Record): FeedEvent {
  const { statement, tally, items } = account;
  const { opening, closing } = statement;
  const doubt = tally.lines === 0 ? undefined : checkTotals(account, record);
  if (opening === undefined || closing === undefined) {
    const end = tally.end(statement, 'controlTotals', record.place);
    return { ...end, doubt: doubt ?? untold(account) };
  }
  const credits = amountOf(items, TOTAL_CREDITS);
  const debits = amountOf(items, TOTAL_DEBITS);
  const isSummary = tally.lines === 0 && (credits !== undefined || debits !== undefined);
  const moved = BigInt(credits ?? 0) - BigInt(debits ?? 0);
  if (isSummary && BigInt(opening.amountCents) + moved === BigInt(closing.amountCents)) {
    return tally.end(statement, moved === 0n ? 'balances' : 'controlTotals', record.place);
  }
  return tally.prove(statement, record.place);
}
