/** The refusals of many places, by name. */
import { type ErrorCode, type ErrorExtras, FilewrightError } from './errors.ts';

export function errorOf(
  code: ErrorCode,
): (message: string, extras?: ErrorExtras) => FilewrightError {
  return (message, extras) => new FilewrightError(code, message, extras);
}

export const misuse = errorOf('USAGE');
export const notFound = errorOf('NOT_FOUND');
export const ruledOut = errorOf('REFUSED_BY_RULE');
export const badInput = errorOf('INPUT_MALFORMED');
export const badCase = errorOf('CASE_INVALID');
export const overLimit = errorOf('INPUT_LIMIT');
