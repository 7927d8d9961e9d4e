export { isSpecialAddress } from './address-guard.ts';
export { Connection, Connections } from './connections.ts';
export { after, type Dial, openConnection, targetOf } from './connector.ts';
export { Credentials } from './credentials.ts';
export type { Environment } from './environment.ts';
export {
  type Requester,
  type ResponseHeaders,
  type WireAnswer,
  WireExchange,
  type WireFailure,
} from './exchange.ts';
export { ConnectionFailure, type PhaseTimes } from './failure.ts';
export { askOnce, type OnceEnd, type OnceDeps, UNGUARDED } from './once.ts';
export {
  ALLOW_PRIVATE,
  ANY_PRIVATE,
  type AllowedPrivate,
  allowedPrivate,
  operatorNetworks,
} from './private-networks.ts';
export type { ProxyOptions } from './proxy-tunnel.ts';
export {
  isCredentialReference,
  isReference,
  readReference,
} from './reference.ts';
export { readSecretList } from './secret-list.ts';
