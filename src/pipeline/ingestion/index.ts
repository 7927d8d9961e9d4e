export { fetchAwards, runFetchQueue } from './fetch-awards.ts';
export { checkCorrection, ingestAwards, type IngestionParts } from './ingest-awards.ts';
