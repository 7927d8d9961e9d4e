/** What a bank on the way kept, out of the words of a line; a field of the format says it better where there is one. */

const AMOUNT = String.raw`(?:USD|US\$|\$)?\s{0,20}(\d{1,3}(?:,\d{3})+\.\d{2}|\d{1,12}\.\d{2})(?!\d)`;
// The charge of a return, or of the account, is an entry of its own: only a credit speaks of what was kept from it.
const FEE = new RegExp(
  String.raw`\b(?:FEES?|CHARGES?|CHGS?|COMMISSION|COMM)\b[\s:.=-]{0,20}(?:OF\s{1,20})?${AMOUNT}`,
  'i',
);
const GROSS = new RegExp(
  String.raw`\b(?:GROSS|ORIG(?:INAL)?(?:\s{1,20}(?:AMT|AMOUNT))?|INSTRUCTED)\b[\s:.=-]{0,20}(?:AMT|AMOUNT)?[\s:.=-]{0,20}${AMOUNT}`,
  'i',
);

/** Undefined where nothing is said, or where what is said does not agree with the amount. */
export function feeInText(line: {
  readonly description: string;
  readonly direction: 'credit' | 'debit';
  readonly amountCents: number;
}): number | undefined {
  if (line.direction !== 'credit') return undefined;
  const fee = centsOf(FEE.exec(line.description)?.[1]);
  const gross = centsOf(GROSS.exec(line.description)?.[1]);
  if (gross === undefined) return fee;
  const kept = gross - line.amountCents;
  if (kept <= 0 || (fee !== undefined && fee !== kept)) return undefined;
  return kept;
}

function centsOf(text: string | undefined): number | undefined {
  const cents = text === undefined ? 0 : Number(text.replaceAll(/[,.]/g, ''));
  return cents > 0 ? cents : undefined;
}
