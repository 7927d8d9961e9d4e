export { makeDataDirectory } from './data-directory.ts';
export { onPaper, paperBytes } from './paper.ts';
export { CheckpointFiles, checkpointsFolder } from './checkpoint-copies.ts';
export { KnownLogFiles } from './known-logs.ts';
export { systemClock, systemIds, systemRandom } from './clock.ts';
export { ExportFolder } from './export-folder.ts';
export { lawIn, readText, shippedLaw, type ShippedLaw } from './law-files.ts';
export { installationOf, newPlaceOf, likelyPlaceOf, type Standing } from './installation-place.ts';
export { jsonLog } from './log.ts';
export { silentLog } from './silent-log.ts';
export { confirmRootKeyBackup, readRootKeyBackup, rootKeyFingerprint } from './root-key-backup.ts';
export { rootKeySource } from './root-key-source.ts';
export {
  beginRootKeyRotation,
  finishRootKeyRotation,
  rootKeyFile,
  rootKeyInUse,
} from './root-key.ts';
export { WitnessFiles, witnessKey } from './witness-files.ts';
export { writeWhole } from './write-whole.ts';
