export { fetchAwards, runFetchQueue } from './fetch-awards.ts';
export {
  askForAmendment,
  askForCancellation,
  carryOutCancellations,
  checkCorrection,
  type Correction,
  isStanding,
} from './amendments.ts';
export { ingestAwards } from './ingest-awards.ts';
export type { IngestionParts } from './ingestion-parts.ts';
