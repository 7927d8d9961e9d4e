/** One `Ntry` of camt.052, .053 and .054 in versions .02 to .08, with the payments inside it. */
import type { Day } from '../../../calendar/index.ts';
import { readCamtCharges, readCamtShortfall } from './charges.ts';
import { readIsoDate } from './feed-dates.ts';
import type { LineDetail, LineEvent, Statement } from './feed-events.ts';
import { REFERENCES_MAX } from './limits.ts';
import { find, findAll, type MarkupElement, need, needText, textAt } from './markup.ts';
import { readCurrency, readDecimal } from './money.ts';
import { findReferences, oneLine } from './references.ts';
import { quoted, refuse } from './refusal.ts';
import { isIsoReturn } from './returns.ts';

const STATUS: Readonly<Record<string, LineEvent['status']>> = {
  BOOK: 'booked',
  PDNG: 'pending',
  FUTR: 'pending',
  INFO: 'information',
};

interface CamtAmount {
  readonly amountCents: number;
  readonly currency: string;
}

/** An amount is never negative in these messages; `CdtDbtInd` carries the sign. */
export function readCamtAmount(element: MarkupElement): CamtAmount {
  const currency = readCurrency(element.currency ?? '', element.place);
  const text = needText(element);
  if (!/^\d/.test(text)) {
    refuse(element.place, {
      reason: `expected an amount without a sign, but found ${quoted(text)}`,
    });
  }
  return { amountCents: readDecimal({ text, currency, mark: '.' }, element.place), currency };
}

export function readDirection(element: MarkupElement): LineEvent['direction'] {
  const text = needText(element, 'CdtDbtInd');
  if (text === 'CRDT') return 'credit';
  if (text === 'DBIT') return 'debit';
  return refuse(need(element, 'CdtDbtInd').place, {
    reason: `expected CRDT or DBIT, but found ${quoted(text)}`,
  });
}

/** `Dt` holds either a day or a moment. */
export function readCamtDate(element: MarkupElement | undefined): Day | undefined {
  const inner = find(element, 'Dt') ?? find(element, 'DtTm');
  return inner === undefined ? undefined : readIsoDate(needText(inner), inner.place);
}

interface EntryContext {
  readonly statement: Statement;
  readonly account: string;
  readonly createdOn: Day | undefined;
}

export function readEntry(
  entry: MarkupElement,
  details: readonly LineDetail[],
  context: EntryContext,
): LineEvent {
  const { statement } = context;
  const amount = readCamtAmount(need(entry, 'Amt'));
  if (statement.currency !== undefined && amount.currency !== statement.currency) {
    refuse(need(entry, 'Amt').place, {
      code: 'FEED_INCONSISTENT',
      reason: `the statement is in ${statement.currency}, but this entry in ${amount.currency}`,
    });
  }
  const status = readStatus(entry);
  const valueDate = readCamtDate(find(entry, 'ValDt'));
  const [first] = details;
  const own = findReferences({
    fields: [textAt(entry, 'NtryRef')],
    pieces: details.length === 0 ? [textAt(entry, 'AddtlNtryInf') ?? ''] : [],
  });
  const nativeId = textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef');
  const references = new Set([
    ...details.flatMap((detail) => detail.references),
    ...own.references,
  ]);
  if (nativeId !== undefined) references.delete(nativeId);
  const isBatch = details.length > 1;
  const code = readTransactionCode(find(entry, 'BkTxCd'));
  return {
    kind: 'line',
    place: entry.place,
    statement: statement.ordinal,
    account: context.account,
    nativeId,
    bookingDate: bookingDate(entry, { valueDate, status, createdOn: context.createdOn }),
    valueDate,
    ...amount,
    direction: readDirection(entry),
    status,
    isReversal:
      readReversal(entry) || isIsoReturn(code) || details.some(({ isReturn }) => isReturn),
    trace: isBatch ? undefined : (first?.trace ?? own.trace),
    references: [...references].slice(0, REFERENCES_MAX),
    counterparty: isBatch ? undefined : first?.counterparty,
    description:
      isBatch || first === undefined || first.description === ''
        ? oneLine(textAt(entry, 'AddtlNtryInf') ?? '')
        : first.description,
    code,
    chargesCents: readCamtCharges(entry, amount.currency) ?? sumOfCharges(details),
    details: isBatch ? details : [],
  };
}

