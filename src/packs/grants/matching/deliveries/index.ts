export { Deliveries, type Folded, type IsToldTwice } from './deliveries.ts';
export { HeldLines } from './held-lines.ts';
export { type Telling, Tellings } from './tellings.ts';
export { toldOutcome } from './told-outcomes.ts';
