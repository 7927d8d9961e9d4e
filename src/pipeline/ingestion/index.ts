export { checkCorrection, ingestAwards, type IngestionParts } from './ingest-awards.ts';
