export { systemClock, systemIds, systemRandom } from './clock.ts';
export { jsonLog, silentLog } from './log.ts';
export { CheckpointFiles, checkpointsFolder, type KeptCheckpoint } from './checkpoint-copies.ts';
export {
  beginRootKeyRotation,
  finishRootKeyRotation,
  readRootKey,
  rootKeyFile,
} from './root-key.ts';
export { type RootKeySource, rootKeySource } from './root-key-source.ts';
export { ExportFolder, type LineFile } from './export-folder.ts';
export { writeWhole } from './write-whole.ts';
export {
  confirmRootKeyBackup,
  readRootKeyBackup,
  type RootKeyBackup,
  rootKeyFingerprint,
} from './root-key-backup.ts';
