/** Apart from the pack's main door, because it reads law, which importing a file of filings never needs. */
export { REGISTER_COLUMNS } from './columns.ts';
export * from './entity-record.ts';
export * from './filing-kinds.ts';
export * from './owed.ts';
export * from './payment-rail.ts';
export { readRecord, type RecordResult } from './read-record.ts';
export * from './reconcile.ts';
