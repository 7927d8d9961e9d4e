export { fetchAwards, runFetchQueue } from './fetch-awards.ts';
export {
  askForAmendment,
  askForCancellation,
  carryOutCancellations,
  checkCorrection,
  type Correction,
  isStanding,
} from './amendments.ts';
export { ingestAwards, type IngestionParts } from './ingest-awards.ts';
