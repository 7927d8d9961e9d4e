/** What stands before the entries of a camt statement: account, numbers, balances. */
import type { Day } from '../../../calendar/index.ts';
import { readCamtAmount, readCamtDate, readDirection } from './camt-entry.ts';
import { readIsoDate } from './feed-dates.ts';
import type { Balance, FeedPlace, LineEvent, Statement } from './feed-events.ts';
import { find, type MarkupElement, need, needText, textAt } from './markup.ts';
import { readCurrency, readDecimal } from './money.ts';
import { quoted, refuse } from './refusal.ts';
import type { StatementTally } from './statement-tally.ts';

const NOTICES: Readonly<Record<string, Statement['notice']>> = {
  COPY: 'copy',
  CODU: 'duplicate',
  DUPL: 'duplicate',
};

/** Gathers the header, element by element, and then stands for it. */
export class CamtHeader {
  private readonly place: FeedPlace;
  private statementId: string | undefined;
  private account: string | undefined;
  private accountCurrency: string | undefined;
  private bank: string | undefined;
  private number: number | undefined;
  private page: number | undefined;
  private isOnlyPage = true;
  private isLastPage = true;
  private created: Day | undefined;
  private from: Day | undefined;
  private to: Day | undefined;
  private notice: Statement['notice'];
  private opening: Balance | undefined;
  private previousClosing: Balance | undefined;
  private closing: Balance | undefined;
  private areIntermediate = true;
  private summary: MarkupElement | undefined;

  constructor(place: FeedPlace) {
    this.place = place;
  }

  get createdOn(): Day | undefined {
    return this.created;
  }

  /**
   * Balances of a statement that is cut into pages explain one page only when they are marked as intermediate; otherwise
   * they are those of the whole, and no page can be held against them.
   */
  get canBeProved(): boolean {
    return this.isOnlyPage || this.areIntermediate;
  }

  take(element: MarkupElement): void {
    switch (element.name) {
      case 'Id':
        this.statementId = needText(element);
        break;
      case 'StmtPgntn':
      case 'RptPgntn':
      case 'NtfctnPgntn':
        this.page = wholeNumber(need(element, 'PgNb'));
        this.isLastPage = isTrue(need(element, 'LastPgInd'));
        this.isOnlyPage = this.page === 1 && this.isLastPage;
        break;
      case 'ElctrncSeqNb':
        this.number ??= wholeNumber(element);
        break;
      case 'LglSeqNb':
        // The legal number counts what the account holder must keep, so it wins over the technical one.
        this.number = wholeNumber(element);
        break;
      case 'CreDtTm':
        this.created = readIsoDate(needText(element), element.place);
        break;
      case 'FrToDt':
        this.from = readIsoDate(needText(element, 'FrDtTm'), element.place);
        this.to = readIsoDate(needText(element, 'ToDtTm'), element.place);
        break;
      case 'CpyDplctInd':
        this.notice = readNotice(element);
        break;
      case 'Acct':
        this.takeAccount(element);
        break;
      case 'Bal':
        this.takeBalance(element);
        break;
      case 'TxsSummry':
        this.summary = element;
        break;
      default:
        // Interest, related accounts and free text say nothing about the lines.
        break;
    }
  }

  /** The account that every line names. */
  needAccount(): string {
    return (
      this.account ??
      refuse(this.place, { reason: 'expected an account (Acct) before the first entry' })
    );
  }

  statement(ordinal: number, isInterim: boolean): Statement {
    const opening = this.opening ?? this.previousClosing;
    return {
      ordinal,
      place: this.place,
      account: this.needAccount(),
      bank: this.bank,
      statementId: this.statementId,
      number: this.number,
      page: this.page,
      hasPageBefore: this.page !== undefined && this.page > 1,
      hasPageAfter: !this.isLastPage,
      currency: this.accountCurrency ?? opening?.currency ?? this.closing?.currency,
      from: this.from ?? opening?.on,
      to: this.to ?? this.closing?.on,
      isInterim,
      notice: this.notice,
      opening,
      closing: this.closing,
    };
  }

