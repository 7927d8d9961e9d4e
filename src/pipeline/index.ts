/** The grants pipeline: four stages and the fallback, blind to each other; open-pipeline.ts alone knows them all. */
export type * from './contracts.ts';
export { REPORT_KINDS } from './contracts.ts';
export { laneDocuments } from './lane-documents.ts';
export { laneLedger } from './lane-ledger.ts';
export { openPipeline } from './open-pipeline.ts';