function sumOfCharges(details: readonly LineDetail[]): number | undefined {
  const cents = details.reduce((sum, { chargesCents = 0 }) => sum + chargesCents, 0);
  return cents > 0 ? cents : undefined;
}

/** A `TxDtls`; the party that is not us depends on which way the money went. */
export function readDetail(
  element: MarkupElement,
  {
    direction,
    currency,
  }: { readonly direction: LineEvent['direction']; readonly currency: string },
): LineDetail {
  const amountAt = find(element, 'Amt') ?? find(element, 'AmtDtls', 'TxAmt', 'Amt');
  const amount = amountAt === undefined ? undefined : readCamtAmount(amountAt);
  const refs = find(element, 'Refs');
  const transactionId = textAt(refs, 'TxId');
  // Fifteen digits in the clearing's own field are the ACH trace.
  const isTrace = transactionId !== undefined && /^\d{15}$/.test(transactionId);
  const remittance = find(element, 'RmtInf');
  const unstructured = remittance === undefined ? [] : findAll(remittance, 'Ustrd');
  const structured =
    remittance === undefined ? [] : findAll(remittance, 'Strd', 'CdtrRefInf', 'Ref');
  const found = findReferences({
    fields: [
      ...structured.map((each) => each.text),
      textAt(refs, 'EndToEndId'),
      isTrace ? undefined : transactionId,
      textAt(refs, 'InstrId'),
      textAt(refs, 'UETR'),
      textAt(refs, 'ChqNb'),
    ],
    pieces:
      unstructured.length > 0
        ? unstructured.map((each) => each.text)
        : [textAt(element, 'AddtlTxInf') ?? ''],
  });
  return {
    amountCents: amount?.amountCents,
    currency: amount?.currency,
    references: found.references,
    trace: isTrace ? transactionId : found.trace,
    counterparty: partyName(element, direction),
    description: found.text,
    isReturn: find(element, 'RtrInf') !== undefined,
    chargesCents:
      readCamtCharges(element, currency) ??
      (amount?.currency === currency ? readCamtShortfall(element, amount) : undefined),
  };
}

/** A payment that came in has its payer as debtor; a reversal of one names him the same way, so both are looked at. */
function partyName(element: MarkupElement, direction: LineEvent['direction']): string | undefined {
  const parties = find(element, 'RltdPties');
  const order = direction === 'credit' ? ['Dbtr', 'Cdtr'] : ['Cdtr', 'Dbtr'];
  for (const role of order) {
    // Since .08 the name is one level deeper, in Pty.
    const name = textAt(parties, role, 'Pty', 'Nm') ?? textAt(parties, role, 'Nm');
    if (name !== undefined) return oneLine(name);
  }
  return undefined;
}

function readStatus(entry: MarkupElement): LineEvent['status'] {
  const element = need(entry, 'Sts');
  // Text up to .06, a code inside it since .08.
  const text = textAt(element, 'Cd') ?? element.text.trim();
  const status = Object.hasOwn(STATUS, text) ? STATUS[text] : undefined;
  return (
    status ??
    refuse(element.place, {
      reason: `expected the status BOOK, PDNG, INFO or FUTR, but found ${quoted(text)}`,
      remedy: 'Only booked entries are money, so the status must be known',
    })
  );
}

function readReversal(entry: MarkupElement): boolean {
  const text = textAt(entry, 'RvslInd') ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return refuse(need(entry, 'RvslInd').place, {
    reason: `expected true or false, but found ${quoted(text)}`,
  });
}

function bookingDate(
  entry: MarkupElement,
  known: {
    readonly valueDate: Day | undefined;
    readonly status: LineEvent['status'];
    readonly createdOn: Day | undefined;
  },
): Day {
  const booked = readCamtDate(find(entry, 'BookgDt')) ?? known.valueDate;
  if (booked !== undefined) return booked;
  // What is only announced may have no date yet; that of the message orders it.
  if (known.status !== 'booked' && known.createdOn !== undefined) return known.createdOn;
  return refuse(entry.place, {
    reason: 'expected BookgDt or ValDt in a booked Ntry, found neither',
  });
}

function readTransactionCode(element: MarkupElement | undefined): string | undefined {
  const proprietary = textAt(element, 'Prtry', 'Cd');
  if (proprietary !== undefined) return proprietary;
  const parts = [
    textAt(element, 'Domn', 'Cd'),
    textAt(element, 'Domn', 'Fmly', 'Cd'),
    textAt(element, 'Domn', 'Fmly', 'SubFmlyCd'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('-');
}
