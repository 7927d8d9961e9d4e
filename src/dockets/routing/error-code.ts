import { FilewrightError } from '../../core/index.ts';

/** Never a message, which could quote a payload. */
export function codeOf(error: unknown): string {
  if (error instanceof FilewrightError) return error.code;
  if (!(error instanceof Error)) return 'UNEXPECTED';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
