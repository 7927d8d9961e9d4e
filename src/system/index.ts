export { systemClock, systemIds, systemRandom } from './clock.ts';
export { jsonLog, silentLog } from './log.ts';
export { readRootKey, rootKeyFile } from './root-key.ts';
