export { entityGates, type EntityGates, type GateResult } from './gates.ts';
export { gateAtSend, type SendFacts } from './gates-at-send.ts';
export type {
  GateChange,
  GateCode,
  Gated,
  GateFinding,
  LawGates,
  Payload,
} from './gates-report.ts';
export { FILING_SCHEMAS } from './gates-schema.ts';
export { entityRowReader, type EntityRowReaderOptions } from './row-reader.ts';
