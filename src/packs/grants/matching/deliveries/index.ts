export { Deliveries, type Folded, type IsToldTwice } from './deliveries.ts';
export { HeldLines } from './held-lines.ts';
export { entryKey, sameEntries } from './same-entry.ts';
export { type Telling, Tellings } from './tellings.ts';
export { toldOutcome } from './told-outcomes.ts';
