export { type AuditReport, type LogReport, verifyLedger } from './audit.ts';
export { approve, importFile, readBatchId, runBatch, sequenceAll } from './batches.ts';
export { addPortal, changeLane, lanes, type LaneWithProfile, profilesByLane } from './lanes.ts';
export { addUser, disableUser, personOf } from './people.ts';
export { openException, type OpenedException, replay } from './reviews.ts';
export type { Wait } from './waits.ts';
