/** Lines of a file or of standard input; what cannot be read is never taken for an empty one. */
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type FilewrightError, notFound, whyUnreadable } from '../core/index.ts';

const STANDARD_INPUT = 0;

export async function* standardInputLines(): AsyncGenerator<string> {
  // Node reads nothing from it and says nothing.
  if (fstatSync(STANDARD_INPUT).isDirectory())
    throw cannotRead('Standard input', { code: 'EISDIR' });
  yield* inputLines('Standard input', process.stdin);
}

/** `what` is how the message calls it: "The case file PATH". */
export async function* inputLines(what: string, source: Readable): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: source, crlfDelay: Infinity });
  } catch (error) {
    throw cannotRead(what, error);
  }
}

function cannotRead(what: string, cause: unknown): FilewrightError {
  return notFound(`${what} cannot be read: ${whyUnreadable(cause)}`, {
    cause,
  });
}
