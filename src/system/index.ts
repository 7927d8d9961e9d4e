export { CheckpointFiles, checkpointsFolder } from './checkpoint-copies.ts';
export { systemClock, systemIds, systemRandom } from './clock.ts';
export { ExportFolder } from './export-folder.ts';
export { lawIn, readText, shippedLaw, type ShippedLaw } from './law-files.ts';
export { jsonLog, silentLog } from './log.ts';
export { confirmRootKeyBackup, readRootKeyBackup } from './root-key-backup.ts';
export { rootKeySource } from './root-key-source.ts';
export { rootKeyFile } from './root-key.ts';
export { writeWhole } from './write-whole.ts';
