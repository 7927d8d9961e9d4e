/** One log per tenant and boundary; no boundary can write into the log of another. */
export const LEDGER_BOUNDARIES = [
  'ingestion',
  'reconciliation',
  'rules',
  'reporting',
  'fallback',
  'filing',
  'access',
  'spine',
] as const;
export type LedgerBoundary = (typeof LEDGER_BOUNDARIES)[number];
