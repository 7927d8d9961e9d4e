export {
  type ApprovalTerms,
  type BatchPayload,
  batchPayloads,
  type RailTotal,
} from '../batches.ts';
export {
  type AgentChange,
  changeAgents,
  type EntityColumns,
  type EntityFiling,
  type EntityFilter,
  type EntityWrite,
  entityKeys,
  filingsFor,
  findEntities,
  listEntities,
  lockRegister,
  type StoredEntity,
  writeEntities,
} from './entities.ts';
export { readFeed, writeFeed } from './feeds.ts';
export {
  acceptedAmong,
  endObligations,
  entitiesOfFilings,
  listObligations,
  type ObligationColumns,
  type ObligationFilter,
  type ObligationState,
  obligationsOf,
  type StoredObligation,
  writeObligations,
} from './obligations.ts';
export {
  rememberUnfiled,
  unfiledBefore,
  type UnfiledGroup,
  type UnfiledNews,
  unfiledNews,
} from './unfiled.ts';
export { recordSubjectFacts, type SubjectFact } from './subject-facts.ts';
