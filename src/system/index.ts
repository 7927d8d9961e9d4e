export { CheckpointFiles, checkpointsFolder, type KeptCheckpoint } from './checkpoint-copies.ts';
export { systemClock, systemIds, systemRandom } from './clock.ts';
export { ExportFolder, type LineFile } from './export-folder.ts';
export { lawIn, readText, shippedLaw, type ShippedLaw } from './law-files.ts';
export { jsonLog, silentLog } from './log.ts';
export {
  confirmRootKeyBackup,
  readRootKeyBackup,
  type RootKeyBackup,
  rootKeyFingerprint,
} from './root-key-backup.ts';
export { rootKeySource, type RootKeySource } from './root-key-source.ts';
export {
  beginRootKeyRotation,
  finishRootKeyRotation,
  readRootKey,
  rootKeyFile,
} from './root-key.ts';
export { writeWhole } from './write-whole.ts';
