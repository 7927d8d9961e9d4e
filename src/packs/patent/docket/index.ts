/** Docket events (pure): reading and mapping them, their dates, what closes them, and the report. */
export * from './closing.ts';
export * from './columns.ts';
export * from './dates.ts';
export * from './docket.ts';
export * from './drift.ts';
export * from './event-row.ts';
export * from './kept-under.ts';
export * from './map-document.ts';
export * from './mapping-file.ts';
export * from './meaning.ts';
export * from './moved.ts';
export * from './read-labels.ts';
export * from './read-row.ts';
export * from './report.ts';
export * from './search.ts';
