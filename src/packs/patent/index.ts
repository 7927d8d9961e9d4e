export * from './answer.ts';
export * from './case.ts';
export * from './compute.ts';
export * from './law-diff.ts';
export type { Matter, PatentLaw } from './matter.ts';
export * from './rules-file.ts';
