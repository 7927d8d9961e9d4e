/** A grantor's ledger behind an HTTP lane: one read, its outcome as a value. Whether to try again is decided elsewhere. */
import { type Exchange, FilewrightError, parseStrictJson } from '../../core/index.ts';
import type { GrantorAnswer, GrantorLedger, LaneToRead } from './contracts.ts';
import { bodyOf, failureOf } from './lane-answers.ts';

/** `pathOf` gives the place of a grantor's ledger below the lane's base address. */
export function laneLedger(
  code: string,
  lane: LaneToRead,
  pathOf: (grantor: string) => string,
): GrantorLedger {
  return {
    code,
    mayRead: () => lane.mayRead,
    read: async (grantor) => answerOf(await lane.read(pathOf(grantor))),
  };
}

function answerOf(exchange: Exchange): GrantorAnswer {
  const failure = failureOf(exchange);
  if (failure !== undefined) return { kind: 'failed', failure };
  try {
    return { kind: 'read', document: parseStrictJson(bodyOf(exchange)) };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { kind: 'failed', failure: { kind: 'schema', codes: [error.code] } };
  }
}
