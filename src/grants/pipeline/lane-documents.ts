/** Award documents behind an HTTP lane: one read, its outcome as a value. Whether to try again is decided elsewhere. */
import type { DocumentLane, LaneToRead } from './contracts.ts';
import { bodyOf, failureOf } from './lane-answers.ts';

export function laneDocuments(code: string, lane: LaneToRead): DocumentLane {
  return {
    code,
    mayRead: () => lane.mayRead,
    read: async (path) => {
      const exchange = await lane.read(path);
      const failure = failureOf(exchange);
      // A page that explains an error is no part of the document.
      const isDocument = exchange.kind === 'answer' && exchange.status === 200;
      return { failure, body: isDocument ? bodyOf(exchange) : undefined };
    },
  };
}
