export * from './conformance.ts';