  /** The bank's own summary, where it gives one. It may count what is booked or everything, so either agrees. */
  checkSummary(entries: EntryCounts, booked: StatementTally): void {
    const total = find(this.summary, 'TtlNtries', 'NbOfNtries');
    if (total !== undefined) {
      const count = wholeNumber(total);
      if (count !== entries.all && count !== entries.booked) {
        refuse(total.place, {
          code: 'FEED_INCONSISTENT',
          reason: `the summary counts ${count} entries, but there are ${entries.all}, ${entries.booked} of them booked`,
        });
      }
    }
    const net = find(this.summary, 'TtlNtries', 'TtlNetNtry', 'Amt');
    if (net === undefined || entries.all !== entries.booked) return;
    const sign = textAt(this.summary, 'TtlNtries', 'TtlNetNtry', 'CdtDbtInd') === 'DBIT' ? -1n : 1n;
    const currency = this.accountCurrency ?? this.closing?.currency;
    if (currency === undefined) return;
    const summed =
      sign * BigInt(readDecimal({ text: needText(net), currency, mark: '.' }, net.place));
    if (summed !== booked.netCents) {
      refuse(net.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the summary has a net of ${summed}, but the entries total ${booked.netCents} minor units`,
      });
    }
  }

  private takeAccount(element: MarkupElement): void {
    if (this.account !== undefined) {
      refuse(element.place, { reason: 'expected one Acct in the statement, but found a second' });
    }
    this.account = textAt(element, 'Id', 'IBAN') ?? needText(element, 'Id', 'Othr', 'Id');
    const currency = find(element, 'Ccy');
    if (currency !== undefined)
      this.accountCurrency = readCurrency(needText(currency), currency.place);
    const institution = find(element, 'Svcr', 'FinInstnId');
    this.bank =
      textAt(institution, 'BICFI') ??
      textAt(institution, 'BIC') ??
      textAt(institution, 'ClrSysMmbId', 'MmbId');
  }

  private takeBalance(element: MarkupElement): void {
    const code = textAt(element, 'Tp', 'CdOrPrtry', 'Cd');
    if (code !== 'OPBD' && code !== 'PRCD' && code !== 'CLBD') return;
    const balance = readBalance(element);
    const known = this.accountCurrency ?? this.opening?.currency ?? this.previousClosing?.currency;
    if (known !== undefined && known !== balance.currency) {
      refuse(element.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the account is in ${known}, but its ${code} balance in ${balance.currency}`,
      });
    }
    const kept =
      code === 'OPBD' ? this.opening : code === 'CLBD' ? this.closing : this.previousClosing;
    if (kept !== undefined) {
      refuse(element.place, {
        code: 'FEED_INCONSISTENT',
        reason: `expected one ${code} balance, but found a second`,
      });
    }
    if (code === 'OPBD') this.opening = balance;
    else if (code === 'CLBD') this.closing = balance;
    else this.previousClosing = balance;
    this.areIntermediate &&= textAt(element, 'Tp', 'SubTp', 'Cd') === 'INTM';
  }
}

interface EntryCounts {
  readonly all: number;
  readonly booked: number;
}

function readBalance(element: MarkupElement): Balance {
  const amount = readCamtAmount(need(element, 'Amt'));
  const direction: LineEvent['direction'] = readDirection(element);
  const on = readCamtDate(need(element, 'Dt'));
  if (on === undefined) return refuse(element.place, { reason: 'expected a date in the balance' });
  const signed = direction === 'debit' && amount.amountCents !== 0 ? -1 : 1;
  return { amountCents: signed * amount.amountCents, currency: amount.currency, on };
}

function readNotice(element: MarkupElement): Statement['notice'] {
  const text = needText(element);
  if (Object.hasOwn(NOTICES, text)) return NOTICES[text];
  return refuse(element.place, {
    reason: `expected COPY, CODU or DUPL, but found ${quoted(text)}`,
  });
}

function isTrue(element: MarkupElement): boolean {
  const text = needText(element);
  return text === 'true' || text === '1';
}

function wholeNumber(element: MarkupElement): number {
  const text = needText(element);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return refuse(element.place, {
    reason: `expected a whole number in ${element.name}, but found ${quoted(text)}`,
  });
}
