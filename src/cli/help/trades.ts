/** Whose work a command is: `--help` shows commands by trade, so that nobody reads past what they do all day. */

export const TRADES = {
  paralegal: 'Paralegal: from your spreadsheet to filings with a receipt',
  approver: 'Approver: check what others have prepared, then approve or refuse it',
  docketing: 'Docketing clerk: patent events to the responsible person, in time',
  accountant: 'Accountant: awards, bank lines and reports of grants',
  operator: 'Operator and auditor: set up, keep running, prove',
} as const satisfies Record<string, string>;

export type Trade = keyof typeof TRADES;

export function isTrade(word: string | undefined): word is Trade {
  return word !== undefined && Object.hasOwn(TRADES, word);
}
