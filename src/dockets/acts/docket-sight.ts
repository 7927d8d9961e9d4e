/**
 * What of dockets a person may be told, for commands that speak of everything and seldom meet one: the rules of access
 * are loaded only when a docket is in question.
 */
import type { DocketId } from '../../core/index.ts';
import type { Actor } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Sight } from './sight.ts';

type DocketSight = Pick<Sight, 'mayKnow' | 'mayKnowDates' | 'seesEverything'>;

export function docketSight(app: Installation, actor: Actor): DocketSight {
  let loaded: Promise<Sight> | undefined;
  const sight = (): Promise<Sight> => {
    loaded ??= import('./sight.ts').then((room) => new room.Sight(app, actor));
    return loaded;
  };
  return {
    mayKnow: async (docket) => (await sight()).mayKnow(docket),
    mayKnowDates: async (docket) => (await sight()).mayKnowDates(docket),
    seesEverything: async () => (await sight()).seesEverything(),
  };
}

/** Of a list that is read in pages, the first `limit` that may be shown: a shorter page would tell that some are hidden. */
export async function firstShown<One extends { readonly docket: DocketId | undefined }>(
  pages: AsyncIterable<readonly One[]>,
  sight: DocketSight,
  limit: number,
): Promise<One[]> {
  const shown: One[] = [];
  for await (const page of pages) {
    for (const one of page) {
      if (shown.length >= limit) return shown;
      if (one.docket === undefined || (await sight.mayKnow(one.docket))) shown.push(one);
    }
  }
  return shown;
}
